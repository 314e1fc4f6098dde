"""What the types cannot see: that every name in a twin file names something.

`check_names` is for a file that has just been read; `check_values.py` has what a value set later can break.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from didymos.describe.check_scenario import wrong_expectations, wrong_settings, wrong_stimuli
from didymos.describe.check_values import raise_first, wrong_values
from didymos.describe.description import JointKind
from didymos.describe.free_bodies import free_bodies
from didymos.describe.names import RESERVED, input_names, movable_joints, unknown, whole_links
from didymos.describe.open_kinds import is_of_open_part, knows_setpoints, may_be_parameter
from didymos.describe.parameters import ARGUMENTS
from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.errors import InputError
from didymos.spec import Vector

if TYPE_CHECKING:
    from didymos.control.allocation_spec import AllocationSpec
    from didymos.describe.schema import StartSpec
    from didymos.describe.twin import Twin
    from didymos.parts import PartSpec

__all__ = ["check_names"]


def check_names(twin: Twin) -> None:
    """Raise the first mistake of a twin file with the others beside it."""
    raise_first(_mistakes(twin))


def _mistakes(twin: Twin) -> Iterator[InputError]:
    yield from _inputs(twin)
    yield from _parts(twin)
    yield from _contacts(twin)
    yield from _sensors(twin)
    yield from wrong_values(twin)
    yield from _allocation(twin, twin.file.allocation, "allocation")
    yield from _program(twin)
    yield from _start(twin, twin.file.start, ("start",))
    yield from _fit(twin)
    yield from _pilot(twin)
    for name, scenario in twin.file.scenarios.items():
        if scenario.allocation is not None:
            yield from _allocation(twin, scenario.allocation, "scenarios", name, "allocation")
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
        yield from wrong_settings(trial, name, scenario)
        yield from wrong_stimuli(trial, name, scenario)
        yield from wrong_expectations(twin, name, scenario)


def _frames(twin: Twin) -> tuple[str, ...]:
    return (*twin.description.links, *twin.description.frames)


def _joint(twin: Twin, name: str, *place: str | int) -> Iterator[InputError]:
    """The mistake of naming a joint that is not there or whose position is not one number."""
    if name not in twin.description.joints:
        yield unknown(twin, "joint", name, twin.description.joints, *place)
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
        if "." in part.link and part.link not in _frames(twin):
            pass  # ROBOT.LINK of a world, which knows whether it is there
        elif part.link not in _frames(twin):
            yield unknown(twin, "link or frame", part.link, _frames(twin), "parts", name, "link")
        elif part.link not in links and twin.description.frames[part.link].link not in links:
            what = f"frame {part.link!r} is the world's, expected one that a link carries"
            yield twin.mistake(what, "parts", name, "link")
        if part.input_from is not None and part.input_from not in earlier:
            yield unknown(twin, "part before this one named", part.input_from, earlier, "parts", name, "input_from")
        elif part.input_from is not None:
            source = twin.file.parts[part.input_from]
            told = [output.name for output in source.contract.outputs]
            missing = [item.name for item in part.contract.needed if item.name not in told]
            if missing and not twin.code.is_open(source.kind):
                yield twin.mistake(f"{part.input_from!r} has no readout {missing[0]!r}", "parts", name, "input_from")
        yield from _connections(twin, name, part, earlier)
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


def _connections(twin: Twin, name: str, part: PartSpec, earlier: Sequence[str]) -> Iterator[InputError]:
    """Readouts that a part asks for have to be those of parts before it."""
    for key, readouts in part.contract.connections(part).items():
        known = [f"{one}.{text}" for one in earlier for item in twin.file.parts[one].contract.outputs for text in item.names]
        for index, readout in enumerate(readouts):
            if readout not in known and not is_of_open_part(twin, readout):
                place = ("parts", name, f"{key}_from", index)
                yield unknown(twin, "readout of a part before this one named", readout, known, *place)


def _sensors(twin: Twin) -> Iterator[InputError]:
    for name, sensor in twin.file.sensors.items():
        if name in RESERVED:
            yield twin.mistake(f"every run records {name!r} itself, expected another name for a sensor", "sensors", name)
        link = getattr(sensor, "link", None)
        if link is not None and link not in _frames(twin):
            yield unknown(twin, "link or frame", link, _frames(twin), "sensors", name, "link")
        known = [f"{part}.{item.name}" for part, spec in twin.file.parts.items() for item in spec.contract.outputs]
        for index, readout in enumerate(getattr(sensor, "readouts", ())):
            if readout not in known and not is_of_open_part(twin, readout):
                yield unknown(twin, "readout", readout, known, "sensors", name, "readouts", index)
        joints = list(getattr(sensor, "joints", ()))
        for index, joint in enumerate(joints):
            yield from _joint(twin, joint, "sensors", name, "joints", index)
            if joint in joints[:index]:
                yield twin.mistake(f"joint {joint!r} is named twice", "sensors", name, "joints", index)
        if sensor.contract.per_joint and not joints and not movable_joints(twin.description):
            yield twin.mistake("there is no joint that turns or slides", "sensors", name)


def _contacts(twin: Twin) -> Iterator[InputError]:
    for name, contact in twin.file.contacts.items():
        if contact.link not in twin.description.links:
            yield unknown(twin, "link", contact.link, twin.description.links, "contacts", name, "link")
        if contact.frame not in _frames(twin):
            yield unknown(twin, "link or frame", contact.frame, _frames(twin), "contacts", name, "frame")


def _allocation(twin: Twin, stated: AllocationSpec, *place: str) -> Iterator[InputError]:
    """Inputs that are not there."""
    known = input_names(twin)
    for more, spec in (((), stated), (("hover",), stated.hover)):
        for where, name in spec.places().items():
            if name not in known and not is_of_open_part(twin, name):
                yield unknown(twin, "input", name, known, *place, *more, *where)


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
    for name in start.objects:
        known = free_bodies(twin.file, twin.surroundings.free)
        if name not in known:
            yield unknown(twin, "free body", name, known, *place, "objects", name)
    for name, value in start.joint_velocities.items():
        yield from _joint_start(twin, name, value, *place, "joint_velocities", name)
    for name, value in start.joints.items():
        wrong = list(_joint_start(twin, name, value, *place, "joints", name))
        yield from wrong
        if wrong or isinstance(value, Vector):
            continue
        joint = twin.description.joints[name]
        low, high = joint.lower, joint.upper
        if (low is not None and value < low - 1e-9) or (high is not None and value > high + 1e-9):
            unit = "m" if joint.kind.value == "prismatic" else "rad"
            yield twin.mistake(f"found {value:g}, expected a position from {low:g} to {high:g} {unit}", *place, "joints", name)


def _joint_start(twin: Twin, name: str, value: float | Vector, *place: str | int) -> Iterator[InputError]:
    """The mistake of giving one number to a ball joint, or three to another; or of naming a joint that has neither."""
    joint = twin.description.joints.get(name)
    is_ball = joint is not None and joint.kind is JointKind.BALL and len(joint.engine_joints) == 1
    if is_ball and not isinstance(value, Vector):
        yield twin.mistake("found one number, expected three: a ball joint has a rotation vector [x, y, z]", *place)
    elif not is_ball:
        wrong = list(_joint(twin, name, *place))
        yield from wrong
        if not wrong and isinstance(value, Vector):
            yield twin.mistake("found three numbers, expected one: it is no ball joint", *place)


def _fit(twin: Twin) -> Iterator[InputError]:
    for path, spec in twin.file.fit.parameters.items():
        place = ("fit", "parameters", path)
        if path.startswith("recording."):  # a number of a recording, not of the twin
            continue
        known = twin.every_parameter() if path.startswith("control.") else twin.parameters
        for other in spec.tied:
            if not tied_paths(other, known) and not may_be_parameter(twin, other):
                yield twin.mistake(unknown_path(other, known), *place, "tied", other)
        if whole_links(twin.description, path):
            continue
        tied = tied_paths(path, known)
        if not tied and may_be_parameter(twin, path):
            continue
        if not tied:
            yield twin.mistake(unknown_path(path, known), *place)
        elif not all(known[one].live or one.startswith(("start.", ARGUMENTS)) for one in tied):
            yield twin.mistake("is fixed for a run and cannot be fitted", *place)
        elif spec.bounds is None or not spec.bounds[0] < spec.bounds[1]:
            yield twin.mistake(f"found {spec.bounds}, expected the lower bound first", *place)


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
            yield unknown(twin, "set-point or input", row.target, known, "pilot", "steer", index, "target")
