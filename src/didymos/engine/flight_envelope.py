"""The speeds between which an aircraft flies steadily, and what ends them: stall, a control at its limit, thrust.

From a speed at which it flies, speeds go down and up by a tenth, each trim from the one before; the first that does not trim is
closed in on by bisection, to a thousandth. Flight has stalled where more angle of attack gives no more lift: dw'/dw >= 0. An
aircraft that hovers on its thrust flies from zero on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from didymos.engine.aircraft import Aircraft
from didymos.engine.linear_flight import linearise
from didymos.engine.trim import Steady, Trim, solve_trim
from didymos.errors import RunError

__all__ = ["Envelope", "find_envelope", "nearest_trim", "slowest_flight"]

_FACTOR = 1.1
_CLOSE = 1e-3  # of the speed
_FASTEST = 350.0  # [m/s], where no law of ours holds any more
_NEAR = 0.995  # of a command's range: at its limit
_FIRST = (15.0, 22.0, 30.0, 10.0, 45.0, 7.0, 60.0, 5.0, 90.0, 3.0, 130.0, 2.0)  # [m/s], to look for flight


@dataclass(frozen=True)
class Envelope:
    """The slowest and the fastest steady flight, and what ends each: `stall`, `hover`, or the axis that is at its limit."""

    slowest: Trim
    ends_slow: str
    fastest: Trim
    ends_fast: str


def _tried(aircraft: Aircraft) -> Iterator[float]:
    """Speeds [m/s] to look for flight: that of the start, zero for what hovers, then all others."""
    velocity = aircraft.twin.file.start.velocity
    speed = math.sqrt(velocity.x**2 + velocity.y**2 + velocity.z**2)
    if speed > 1.0:
        yield speed
    if aircraft.rotors and sum(rotor.axis[2] for rotor in aircraft.rotors) > 0.5 * len(aircraft.rotors):
        yield 0.0
    yield from _FIRST
    if aircraft.rotors:
        yield 0.0


def _is_attached(aircraft: Aircraft, trim: Trim) -> bool:
    return trim.airspeed == 0.0 or linearise(aircraft, trim).of("w", "w") < 0.0


def _flown(aircraft: Aircraft, flight: Steady, near: Trim | None) -> Trim | None:
    """The trim of a flight that has not stalled."""
    found = solve_trim(aircraft, flight, near=near)
    return found if found is not None and _is_attached(aircraft, found) else None


def _limit(aircraft: Aircraft, trim: Trim, otherwise: str) -> str:
    """The axis that is at its limit, or one of whose inputs is."""
    for axis in ("thrust", "pitch", "roll", "yaw"):
        if abs(trim.commands.get(axis, 0.0)) > _NEAR:
            return axis
    for axis in ("thrust", "pitch", "roll", "yaw"):
        if any(abs(trim.inputs[name]) > _NEAR for name in aircraft.axes.get(axis, {})):
            return axis
    return otherwise


def nearest_trim(aircraft: Aircraft, flight: Steady) -> Trim | None:
    """The trim of a flight, looked for from others at the same height if need be: None where there is none."""
    found = _flown(aircraft, flight, None)
    if found is not None or flight.airspeed == 0.0:
        return found
    for speed in _tried(aircraft):
        here = _flown(aircraft, replace(flight, airspeed=speed), None)
        if here is not None and speed > 0.0:
            return _walked(aircraft, here, flight.airspeed)
    return None


def _walked(aircraft: Aircraft, trim: Trim, speed: float) -> Trim | None:
    """The trim at another speed, each step from the one before."""
    steps = max(1, math.ceil(abs(math.log(speed / trim.airspeed)) / math.log(_FACTOR)))
    here: Trim | None = trim
    for i in range(1, steps + 1):
        if here is None:
            return None
        here = _flown(aircraft, replace(trim.flight, airspeed=trim.airspeed * (speed / trim.airspeed) ** (i / steps)), here)
    return here


def slowest_flight(aircraft: Aircraft, flight: Steady) -> Trim:
    """The slowest of flights like one, at any airspeed above zero; none is a `RunError`."""
    for speed in _tried(aircraft):
        found = _flown(aircraft, replace(flight, airspeed=speed), None) if speed > 0.0 else None
        if found is not None:
            return _end(aircraft, found, 1.0 / _FACTOR, "stall", lambda: None)[0]
    raise RunError(f"{aircraft.twin.name} has no steady flight at any airspeed")


def find_envelope(aircraft: Aircraft, flight: Steady, tell: Callable[[], None] = lambda: None) -> Envelope:
    """The envelope of flights like one, at any airspeed; no flight at all is a `RunError`. `tell` is called at each speed."""
    first = None
    for speed in _tried(aircraft):
        tell()
        first = _flown(aircraft, replace(flight, airspeed=speed), None)
        if first is not None:
            break
    if first is None:
        raise RunError(f"{aircraft.twin.name} has no steady flight at any airspeed")
    hover = first if first.airspeed == 0.0 else None
    slow, ends_slow = (hover, "hover") if hover is not None else _end(aircraft, first, 1.0 / _FACTOR, "stall", tell)
    if hover is not None:
        first = _flown(aircraft, replace(flight, airspeed=0.5), None) or first
    fast, ends_fast = (first, "thrust") if first.airspeed == 0.0 else _end(aircraft, first, _FACTOR, "attitude", tell)
    return Envelope(slow, ends_slow, fast, ends_fast)


def _end(aircraft: Aircraft, first: Trim, factor: float, otherwise: str, tell: Callable[[], None]) -> tuple[Trim, str]:
    """The last trim on the way to lower or higher speeds, and what ended it."""
    here, beyond = first, math.nan
    while math.isnan(beyond):
        tell()
        speed = here.airspeed * factor
        if speed > _FASTEST:
            return here, "350 m/s"
        found = _flown(aircraft, replace(first.flight, airspeed=speed), here)
        if found is None:
            beyond = speed
        else:
            here = found
    while abs(beyond - here.airspeed) > _CLOSE * here.airspeed:
        tell()
        speed = 0.5 * (here.airspeed + beyond)
        found = _flown(aircraft, replace(first.flight, airspeed=speed), here)
        if found is None:
            beyond = speed
        else:
            here = found
    return here, _limit(aircraft, here, otherwise)
