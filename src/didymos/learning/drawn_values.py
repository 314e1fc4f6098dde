"""The numbers that a task draws for each episode, found in a run: where each lies, its own value, its bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.parameter import Parameter
from didymos.describe.path_patterns import spread, unknown_path
from didymos.describe.task_file import DrawSpec
from didymos.engine.build_context import kernel_writable
from didymos.engine.robot_run import RobotRun
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.learning.draws import DRAW, Distribution, Kind
from didymos.learning.episode import START
from didymos.spec import Vector

__all__ = ["Drawn", "drawn_parameters", "drawn_start", "start_rows"]

_FREE = ("position", "orientation", "velocity", "angular_velocity")


@dataclass(frozen=True)
class Drawn:
    """A number that is drawn: its path, how, where it belongs (`draws.Kind`), its own value and its bounds."""

    path: str
    spec: DrawSpec
    kind: int
    index: int
    value: float = 0.0
    low: float = -math.inf
    high: float = math.inf

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that is drawn; of a normal, four standard deviations to both sides."""
        factor = self.value if self.spec.scale else 1.0
        reach = []
        for a, b in (self.spec.pair, self.spec.begin or self.spec.pair):
            reach += [a - 4.0 * b, a + 4.0 * b] if self.spec.normal is not None else [a, b]
        found = [min(max(factor * value, self.low), self.high) for value in reach]
        return min(found), max(found)

    def row(self) -> tuple[Any, ...]:
        """As a row of DRAW."""
        spec = self.spec
        way = Distribution.NORMAL if spec.normal else Distribution.LOG_UNIFORM if spec.log_uniform else Distribution.UNIFORM
        factor = self.value if spec.scale else 1.0
        row = (self.kind, self.index, way, *spec.pair, *(spec.begin or spec.pair), factor, self.low, self.high)
        assert len(row) == len(DRAW.names or ())
        return row


def drawn_parameters(simulation: Simulation, given: Mapping[str, DrawSpec], agent: str, path: str) -> Iterator[Drawn]:
    """Parameters by path and set-points by `setpoints.NAME`, of a robot (`agent`, with its dot) or of a whole world."""
    known = {
        name.removeprefix(agent): item for name, item in simulation.twin.parameters.items() if name.startswith((agent, "world."))
    }
    robots = {f"{robot.name}." if robot.name else "": robot for robot in simulation.robots.values()}
    setpoints = {
        f"{before}setpoints.{name}".removeprefix(agent): int(robot.context.stimuli.override) + i
        for before, robot in robots.items() if before.startswith(agent)
        for i, name in enumerate(robot.robot.setpoints)
    }  # fmt: skip
    try:
        spreaded = spread(given, (*known, *setpoints))
    except InputError as error:
        raise InputError(f"{error.path}: {error.message}", path=f"{path}.randomize") from None
    for name, spec in spreaded.items():
        if name in setpoints:
            yield Drawn(agent + name, spec, Kind.STATE, setpoints[name])
            continue
        if name not in known:
            raise InputError(f"{name}: {unknown_path(name, [*known, *setpoints])}", path=f"{path}.randomize")
        about = known[name]
        if not about.live:
            raise InputError(f"{name}: cannot change during a run; set it on the twin before", path=f"{path}.randomize")
        low, high = (-math.inf if about.low is None else about.low), (math.inf if about.high is None else about.high)
        _check_ends(spec, about, f"{path}.randomize.{name}")
        kind, index = _home(robots, agent + name)
        whole = name if name.startswith("world.") else agent + name
        yield Drawn(whole, spec, kind, index, about.value, low, high)


def _check_ends(spec: DrawSpec, about: Parameter, path: str) -> None:
    """Refuse a distribution whose middle, or one of whose ends, the parameter cannot have; tails are cut at its bounds."""
    factor = about.value if spec.scale else 1.0
    for pair in (spec.pair, spec.begin or spec.pair):
        for value in (factor * number for number in (pair[:1] if spec.normal is not None else pair)):
            if about.low is not None and value < about.low:
                raise InputError(f"draws {value:g}, expected at least {about.low:g}", path=path)
            if about.high is not None and value > about.high:
                raise InputError(f"draws {value:g}, expected at most {about.high:g}", path=path)


def _home(robots: Mapping[str, RobotRun], path: str) -> tuple[int, int]:
    """Where a parameter lies: in the part table where compiled code may write it, else Python sets it."""
    for before, robot in robots.items():
        own, built = path.removeprefix(before), robot.built
        mine = path.startswith(before) and not (before and own.startswith("world."))  # a world's is every robot's
        if mine and kernel_writable(built.twin, built.assembly, own):
            return Kind.NUMBER, int(built.assembly.numbers[own])
    return Kind.PYTHON, 0


def drawn_start(simulation: Simulation, given: Mapping[str, DrawSpec], agent: str, path: str) -> Iterator[Drawn]:
    """Where episodes begin, by paths below `start`; in a world of several robots with the robot's name in front."""
    robots = list(simulation.robots.values())
    for number, robot in enumerate(robots):
        before = f"{robot.name}." if robot.name else ""
        if not before.startswith(agent):
            continue
        own = {
            name.removeprefix(before.removeprefix(agent)): spec
            for name, spec in given.items()
            if name.startswith(before.removeprefix(agent))
        }
        known = _start_places(simulation, robot, number)
        for name, spec in spread({name.removeprefix("start."): spec for name, spec in own.items()}, tuple(known)).items():
            if name not in known:
                raise InputError(f"{name}: there is no such start value{nearest(name, known)}", path=f"{path}.start")
            kind, index, value = known[name]
            yield Drawn(f"{before}start.{name}", spec, kind, index, value)


def _start_places(simulation: Simulation, robot: RobotRun, number: int) -> dict[str, tuple[int, int, float]]:
    """What can be drawn of the start of a robot: kind, index and its own value."""
    found: dict[str, tuple[int, int, float]] = {}
    model, description = robot.built.assembly.model, robot.twin.description
    if description.floating:
        for i, (key, axis) in enumerate((key, axis) for key in _FREE for axis in "xyz"):
            found[f"{key}.{axis}"] = Kind.START, 12 * number + i, float(start_rows(simulation)[number]["values"][i])
    for name, joint in description.joints.items():
        if len(joint.engine_joints) == 1 and joint.kind.value in ("revolute", "continuous", "prismatic"):
            about = model.joint(joint.engine_joints[0])
            q, v = int(about.qposadr[0]), int(about.dofadr[0])
            found[f"joints.{name}"] = Kind.QPOS, q, float(robot.data.qpos[q])
            found[f"joint_velocities.{name}"] = Kind.QVEL, v, float(robot.data.qvel[v])
    return found


def start_rows(simulation: Simulation) -> NDArray[Any]:
    """How each robot begins, START [robots], of a simulation that was reset; rows of robots that do not float stay empty."""
    rows = np.zeros(len(simulation.robots), dtype=START)
    for row, robot in zip(rows, simulation.robots.values(), strict=True):
        if not robot.twin.description.floating:
            row["qpos"] = -1
            continue
        model = robot.built.assembly.model
        joint = int(model.body_jntadr[robot.links.root_body(model)])
        q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        begin = robot.begin()
        row["qpos"], row["qvel"] = q, v
        values: list[Vector] = [begin.orientation, begin.velocity, begin.angular_velocity]
        row["values"] = [*robot.data.qpos[q : q + 3], *(number for vector in values for number in vector)]
    return rows
