"""Values of a twin file that the types cannot judge: gains that are numbers, rates that fit the clock, inertias of real bodies.

A value set later can break them, so they are asked again before every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.describe.names import link_of, link_values
from didymos.describe.surroundings import wrong_objects
from didymos.errors import InputError
from didymos.sensors.error import ErrorSpec, Form
from didymos.spec import Vector, number_fields

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["check_gains", "check_link", "check_tick", "check_values", "leaves", "raise_first", "wrong_values"]


def check_gains(twin: Twin) -> None:
    """Refuse gains that are no numbers; asked first, because the parameter tree is made of them."""
    raise_first(_gain_values(twin))


def check_values(twin: Twin) -> None:
    """Raise the first value that does not fit the others."""
    raise_first(wrong_values(twin))


def check_link(twin: Twin, name: str) -> None:
    """Refuse a mass and inertia, as set, that no body can have."""
    mass, _, inertia = link_values(twin, name)
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9) + 1e-15:
        found = ", ".join(f"{moment:.6g}" for moment in moments)
        raise InputError(f"principal moments {found} kg m^2 belong to no body", path=f"links.{name}.inertia")
    if mass == 0.0 and moments[2] > 0.0:
        raise InputError("found 0 kg, expected a mass above 0 on a link that has an inertia", path=f"links.{name}.mass")


def check_tick(twin: Twin, name: str, period: float) -> None:
    """Refuse numbers of a part, as set, that do not fit ticks of so many seconds."""
    part = twin.file.parts[name]
    try:
        part.contract.check_tick(part, period)
    except ValueError as error:
        raise twin.mistake(str(error), "parts", name) from error


def raise_first(found: Iterable[InputError]) -> None:
    """Raise the first of some mistakes, with the others beside it; do nothing where there are none."""
    mistakes = list(found)
    if mistakes:
        first, *others = mistakes
        first.others = tuple(others)
        raise first


def wrong_values(twin: Twin) -> Iterator[InputError]:
    """The values that do not fit the others."""
    yield from _directions(twin)
    yield from _integrators(twin)
    yield from _clock(twin)
    yield from _errors(twin)
    yield from wrong_objects(twin)
    for name in dict.fromkeys(link_of(path) for path in twin.body_values() if path.startswith("links.")):
        try:
            check_link(twin, name)
        except InputError as error:
            yield error


def _directions(twin: Twin) -> Iterator[InputError]:
    for name, part in twin.file.parts.items():
        direction = getattr(part, "direction", 1.0)
        if direction not in (-1.0, 1.0):
            yield twin.mistake(f"found {direction:g}, expected 1 or -1", "parts", name, "direction")


def _integrators(twin: Twin) -> Iterator[InputError]:
    chosen = twin.file.world.integrator
    for name, part in twin.file.parts.items():
        if part.contract.integrators and chosen not in part.contract.integrators:
            expected = " or ".join(part.contract.integrators)
            yield twin.mistake(f"a part of kind {part.kind!r} needs world.integrator: {expected}, found {chosen}", "parts", name)


def _errors(twin: Twin) -> Iterator[InputError]:
    """Errors that a quantity cannot have would be passed over."""
    for name, sensor in twin.file.sensors.items():
        for quantity in sensor.contract.quantities:
            error = getattr(sensor, quantity.name)
            if sensor.contract.form(quantity) not in (Form.ORIENTATION, Form.VECTOR):
                for key, about in number_fields(ErrorSpec):
                    if about["axes"] and isinstance(getattr(error, key), Vector):
                        text = f"found three numbers, expected one: {quantity.name} has no axes x, y, z"
                        yield twin.mistake(text, "sensors", name, quantity.name, key)
            if sensor.contract.is_orientation(quantity):
                for key, none in (("scale", 1.0), ("resolution", 0.0), ("limit", 0.0)):
                    if getattr(error, key) != none:
                        yield twin.mistake("means nothing for an orientation", "sensors", name, quantity.name, key)


def _clock(twin: Twin) -> Iterator[InputError]:
    step = twin.file.world.step
    for name, sensor in twin.file.sensors.items():
        if sensor.rate * step > 1.0 + 1e-9:
            yield twin.mistake(
                f"found {sensor.rate:g} Hz, expected at most the rate of the physics, {1 / step:g} Hz", "sensors", name, "rate"
            )
    if twin.file.control is not None:
        steps = 1.0 / (twin.file.control.rate * step)
        if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
            yield twin.mistake(
                f"found {twin.file.control.rate:g} Hz, expected a rate whose period is a whole number of physics steps"
                f" of {step:g} s",
                "control", "rate",
            )  # fmt: skip


def _gain_values(twin: Twin) -> Iterator[InputError]:
    if twin.file.control is not None:
        yield from _wrong_gains(twin, twin.file.control.gains, "control", "gains")
    for name, scenario in twin.file.scenarios.items():
        yield from _wrong_gains(twin, scenario.gains, "scenarios", name, "gains")


def _wrong_gains(twin: Twin, given: dict[str, Any], *where: str) -> Iterator[InputError]:
    seen: set[str] = set()
    for place, value in leaves(given, ()):
        path = ".".join(place)
        if isinstance(value, bool) or not isinstance(value, int | float):
            found = "nothing" if value is None else "a list" if isinstance(value, list) else repr(value)
            yield twin.mistake(f"found {found}, expected a number", *where, *place)
        if path in seen:
            yield twin.mistake(f"the gain {path!r} is given twice", *where, *place)
        seen.add(path)


def leaves(tree: dict[str, Any], place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What stands at the ends of nested mappings, with the keys that lead there behind `place`."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, (*place, key))
        else:
            yield (*place, key), value
