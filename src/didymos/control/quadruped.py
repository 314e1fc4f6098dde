"""Quadruped: stand up, stand, sit, trot and turn, by the velocity that the body is asked for.

    estimate (`legged_state`) -> gait (`gait`) -> forces of the legs that stand (`stance`), curves of those that swing -> drives

Every drive gets position, velocity, torque and the scales of its own stiffness and damping (the joint impedance law of the real
controller): a leg that stands is driven by torque, J^T f, with a little damping; one that swings by position, with the torque
that its inertia and friction need. Commands are sent for the time when they arrive. With a belt from the hip to the knee the
motor of the knee turns q_k + q_h, so its torque acts on both joints: tau_h = tau_1 + tau_2, tau_k = tau_2.

`setpoints.mode`: 0 limp (damps), 1 stand, 2 sit, 3 trot; `vx`, `vy` [m/s] and `wz` [rad/s] move it in mode 3. `height` [m] adds to
the height of the trunk.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control import legged_memory as at
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.gait import advance_gait, swing
from didymos.control.leg import GEOMETRY, LEGS, torques
from didymos.control.legged_state import estimate
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.control.stance import distribute
from didymos.errors import InputError, nearest
from didymos.parts.drive import COMMAND_INPUTS, POSITION

__all__ = ["Quadruped"]

LIMP, STAND, SIT, TROT = range(4)
_MODES = ("limp", "stand", "sit", "trot")
_JOINTS = ("T", "H", "K")
_ROBOT = (
    *GEOMETRY, "ratio", "friction", "inertia_T", "inertia_H", "inertia_K", "foot_radius", "mass", "delay", "com_x", "com_z",
    "rotor",
)  # fmt: skip
_GRAVITY = 9.80665  # [m/s^2]
_TURN = 2.0 * math.pi
_SLIDING = 0.3  # [rad/s] over which dry friction changes sign
_LEARNT = 0.2  # [m/s]: a larger error of the speed is a push, from which nothing is learnt beyond
(
    G_HEIGHT, G_SIT, G_HEIGHT_RATE, G_PERIOD, G_DUTY, G_LIFT, G_CAPTURE, G_STANCE_Y, G_PUSH, G_V, G_TREND, G_P, G_Z, G_DZ,
    G_TILT, G_DTILT, G_YAW, G_DYAW, G_SLOPE, G_FRICTION, G_MOST, G_DAMP, G_SWING_KP, G_SWING_KD, G_THRESHOLD,
    G_ATTITUDE, G_ODOMETRY,
) = range(27)  # fmt: skip


@kernel
def _ramp(value: float, goal: float, step: float) -> float:
    return value + min(max(goal - value, -step), step)


@kernel
def _begin(m: Any) -> None:
    m[at.WANTED_HEIGHT] = m[at.HEIGHT]
    m[at.WANTED_YAW] = m[at.YAW]
    for leg in range(4):
        m[at.SINCE + leg] = 1.0


@kernel
def _wrench(settings: Any, g: Any, walking: bool, turn: float, m: Any) -> None:
    """The setpoints wrench on the trunk, level frame, into `WRENCH`."""
    mass, v = settings[11], at.VELOCITY
    x, y = -settings[13], 0.0
    if not walking:  # stay over the middle of the feet
        for leg in range(4):
            x += 0.25 * m[at.LEVEL + 3 * leg]
            y += 0.25 * m[at.LEVEL + 3 * leg + 1]
    w = at.WRENCH
    wx, wy = m[at.WANTED_V], m[at.WANTED_V + 1]
    m[w] = mass * (g[G_V] * (wx - m[v]) + (m[at.TREND] if walking else g[G_P] * x))
    m[w + 1] = mass * (g[G_V] * (wy - m[v + 1]) + (m[at.TREND + 1] if walking else g[G_P] * y))
    climb = m[at.SLOPE] * m[v] + m[at.SLOPE + 1] * m[v + 1]
    m[w + 2] = mass * (_GRAVITY + g[G_Z] * (m[at.WANTED_HEIGHT] - m[at.HEIGHT]) - g[G_DZ] * (m[v + 2] - climb))
    roll, pitch = g[G_SLOPE] * math.atan(m[at.SLOPE + 1]), -g[G_SLOPE] * math.atan(m[at.SLOPE])
    r = at.ROTATION
    rate_x = m[r] * m[at.RATE] + m[r + 1] * m[at.RATE + 1] + m[r + 2] * m[at.RATE + 2]
    rate_y = m[r + 3] * m[at.RATE] + m[r + 4] * m[at.RATE + 1] + m[r + 5] * m[at.RATE + 2]
    rate_z = m[r + 6] * m[at.RATE] + m[r + 7] * m[at.RATE + 1] + m[r + 8] * m[at.RATE + 2]
    m[w + 3] = g[G_TILT] * (roll - m[at.ROLL]) - g[G_DTILT] * rate_x
    m[w + 4] = g[G_TILT] * (pitch - m[at.PITCH]) - g[G_DTILT] * rate_y
    m[w + 5] = g[G_YAW] * min(max(m[at.WANTED_YAW] - m[at.YAW], -0.3), 0.3) + g[G_DYAW] * (turn - rate_z)


@kernel
def _drive(settings: Any, g: Any, leg: int, limp: bool, m: Any, inputs: Any) -> None:
    """Commands for the three drives of a leg, in motor revolutions and N m at the motor."""
    ratio, friction, delay, belt = settings[5], settings[6], settings[12], settings[16]
    tau, swings = m[at.TORQUE : at.TORQUE + 3], m[at.SWING + leg] > 0.5
    if swings:
        for i in range(3):
            tau[i] = settings[7 + i] * m[at.GOAL_PUSH + 3 * leg + i]
    else:
        f, r = at.FORCE + 3 * leg, at.ROTATION
        fx = m[r] * m[f] + m[r + 3] * m[f + 1] + m[r + 6] * m[f + 2]
        fy = m[r + 1] * m[f] + m[r + 4] * m[f + 1] + m[r + 7] * m[f + 2]
        fz = m[r + 2] * m[f] + m[r + 5] * m[f + 1] + m[r + 8] * m[f + 2]
        torques(m[at.JACOBIAN + 9 * leg : at.JACOBIAN + 9 * leg + 9], fx, fy, fz, tau)
    if belt > 0.5:
        tau[1] -= tau[2]
    for i in range(3):
        k, out = 3 * leg + i, 7 * (3 * leg + i)
        goal, rate, push = m[at.GOAL + k], m[at.GOAL_RATE + k], m[at.GOAL_PUSH + k]
        if belt > 0.5 and i == 2:
            goal, rate, push = goal + m[at.GOAL + k - 1], rate + m[at.GOAL_RATE + k - 1], push + m[at.GOAL_PUSH + k - 1]
        if swings:
            tau[i] += ratio * friction * math.tanh(rate / _SLIDING) + settings[15] * push
        inputs[out] = (goal + delay * rate) * ratio / _TURN if swings else 0.0
        inputs[out + 1] = rate * ratio / _TURN if swings else 0.0
        inputs[out + 2] = 0.0 if limp else tau[i] / ratio
        inputs[out + 3] = g[G_SWING_KP] if swings else 0.0
        inputs[out + 4] = g[G_SWING_KD] if swings else (1.0 if limp else g[G_DAMP])
        inputs[out + 5] = POSITION
        inputs[out + 6] = m[at.BEAT]


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains_at, sensed_at, setpoints, memory_at, inputs_at):  # type: ignore[no-untyped-def]
    dt, first = clock[1], clock[2] > 0.5
    settings, g, measured = carray(settings_at, 17), carray(gains_at, 27), carray(sensed_at, 42)
    m, inputs = carray(memory_at, at.MEMORY), carray(inputs_at, 84)
    estimate(measured, settings, g[G_ATTITUDE], g[G_ODOMETRY], g[G_THRESHOLD], dt, first, m)
    if first:
        _begin(m)
    mode = int(setpoints[0])
    walking = mode == TROT
    m[at.MODE] = mode
    m[at.BEAT] += 1.0
    goal = (g[G_SIT] if mode == SIT else g[G_HEIGHT]) + setpoints[4]
    m[at.WANTED_HEIGHT] = _ramp(m[at.WANTED_HEIGHT], goal, g[G_HEIGHT_RATE] * dt)
    for i in range(2):
        m[at.WANTED_V + i] = _ramp(m[at.WANTED_V + i], setpoints[1 + i] if walking else 0.0, g[G_PUSH] * dt)
        slow = min(max(m[at.WANTED_V + i] - m[at.VELOCITY + i], -_LEARNT), _LEARNT)
        m[at.TREND + i] = min(max(m[at.TREND + i] + g[G_TREND] * slow * dt, -1.0), 1.0) if walking else 0.0
    turn = setpoints[3] if walking else 0.0
    m[at.WANTED_YAW] = _ramp(m[at.WANTED_YAW] + turn * dt, m[at.YAW], max(abs(m[at.WANTED_YAW] - m[at.YAW]) - 0.3, 0.0))
    advance_gait(walking, g[G_PERIOD], g[G_DUTY], dt, m)
    _wrench(settings, g, walking, turn, m)
    distribute(g[G_FRICTION], g[G_MOST], settings[13], settings[14], m)
    for leg in range(4):
        if m[at.SWING + leg] > 0.5:
            swing(
                settings, leg, g[G_DUTY], g[G_PERIOD], g[G_LIFT], g[G_CAPTURE], g[G_STANCE_Y], m[at.WANTED_V], m[at.WANTED_V + 1],
                turn, dt, m,
            )  # fmt: skip
        _drive(settings, g, leg, mode == LIMP, m, inputs)


class Quadruped(CompiledController):
    """Walks a robot with four legs of three drives each; `robot` holds the numbers of the program's own model of it."""

    program: ClassVar = _program
    setpoints = ("mode", "vx", "vy", "wz", "height")
    memory_size = at.MEMORY
    reports = at.REPORTS
    words: ClassVar = {"mode": _MODES}

    height = Gain(0.42, low=0.1, high=0.5, unit="m", path="height.stand", doc="of the trunk over the floor")
    sit_height = Gain(0.17, low=0.1, high=0.5, unit="m", path="height.sit")
    height_rate = Gain(0.25, low=0.01, high=2, unit="m/s", path="height.rate")
    period = Gain(0.44, low=0.2, high=2, unit="s", path="gait.period")
    duty = Gain(0.55, low=0.5, high=0.9, path="gait.duty", doc="part of the period that a leg stands")
    lift = Gain(0.08, low=0, high=0.2, unit="m", path="gait.lift", doc="height of a step")
    capture = Gain(0.1, low=0, high=0.5, unit="s", path="gait.capture", doc="k: further out by so much per speed too much")
    stance_y = Gain(0.0, low=-0.1, high=0.1, unit="m", path="gait.stance", doc="feet so far outside of the hips")
    push = Gain(1.0, low=0.01, high=20, unit="m/s^2", path="body.acceleration", doc="with which a setpoints speed is approached")
    kv = Gain(4.0, low=0, high=50, unit="1/s", path="body.speed")
    trend = Gain(2.5, low=0, high=20, unit="1/s^2", path="body.speed_integral", doc="to learn what holding a speed takes")
    kp = Gain(20.0, low=0, high=200, unit="1/s^2", path="body.place", doc="of a robot that stands, over the middle of its feet")
    kz = Gain(150.0, low=0, high=1000, unit="1/s^2", path="body.height")
    dz = Gain(15.0, low=0, high=100, unit="1/s", path="body.height_damping")
    tilt = Gain(150.0, low=0, high=1000, unit="N m/rad", path="body.tilt")
    dtilt = Gain(12.0, low=0, high=100, unit="N m s/rad", path="body.tilt_damping")
    yaw = Gain(60.0, low=0, high=1000, unit="N m/rad", path="body.yaw")
    dyaw = Gain(12.0, low=0, high=100, unit="N m s/rad", path="body.yaw_damping")
    slope = Gain(1.0, low=0, high=1, path="body.slope", doc="part of the slope of the floor that the trunk takes")
    friction = Gain(0.45, low=0.05, high=2, path="stance.friction", doc="that the feet are trusted with")
    most = Gain(250.0, low=10, high=1000, unit="N", path="stance.most", doc="that a foot may carry")
    damp = Gain(0.15, low=0, high=2, path="stance.damping", doc="scale of the drives' own damping in stance")
    swing_kp = Gain(1.5, low=0, high=5, path="swing.stiffness", doc="scale of the drives' own stiffness in swing")
    swing_kd = Gain(1.0, low=0, high=5, path="swing.damping")
    threshold = Gain(25.0, low=1, high=200, unit="N", path="estimate.contact", doc="load from which a foot is taken to stand")
    attitude = Gain(0.5, low=0, high=10, unit="1/s", path="estimate.tilt", doc="trust in the accelerometer")
    odometry = Gain(25.0, low=0, high=500, unit="1/s", path="estimate.speed", doc="trust in the legs that stand")

    def __init__(
        self,
        robot: Mapping[str, float],
        belts: Sequence[str] = (),
        imu: str = "imu",
        encoders: str = "encoders",
        torques: str = "torques",
    ) -> None:
        for name in robot:
            if name not in _ROBOT:
                raise InputError(f"there is no such number{nearest(name, _ROBOT)}", path=f"control.options.robot.{name}")
        for name in _ROBOT:
            if name not in robot:
                raise InputError(f"expected the number {name!r}", path="control.options.robot")
        knees = [f"{leg}K" for leg in LEGS]
        if belts and sorted(belts) != sorted(knees):
            raise InputError(f"found {list(belts)}, expected none or all of {', '.join(knees)}", path="control.options.belts")
        self.settings = np.array([*(float(robot[name]) for name in _ROBOT), float(bool(belts))])
        self.imu, self.encoders, self.torques = imu, encoders, torques

    def start(self, robot: Robot) -> None:
        """Find the readings and the drives."""
        drives = [leg + joint for leg in LEGS for joint in _JOINTS]
        self.reads = (
            *(f"{self.imu}.{quantity}.{axis}" for quantity in ("gyro", "accel") for axis in "xyz"),
            *(f"{self.encoders}.{drive}_joint.{quantity}" for quantity in ("position", "velocity") for drive in drives),
            *(f"{self.torques}.{drive}.torque" for drive in drives),
        )
        self.writes = tuple(f"{drive}.{name}" for drive in drives for name in COMMAND_INPUTS)
        for name in self.reads:
            if name not in robot.measured:
                raise InputError(f"quadruped needs the reading {name!r}, which there is not", path="control.options")
        for name in self.writes:
            if name not in robot.inputs:
                raise InputError(f"quadruped needs the input {name!r}, which there is not", path="parts")
