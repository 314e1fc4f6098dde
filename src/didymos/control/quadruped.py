"""Quadruped: stand up, stand, sit, trot and turn, by the velocity that the body is asked for.

    estimate (`legged_state`) -> gait (`gait`) -> forces of the legs that stand (`stance`), curves of those that swing -> drives

A leg that stands is driven by torque, J^T f, with a little damping; one that swings by position, with the torque that its inertia
and friction need (`leg_drive`). Commands are sent for the time when they arrive.

`setpoints.mode`: 0 limp (damps), 1 stand, 2 sit, 3 trot; `vx`, `vy` [m/s] and `wz` [rad/s] move it in mode 3. `height` [m] adds
to the height of the trunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.drive_command import DRIVE_COMMAND, drive_inputs
from didymos.control.gait import advance_gait, swing
from didymos.control.leg import JOINTS, LEGS
from didymos.control.leg_drive import drive_leg
from didymos.control.legged_memory import BALANCE, BODY, GOAL, LEG, LEG_READING, ROBOT
from didymos.control.legged_state import estimate
from didymos.control.stance import HEADING_LIMIT, balance_trunk, distribute
from didymos.errors import InputError, nearest

__all__ = ["Mode", "Quadruped"]

_LEARNT = 0.2  # [m/s]: a larger error of the speed is a push, from which nothing is learnt beyond


class Mode(IntEnum):
    """What the robot is asked for, `setpoints.mode`."""

    LIMP = 0
    STAND = 1
    SIT = 2
    TROT = 3


@kernel
def _begin(memory: Any) -> None:
    """A robot that has just been switched on stays where it is, on all its legs."""
    memory.goal.height = memory.height
    memory.goal.yaw = memory.yaw
    for leg in range(4):
        memory.legs[leg].since = 1.0


@kernel
def _ramp(value: float, goal: float, step: float) -> float:
    return value + min(max(goal - value, -step), step)


@kernel
def _approach(gains: Any, mode: int, setpoints: Any, turn: float, dt: float, memory: Any) -> None:
    """Move the goals of the trunk on to the set-points, and learn what holding the speed takes."""
    goal, velocity, walking = memory.goal, memory.body.velocity, mode == Mode.TROT
    height = (gains.sit_height if mode == Mode.SIT else gains.stand_height) + setpoints.height
    goal.height = _ramp(goal.height, height, gains.height_rate * dt)
    asked = (setpoints.vx if walking else 0.0, setpoints.vy if walking else 0.0)
    for i in range(2):
        goal.velocity[i] = _ramp(goal.velocity[i], asked[i], gains.acceleration * dt)
        slow = min(max(goal.velocity[i] - velocity[i], -_LEARNT), _LEARNT)
        learnt = min(max(goal.acceleration[i] + gains.speed_ki * slow * dt, -1.0), 1.0)
        goal.acceleration[i] = learnt if walking else 0.0
    too_far = max(abs(goal.yaw - memory.yaw) - HEADING_LIMIT, 0.0)
    goal.yaw = _ramp(goal.yaw + turn * dt, memory.yaw, too_far)


class Quadruped(CompiledController):
    """Walks a robot with four legs of three drives each; `robot` holds the numbers of the program's own model of it."""

    stand_height = Gain(0.42, low=0.1, high=0.5, unit="m", path="height.stand", doc="of the trunk over the floor")
    sit_height = Gain(0.17, low=0.1, high=0.5, unit="m", path="height.sit")
    height_rate = Gain(0.25, low=0.01, high=2, unit="m/s", path="height.rate")
    period = Gain(0.44, low=0.2, high=2, unit="s", path="gait.period")
    duty = Gain(0.55, low=0.5, high=0.9, path="gait.duty", doc="part of the period that a leg stands")
    lift = Gain(0.08, low=0, high=0.2, unit="m", path="gait.lift", doc="height of a step")
    capture = Gain(0.1, low=0, high=0.5, unit="s", path="gait.capture", doc="k: further out by so much per speed too much")
    stance_y = Gain(0.0, low=-0.1, high=0.1, unit="m", path="gait.stance", doc="feet so far outside of the hips")
    acceleration = Gain(1.0, low=0.01, high=20, unit="m/s^2", path="body.acceleration", doc="with which it approaches a speed")
    speed_kp = Gain(4.0, low=0, high=50, unit="1/s", path="body.speed")
    speed_ki = Gain(2.5, low=0, high=20, unit="1/s^2", path="body.speed_integral", doc="to learn what holding a speed takes")
    place_kp = Gain(20.0, low=0, high=200, unit="1/s^2", path="body.place", doc="to stand over the middle of the feet")
    height_kp = Gain(150.0, low=0, high=1000, unit="1/s^2", path="body.height")
    height_kd = Gain(15.0, low=0, high=100, unit="1/s", path="body.height_damping")
    tilt_kp = Gain(150.0, low=0, high=1000, unit="N m/rad", path="body.tilt")
    tilt_kd = Gain(12.0, low=0, high=100, unit="N m s/rad", path="body.tilt_damping")
    yaw_kp = Gain(60.0, low=0, high=1000, unit="N m/rad", path="body.yaw")
    yaw_kd = Gain(12.0, low=0, high=100, unit="N m s/rad", path="body.yaw_damping")
    slope_share = Gain(1.0, low=0, high=1, path="body.slope", doc="part of the slope of the floor that the trunk takes")
    friction = Gain(0.45, low=0.05, high=2, path="stance.friction", doc="that the feet are trusted with")
    most_force = Gain(250.0, low=10, high=1000, unit="N", path="stance.most", doc="that a foot may carry")
    stance_damping = Gain(0.15, low=0, high=2, path="stance.damping", doc="scale of the drives' own damping in stance")
    swing_stiffness = Gain(1.5, low=0, high=5, path="swing.stiffness", doc="scale of the drives' own stiffness in swing")
    swing_damping = Gain(1.0, low=0, high=5, path="swing.damping")
    contact_force = Gain(25.0, low=1, high=200, unit="N", path="estimate.contact", doc="load from which a foot is taken to stand")
    tilt_trust = Gain(0.5, low=0, high=10, unit="1/s", path="estimate.tilt", doc="trust in the accelerometer")
    speed_trust = Gain(25.0, low=0, high=500, unit="1/s", path="estimate.speed", doc="trust in the legs that stand")

    mode = setpoint()
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    wz = setpoint(unit="rad/s")
    height = setpoint(unit="m")

    gyro = measurement(columns="xyz", unit="rad/s")
    accel = measurement(columns="xyz", unit="m/s^2")
    legs = measurement(count=4, layout=LEG_READING)

    robot = setting(layout=ROBOT)
    belt = setting(doc="1 where belts over the hips drive the knees")

    reported_mode = report("mode", labels=[mode.name.lower() for mode in Mode])
    reported_height = report("height", unit="m")
    roll = report(unit="rad")
    pitch = report(unit="rad")
    yaw = report(unit="rad")
    reported_vx = report("vx", unit="m/s", doc="velocity and slope in the level frame")
    reported_vy = report("vy", unit="m/s")
    vz = report(unit="m/s")
    slope = report(columns="xy")
    contact = report(columns=LEGS, doc="1 where the torques of a leg say so")
    load = report(columns=LEGS, unit="N", doc="the force that they say")

    body = memory(layout=BODY)
    leg_memory = memory("legs", count=4, layout=LEG)
    goal = memory(layout=GOAL)
    balance = memory(layout=BALANCE)
    phase = memory(doc="of the gait, in periods")
    waited = memory(unit="s", doc="time for which the gait has waited for a foot")
    beat = memory(doc="commands sent")

    drives = command(count=len(LEGS) * len(JOINTS), layout=DRIVE_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        dt, robot, mode = clock.period, settings.robot, int(setpoints.mode)
        estimate(clock, settings, gains, measured, memory)
        if clock.first > 0.5:
            _begin(memory)
        walking = mode == Mode.TROT
        turn = setpoints.wz if walking else 0.0
        memory.mode = mode
        memory.beat += 1.0
        _approach(gains, mode, setpoints, turn, dt, memory)
        advance_gait(walking, gains, dt, memory)
        balance_trunk(robot, gains, walking, turn, memory)
        distribute(robot, gains, memory)
        for leg in range(4):
            if memory.legs[leg].swings > 0.5:
                swing(robot, leg, gains, turn, dt, memory)
            drive_leg(settings, gains, leg, mode == Mode.LIMP, memory, inputs.drives)

    def __init__(
        self,
        robot: Mapping[str, float],
        belts: Sequence[str] = (),
        imu: str = "imu",
        encoders: str = "encoders",
        torques: str = "torques",
    ) -> None:
        known = ROBOT.names or ()
        for name in robot:
            if name not in known:
                raise InputError(f"there is no such number{nearest(name, known)}", path=f"control.options.robot.{name}")
        for name in known:
            if name not in robot:
                raise InputError(f"expected the number {name!r}", path="control.options.robot")
            self.settings["robot"][name] = robot[name]
        knees = [f"{leg}K" for leg in LEGS]
        if belts and sorted(belts) != sorted(knees):
            raise InputError(f"found {list(belts)}, expected none or all of {', '.join(knees)}", path="control.options.belts")
        self.settings["belt"] = float(bool(belts))
        self.imu, self.encoders, self.torques = imu, encoders, torques

    def start(self, robot: Robot) -> None:
        """Find the readings and the drives."""
        legs = [[leg + joint for joint in JOINTS] for leg in LEGS]
        self.reads = {
            "gyro": [f"{self.imu}.gyro.{axis}" for axis in "xyz"],
            "accel": [f"{self.imu}.accel.{axis}" for axis in "xyz"],
            "legs": [
                name
                for leg in legs
                for name in (
                    *(f"{self.encoders}.{drive}_joint.position" for drive in leg),
                    *(f"{self.encoders}.{drive}_joint.velocity" for drive in leg),
                    *(f"{self.torques}.{drive}.torque" for drive in leg),
                )
            ],
        }
        self.writes = {"drives": drive_inputs(drive for leg in legs for drive in leg)}
        for name, _ in self.read_offsets:
            if name not in robot.measured:
                raise InputError(f"quadruped needs the reading {name!r}, which there is not", path="control.options")
        for name, _ in self.write_offsets:
            if name not in robot.inputs:
                raise InputError(f"quadruped needs the input {name!r}, which there is not", path="parts")
