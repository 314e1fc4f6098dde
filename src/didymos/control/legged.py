"""Legged: stand up, stand, sit, trot, walk and turn on any number of legs from two, by the velocity that the body is asked for.

    estimate (`legged_state`) -> gait (`gait`) -> forces of the legs that stand (`stance`), curves of those that swing -> joints

Legs, limb lengths, signs and masses come from the robot's model (`leg_finder`, `leg_tables`). A leg that stands is driven by
effort, -J^T f, with a little damping; one that swings by position, with the effort that its inertia, weight and friction need
(`leg_drive`). Joints of no leg stay where they are. Gains have no dimension: they are in units of the robot's own mass m and
inertia I, of the height l of its hips when it stands, and of the time T = sqrt(l / g), so one set fits robots of any size.

`setpoints.mode`: 0 limp (damps), 1 stand, 2 sit, 3 trot, 4 walk; `vx`, `vy` [m/s] and `wz` [rad/s] move it in modes 3 and 4.
`height` [m] adds to the height of the trunk. A robot on two legs stands by stepping on the spot; one that has fallen goes limp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.actuation import (
    ACTUATION,
    JOINT_COMMAND,
    JOINT_GOAL,
    JOINT_STATE,
    MOST_JOINTS,
    Actuation,
    actuate,
    share_belts,
)
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.gait import advance_gait, swing
from didymos.control.leg_drive import drive_leg, hold_joint
from didymos.control.leg_finder import find_legs, legs_of
from didymos.control.leg_posture import bend_of, standing_posture
from didymos.control.leg_tables import fill_actuators, fill_holds, fill_limbs, fill_robot, find_efforts, find_imu
from didymos.control.legged_memory import BALANCE, BODY, GOAL, HOLD, LEG, LIMB, MOST_LEGS, MOST_LIMB_JOINTS, POSE, ROBOT
from didymos.control.legged_state import estimate
from didymos.control.stance import HEADING_LIMIT, balance_trunk, distribute
from didymos.errors import InputError

__all__ = ["Legged", "Mode"]

_LEARNT = 0.1  # [l/T]: a larger error of the speed is a push, from which nothing is learnt beyond
_MOST_LEARNT = 0.1  # [g]
_FALLEN = 0.3  # up . z of the trunk, below which the robot lies and goes limp


class Mode(IntEnum):
    """What the robot is asked for, `setpoints.mode`."""

    LIMP = 0
    STAND = 1
    SIT = 2
    TROT = 3
    WALK = 4


@kernel
def _begin(count: int, memory: Any) -> None:
    """A robot that has just been switched on stays where it is, on all its legs."""
    memory.goal.height = memory.height
    memory.goal.yaw = memory.yaw
    for leg in range(count):
        memory.legs[leg].since = 1.0


@kernel
def _ramp(value: float, goal: float, step: float) -> float:
    return value + min(max(goal - value, -step), step)


@kernel
def _approach(
    robot: Any, gains: Any, mode: int, walking: bool, setpoints: Any, turn: float, dt: float, memory: Any
) -> None:
    """Move the goals of the trunk on to the set-points, and learn what holding the speed takes."""
    goal, velocity, moves = memory.goal, memory.body.velocity, mode >= Mode.TROT
    speed = robot.length / robot.time
    height = robot.length * (gains.sit_height if mode == Mode.SIT else gains.stand_height) + setpoints.height
    goal.height = _ramp(goal.height, height, gains.height_rate * speed * dt)
    asked = (setpoints.vx if moves else 0.0, setpoints.vy if moves else 0.0)
    for i in range(2):
        goal.velocity[i] = _ramp(goal.velocity[i], asked[i], gains.acceleration * robot.gravity * dt)
        slow = min(max(goal.velocity[i] - velocity[i], -_LEARNT * speed), _LEARNT * speed)
        most = _MOST_LEARNT * robot.gravity
        learnt = goal.acceleration[i] + gains.speed_ki / (robot.time * robot.time) * slow * dt
        goal.acceleration[i] = min(max(learnt, -most), most) if walking else 0.0
    too_far = max(abs(goal.yaw - memory.yaw) - HEADING_LIMIT, 0.0)
    goal.yaw = _ramp(goal.yaw + turn * dt, memory.yaw, too_far)


@kernel
def _command(settings: Any, measured: Any, limp: bool, memory: Any, commands: Any) -> None:
    """Goals of joints become commands of their actuators."""
    count, goals, states = int(settings.robot.joints), memory.goals, memory.states
    for i in range(count):
        states[i].position, states[i].velocity = measured.joints[i].position, measured.joints[i].velocity
        if i >= int(settings.robot.leg_joints):
            hold_joint(settings.holds[i], limp, goals[i])
    share_belts(count, settings.actuators, goals, states)
    for i in range(count):
        goal, state = goals[i], states[i]
        actuate(
            settings.actuators[i], goal.position, goal.velocity, goal.effort, goal.kp, goal.kd,
            state.position, state.velocity, memory.beat, commands[i],
        )  # fmt: skip


class Legged(CompiledController):
    """Walks a robot on its legs; l the height of its hips, T = sqrt(l / g), m its mass, I its inertia, n its legs."""

    stand_height = Gain(1.0, low=0.3, high=1.2, unit="l", path="height.stand", doc="of the hips over the floor")
    sit_height = Gain(0.405, low=0.1, high=1.0, unit="l", path="height.sit")
    height_rate = Gain(0.123, low=0.005, high=1, unit="l/T", path="height.rate")
    period = Gain(2.126, low=1, high=10, unit="T", path="gait.period")
    duty = Gain(0.55, low=0.5, high=0.9, path="gait.duty", doc="part of the period that a leg stands")
    walk_period = Gain(5.0, low=1, high=30, unit="T", path="gait.walk_period")
    walk_swing = Gain(0.8, low=0.1, high=1, path="gait.walk_swing", doc="part of the time that one leg or another is in the air")
    lift = Gain(0.19, low=0, high=0.6, unit="l", path="gait.lift", doc="height of a step")
    capture = Gain(0.483, low=0, high=2, unit="T", path="gait.capture", doc="k: further out by so much per speed too much")
    stance_y = Gain(0.0, low=-0.5, high=0.5, unit="l", path="gait.stance", doc="feet so far outside of where they stand")
    acceleration = Gain(0.102, low=0.001, high=2, unit="g", path="body.acceleration", doc="with which it approaches a speed")
    speed_kp = Gain(0.828, low=0, high=10, unit="1/T", path="body.speed")
    speed_ki = Gain(0.107, low=0, high=2, unit="1/T^2", path="body.speed_integral", doc="to learn what holding a speed takes")
    place_kp = Gain(0.857, low=0, high=10, unit="1/T^2", path="body.place", doc="to stand over the middle of the feet")
    height_kp = Gain(6.42, low=0, high=50, unit="1/T^2", path="body.height")
    height_kd = Gain(3.10, low=0, high=20, unit="1/T", path="body.height_damping")
    tilt_kp = Gain(10.0, low=0, high=100, unit="1/T^2", path="body.tilt")
    tilt_kd = Gain(4.0, low=0, high=50, unit="1/T", path="body.tilt_damping")
    yaw_kp = Gain(4.0, low=0, high=100, unit="1/T^2", path="body.yaw")
    yaw_kd = Gain(4.0, low=0, high=50, unit="1/T", path="body.yaw_damping")
    slope_share = Gain(1.0, low=0, high=1, path="body.slope", doc="part of the slope of the floor that the trunk takes")
    friction = Gain(0.45, low=0.05, high=2, path="stance.friction", doc="that the feet are trusted with")
    most_force = Gain(1.3, low=0.1, high=5, unit="m g", path="stance.most", doc="that a foot may carry")
    stance_damping = Gain(0.93, low=0, high=20, unit="1/T", path="stance.damping", doc="of a joint, by the inertia it moves")
    swing_frequency = Gain(9.5, low=0, high=30, unit="1/T", path="swing.frequency", doc="with which joints follow the swing")
    swing_damping = Gain(0.4, low=0, high=5, path="swing.damping", doc="1 is critical")
    contact_force = Gain(0.52, low=0.01, high=4, unit="m g/n", path="estimate.contact", doc="load of a foot that stands")
    tilt_trust = Gain(0.5, low=0, high=10, unit="1/s", path="estimate.tilt", doc="trust in the accelerometer")
    speed_trust = Gain(10.0, low=0, high=100, unit="1/T", path="estimate.speed", doc="trust in the legs that stand")
    heading_trust = Gain(0.2, low=0, high=10, unit="1/s", path="estimate.heading", doc="the same, about the heading")

    mode = setpoint()
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    wz = setpoint(unit="rad/s")
    height = setpoint(unit="m")

    gyro = measurement(columns="xyz", unit="rad/s")
    accel = measurement(columns="xyz", unit="m/s^2")
    joints = measurement(count=MOST_JOINTS, layout=JOINT_STATE)
    read_efforts = measurement("efforts", count=MOST_JOINTS, doc="of the motors, each in its own unit")

    robot = setting(layout=ROBOT)
    limbs = setting(count=MOST_LEGS, layout=LIMB)
    actuators = setting(count=MOST_JOINTS, layout=ACTUATION)
    holds = setting(count=MOST_JOINTS, layout=HOLD, doc="of joints that belong to no leg")

    reported_mode = report("mode", labels=[mode.name.lower() for mode in Mode])
    reported_height = report("height", unit="m")
    roll = report(unit="rad")
    pitch = report(unit="rad")
    yaw = report(unit="rad")
    reported_vx = report("vx", unit="m/s", doc="velocity and slope in the level frame")
    reported_vy = report("vy", unit="m/s")
    vz = report(unit="m/s")
    slope = report(columns="xy")
    contact = report(count=MOST_LEGS, doc="1 where the efforts of a leg say so")
    load = report(count=MOST_LEGS, unit="N", doc="the force that they say")

    body = memory(layout=BODY)
    leg_memory = memory("legs", count=MOST_LEGS, layout=LEG)
    goal = memory(layout=GOAL)
    balance = memory(layout=BALANCE)
    pose = memory(layout=POSE, doc="of a leg that is looked for")
    trial = memory(count=MOST_LIMB_JOINTS, unit="rad", doc="angles that are looked for")
    phase = memory(doc="of the gait, in periods")
    period_now = memory("period", unit="s")
    duty_now = memory("duty")
    one_by_one = memory(doc="1 while it walks, 0 while it trots")
    goals = memory(count=MOST_JOINTS, layout=JOINT_GOAL, doc="of all joints, at the motors")
    states = memory(count=MOST_JOINTS, layout=JOINT_STATE, doc="the same")
    efforts = memory(count=MOST_JOINTS, unit="N m", doc="of the motors, at the joints")
    waited = memory(unit="s", doc="time for which the gait has waited for a foot")
    beat = memory(doc="commands sent")

    commands = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        dt, robot, mode = clock.period, settings.robot, int(setpoints.mode)
        if clock.first < 0.5 and memory.body.up[2] < _FALLEN:
            mode = 0  # limp
        walking = mode >= Mode.TROT or (mode == Mode.STAND and robot.legs < 2.5)
        estimate(clock, settings, gains, measured, walking, memory)
        if clock.first > 0.5:
            _begin(int(robot.legs), memory)
        turn = setpoints.wz if mode >= Mode.TROT else 0.0
        memory.mode = mode
        memory.beat += 1.0
        _approach(robot, gains, mode, walking, setpoints, turn, dt, memory)
        advance_gait(settings, gains, walking, mode == Mode.WALK and robot.legs > 2.5, dt, memory)
        balance_trunk(robot, gains, walking, turn, memory)
        distribute(robot, gains, memory)
        for leg in range(int(robot.legs)):
            if memory.legs[leg].swings > 0.5:
                swing(settings, leg, gains, turn, dt, memory)
            drive_leg(settings, gains, leg, mode == Mode.LIMP, memory, memory.goals)
        _command(settings, measured, mode == Mode.LIMP, memory, inputs.commands)

    rate = 500.0

    def __init__(
        self, legs: Mapping[str, Sequence[str]] | None = None, height: float | None = None, imu: str | None = None
    ) -> None:
        """`legs`: joints of each leg from the trunk to the foot, by its name (L or R first, front to rear), where they shall not
        be looked for. `height` [m] of the hips over the floor when it stands. `imu`: the sensor on the trunk."""
        self.legs, self.stand, self.imu = legs, height, imu

    def start(self, robot: Robot) -> None:
        """Find the legs, the readings and the actuators."""
        model = robot.model
        legs = find_legs(model) if self.legs is None else legs_of(model, self.legs)
        if not legs:
            raise InputError("no legs were found: name their joints in control.options.legs", path="description")
        bend = None if self.stand is None else bend_of(legs, self.stand)
        posture = standing_posture(model, legs, bend, robot.posture)
        names = [joint for leg in legs for joint in leg.joints]
        driven = {actuator.joint for actuator in robot.actuators}
        chain = Actuation.of(robot, [*names, *(name for name in model.joints if name in driven and name not in names)])
        fill_robot(self.settings["robot"], model, legs, posture)
        fill_limbs(self.settings["limbs"], model, legs, posture)
        self.settings["robot"]["joints"] = len(chain.joints)
        chain.fill(self.settings["actuators"])
        fill_actuators(self.settings["limbs"], model, legs, chain)
        fill_holds(self.settings["holds"], model, chain, posture)
        imu, self.settings["robot"]["imu"] = find_imu(robot, self.imu)
        efforts = find_efforts(self.settings["limbs"], robot, legs, chain)
        self.reads = {
            "gyro": [f"{imu}.gyro.{axis}" for axis in "xyz"],
            "accel": [f"{imu}.accel.{axis}" for axis in "xyz"],
            "joints": chain.reads,
            "efforts": efforts,
        }
        self.writes = {"commands": chain.writes}
        self.initial["mode"] = float(Mode.STAND)
        for name in ("contact", "load"):
            self.name_reports(name, [leg.name for leg in legs])
