"""The draft of a twin: everything that `didymos new` decides about a description, and the text of its `twin.yaml`.

Nothing is written here, so that a description can also be run as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from didymos.control.joint_gains import posture_of
from didymos.control.leg_posture import standing_posture
from didymos.describe.description import Description, Device
from didymos.describe.float_base import float_base
from didymos.describe.formats.estimated_inertia import TRIED
from didymos.describe.formats.importer import read_description
from didymos.describe.names import movable_joints
from didymos.describe.new.base import Base, decide_base
from didymos.describe.new.body_geometry import BodyGeometry
from didymos.describe.new.drives import Drives, choose_drives, make_servos
from didymos.describe.new.limbs import legs
from didymos.describe.new.placing import Placement, place_fixed, place_floating
from didymos.describe.new.posture import keyframe, rest_positions
from didymos.describe.new.program import Program, choose_program, idle_joints, wheel_dampings
from didymos.describe.new.scenarios import make_scenarios
from didymos.describe.new.sensors import choose_sensors
from didymos.describe.pass_through import collide_with_visuals
from didymos.describe.robot_model import robot_model
from didymos.errors import InputError
from didymos.model import RobotModel

__all__ = ["Draft", "Reading", "draft_twin"]

_BORNE = 0.8  # of the effort of a joint
_STANDS_ON_AIR = 0.1  # of the height of a robot: what is seen below all that collides

_NAMED = 3  # of a list

_NOTHING: Mapping[str, str] = {}
_NOWHERE: Mapping[str, Path] = {}


@dataclass(frozen=True)
class Reading:
    """How a description is read: the options of `read_description` that go into the twin file."""

    arguments: Mapping[str, str]
    packages: Mapping[str, Path]
    repair: bool = False
    density: float | None = None
    inertia_from_shapes: bool = True

    def read(self, source: Path) -> Description:
        """The description in a file."""
        return read_description(
            source,
            arguments=self.arguments,
            packages=self.packages,
            repair=self.repair,
            density=self.density,
            inertia_from_shapes=self.inertia_from_shapes,
        )


@dataclass(frozen=True)
class Draft:
    """What was decided about a description. `warnings` are what a user has to know first, a sentence each."""

    description: Description
    reading: Reading
    base: Base
    placement: Placement
    drives: Drives
    program: Program
    parts: tuple[Device, ...]
    sensors: tuple[Device, ...]
    scenarios: Mapping[str, Mapping[str, Any]]
    step: float
    visuals: bool
    warnings: tuple[str, ...]


def draft_twin(
    source: Path,
    *,
    arguments: Mapping[str, str] = _NOTHING,
    packages: Mapping[str, Path] = _NOWHERE,
    repair: bool = False,
    density: float | None = None,
    mass: float | None = None,
    walks: bool = True,
    tell: Callable[[str], None] = lambda _: None,
) -> Draft:
    """Decide everything about the twin of a description; the arguments are those of `read_description`.

    `mass` [kg] chooses the `density` at which links are estimated, so that the whole robot has it. A robot on legs that is not to
    walk (`walks` False) holds its posture at rest instead. `tell` hears what is being done.
    """
    tell("reading the description")
    reading = Reading(arguments, packages, repair, density)
    if mass is not None:
        reading = replace(reading, density=_density_for(source, reading, mass))
    described = reading.read(source)
    tell("deciding its base")
    robot = BodyGeometry(described)
    rest = _rest(described)
    robot.place(rest)
    base, standing = decide_base(robot, robot_model(described)), bool(legs(robot))
    estimated = _moving(robot, base, described.estimated)
    reading = replace(reading, inertia_from_shapes=bool(estimated))
    visuals = base.floating and _stands_on_air(robot)
    if visuals:
        described = collide_with_visuals(described)
        robot = BodyGeometry(described)
    if base.floating and not _has_shapes(robot):
        base = Base(False, "it has no shapes at all, so that it cannot stand on anything")
    free = float_base(described) if base.frees else described
    tell("looking for wheels and legs")
    model = robot_model(free)
    drives = choose_drives(free, idle_joints(model) if base.floating else ())
    program = choose_program(model, drives, floating=base.floating and base.up == 2, legged=standing, walks=walks)
    tell("finding a posture")
    posture, chosen = _posture(free, model, program, rest)
    if base.floating:
        placement = place_floating(robot, posture, up=base.up, chosen=chosen)
    else:
        placement = place_fixed(robot, posture, chosen=chosen, bears=lambda joints: _bears(model, drives, joints))
    step = min(program.step, float(free.spec.option.timestep)) if free.stands or free.spec.actuators else program.step
    rolling, soft = wheel_dampings(model, program, drives), [joint for leg in program.legs for joint in leg.joints]
    servos = make_servos(free, model, drives.served, placement.joints, step, rolling, soft)
    parts = (*(device for device in free.devices if device.role == "parts"), *servos)
    sensors = _sensors(free, program, base.floating, parts)
    rates = [float(device.record["rate"]) for device in sensors if "rate" in device.record]
    step = min([step, *(1.0 / rate for rate in rates)])
    for device in sensors:
        device.record.setdefault("rate", 1.0 / step)
    scenarios = make_scenarios(free, program, drives, placement, floating=base.floating)
    warnings = tuple(_warnings(robot, base, drives, visuals, placement, estimated))
    return Draft(free, reading, base, placement, drives, program, parts, tuple(sensors), scenarios, step, visuals, warnings)


def _density_for(source: Path, reading: Reading, mass: float) -> float:
    """The density [kg/m^3] of what is estimated at which the whole robot weighs so much [kg]."""
    known, estimated = (
        sum(link.mass for link in replace(reading, density=density).read(source).links.values()) for density in (TRIED, 2 * TRIED)
    )
    grows, stays = estimated - known, 2 * known - estimated  # by one density tried, and without any
    if not grows > 0.0:
        raise InputError("no link without mass has a shape, so none is estimated", option="mass")
    if mass <= stays:
        raise InputError(f"the links that have one weigh {stays:g} kg together, expected more than that", option="mass")
    return TRIED * (mass - stays) / grows


def _rest(description: Description) -> dict[str, float]:
    """The posture that the description says, or that limits leave."""
    rest = rest_positions(description)
    said = {name: drive.start for name, drive in description.drives.items() if drive.start is not None and name in rest}
    return rest | {name: value for name, value in said.items() if value is not None}


def _posture(
    description: Description, model: RobotModel, program: Program, rest: dict[str, float]
) -> tuple[dict[str, float], bool]:
    """The posture to start in, and whether it is meant so: a robot on legs stands, others are at rest."""
    if program.legs and keyframe(description) is None:
        try:
            standing = standing_posture(model, program.legs).joints
        except InputError:
            return rest, False
        return {name: standing.get(name, value) for name, value in rest.items()}, True
    said = keyframe(description) is not None or any(drive.start is not None for drive in description.drives.values())
    return rest, said


def _bears(model: RobotModel, drives: Drives, joints: Mapping[str, float]) -> bool:
    """Whether the drives of a robot hold its weight at a posture, with a fifth of their effort to spare."""
    weight = model.at(posture_of(model, joints)).gravity
    return all(abs(weight[model.velocity_index(name)]) <= _BORNE * model.joint(name).effort for name in drives.joints)


def _stands_on_air(robot: BodyGeometry) -> bool:
    """Whether what a robot would stand on is only seen: nothing of it collides near the lowest point."""
    seen, solid = robot.lowest(robot.groups, seen=True), robot.lowest(robot.groups)
    tall = max(robot.height(robot.data.xpos[body]) for body in robot.bodies) - seen
    return _has_shapes(robot) and (not math.isfinite(solid) or solid - seen > max(_STANDS_ON_AIR * tall, 0.02))


def _has_shapes(robot: BodyGeometry) -> bool:
    return next(robot.shapes(robot.groups, seen=True), None) is not None


def _sensors(description: Description, program: Program, floating: bool, parts: tuple[Device, ...]) -> list[Device]:
    by_joint = {str(device.record["joint"]): device for device in parts if "joint" in device.record}
    legs = [joint for leg in program.legs for joint in leg.joints]
    servos = [by_joint[joint] for joint in legs if joint in by_joint]
    efforts = [f"{device.name}.effort" for device in servos if device.record["kind"] == "servo"]
    movable = bool(movable_joints(description))
    return choose_sensors(
        description, floating=floating, movable=movable, rate=program.rate, efforts=efforts if program.efforts else ()
    )


def _moving(robot: BodyGeometry, base: Base, links: Iterable[str]) -> tuple[str, ...]:
    """Those of some links that move: all but what is one with a fixed base."""
    welded = robot.model.body_weldid
    return tuple(
        name for name in links if base.floating or welded[robot.model.body(robot.description.links[name].body).id]
    )


def _warnings(
    body: BodyGeometry, base: Base, drives: Drives, visuals: bool, placement: Placement, estimated: tuple[str, ...]
) -> list[str]:
    """What matters most, first."""
    found = []
    if estimated:
        what = "moving link has a mass and no inertia" if len(estimated) == 1 else "moving links have a mass and no inertia"
        found.append(f"{len(estimated)} {what}: estimated from shapes, for the mass that is given ({_some(estimated)})")
    if not body.solid and not visuals and base.floating:
        found.append("no collision shapes: nothing holds it up")
    elif not body.solid:
        found.append("no collision shapes: it passes through everything")
    if visuals:
        found.append("it stands on links without collision shapes: they collide by what is seen of them")
    if movable_joints(body.description) and not drives.joints:
        found.append("no drives: its joints hang loose")
    if placement.passing:
        pairs = _some([f"{a} and {b}" for a, b in placement.passing])
        found.append(f"{len(placement.passing)} pairs of links overlap at the start and pass through each other now: {pairs}")
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
