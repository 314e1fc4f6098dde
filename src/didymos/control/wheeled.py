"""Wheeled: drives a base on wheels by a twist, and tells where the wheels have brought it. The geometry is found, not given.

Set-points: v_x, v_y [m/s] and w_z [rad/s] of the root link, in its axes. Where its tyres roll along y, and so never along x, v_x
is the speed along y and v_y that along -x; `forward` says any other angle. What a base cannot do it leaves out: a differential
and an Ackermann base do not move sideways at their fixed axles, and the latter turns no tighter than its steering lets it, so not
at all on the spot. Equations: `wheel_kinematics.py`; which joints are wheels and of what kind the base is: `wheel_finder.py`.

    d = T* - T,   T <- T + d min(1, a dt / |d_v|, alpha dt / |d_w|)      acceleration; the way from twist to twist is straight
    w_i* <- w_i* min_j(1, w_max_j / |w_j*|)                              no wheel above its limit; the twist keeps its direction
    tau_i = kd (w_i* - w_i) + kd l (integral of w_i* - q_i)              each wheel, by its own actuator (`actuation.py`)

The integral, held within its effort and three radians of the wheel, makes mean speeds exact and holds the base at rest. A base
speeds up once its steering is where the twist wants it. All other driven joints (an arm, a torso) are held where they are at the
first call. Where `timeout` is set, a counter `setpoints.alive` that stops counting stops the base.

Odometry is the stream `odom`, and `control.x`, `y`, `yaw`, from the readings of the encoders by their stamps. `control.slip`
[m/s] is what the speeds of the wheels have among themselves that no motion of a rigid base explains; `control.turn_slip` [rad/s]
is the odometry's yaw rate less the gyro's, where the robot has an imu: it shows slip that all wheels agree on.
"""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from didymos.contract import command, measurement, memory, odometry, report, setpoint, setting
from didymos.control.actuation import ACTUATION, JOINT_COMMAND, JOINT_STATE, MOST_JOINTS, Actuation
from didymos.control.actuator import Actuator
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.wheel_drive import begin, command_joints, follow_wheels, hold_others, is_late, next_twist
from didymos.control.wheel_kinematics import MOST_WHEELS, WHEEL, side_row, steer, wheel_rows
from didymos.control.wheel_options import WheelOptions, choose_wheels
from didymos.control.wheel_tree import rides_on_base
from didymos.control.wheels import Kind, Wheels
from didymos.errors import InputError, nearest
from didymos.model.robot_model import RobotModel
from didymos.sensors.motion import Imu

__all__ = ["Wheeled", "tightest_turns", "wheel_damping"]

_MOST_JOINTS = 2 * MOST_WHEELS
_SETTLES = 0.05  # [s], a wheel that carries its share of the base
_STEERS = 20.0  # [rad/s], of a steering joint whose actuator holds no position itself
_MOST_STEERING = 1.2  # [rad], of an Ackermann base whose steering has no limits


class Wheeled(CompiledController):
    """Drives a base on wheels by a twist."""

    top_speed = Gain(1.0, low=0, unit="m/s", path="top.speed")
    top_turn = Gain(1.5, low=0, unit="rad/s", path="top.turn")
    top_acceleration = Gain(1.0, low=0, unit="m/s^2", path="top.acceleration")
    top_turn_acceleration = Gain(3.0, low=0, unit="rad/s^2", path="top.turn_acceleration")
    steer_rate = Gain(3.0, low=0, unit="rad/s", path="steer.rate")
    wheel_damping = Gain(1.0, low=0, path="wheel.damping", doc="factor on the damping of each wheel's actuator")
    wheel_rate = Gain(5.0, low=0, unit="1/s", path="wheel.rate", doc="l, at which an error of a wheel's angle dies out")
    timeout = Gain(0.0, low=0, unit="s", path="timeout", doc="stop where setpoints.alive has not counted for so long; 0 never")
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    wz = setpoint(unit="rad/s")
    alive = setpoint(doc="counts as long as the commander lives")
    read = measurement("joints", count=_MOST_JOINTS, layout=JOINT_STATE)
    held_state = measurement("held", count=MOST_JOINTS, layout=JOINT_STATE, doc="joints that are no wheels")
    stamp = measurement(unit="s", doc="when they were read")
    gyro = measurement(columns="xyz", unit="rad/s")
    count = setting(doc="of wheels")
    wheels = setting(layout=WHEEL, count=MOST_WHEELS)
    actuators = setting(layout=ACTUATION, count=_MOST_JOINTS)
    kp = setting(count=_MOST_JOINTS, unit="N m/rad")
    kd = setting(count=_MOST_JOINTS, unit="N m s/rad")
    held = setting(layout=ACTUATION, count=MOST_JOINTS)
    held_count = setting()
    held_kp = setting(count=MOST_JOINTS, unit="N m/rad")
    held_kd = setting(count=MOST_JOINTS, unit="N m s/rad")
    sideways = setting(doc="1: it can move in any direction")
    ahead = setting(unit="rad", doc="from x of the root link to where v_x points")
    steers = setting(doc="1: an Ackermann base")
    left = setting(unit="1/m", doc="largest turn per way along f")
    right = setting(unit="1/m", doc="least turn per way along f")
    has_gyro = setting()
    up = setting(columns="xyz", doc="z of the base in the frame of the imu")
    odometry_x = report("x", unit="m")
    odometry_y = report("y", unit="m")
    odometry_yaw = report("yaw", unit="rad")
    commanded_vx = report("vx", unit="m/s", doc="within the limits")
    commanded_vy = report("vy", unit="m/s")
    commanded_wz = report("wz", unit="rad/s")
    slip = report(unit="m/s", doc="of the wheels against each other")
    turn_slip = report(unit="rad/s", doc="yaw rate by the wheels less that by the gyro")
    share = report(doc="of the commanded twist that the wheels can do within their limits of speed")
    behind = report(unit="m/s", doc="largest of what wheels lack of their speed, at the rim: high where drives are too weak")
    late = report(doc="1: the commander is silent")
    last_angle = memory("angle", count=MOST_WHEELS, unit="rad")
    last_stamp = memory("stamp", unit="s")
    last_alive = memory("alive")
    alive_time = memory(unit="s", doc="when it last counted")
    beat = memory()
    aligned = memory(doc="share of the acceleration that the steering leaves")
    turned = memory(count=MOST_WHEELS, unit="rad", doc="between two readings")
    steering = memory(count=MOST_WHEELS, unit="rad", doc="as read, counter-clockwise")
    heading = memory(count=MOST_WHEELS, unit="rad", doc="as commanded, counter-clockwise")
    speed = memory(count=MOST_WHEELS, unit="rad/s")
    reference = memory(count=MOST_WHEELS, unit="rad", doc="integral of the commanded speed")
    posture = memory(count=MOST_JOINTS, unit="rad", doc="in which the other joints are held")
    moved = memory(count=3, doc="displacement between two readings")
    odom = odometry()
    told = command("joints", count=_MOST_JOINTS, layout=JOINT_COMMAND)
    told_held = command("held", count=MOST_JOINTS, layout=JOINT_COMMAND)

    @program
    def step(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> None:
        if clock.first > 0.0:
            begin(settings, measured, setpoints, memory)
        follow_wheels(settings, measured, memory)
        late = is_late(gains.timeout, setpoints.alive, clock.time, memory)
        memory.late = 1.0 if late else 0.0
        next_twist(settings, gains, setpoints, late, clock.period, memory)
        command_joints(settings, gains, measured, clock.period, memory, inputs)
        hold_others(settings, measured, memory, inputs)

    def __init__(
        self,
        kind: str | None = None,
        radius: float | None = None,
        wheels: WheelOptions | None = None,
        forward: float | None = None,
        chi: float | None = None,
    ) -> None:
        """What is not as found: `kind` of base; `radius` of all wheels [m]; `wheels` by joint, radius, x, y [m], roller [rad].

        `forward` [rad] is the direction of v_x from x of the root link; `chi` by how much a skid-steered base turns less than
        its wheel speeds say (1 or more), where it was measured.
        """
        if kind is not None and kind not in get_args(Kind):
            known = get_args(Kind)
            what = f"found {kind!r}, expected one of {', '.join(known)}{nearest(kind, known)}"
            raise InputError(what, path="control.options.kind")
        self.kind, self.radius, self.given, self.forward, self.chi = kind, radius, wheels, forward, chi
        self.base: Wheels | None = None

    def start(self, robot: Robot) -> None:
        """Find the wheels, their drives and readings."""
        model = robot.model
        driven = {actuator.joint for actuator in robot.actuators}
        base = self.base = choose_wheels(model, driven, self.kind, self.radius, self.given)  # type: ignore[arg-type]
        if len(base.wheels) > MOST_WHEELS:
            what = f"found {len(base.wheels)} wheels, wheeled drives at most {MOST_WHEELS}"
            raise InputError(what, path="control.options.wheels")
        steering = [wheel.steering.joint for wheel in base.wheels if wheel.steering is not None]
        joints = list(dict.fromkeys([wheel.joint for wheel in base.driven] + steering))
        chain = Actuation.of(robot, joints, path="control.options.wheels")
        self.reads = {"joints": chain.reads, "stamp": [f"{chain.reads[0].split('.')[0]}.stamp"]}
        self.writes = {"joints": chain.writes}
        chain.fill(self.settings["actuators"])
        rows = wheel_rows(base, joints, self.chi)
        settings = self.settings
        settings["count"] = len(rows)
        settings["sideways"], settings["steers"] = base.sideways, base.kind == "ackermann"
        settings["ahead"] = _ahead(base, rows) if self.forward is None else self.forward
        if base.kind == "ackermann":
            rows["lower"], rows["upper"] = np.maximum(rows["lower"], -_MOST_STEERING), np.minimum(rows["upper"], _MOST_STEERING)
            settings["right"], settings["left"] = tightest_turns(rows)
        settings["wheels"][: len(rows)] = rows
        for i, actuator in enumerate(chain.actuators):
            settings["kp"][i], settings["kd"][i] = _holding(model, actuator)
            if actuator.joint not in steering and not 0.0 < actuator.kd < math.inf:
                settings["kd"][i] = wheel_damping(model, base, actuator.joint, actuator.armature)
        self._hold_others(robot, model, [actuator.joint for actuator in chain.actuators])
        self._look_for_gyro(robot, model)

    def _hold_others(self, robot: Robot, model: RobotModel, own: list[str]) -> None:
        """Take hold of all driven and measured joints that are neither wheels nor steering, the first `MOST_JOINTS` of them."""
        known = {name.split(".", 1)[1] for name in robot.measured if name.endswith(".position") and "." in name}
        driven = dict.fromkeys(actuator.joint for actuator in robot.actuators)
        others = [joint for joint in driven if joint not in own and f"{joint}.position" in known][:MOST_JOINTS]
        if others:
            chain = Actuation.of(robot, others)
            chain.fill(self.settings["held"])
            self.settings["held_count"] = len(others)
            self.reads, self.writes = {**self.reads, "held": chain.reads}, {**self.writes, "held": chain.writes}
            for i, actuator in enumerate(chain.actuators):
                self.settings["held_kp"][i], self.settings["held_kd"][i] = _holding(model, actuator)

    def _look_for_gyro(self, robot: Robot, model: RobotModel) -> None:
        """Read the first imu that moves with the base."""
        for name, sensor in robot.sensors.items():
            link = getattr(sensor, "link", None) or model.root
            if issubclass(sensor.contract, Imu) and rides_on_base(model, link):
                state = model.at(model.reference)
                self.settings["has_gyro"] = 1.0
                self.settings["up"] = state.rotation(link).T @ state.rotation(model.root)[:, 2]
                self.reads = {**self.reads, "gyro": [f"{name}.gyro.{axis}" for axis in "xyz"]}
                return


def _ahead(base: Wheels, rows: Any) -> float:
    """Where v_x points: along x, or along y where the tyres roll along y."""
    ax, ay, _, tyres = side_row(rows, len(rows))
    return 0.5 * math.pi if tyres and not base.sideways and abs(ax) > abs(ay) else 0.0


def tightest_turns(rows: Any) -> tuple[float, float]:
    """Least and largest turn per way along f [1/m] that the steering of an Ackermann base allows."""
    ax, ay, turn, _ = side_row(rows, len(rows))
    free = rows.copy()
    free["lower"], free["upper"] = -math.inf, math.inf
    found = []
    for sign in (-1.0, 1.0):
        tight, angles = 0.0, np.zeros(len(rows))
        for bend in np.tan(np.linspace(0.0, 1.5, 3001)[1:]):
            vx, vy = ay - ax * turn * sign * bend, -ax - ay * turn * sign * bend
            angles = np.array([steer(row, angle, vx, vy, sign * bend) for row, angle in zip(free, angles, strict=True)])
            steered = rows["steered"] > 0.0
            if np.any((angles < rows["lower"])[steered] | (angles > rows["upper"])[steered]):
                break
            tight = sign * bend
        found.append(tight)
    return found[0], found[1]


def wheel_damping(model: RobotModel, base: Wheels, joint: str, armature: float = 0.0) -> float:
    """kd [N m s/rad] with which a driven wheel that carries its share of the base settles within 0.05 s; for a servo too."""
    wheel = next(wheel for wheel in base.driven if wheel.joint == joint)
    index = model.velocity_index(joint)
    inertia = float(model.at(model.reference).mass_matrix[index, index]) + armature
    return (inertia + model.mass * wheel.radius**2 / len(base.driven)) / _SETTLES


def _holding(model: RobotModel, actuator: Actuator) -> tuple[float, float]:
    """Stiffness and damping of a joint that holds a position: its actuator's own, or what its inertia asks for."""
    index = model.velocity_index(actuator.joint)
    inertia = float(model.at(model.reference).mass_matrix[index, index]) + actuator.armature
    kd = actuator.kd if math.isfinite(actuator.kd) else 1.0
    return actuator.kp or inertia * _STEERS**2, kd or 2.0 * inertia * _STEERS
