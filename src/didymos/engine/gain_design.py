"""Gains that a twin does not give: found from its model when a run is made, by the program that asks for them.

A program that says for which steady flight it designs (`Controller.designs`: "flight" or "hover") and which of its gains
(`Controller.designed`) is handed a `FlightModel` of the twin; gains that the twin file, a scenario or a hand gives stay as they
are. Where all are given nothing is computed.

The model is that of the twin as its files, its variant and the arguments of its description have it: what a run sets beside that
changes the plant, not what its program believes. Flight is designed at the airspeed of the start, where it flies there, else at
1.4 times its slowest; hover where the start is. Both are kept for as long as the process lives, for the last few twins.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from didymos.control.flight_model import FlightModel
from didymos.describe.description import Note
from didymos.describe.twin import Twin
from didymos.engine.aircraft import Aircraft
from didymos.engine.flight_envelope import slowest_flight
from didymos.engine.linear_flight import LinearFlight, linearise
from didymos.engine.rotor_curve import rotor_curve
from didymos.engine.trim import Steady, Trim, motion_of, solve_trim
from didymos.errors import DidymosError, RunError

__all__ = ["designed_gains", "flight_model", "with_designed_gains"]

_T = TypeVar("_T", bound=Twin)

_MARGIN = 1.4  # of the slowest flight
_LEAST_HEIGHT = 20.0  # [m], of flight
_LEAST_THRUST = 1e-3  # of a hover, as a share
_KEPT = 16  # models
_STEP, _TICK = 0.2, 0.01  # of a command, [s]: how a servo's rate is seen
_DONE = 0.999
_models: OrderedDict[Any, tuple[Any, FlightModel | RunError]] = OrderedDict()


def with_designed_gains(twin: _T) -> tuple[_T, tuple[Note, ...]]:
    """A copy with the gains that nobody gives, and notes.

    A twin whose steady flight cannot be found keeps the gains that its program has by itself; a note says so.
    """
    made = twin.copy()
    try:
        found = designed_gains(twin)
    except DidymosError as error:
        what = f"gains could not be found from the model, those of the program itself are taken: {error}"
        return made, (Note(str(twin.source), None, what),)
    made.fill({f"control.gains.{path}": value for path, value in found.items()})
    return made, ()


def designed_gains(twin: Twin, *, all_of_them: bool = False) -> dict[str, float]:
    """The gains by path that the program of a twin designs and the twin does not give, or all that it designs."""
    paths = twin.program.designed if all_of_them and twin.program is not None else twin.gains_to_design
    if not paths:
        return {}
    assert twin.program is not None
    try:
        found = twin.program.design(flight_model(twin, twin.program.designs))
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise RunError(f"the linear model of {twin.name} leads to no gains ({error})") from error
    return {path: _fitting(twin, path, found[path]) for path in paths if path in found}


def _fitting(twin: Twin, path: str, value: float) -> float:
    """A gain within its bounds, to six digits, so that it does not hang on the last bit."""
    parameter = twin.parameters[f"control.gains.{path}"]
    low = -math.inf if parameter.low is None else parameter.low
    high = math.inf if parameter.high is None else parameter.high
    return float(f"{min(max(value, low), high):.6g}")


def flight_model(twin: Twin, kind: str) -> FlightModel:
    """The model of a steady flight ("flight" or "hover") of a twin as its files have it; none is a `RunError`."""
    control = twin.file.control
    assert control is not None
    key = (str(twin.source), twin.variant, kind, repr(twin.plain_plant()), repr(control.options), control.rate)
    kept = _models.get(key)
    if kept is None or kept[0] is not twin.description:
        try:
            kept = twin.description, _make(twin.as_described(), kind)
        except RunError as error:
            kept = twin.description, error
        _models[key] = kept
        while len(_models) > _KEPT:
            _models.popitem(last=False)
    if isinstance(kept[1], RunError):
        raise kept[1]
    return kept[1]


def _make(twin: Twin, kind: str) -> FlightModel:
    aircraft = Aircraft(twin, kind=kind)
    trim = _hover(aircraft) if kind == "hover" else _flight(aircraft)
    whole = linearise(aircraft, trim)
    reduced = whole.reduced(height=True)
    control = twin.file.control
    assert control is not None
    calls = control.rate if math.isfinite(control.rate) else 1.0 / twin.file.world.step
    return FlightModel(
        trim.airspeed, trim.theta, trim.commands, reduced.states, reduced.axes, reduced.a, reduced.b, _lags(whole),
        {axis: _rate(aircraft, trim, axis) for axis in whole.axes}, _reading(twin, calls), calls, twin.file.world.gravity,
        aircraft.mass, aircraft.inertia(), rotor_curve(aircraft, trim) if kind == "hover" else None,
    )  # fmt: skip


def _hover(aircraft: Aircraft) -> Trim:
    found = solve_trim(aircraft, Steady(0.0, aircraft.twin.file.start.position.z))
    if found is None or found.throttle < _LEAST_THRUST:
        raise RunError(f"{aircraft.twin.name} cannot hover")
    return found


def _flight(aircraft: Aircraft) -> Trim:
    start = aircraft.twin.file.start
    speed = math.hypot(start.velocity.x, start.velocity.y, start.velocity.z)
    level = Steady(speed, max(start.position.z, _LEAST_HEIGHT))
    found = solve_trim(aircraft, level) if speed > 1.0 else None
    if found is None:
        slowest = slowest_flight(aircraft, level)
        found = solve_trim(aircraft, replace(level, airspeed=_MARGIN * slowest.airspeed), near=slowest) or slowest
    return found


def _lags(model: LinearFlight) -> dict[str, float]:
    """Mean time [s] from a command to its effect, through what settles: A_12 A_22^-2 B_2 / (B_1 - A_12 A_22^-1 B_2)."""
    effect = {"roll": "p", "pitch": "q", "yaw": "r", "thrust": "u" if abs(model.trim.airspeed) > 0.0 else "w"}
    first = 9
    found = {}
    for i, axis in enumerate(model.axes):
        row = model.states.index(effect[axis])
        through, own = model.a[row, first:], model.b[first:, i]
        if not len(own):
            found[axis] = 0.0
            continue
        inner = np.linalg.solve(model.a[first:, first:], own)
        settled = float(model.b[row, i] - through @ inner)
        late = float(through @ np.linalg.solve(model.a[first:, first:], inner))
        found[axis] = max(late / settled, 0.0) if settled != 0.0 else 0.0
    return found


def _rate(aircraft: Aircraft, trim: Trim, axis: str) -> float:
    """What the command of an axis can change by in a second, seen in the accelerations; infinite where all of it arrives."""
    motion = motion_of(trim.flight, trim.theta, trim.bank, trim.heading, trim.turn)
    followers = np.array([trim.followers[name] for name in aircraft.follower_names])
    commands = dict(trim.commands)
    step = _STEP if commands[axis] < 0.5 else -_STEP
    moved = {**commands, axis: commands[axis] + step}
    seen = []
    for then in (None, _TICK, 60.0):
        aircraft.put(motion, commands, followers)
        if then is not None:
            aircraft.command(moved)
            aircraft.tick(then)
        seen.append(aircraft.accelerations()[0])
    whole = seen[2] - seen[0]
    size = float(whole @ whole)
    share = float((seen[1] - seen[0]) @ whole) / size if size > 0.0 else 1.0
    return math.inf if share > _DONE else max(share, 1e-3) * _STEP / _TICK


def _reading(twin: Twin, calls: float) -> float:
    """Age [s] of what the program knows of its attitude: period and delay of the slowest sensor of it that its options name."""
    control = twin.file.control
    named = set(_words(control.options if control is not None else {}))
    ages = [
        sensor.delay + 1.0 / sensor.rate
        for name, sensor in twin.file.sensors.items()
        if name in named and any(item.name in ("gyro", "angular_velocity") for item in sensor.contract.quantities)
    ]
    return max(ages, default=1.0 / calls)


def _words(options: Any) -> Iterator[str]:
    if isinstance(options, str):
        yield options
    elif isinstance(options, Mapping):
        for value in options.values():
            yield from _words(value)
