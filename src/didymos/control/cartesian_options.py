"""What the options of the program `cartesian` mean on a robot: its chain, its task, its force sensor, its path."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from didymos.control.actuation import Actuation
from didymos.control.chain import chain_joints, end_effector
from didymos.control.controller import Robot
from didymos.control.joint_gains import joint_gains, posture_of
from didymos.control.waypoints import SPLINES, plan_path
from didymos.errors import InputError, nearest
from didymos.model import RobotModel
from didymos.sensors.forces import ForceTorque

__all__ = ["POSE", "CartesianPlan", "Planned", "plan_cartesian"]

POSE = ("x", "y", "z", "roll", "pitch", "yaw")
_LOOP, _FASTEST = 0.1, 25.0  # radians that a loop may turn in the time from a reading to its effect; [rad/s]
_POSTURE = 0.3  # of the bandwidth, for the null space
_INTEGRAL = 0.3  # of the bandwidth
_FORCE = 0.4  # of the bandwidth


@dataclass(frozen=True)
class CartesianPlan:
    """The options as they were given."""

    end_effector: str | None
    axes: Sequence[str] | None
    stiffness: float | Mapping[str, float] | None
    damping_ratio: float
    force_axes: Sequence[str]
    force_sensor: str | None
    limits: tuple[float, float, float, float]
    waypoints: Sequence[Mapping[str, Any]]
    spline: str
    repeat: bool

    def __post_init__(self) -> None:
        _known("axes", self.axes or (), POSE)
        _known("force_axes", self.force_axes, POSE[:3])
        _known("stiffness", self.stiffness if isinstance(self.stiffness, Mapping) else (), POSE)
        _known("spline", [self.spline], SPLINES)
        for index, point in enumerate(self.waypoints):
            _known(f"waypoints.{index}", point, ("time", *POSE))


@dataclass(frozen=True)
class Planned:
    """What follows from them."""

    joints: tuple[str, ...]
    """Those that carry the end effector, from the base on."""
    task: dict[str, Any]
    links: list[dict[str, float]]
    pose: list[float]
    """At the start."""
    reads: dict[str, tuple[str, ...]]
    path: Any


def _known(option: str, names: Any, known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            what = f"found {name!r}{nearest(str(name), known)}, expected some of {', '.join(known)}"
            raise InputError(what, path=f"control.options.{option}")


def plan_cartesian(plan: CartesianPlan, robot: Robot, chain: Actuation, period: float) -> Planned:
    """Everything that the program needs to know about a robot."""
    model = robot.model
    tool = plan.end_effector or end_effector(model)
    carried = chain_joints(model, tool)
    joints = tuple(name for name in carried if name in chain.joints)
    if not joints:
        raise InputError(f"no joint that is driven moves {tool!r}", path="control.options.end_effector")
    for actuator in chain.actuators:
        if actuator.joint in joints and actuator.way == "speed":
            raise InputError(f"joint {actuator.joint!r} takes speeds, cartesian needs efforts", path=f"parts.{actuator.name}")
    state = model.at(posture_of(model, robot.posture))
    axes = plan.axes if plan.axes is not None else POSE if len(joints) >= len(POSE) else POSE[:3]
    latency = period + max(_latency(robot, reading) for reading in chain.reads[::2])
    bandwidth = min(_FASTEST, _LOOP / latency)
    sensor = _force_sensor(plan, robot, joints) if plan.force_axes else None
    velocity, acceleration, rate, rate_change = plan.limits
    task: dict[str, Any] = {
        "frame": model.frame(tool), "bandwidth": bandwidth, "null_bandwidth": _POSTURE * bandwidth,
        "damping_ratio": plan.damping_ratio, "integral": _INTEGRAL * bandwidth, "force_integral": _FORCE * bandwidth,
        "on": [float(axis in axes or axis in plan.force_axes) for axis in POSE],
        "force": [float(axis in plan.force_axes) for axis in POSE],
        "stiffness": [_stiffness(plan.stiffness, axis) for axis in POSE],
        "velocity": velocity, "acceleration": acceleration, "rate": rate, "rate_change": rate_change,
        "sensor_frame": -1, "sensor_weight": 0.0,
    }  # fmt: skip
    reads: dict[str, tuple[str, ...]] = {}
    if sensor is not None:
        link = getattr(robot.sensors[sensor], "link")  # noqa: B009
        task["sensor_frame"] = model.frame(link)
        task["sensor_weight"] = robot.gravity * _hanging(model, link)
        reads["force"] = tuple(f"{sensor}.force.{axis}" for axis in "xyz")
    pose = [*(float(x) for x in state.position(tool)), *_roll_pitch_yaw(state.rotation(tool))]
    return Planned(joints, task, _links(robot, chain, joints, period), pose, reads, _path(plan, pose))


def _latency(robot: Robot, reading: str) -> float:
    sensor = robot.sensors[reading.split(".")[0]]
    return sensor.delay + 1.0 / sensor.rate


def _stiffness(given: float | Mapping[str, float] | None, axis: str) -> float:
    if isinstance(given, Mapping):
        return float(given.get(axis, -1.0))
    return -1.0 if given is None or axis not in POSE[:3] else float(given)


def _links(robot: Robot, chain: Actuation, joints: tuple[str, ...], period: float) -> list[dict[str, float]]:
    gains = joint_gains(robot.model, period, posture=robot.posture)
    rows = []
    for actuator, reading in zip(chain.actuators, chain.reads[::2], strict=True):
        joint = robot.model.joint(actuator.joint)
        kp, kd = (actuator.kp, actuator.kd) if actuator.closes_loop else gains[actuator.joint]
        latency = period + _latency(robot, reading)
        rows.append({
            "q": joint.position_index, "dof": joint.velocity_index,
            "column": joints.index(actuator.joint) if actuator.joint in joints else -1,
            "posture": robot.posture.get(actuator.joint, 0.0), "kp": kp, "kd": kd,
            "inertia": actuator.armature + max(-actuator.velocity_gain, 0.0) * latency,
        })  # fmt: skip
    return rows


def _force_sensor(plan: CartesianPlan, robot: Robot, joints: tuple[str, ...]) -> str | None:
    """The sensor that is named, or the one of kind force_torque that sits behind the most joints of the chain."""
    known = {name: spec for name, spec in robot.sensors.items() if issubclass(spec.contract, ForceTorque)}
    if plan.force_sensor is not None:
        _known("force_sensor", [plan.force_sensor], tuple(known))
        return plan.force_sensor
    behind = {name: chain_joints(robot.model, getattr(spec, "link")) for name, spec in known.items()}  # noqa: B009
    fit = {name: len(carried) for name, carried in behind.items() if set(carried) <= set(joints)}
    return max(fit, key=lambda name: fit[name]) if fit else None


def _hanging(model: RobotModel, link: str) -> float:
    """Mass [kg] of a link and all that it carries."""
    if link not in model.links:
        raise InputError(f"a force sensor on the frame {link!r} is not weighed, expected one on a link", path="sensors")
    total = model.links[link].mass
    return total + sum(_hanging(model, name) for name, other in model.links.items() if other.parent == link)


def _roll_pitch_yaw(r: np.ndarray) -> tuple[float, float, float]:
    """Angles Z-Y-X [rad] of a rotation [3, 3]."""
    return (
        math.atan2(r[2, 1], r[2, 2]), math.atan2(-r[2, 0], math.hypot(r[2, 1], r[2, 2])), math.atan2(r[1, 0], r[0, 0]),
    )  # fmt: skip


def _path(plan: CartesianPlan, pose: Sequence[float]) -> Any:
    if not plan.waypoints:
        return None
    velocity, acceleration, rate, rate_change = plan.limits
    points, last = [], list(pose)
    for index, point in enumerate(plan.waypoints):
        for name, value in point.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"found {value!r}, expected a number", path=f"control.options.waypoints.{index}.{name}")
        axes = {POSE.index(name): float(value) for name, value in point.items() if name != "time"}
        for axis in (3, 4, 5):  # angles on the shorter way
            if axis in axes:
                axes[axis] += 2.0 * math.pi * round((last[axis] - axes[axis]) / (2.0 * math.pi))
        last = [axes.get(axis, value) for axis, value in enumerate(last)]
        points.append((point.get("time"), axes))
    return plan_path(
        pose, points, [velocity] * 3 + [rate] * 3, [acceleration] * 3 + [rate_change] * 3, spline=plan.spline, repeat=plan.repeat,
        names=POSE,
    )  # fmt: skip
