"""What `didymos trim` prints: tables of trims, modes and matrices, or the same as one JSON object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from didymos.cli.text import number, print_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from didymos.engine.flight_survey import Point, Survey
    from didymos.engine.linear_flight import LinearFlight
    from didymos.engine.modes import Mode
    from didymos.engine.trim import Steady, Trim

__all__ = ["as_json", "print_survey"]


def print_survey(found: Survey) -> None:
    """Trims, then modes; of a single trim, its matrices as well."""
    if found.envelope is not None:
        ends = found.envelope
        print(f"slowest {number(ends.slowest.airspeed)} m/s ({ends.ends_slow}), fastest {number(ends.fastest.airspeed)} m/s"
              f" ({ends.ends_fast})")  # fmt: skip
    if not found.points:
        return
    axes = found.points[0].model.axes
    head = ("airspeed [m/s]", "alpha [rad]", "beta [rad]", "nose [rad]", "bank [rad]", "turn [rad/s]", *axes, "thrust [N]")
    print_table([_row(point.trim, axes) for point in found.points], (*head, "power [W]"), title="trim")
    alone = len(found.points) == 1  # else the modes of engines and joints are left to the JSON object
    rows = [
        (number(point.trim.airspeed), *_mode(mode))
        for point in found.points for mode in point.modes if alone or not mode.name.startswith("of ")
    ]  # fmt: skip
    times = ("period [s]", "to half [s]", "to double [s]")
    print_table(rows, ("airspeed [m/s]", "mode", "eigenvalue [1/s]", "frequency [rad/s]", "damping", *times), title="modes")
    flown = [(number(point.trim.airspeed), *_flown(item)) for point in found.points for item in point.flown]
    print_table(flown, ("airspeed [m/s]", "mode", "eigenvalue [1/s]", "in the log [1/s]", "apart", "signal"), title="flown")
    if alone:
        _print_matrices(found.points[0].model)


def _tidy(value: float) -> str:
    return number(0.0 if abs(value) < 5e-7 else value)


def _row(trim: Trim, axes: Sequence[str]) -> tuple[str, ...]:
    angles = (trim.alpha, trim.beta, trim.theta, trim.bank, trim.turn)
    commands = (trim.commands.get(axis, 0.0) for axis in axes)
    return (number(trim.airspeed), *(_tidy(value) for value in (*angles, *commands, trim.thrust)), number(trim.power))


def _value(value: complex) -> str:
    return number(value.real) if value.imag == 0.0 else f"{value.real:.5g} +- {value.imag:.5g}i"


def _mode(mode: Mode) -> tuple[str, ...]:
    half, double = (mode.halving, None) if mode.halving >= 0.0 else (None, -mode.halving)
    times = [None if value is None or math.isinf(value) else value for value in (mode.period, half, double)]
    return mode.name, _value(mode.value), number(mode.frequency), number(mode.damping), *(number(value) for value in times)


def _flown(item: Any) -> tuple[str, ...]:
    return item.name, _value(item.expected), _value(item.value), f"{item.error:.2%}", item.signal


def _print_matrices(model: LinearFlight) -> None:
    print("states: " + ", ".join(f"{name} [{unit}]" for name, unit in zip(model.states, model.units, strict=True)))
    print("commands: " + ", ".join(model.axes))
    for name, matrix in (("A", model.a), ("B", model.b)):
        print_table([(state, *(_tidy(float(value)) for value in row)) for state, row in zip(model.states, matrix, strict=True)],
                    ("", *(model.states if name == "A" else model.axes)), title=name)  # fmt: skip


def as_json(found: Survey, flight: Steady) -> dict[str, Any]:
    """All numbers of a survey."""
    ends = found.envelope
    return {
        "height": flight.height,
        "climb": flight.climb,
        "bank": flight.bank,
        "axes": found.aircraft.axes,
        "envelope": None if ends is None else {
            "slowest": ends.slowest.airspeed, "ends_slow": ends.ends_slow,
            "fastest": ends.fastest.airspeed, "ends_fast": ends.ends_fast,
        },
        "trims": [_point(point) for point in found.points],
        "missing": list(found.missing),
    }  # fmt: skip


def _point(point: Point) -> dict[str, Any]:
    trim, model = point.trim, point.model
    about = {
        name: getattr(trim, name)
        for name in ("airspeed", "alpha", "beta", "theta", "bank", "heading", "turn", "commands", "inputs", "followers", "thrust",
                     "power", "left")
    }  # fmt: skip
    return {
        **about,
        "states": model.states,
        "units": model.units,
        "commanded": model.axes,
        "A": model.a,
        "B": model.b,
        "modes": [_mode_json(mode) for mode in point.modes],
        "flown": [
            {"name": x.name, "eigenvalue": _parts(x.expected), "logged": _parts(x.value), "error": x.error, "signal": x.signal,
             "seconds": x.seconds, "misfit": x.misfit}
            for x in point.flown
        ],
    }  # fmt: skip


def _parts(value: complex) -> list[float]:
    return [value.real, value.imag]


def _mode_json(mode: Mode) -> dict[str, Any]:
    decays = mode.halving > 0.0
    return {
        "name": mode.name,
        "eigenvalue": _parts(mode.value),
        "frequency": mode.frequency,
        "damping": mode.damping,
        "period": mode.period,
        "time_to_half": mode.halving if decays else None,
        "time_to_double": None if decays else -mode.halving,
        "eigenvector": _vector(mode.vector),
        "shares": mode.shares,
    }


def _vector(values: NDArray[Any]) -> list[list[float]]:
    return [_parts(complex(value)) for value in values]
