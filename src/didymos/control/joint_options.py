"""What the options of the program `joints` say, joint by joint: modes, gains and limits, with defaults from the robot's model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from didymos.control.actuation import Actuation
from didymos.control.actuator import Actuator
from didymos.control.controller import Robot
from didymos.control.joint_gains import posture_of
from didymos.errors import InputError, nearest
from didymos.model import RobotModel

__all__ = [
    "COMPENSATIONS", "MODES", "JointLoop", "PerJoint", "check_names", "compensations", "loops", "model_rows", "of_joint",
]  # fmt: skip

MODES = ("position", "velocity", "effort", "impedance")
COMPENSATIONS = ("gravity", "inertia", "friction")
PerJoint = float | Mapping[str, float] | None

_SOFT = 10.0  # [rad/s] natural frequency of an impedance that nobody chose
_LOOP = 0.2  # of the time from a reading to its effect, over which a loop of the program turns by so many radians
_FASTEST = 60.0  # [rad/s] of a loop of the program
_SPEED, _SLIDE, _BEGIN = math.pi, 1.0, 0.2  # [rad/s], [m/s] of a joint without a limit; [s] to its top speed
_SHARE = 0.5  # of what gravity leaves of its effort, for accelerating
_POSTURES = 32
_LAG = 5.0  # [1/s] of a position by speeds


@dataclass(frozen=True)
class JointLoop:
    """How one joint is controlled; at the joint, [rad, N m], of a slider [m, N]."""

    mode: str
    by_program: bool
    """Whether the program closes the loop, by the robot's model; else the actuator does, or the gains that were given."""
    kp: float
    kd: float
    bandwidth: float
    """[rad/s] of a loop that the program closes."""
    velocity: float
    acceleration: float


def of_joint(value: Any, joint: str, default: Any = None) -> Any:
    """An option that is one value for all joints, or a mapping of some."""
    if isinstance(value, Mapping):
        return value.get(joint, default)
    return default if value is None else value


def check_names(option: str, value: Any, joints: Sequence[str]) -> None:
    """Refuse a mapping that names a joint which is not there."""
    for name in value if isinstance(value, Mapping) else ():
        if name not in joints:
            known = f"{nearest(name, joints)} (driven: {', '.join(joints) or 'none'})"
            raise InputError(f"there is no joint {name!r}{known}", path=f"control.options.{option}")


def loops(
    robot: Robot,
    chain: Actuation,
    period: float,
    modes: Mapping[str, str],
    *,
    damping_ratio: float,
    stiffness: PerJoint,
    damping: PerJoint,
    velocity_limit: PerJoint,
    acceleration_limit: PerJoint,
) -> list[JointLoop]:
    """The loop of every joint of a chain."""
    model = robot.model
    state = model.at(posture_of(model, robot.posture))
    loads = _loads(model, chain.actuators)
    speeds = {
        actuator.joint: of_joint(velocity_limit, actuator.joint, _top_speed(actuator, loads[actuator.joint]))
        for actuator in chain.actuators
    }
    accelerations = _accelerations(model, chain.actuators, loads, speeds)
    found = []
    for actuator, reading in zip(chain.actuators, chain.reads[::2], strict=True):
        at = model.joint(actuator.joint).velocity_index
        inertia = float(state.mass_matrix[at, at]) + actuator.armature
        mode = modes[actuator.joint]
        given = of_joint(stiffness, actuator.joint), of_joint(damping, actuator.joint)
        by_program, kp, kd = _gains(actuator, mode, inertia, given, damping_ratio)
        sensor = robot.sensors[reading.split(".")[0]]
        latency = period + sensor.delay + 1.0 / sensor.rate
        most = of_joint(acceleration_limit, actuator.joint, accelerations[actuator.joint])
        found.append(JointLoop(mode, by_program, kp, kd, min(_FASTEST, _LOOP / latency), speeds[actuator.joint], most))
    return found


def _gains(
    actuator: Actuator, mode: str, inertia: float, given: tuple[float | None, float | None], damping_ratio: float
) -> tuple[bool, float, float]:
    """Whether the program closes the loop, and the gains that it does not close."""
    kp, kd = given
    if mode == "effort":
        return False, 0.0, 0.0
    if actuator.way == "speed":
        return False, _LAG if mode != "velocity" else 0.0, 1.0
    if kp is None and mode == "impedance":
        kp = _SOFT**2 * inertia
    if mode == "velocity":
        own = kd if kd is not None else actuator.kd
        return own == 0.0, 0.0, own
    if kp is None and actuator.kp == 0.0:
        return True, 0.0, 0.0
    own_damping = actuator.kd if kp is None and actuator.kd > 0.0 else None
    kp = actuator.kp if kp is None else kp
    if kd is None:
        kd = own_damping if own_damping is not None else 2.0 * damping_ratio * math.sqrt(kp * inertia)
    return False, kp, kd


def _loads(model: RobotModel, actuators: Sequence[Actuator]) -> dict[str, float]:
    """Of each joint: the effort that gravity and dry friction take at most, in any of some postures."""
    gravity = np.max([np.abs(model.at(q).gravity) for q in _postures(model)], axis=0)
    return {item.joint: item.friction + float(gravity[model.joint(item.joint).velocity_index]) for item in actuators}


def _left(actuator: Actuator, load: float) -> float:
    return max(actuator.effort - load, 0.1 * actuator.effort)


def _top_speed(actuator: Actuator, load: float) -> float:
    """Its limit, as far as a share of the effort that its load leaves bears viscous friction."""
    limit = actuator.velocity if actuator.velocity < math.inf else _SLIDE if actuator.prismatic else _SPEED
    return min(limit, _SHARE * _left(actuator, load) / actuator.viscous) if actuator.viscous > 0.0 else limit


def _accelerations(
    model: RobotModel, actuators: Sequence[Actuator], loads: Mapping[str, float], speeds: Mapping[str, float]
) -> dict[str, float]:
    """Of each joint: what brings it to top speed within a fifth of a second, all slowed alike until efforts bear it.

    An effort bears it where half of what its load and viscous friction leave moves all joints at once, in any of some postures.
    """
    wish = {name: speed / _BEGIN for name, speed in speeds.items()}
    dofs = {actuator.joint: model.joint(actuator.joint).velocity_index for actuator in actuators}
    slow = 1.0
    for q in _postures(model):
        state = model.at(q)
        for actuator in actuators:
            at = dofs[actuator.joint]
            load = sum(abs(float(state.mass_matrix[at, dofs[name]])) * wish[name] for name in wish)
            load += actuator.armature * wish[actuator.joint]
            left = _left(actuator, loads[actuator.joint] + actuator.viscous * speeds[actuator.joint])
            slow = min(slow, _SHARE * left / max(load, 1e-12))
    return {name: slow * value for name, value in wish.items()}


def _postures(model: RobotModel) -> Iterator[np.ndarray]:
    """The robot as drawn, and some random postures within its limits: the same at every call."""
    q = np.array(model.reference, dtype=np.float64)
    yield q
    random = np.random.default_rng(0)
    for _ in range(_POSTURES):
        for name in model.joints:
            joint = model.joint(name)
            if joint.nq == 1:
                low, high = max(joint.lower, -math.pi), min(joint.upper, math.pi)
                q[joint.position_index] = random.uniform(low, high) if low < high else joint.lower
        yield q.copy()


def model_rows(model: RobotModel, joints: Sequence[str]) -> list[tuple[int, int]]:
    """Where in q and in v each joint stands."""
    return [(model.joint(name).position_index, model.joint(name).velocity_index) for name in joints]


def compensations(names: Sequence[str]) -> np.ndarray:
    """Which of `COMPENSATIONS` are asked for."""
    for name in names:
        if name not in COMPENSATIONS:
            what = f"found {name!r}{nearest(name, COMPENSATIONS)}, expected some of {', '.join(COMPENSATIONS)}"
            raise InputError(what, path="control.options.compensate")
    return np.array([float(name in names) for name in COMPENSATIONS])
