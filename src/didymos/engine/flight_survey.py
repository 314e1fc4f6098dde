"""Trims, linear models and modes of a twin over a row of airspeeds, with the ends of its flight."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from didymos.describe.twin import Twin
from didymos.engine.aircraft import Aircraft
from didymos.engine.flight_envelope import Envelope, find_envelope, nearest_trim
from didymos.engine.linear_flight import LinearFlight, linearise
from didymos.engine.mode_flight import FlownMode, fly_mode
from didymos.engine.modes import Mode, find_modes
from didymos.engine.trim import Steady, Trim, solve_trim
from didymos.errors import InputError

__all__ = ["Point", "Survey", "survey"]

_POINTS = 11
_SLOW = 1e-3  # [rad/s]: what is slower is not flown


@dataclass(frozen=True)
class Point:
    """A trim, its linear model and its modes; where they were flown, what the logs say."""

    trim: Trim
    model: LinearFlight
    modes: tuple[Mode, ...]
    flown: tuple[FlownMode, ...] = ()


@dataclass(frozen=True)
class Survey:
    """Points over airspeed; the ends of flight where they were looked for; the airspeeds [m/s] without a trim."""

    aircraft: Aircraft
    points: tuple[Point, ...]
    envelope: Envelope | None
    missing: tuple[float, ...]


def survey(
    twin: Twin,
    speeds: Sequence[float] | None,
    flight: Steady,
    *,
    reduced: bool = False,
    fly: bool = False,
    envelope: bool = False,
    progress: Callable[[float], None] = lambda _: None,
) -> Survey:
    """Trims at airspeeds [m/s], or over all of its flight where none are given, each like a flight; `progress` from 0 to 1."""
    aircraft = _aircraft(twin, speeds)
    ends = find_envelope(aircraft, flight) if speeds is None or envelope else None
    if speeds is None:
        assert ends is not None
        speeds = np.linspace(ends.slowest.airspeed, ends.fastest.airspeed, _POINTS).tolist()
    points: list[Point] = []
    missing: list[float] = []
    trim: Trim | None = None
    for i, speed in enumerate(speeds):
        asked = replace(flight, airspeed=float(speed))
        found = solve_trim(aircraft, asked, near=trim) if trim is not None and trim.airspeed > 0.0 else None
        found = found if found is not None else _end(ends, float(speed)) or nearest_trim(aircraft, asked)
        if found is None:
            missing.append(float(speed))
        else:
            trim = found
            points.append(_point(twin, aircraft, found, reduced=reduced, fly=fly))
        progress((i + 1) / len(speeds))
    return Survey(aircraft, tuple(points), ends, tuple(missing))


def _aircraft(twin: Twin, speeds: Sequence[float] | None) -> Aircraft:
    """The aircraft by its usual allocation; where only its hover is asked for, and it has one, by that."""
    if speeds is not None and not any(speeds):
        with contextlib.suppress(InputError):
            return Aircraft(twin, kind="hover")
    return Aircraft(twin)


def _end(ends: Envelope | None, speed: float) -> Trim | None:
    """The trim at an end of flight, which no other is near enough to lead to."""
    found = () if ends is None else (ends.slowest, ends.fastest)
    return next((trim for trim in found if trim.airspeed == speed), None)


def _point(twin: Twin, aircraft: Aircraft, trim: Trim, *, reduced: bool, fly: bool) -> Point:
    whole = linearise(aircraft, trim)
    model = whole.reduced() if reduced else whole
    modes = find_modes(model)
    flown: tuple[FlownMode, ...] = ()
    if fly:
        own = [mode for mode in find_modes(whole) if abs(mode.value) > _SLOW and not mode.name.startswith("of ")]
        flown = tuple(fly_mode(twin, aircraft, whole, mode) for mode in own if mode.name != "height")
    return Point(trim, model, modes, flown)
