"""What the types cannot see: that every name in a twin file names something, and that the rates fit the clock.

`check_names` is for a file that has just been read. `check_values` is the part of it that a value set later can break; it
is asked again before every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.describe.local_file import is_file
from didymos.describe.names import RESERVED, input_names, link_of, link_values, movable_joints
from didymos.describe.open_kinds import is_of_open_part, knows_setpoints, may_be_parameter
from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.errors import InputError, nearest
from didymos.sensors.error import ErrorSpec, Form
from didymos.spec import Vector, number_fields

if TYPE_CHECKING:
    from didymos.describe.schema import ScenarioSpec, StartSpec
    from didymos.describe.twin import Twin

__all__ = ["check_gains", "check_link", "check_names", "check_tick", "check_values"]


def check_gains(twin: Twin) -> None:
    """Refuse gains that are no numbers; asked first, because the parameter tree is made of them."""
    _raise(_gain_values(twin))


def check_names(twin: Twin) -> None:
    """Raise the first mistake of a twin file with the others beside it."""
    _raise(_mistakes(twin))


def check_values(twin: Twin) -> None:
    """Raise the first value that does not fit the others."""
    _raise(_values(twin))


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


def _raise(found: Iterable[InputError]) -> None:
    mistakes = list(found)
    if mistakes:
        first, *others = mistakes
        first.others = tuple(others)
        raise first


def _mistakes(twin: Twin) -> Iterator[InputError]:
    yield from _inputs(twin)
    yield from _parts(twin)
    yield from _contacts(twin)
    yield from _sensors(twin)
    yield from _values(twin)
    yield from _program(twin)
    yield from _start(twin, twin.file.start, ("start",))
    yield from _fit(twin)
    yield from _pilot(twin)
    for name, scenario in twin.file.scenarios.items():
        if scenario.start is not None:
            yield from _start(twin, scenario.start, ("scenarios", name, "start"))
        try:
            trial = twin.with_program_of(name)
        except InputError as error:
            yield twin.mistake(error.message, "scenarios", name, "control")
            continue
        if scenario.control is not None:
            for wrong in _program(trial):
                yield twin.mistake(wrong.message, "scenarios", name, *(wrong.path or "control").split("."))
        yield from _settings(trial, name, scenario)
        yield from _stimuli(trial, name, scenario)
        yield from _expectations(twin, name, scenario)


def _values(twin: Twin) -> Iterator[InputError]:
    yield from _directions(twin)
    yield from _integrators(twin)
    yield from _clock(twin)
    yield from _errors(twin)
    for name in dict.fromkeys(link_of(path) for path in twin.body_values() if path.startswith("links.")):
        try:
            check_link(twin, name)
        except InputError as error:
            yield error


def _unknown(twin: Twin, what: str, name: str, known: Iterable[str], *place: str | int) -> InputError:
    return twin.mistake(f"there is no {what} {name!r}{nearest(name, known)}", *place)


def _frames(twin: Twin) -> tuple[str, ...]:
    return (*twin.description.links, *twin.description.frames)


def _joint(twin: Twin, name: str, *place: str | int) -> Iterator[InputError]:
    """The mistake of naming a joint that is not there or whose position is not one number."""
    if name not in twin.description.joints:
        yield _unknown(twin, "joint", name, twin.description.joints, *place)
    elif name not in movable_joints(twin.description):
        kind = twin.description.joints[name].kind.value
        yield twin.mistake(f"joint {name!r} does not turn or slide: it is {kind}", *place)


def _inputs(twin: Twin) -> Iterator[InputError]:
    """Two inputs of one name could not be told apart."""
    names = input_names(twin)
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        part = name.partition(".")[0]
        place = ("parts", part) if part in twin.file.parts else ("description", "file")
        yield twin.mistake(f"two inputs are named {name!r}: one is an actuator of the description", *place)


def _parts(twin: Twin) -> Iterator[InputError]:
    earlier: list[str] = []
    links = twin.description.links
    for name, part in twin.file.parts.items():
        if part.link not in _frames(twin):
            yield _unknown(twin, "link or frame", part.link, _frames(twin), "parts", name, "link")
        elif part.link not in links and twin.description.frames[part.link].link not in links:
            what = f"frame {part.link!r} is the world's, expected one that a link carries"
            yield twin.mistake(what, "parts", name, "link")
        if part.input_from is not None and part.input_from not in earlier:
            yield _unknown(twin, "part before this one named", part.input_from, earlier, "parts", name, "input_from")
        elif part.input_from is not None:
            source = twin.file.parts[part.input_from]
            told = [output.name for output in source.contract.outputs]
            missing = [item.name for item in part.contract.needed if item.name not in told]
            if missing and not twin.code.is_open(source.kind):
                yield twin.mistake(f"{part.input_from!r} has no readout {missing[0]!r}", "parts", name, "input_from")
        if part.joint is not None:
            yield from _joint(twin, part.joint, "parts", name, "joint")
            if part.belt is not None:
                yield from _joint(twin, part.belt, "parts", name, "belt")
                if part.belt == part.joint:
                    yield twin.mistake("found the part's own joint, expected another one", "parts", name, "belt")
        elif part.belt is not None:
            yield twin.mistake("a belt needs the key 'joint'", "parts", name, "belt")
        elif part.contract.needs_joint:
            yield twin.mistake(f"a part of kind {part.kind!r} needs the key 'joint'", "parts", name)
        earlier.append(name)


def _sensors(twin: Twin) -> Iterator[InputError]:
    for name, sensor in twin.file.sensors.items():
        if name in RESERVED:
            yield twin.mistake(f"every run records {name!r} itself, expected another name for a sensor", "sensors", name)
        link = getattr(sensor, "link", None)
        if link is not None and link not in _frames(twin):
            yield _unknown(twin, "link or frame", link, _frames(twin), "sensors", name, "link")
        known = [f"{part}.{item.name}" for part, spec in twin.file.parts.items() for item in spec.contract.outputs]
        for index, readout in enumerate(getattr(sensor, "readouts", ())):
            if readout not in known and not is_of_open_part(twin, readout):
                yield _unknown(twin, "readout", readout, known, "sensors", name, "readouts", index)
        joints = list(getattr(sensor, "joints", ()))
        for index, joint in enumerate(joints):
            yield from _joint(twin, joint, "sensors", name, "joints", index)
            if joint in joints[:index]:
                yield twin.mistake(f"joint {joint!r} is named twice", "sensors", name, "joints", index)
        if sensor.contract.per_joint and not joints and not movable_joints(twin.description):
            yield twin.mistake("there is no joint that turns or slides", "sensors", name)


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


def _contacts(twin: Twin) -> Iterator[InputError]:
    for name, contact in twin.file.contacts.items():
        if contact.link not in twin.description.links:
            yield _unknown(twin, "link", contact.link, twin.description.links, "contacts", name, "link")
        if contact.frame not in _frames(twin):
            yield _unknown(twin, "link or frame", contact.frame, _frames(twin), "contacts", name, "frame")


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
    for place, value in _leaves(given, ()):
        path = ".".join(place)
        if isinstance(value, bool) or not isinstance(value, int | float):
            found = "nothing" if value is None else "a list" if isinstance(value, list) else repr(value)
            yield twin.mistake(f"found {found}, expected a number", *where, *place)
        if path in seen:
            yield twin.mistake(f"the gain {path!r} is given twice", *where, *place)
        seen.add(path)


def _leaves(tree: dict[str, Any], place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*place, key))
        else:
            yield (*place, key), value


def _program(twin: Twin) -> Iterator[InputError]:
    try:
        twin.make_program()
    except InputError as error:
        if error.file is not None:
            yield error
        else:
            yield twin.mistake(error.message, *(error.path or "control").split("."))


def _start(twin: Twin, start: StartSpec, place: tuple[str, ...]) -> Iterator[InputError]:
    for key in sorted(start.model_fields_set & {"position", "orientation", "velocity", "angular_velocity"}):
        if not twin.description.floating and any(getattr(start, key)):
            held = f"link {twin.description.root!r} is held in the world"
            yield twin.mistake(f"{held}, so it cannot start elsewhere; description.base: floating frees it", *place, key)
    for name in start.joint_velocities:
        yield from _joint(twin, name, *place, "joint_velocities", name)
    for name, value in start.joints.items():
        wrong = list(_joint(twin, name, *place, "joints", name))
        yield from wrong
        if wrong:
            continue
        joint = twin.description.joints[name]
        low, high = joint.lower, joint.upper
        if (low is not None and value < low - 1e-9) or (high is not None and value > high + 1e-9):
            unit = "m" if joint.kind.value == "prismatic" else "rad"
            yield twin.mistake(f"found {value:g}, expected a position from {low:g} to {high:g} {unit}", *place, "joints", name)


def _fit(twin: Twin) -> Iterator[InputError]:
    for path, (low, high) in twin.file.fit.parameters.items():
        place = ("fit", "parameters", path)
        known = twin.every_parameter() if path.startswith("control.") else twin.parameters
        tied = tied_paths(path, known)
        if not tied and may_be_parameter(twin, path):
            continue
        if not tied:
            yield twin.mistake(unknown_path(path, known), *place)
        elif not all(known[one].live or one.startswith("start.") for one in tied):
            yield twin.mistake("is fixed for a run and cannot be fitted", *place)
        elif not low < high:
            yield twin.mistake(f"found [{low:g}, {high:g}], expected the lower bound first", *place)


def _pilot(twin: Twin) -> Iterator[InputError]:
    """A row that can move nothing in any scenario is a misspelt one."""
    with_own = [name for name, scenario in twin.file.scenarios.items() if scenario.control is not None]
    known = [f"inputs.{name}" for name in input_names(twin)]
    try:
        for face in (twin, *(twin.for_scenario(name) for name in with_own)):
            program = face.make_program()
            if program is None or not knows_setpoints(face):
                return
            known += [f"setpoints.{name}" for name in program.setpoints]
    except InputError:
        return  # said elsewhere
    for index, row in enumerate(twin.file.pilot.steer):
        if row.target not in known and not is_of_open_part(twin, row.target.removeprefix("inputs.")):
            yield _unknown(twin, "set-point or input", row.target, known, "pilot", "steer", index, "target")


def _settings(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    trial = twin.copy()
    given: dict[str, tuple[float, tuple[str, ...]]] = {}
    given |= {path: (value, ("set", path)) for path, value in scenario.set.items() if not path.startswith("control.")}
    given |= {f"control.gains.{'.'.join(steps)}": (value, ("gains", *steps)) for steps, value in _leaves(scenario.gains, ())}
    yield from _of_the_program(twin, name, scenario)
    for path, (value, place) in given.items():
        if path not in twin.parameters and may_be_parameter(twin, path):
            continue
        try:
            trial.set(path, value)
        except InputError as error:
            yield twin.mistake(error.message, "scenarios", name, *place)
    for wrong in _values(trial):
        yield twin.mistake(f"with these values {wrong.path}: {wrong.message}", "scenarios", name, "set")


def _of_the_program(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    """What a scenario sets of the program among the numbers of the plant, where it stood in 0.1.0."""
    for path, value in scenario.set.items():
        gain = path.removeprefix("control.gains.")
        if gain != path:
            text = f"is a gain of the program, expected under the key 'gains' of the scenario: gains: {{{gain}: {value:g}}}"
            yield twin.mistake(text, "scenarios", name, "set", path)
        elif path.startswith("control."):
            text = "belongs to the program, expected in a 'control' of the scenario's own; 'set' holds numbers of the plant"
            yield twin.mistake(text, "scenarios", name, "set", path)


def _stimuli(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    for setpoints in scenario.setpoints:
        yield from _set_point(twin, setpoints, "scenarios", name, "setpoints", setpoints)
    for index, stimulus in enumerate(scenario.stimuli):
        place = ("scenarios", name, "stimuli", index)
        head, _, rest = stimulus.target.partition(".")
        if head == "inputs":
            if rest not in input_names(twin) and not is_of_open_part(twin, rest):
                yield _unknown(twin, "input", rest, input_names(twin), *place, "target")
        elif head == "setpoints":
            yield from _set_point(twin, rest, *place, "target")
        elif head == "push":
            link, _, axis = rest.rpartition(".")
            if axis not in ("x", "y", "z"):
                yield twin.mistake(f"found {stimulus.target!r}, expected push.LINK.x, .y or .z", *place, "target")
            elif link not in twin.description.links:
                yield _unknown(twin, "link", link, twin.description.links, *place, "target")
        else:
            parameter = twin.parameters.get(stimulus.target)
            if parameter is None and may_be_parameter(twin, stimulus.target):
                continue
            if parameter is None:
                yield _unknown(twin, "parameter", stimulus.target, twin.parameters, *place, "target")
            elif not parameter.live:
                yield twin.mistake(f"{stimulus.target!r} cannot be moved by a stimulus", *place, "target")
        if stimulus.kind in ("file", "rows") and not is_file(twin.folder / stimulus.file):
            yield twin.mistake(f"there is no file {stimulus.file!r}", *place, "file")


def _set_point(twin: Twin, name: str, *place: str | int) -> Iterator[InputError]:
    """A set-point that nobody reads is a misspelt one; what a program in Python reads cannot be known."""
    if not name or (re.search(r"[^\w-]", name) and not knows_setpoints(twin)):
        yield twin.mistake(f"found the set-point {name!r}, expected a name of letters, digits, _ and -", *place)
    elif knows_setpoints(twin):
        try:
            made = twin.make_program()  # what it wants may depend on its options
        except InputError:
            return  # said elsewhere
        wants = made.setpoints if made is not None else ()
        if name not in wants:
            hint = nearest(name, wants)
            yield twin.mistake(f"the program has no set-point {name!r}{hint} (it has: {', '.join(wants) or 'none'})", *place)


def _expectations(twin: Twin, name: str, scenario: ScenarioSpec) -> Iterator[InputError]:
    for index, expected in enumerate(scenario.expect):
        if expected.after > scenario.seconds:
            yield twin.mistake(
                f"found {expected.after:g} s, expected a time within the scenario's {scenario.seconds:g} s",
                "scenarios", name, "expect", index, "after",
            )  # fmt: skip
