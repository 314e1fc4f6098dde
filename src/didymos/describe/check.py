"""What the types cannot see: that every name in a twin file names something, and that the rates fit the clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from didymos.describe.names import input_names
from didymos.errors import InputError, nearest
from didymos.parts import PARTS

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["check_names"]


def check_names(twin: Twin) -> None:
    """Raise the first mistake with the others beside it."""
    mistakes = list(_mistakes(twin))
    if mistakes:
        first, *others = mistakes
        first.others = tuple(others)
        raise first


def _mistakes(twin: Twin) -> Iterator[InputError]:
    yield from _parts(twin)
    yield from _contacts(twin)
    yield from _sensors(twin)
    yield from _clock(twin)
    yield from _gains(twin)
    yield from _start(twin, twin.file.start, ("start",))
    for name, scenario in twin.file.scenarios.items():
        if scenario.start is not None:
            yield from _start(twin, scenario.start, ("scenarios", name, "start"))
        yield from _scenario(twin, name, scenario)


def _unknown(twin: Twin, what: str, name: str, known: Iterable[str], *place: str | int) -> InputError:
    return twin.mistake(f"there is no {what} {name!r}{nearest(name, known)}", *place)


def _frames(twin: Twin) -> tuple[str, ...]:
    return (*twin.description.links, *twin.description.frames)


def _parts(twin: Twin) -> Iterator[InputError]:
    for name, part in twin.file.parts.items():
        if part.link not in _frames(twin):
            yield _unknown(twin, "link or frame", part.link, _frames(twin), "parts", name, "link")
        if part.joint is None:
            if PARTS[part.kind].needs_joint:
                yield twin.mistake(f"a part of kind {part.kind!r} needs the key 'joint'", "parts", name)
        elif part.joint not in twin.description.joints:
            yield _unknown(twin, "joint", part.joint, twin.description.joints, "parts", name, "joint")
        elif len(twin.description.joints[part.joint].engine_joints) != 1:
            kind = twin.description.joints[part.joint].kind.value
            yield twin.mistake(f"joint {part.joint!r} is {kind}, expected one that turns or slides", "parts", name, "joint")
        if part.upstream is not None and part.upstream not in list(twin.file.parts)[: list(twin.file.parts).index(name)]:
            earlier = list(twin.file.parts)[: list(twin.file.parts).index(name)]
            yield _unknown(twin, "part before this one named", part.upstream, earlier, "parts", name, "upstream")
        direction = getattr(part, "direction", 1.0)
        if direction not in (-1.0, 1.0):
            yield twin.mistake(f"found {direction:g}, expected 1 or -1", "parts", name, "direction")


def _contacts(twin: Twin) -> Iterator[InputError]:
    for name, contact in twin.file.contacts.items():
        if contact.link not in twin.description.links:
            yield _unknown(twin, "link", contact.link, twin.description.links, "contacts", name, "link")
        if contact.frame not in _frames(twin):
            yield _unknown(twin, "link or frame", contact.frame, _frames(twin), "contacts", name, "frame")


def _sensors(twin: Twin) -> Iterator[InputError]:
    for name, sensor in twin.file.sensors.items():
        link = getattr(sensor, "link", None)
        if link is not None and link not in _frames(twin):
            yield _unknown(twin, "link or frame", link, _frames(twin), "sensors", name, "link")
        for joint in getattr(sensor, "joints", ()):
            if joint not in twin.description.joints:
                yield _unknown(twin, "joint", joint, twin.description.joints, "sensors", name, "joints")
            elif len(twin.description.joints[joint].engine_joints) != 1:
                yield twin.mistake(f"joint {joint!r} does not turn or slide", "sensors", name, "joints")
        if sensor.rate * twin.file.world.step > 1.0 + 1e-9:
            yield twin.mistake(
                f"found {sensor.rate:g} Hz, expected at most the rate of the physics, {1 / twin.file.world.step:g} Hz",
                "sensors", name, "rate",
            )  # fmt: skip


def _clock(twin: Twin) -> Iterator[InputError]:
    control = twin.file.control
    if control is not None:
        steps = 1.0 / (control.rate * twin.file.world.step)
        if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
            yield twin.mistake(
                f"found {control.rate:g} Hz, expected a rate whose period is a whole number of physics steps"
                f" of {twin.file.world.step:g} s",
                "control", "rate",
            )  # fmt: skip


def _gains(twin: Twin) -> Iterator[InputError]:
    try:
        twin.make_program()
    except InputError as error:
        if error.file is not None:
            yield error
        else:
            yield twin.mistake(error.message, *(error.path or "control").split("."))
    except (TypeError, ValueError) as error:
        yield twin.mistake(f"expected numbers: {error}", "control", "gains")


def _start(twin: Twin, start: Any, place: tuple[str, ...]) -> Iterator[InputError]:
    for joint in start.joints:
        if joint not in twin.description.joints:
            yield _unknown(twin, "joint", joint, twin.description.joints, *place, "joints", joint)
        elif len(twin.description.joints[joint].engine_joints) != 1:
            yield twin.mistake(f"joint {joint!r} does not turn or slide", *place, "joints", joint)


def _scenario(twin: Twin, name: str, scenario: Any) -> Iterator[InputError]:
    trial = twin.copy()
    for path, value in scenario.set.items():
        try:
            trial.set(path, value)
        except InputError as error:
            yield twin.mistake(error.message, "scenarios", name, "set", path)
    for index, stimulus in enumerate(scenario.stimuli):
        place = ("scenarios", name, "stimuli", index)
        head, _, rest = stimulus.target.partition(".")
        if head == "inputs":
            if rest not in input_names(twin):
                yield _unknown(twin, "input", rest, input_names(twin), *place, "target")
        elif head != "wanted":
            parameter = twin.parameters.get(stimulus.target)
            if parameter is None:
                yield _unknown(twin, "parameter", stimulus.target, twin.parameters, *place, "target")
            elif not parameter.live:
                yield twin.mistake(f"{stimulus.target!r} cannot be moved by a stimulus", *place, "target")
        if stimulus.kind in ("file", "rows") and not (twin.folder / stimulus.file).is_file():
            yield twin.mistake(f"there is no file {stimulus.file!r}", *place, "file")
