"""What a task leaves unsaid: all readings are seen, all that has a range is acted on, staying where one is is rewarded.

A robot that anybody brings has an environment at once. Its reward, where none is given, is

    r = exp(-|p - p_0|) - 0.01 mean(action^2)              of a robot that floats, p its position, p_0 where it begins
    r = exp(-mean |q - q_0|) - 0.01 mean(action^2)         of one that is held, q the positions of its joints

and an episode of a robot that floats ends where it lies on its back (tilt above 90 degrees).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.describe.task_file import ActSpec, TaskSpec
from didymos.engine.robot_run import RobotRun
from didymos.engine.simulation import Simulation
from didymos.learning.actions import default_act
from didymos.sensors.ranging import Lidar

__all__ = ["complete"]


def complete(task: TaskSpec, simulation: Simulation, agent: str) -> TaskSpec:
    """The task with all that it leaves unsaid, for a robot, or for all robots of a run (an agent without a name).

    Its `act` stays empty where nothing of the robot can be acted on.
    """
    robots = [robot for robot in simulation.robots.values() if agent in ("", robot.name)]
    several = agent == "" and robots[0].name != ""
    changed: dict[str, Any] = {}
    before = {robot.name: f"{robot.name}." if several else "" for robot in robots}
    if not task.observe.signals:
        seen = [_quoted(before[robot.name] + name) for robot in robots for name in _readings(robot)]
        changed["observe"] = task.observe.model_copy(update={"signals": tuple(seen)})
    if not task.act:
        act: Mapping[str, ActSpec] = {
            before[robot.name] + target: spec for robot in robots for target, spec in default_act(robot).items()
        }
        changed["act"] = act
    if not task.reward:
        ease = {"ease": "-0.01 * mean(action * action)"}
        changed["reward"] = {f"place_{robot.name}".rstrip("_"): _place(robot, before[robot.name]) for robot in robots} | ease
    floating = [robot for robot in robots if robot.twin.description.floating]
    if task.terminate is None and "terminate" not in task.model_fields_set and not task.reward and floating:
        changed["terminate"] = " or ".join(f"{before[robot.name]}truth.tilt > 1.57" for robot in floating)
    return task.model_copy(update=changed) if changed else task


def _readings(robot: RobotRun) -> list[str]:
    """Readings of all sensors but lidars; of a robot without any, the truth and its joints."""
    scans = tuple(f"{name}." for name, spec in robot.twin.file.sensors.items() if spec.contract is Lidar)
    found = [name for name in robot.built.measured if not name.endswith(".stamp") and not name.startswith(scans)]
    streams = [stream.layout for stream in robot.built.streams if stream.layout.name in ("truth", "joints")]
    return found or [name for layout in streams for name in layout.signals]


def _quoted(name: str) -> str:
    return name if all(step.isidentifier() for step in name.split(".")) else f'"{name}"'


def _place(robot: RobotRun, before: str) -> str:
    if robot.twin.description.floating:
        model = robot.built.assembly.model
        q = int(model.jnt_qposadr[int(model.body_jntadr[robot.links.root_body(model)])])
        x, y, z = (repr(float(value)) for value in robot.data.qpos[q : q + 3])
        return f"exp(-norm({before}truth.position - [{x}, {y}, {z}]))"
    posture = robot.robot.posture
    if not posture:
        return "1"
    apart = ", ".join(f"abs({_quoted(f'{before}joints.{name}.position')} - {value!r})" for name, value in posture.items())
    return f"exp(-mean({apart}))"
