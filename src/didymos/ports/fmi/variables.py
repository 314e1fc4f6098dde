"""What an exported FMU shows of a run: its variables, their names, units, bounds and start values.

    time                                the independent variable
    setpoints.NAME, inputs.NAME         inputs; an input is added to what the twin's own program commands, as a pilot's is
    links.body.mass, control.gains.kp   tunable parameters: those that can change while a run goes on
    start.position.z, seed              fixed parameters, which count until the initialization ends
    truth.position.x, imu.gyro.x, ...   outputs: the signals of the log, by their names there

Names follow FMI's structured convention: `ranges.0` becomes `ranges[0]`, and a word that is no identifier stands in quotes,
`links.'arm-1'.mass`. An output whose name an input or a parameter has already begins with `log.`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from didymos.describe.parameter import Parameter
from didymos.engine.context import Source
from didymos.engine.robot_run import RobotRun
from didymos.engine.sensor_sites import TRUTH
from didymos.engine.simulation import Simulation
from didymos.engine.streams import StreamPlan

__all__ = ["INSTANT_SOURCES", "SEED", "Variable", "is_instant", "structured", "variables_of"]

SEED = "seed"
INSTANT_SOURCES = (Source.QPOS, Source.QVEL, Source.XPOS, Source.XQUAT, Source.SENSORDATA, Source.LINK_POSES)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_QUOTABLE = re.compile(r"[A-Za-z_0-9!#$%&()*+,\-./:;<>=?@\[\]^{}|~ ]")


@dataclass(frozen=True)
class Variable:
    """One variable of the FMU. Its `reference` is its place in the list; `path` is what the run calls it.

    `stream` and `column` are those of an output: the number of its stream, in the order of `Simulation.layouts`, and the column.
    """

    name: str
    reference: int
    causality: str
    variability: str
    path: str = ""
    unit: str = ""
    start: float | None = None
    low: float | None = None
    high: float | None = None
    description: str = ""
    is_integer: bool = False
    stream: int = -1
    column: int = -1


def structured(path: str) -> str:
    """A dotted path as a name of FMI's structured convention."""
    name = ""
    for step in path.split("."):
        if step.isascii() and step.isdigit() and name:
            name += f"[{int(step)}]"
            continue
        if not _IDENTIFIER.fullmatch(step):
            step = "'" + "".join(c if _QUOTABLE.fullmatch(c) else f"u{ord(c):x}" for c in step) + "'"
        name += f".{step}" if name else step
    return name


def is_instant(plan: StreamPlan) -> bool:
    """Whether a stream is of the instant at which a step ends; others tell about the last tick that has passed."""
    own = all(source in INSTANT_SOURCES for source, _, _ in plan.columns)
    return own or plan.sensor >= 0 or plan.layout.name in (TRUTH, "air")


def variables_of(simulation: Simulation) -> tuple[Variable, ...]:
    """All variables of a run, in the order of their references."""
    found = [Variable("time", 0, "independent", "continuous", unit="s", description="the twin's clock")]
    taken = {"time"}

    def add(path: str, causality: str, variability: str, **more: object) -> None:
        name = structured(path)
        while name in taken:
            name = f"log.{name}" if causality == "output" else f"{name}_"
        taken.add(name)
        found.append(Variable(name, len(found), causality, variability, path, **more))  # type: ignore[arg-type]

    for robot in simulation.robots.values():
        for path, unit, start in _inputs(robot):
            what = "set-point" if "setpoints." in path else "added to what the twin's program commands"
            add(path, "input", "continuous", unit=unit, start=start, description=what)
    add(SEED, "parameter", "fixed", start=simulation.seed, low=0, description="of all noise", is_integer=True)
    for item in _parameters(simulation):
        begins = not item.live
        add(
            item.path, "parameter", "fixed" if begins else "tunable", unit=item.unit, start=item.value, low=item.low,
            high=item.high, description=item.doc,
        )  # fmt: skip
    plans = [plan for robot in simulation.robots.values() for plan in robot.built.streams]
    for number, (plan, layout) in enumerate(zip(plans, simulation.layouts, strict=True)):
        when = "" if is_instant(plan) else ", at the last tick that has passed"
        for column, (signal, unit) in enumerate(zip(layout.signals, layout.units, strict=True)):
            what = f"{layout.kind.value.replace('_', ' ')}{when}"
            add(signal, "output", "continuous", unit=unit, description=what, stream=number, column=column)
    return tuple(found)


def _inputs(robot: RobotRun) -> Iterator[tuple[str, str, float]]:
    """Path, unit and start value of all set-points and inputs of a robot."""
    prefix, about = f"{robot.name}." if robot.name else "", robot.robot
    initial = dict(zip(about.setpoints, robot.built.initial, strict=False))
    for name in about.setpoints:
        yield f"{prefix}setpoints.{name}", about.units.get(f"setpoints.{name}", ""), float(initial.get(name, 0.0))
    for name in about.inputs:
        yield f"{prefix}inputs.{name}", about.units.get(f"inputs.{name}", ""), 0.0


def _parameters(simulation: Simulation) -> Iterator[Parameter]:
    """Parameters that can change while the run goes on, then those that say how it starts; a robot's name goes in front."""
    for live in (True, False):
        shared = False
        for robot in simulation.robots.values():
            for item in robot.twin.parameters.values():
                if item.live != live or not (live or item.path.startswith("start.")) or not math.isfinite(item.value):
                    continue
                of_world = robot.name != "" and item.path.startswith("world.")
                if of_world and shared:
                    continue  # all robots of a world have the same
                path = item.path if of_world or not robot.name else f"{robot.name}.{item.path}"
                yield Parameter(path, item.value, item.unit, item.low, item.high, live, item.doc)
            shared = True
