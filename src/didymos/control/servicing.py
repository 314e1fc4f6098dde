"""Servicing: a free-flyer with reaction wheels, thrusters and an arm of seven joints catches a satellite that tumbles.

Each call: readings -> the robot's own state and the client's (`servicing_observe`) -> stage (`servicing_stages`) -> where to go
and when (`servicing_plan`) -> references (`servicing_path`) -> accelerations, efforts, torques and pulses (`servicing_act`,
`free_base`, `servicing_thrust`). The base goes to where the handle will come by, and waits; the arm follows the handle, closes
in and takes it; then the client is braked, and the base turns back to the attitude of its set-points. Of the client it knows
mass, inertia and where its handle is, and sees the handle's pose from the base; of itself it knows what its description says
(`robot.model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control import servicing_layout as layout
from didymos.control import servicing_stages as st
from didymos.control.compiled_controller import program
from didymos.control.controller import Robot
from didymos.control.pose_goal import difference, quaternion_of
from didymos.control.servicing_act import act, tool_now
from didymos.control.servicing_gains import ServicingGains
from didymos.control.servicing_observe import client_at, is_seen, see, spin
from didymos.control.servicing_options import ServicingOptions, actuator_of, fill_settings
from didymos.control.servicing_path import base_attitude, tool_pose
from didymos.control.servicing_plan import PEAK, begin_path, is_near, make_plan, turn_between
from didymos.model import MODEL, READING, place, read

__all__ = ["Servicing"]


@kernel
def _wake(memory: Any, time: float, q: Any) -> None:
    """Begin where the base is; nothing was seen yet."""
    memory.awake, memory.client.stamp, memory.pulse_number, memory.stage_start.time = 1.0, -1.0, -1.0, time
    for i in range(3):
        memory.stage_start.base_position[i] = q[i]
    for i in range(4):
        memory.path.orientation[i], memory.path.goal_orientation[i] = q[3 + i], q[3 + i]


@kernel
def _fault(measured: Any, setpoints: Any, gains: Any, settings: Any, memory: Any, time: float, v: Any) -> int:
    """What forbids to go on, or 0; the gravest of them."""
    reason = st.FINE
    free = memory.holds < 0.5
    if free and memory.stage > st.WAITING and time > gains.watch_mission:
        reason = st.TIME
    if memory.stage > st.WAITING and memory.stage < st.DAMP and time - memory.client.stamp > gains.watch_sight:
        reason = st.LOST
    if free and memory.stage == st.OBSERVE and time - memory.client.begun > 0.8 * gains.observe_seconds:
        reason = st.SPIN if memory.spin > gains.spin_limit else reason
    if not free and measured.gripper_stage < 1.0:
        reason = st.SLIPPED
    for i in range(layout.WHEELS):
        if abs(v[int(settings.wheels[i])]) > settings.rotors[i].speed:
            reason = st.WHEEL
    for i in range(int(settings.thrusters.count)):
        if measured.gas[i] < gains.watch_gas and measured.gas_at >= 0.0:
            reason = st.GAS
    if setpoints.abort > 0.5:
        reason = st.OPERATOR
    return reason


@kernel
def _is_there(gains: Any, memory: Any, settings: Any, v: Any) -> bool:
    """Whether what the present stage moves is where it shall be, and rests where it shall rest."""
    if memory.stage in (st.TRACK, st.CLOSE):
        return memory.error_tool < gains.track_distance and memory.error_tool_angle < gains.track_angle
    if memory.stage == st.DAMP:
        for i in range(layout.ARM):
            if abs(v[int(settings.arm[i])]) > gains.damp_rate:
                return False
        return True
    rate = v[3] * v[3] + v[4] * v[4] + v[5] * v[5]
    return memory.error_attitude < gains.settle_angle and rate < gains.settle_speed * gains.settle_speed


@kernel
def _keep_attitude(memory: Any, time: float) -> None:
    """The base's reference stays as it is now."""
    path = memory.path
    held = base_attitude(memory, time)
    for i in range(4):
        path.orientation[i], path.goal_orientation[i] = held[i], held[i]
    path.begin = time


@kernel
def _turn_back(setpoints: Any, gains: Any, memory: Any, time: float) -> None:
    """The base's way to the attitude of its set-points."""
    path = memory.path
    held = base_attitude(memory, time)
    goal = quaternion_of(setpoints.roll, setpoints.pitch, setpoints.yaw)
    for i in range(4):
        path.orientation[i], path.goal_orientation[i] = held[i], goal[i]
    turn = turn_between(goal, held)
    # 5.7735: largest acceleration of a quintic, over the way and the square of its time
    path.around = max(10.0, PEAK * turn / gains.settle_rate, (5.7735 * turn / gains.settle_acceleration) ** 0.5)
    path.begin = time


@kernel
def _enter(stage: int, reason: int, clock: Any, settings: Any, gains: Any, setpoints: Any, memory: Any, q: Any, v: Any) -> None:
    """Begin another stage."""
    start, time = memory.stage_start, clock.time
    for i in range(layout.ARM):
        start.joints[i], start.joint_rates[i] = q[int(settings.arm_q[i])], v[int(settings.arm[i])]
    if stage == st.SETTLE:  # the joints stay where damping led them
        for i in range(layout.ARM):
            start.joint_rates[i] = 0.0
    start.time = time
    memory.stage = stage
    for i in range(3):
        start.base_position[i], start.away[i] = q[i], 0.0
    if stage == st.APPROACH:
        begin_path(settings, gains, memory, time, q)
    elif stage == st.TRACK:
        place(settings.model, q, v)
        here, stands = tool_now(settings.model, int(settings.tool))
        for i in range(3):
            start.tool_offset[i], start.tool_turn[i] = 0.0, 0.0
        asked, held = tool_pose(settings, gains, memory, time)
        turn = difference(stands, held)
        for i in range(3):
            start.tool_offset[i], start.tool_turn[i] = here[i] - asked[i], turn[i]
    elif stage == st.RETREAT:
        memory.attempts += 1.0
    elif stage == st.DAMP:
        memory.holds = 1.0  # and stays so through an abort
    elif stage == st.SETTLE:
        _turn_back(setpoints, gains, memory, time)
    elif stage == st.ABORTED:
        memory.reason = reason
        if reason == st.SLIPPED:
            memory.holds = 0.0
        _keep_attitude(memory, time)
        center, _, _ = client_at(memory.client, time)
        gap = np.array([q[0] - center[0], q[1] - center[1], q[2] - center[2]])
        far = (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]) ** 0.5
        if memory.client.stamp >= 0.0 and far > 0.0:
            for i in range(3):
                start.away[i] = gap[i] / far * gains.away_distance


class Servicing(ServicingGains):
    """Catches a tumbling client with an arm on a free-flying base."""

    abort = setpoint(doc="1: give up, at once and for good")
    roll = setpoint(unit="rad", doc="of the base, at the end")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    state = measurement(layout=READING)
    state_at = measurement(unit="s", doc="when the base's pose was taken")
    target = measurement(layout=layout.TARGET)
    gripper_stage = measurement(doc="1: closed softly, 2: closed hard")
    gas = measurement(count=layout.MOST_THRUSTERS, unit="kg")
    gas_at = measurement(unit="s")
    model = setting(layout=MODEL)
    loaded = setting(layout=MODEL, doc="the robot with the client in its grip")
    mass = setting(doc="[kg] of the robot")
    tool = setting(doc="its frame")
    known = setting("client", layout=layout.CLIENT)
    thrusters = setting(layout=layout.THRUSTERS)
    rotors = setting(layout=layout.ROTOR, count=layout.WHEELS)
    wheels = setting(count=layout.WHEELS, doc="where they are in v")
    floating = setting(count=6 + layout.WHEELS, doc="where in v the base and the wheels are")
    sliding = setting(count=3 + layout.WHEELS, doc="the same without the base's rates")
    arm = setting(count=layout.ARM, doc="where its joints are in v")
    arm_q = setting(count=layout.ARM, doc="and in q")
    ready = setting(count=layout.ARM, doc="[rad] posture of the arm on the way")
    capture = setting(count=layout.ARM, doc="[rad] posture in which it takes the handle")
    capture_position = setting(columns="xyz", doc="[m] of the tool in the base's frame then")
    capture_orientation = setting(columns="wxyz")
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS)
    attempts = report(doc="that failed")
    spin = report(unit="rad/s", doc="of the client, as estimated")
    error_position = report("error.position", unit="m", doc="of the base")
    error_attitude = report("error.attitude", unit="rad", doc="of the base")
    error_tool = report("error.tool", unit="m")
    error_tool_angle = report("error.tool_angle", unit="rad")
    catch_time = report(unit="s", doc="planned")
    holds = report(doc="1 once the client is in the grip")
    client_state = memory("client", layout=layout.CLIENT_STATE)
    plan = memory(layout=layout.PLAN)
    path = memory(layout=layout.PATH)
    stage_start = memory(layout=layout.STAGE_START)
    duty = memory(count=layout.MOST_THRUSTERS)
    pulse_sum = memory(count=layout.MOST_THRUSTERS)
    pulse_number = memory()
    awake = memory()
    wheel_torque = memory(count=layout.WHEELS, unit="N m", doc="on the base")
    wheels_torque = command("wheels", count=layout.WHEELS, unit="N m", doc="on the base")
    joints = command(count=layout.ARM, unit="N m")
    thrust = command("duty", count=layout.MOST_THRUSTERS)
    gripper = command(doc="0 open, 1 soft, 2 hard")

    @program
    def step(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> None:
        q, v = np.zeros(settings.model.nq), np.zeros(settings.model.nv)
        read(settings.model, measured.state, q, v)
        if measured.state_at < 0.0:
            return
        if memory.awake < 0.5:
            _wake(memory, clock.time, q)
        see(measured.target, q, v, clock.time, gains, settings.client, memory.client)
        memory.spin = spin(memory.client)
        stage, since = int(memory.stage), clock.time - memory.stage_start.time
        planned = False
        if stage == st.OBSERVE and clock.time - memory.client.begun >= gains.observe_seconds:
            make_plan(settings, gains, memory, clock.time, q)
            planned, memory.catch_time = memory.plan.found > 0.5, memory.plan.time
        elif stage == st.HOLD and clock.time >= memory.plan.time - gains.track_lead:
            planned = is_near(settings, gains, memory, q)
        there = _is_there(gains, memory, settings, v)
        fault = _fault(measured, setpoints, gains, settings, memory, clock.time, v)
        stage, reason = st.next_stage(
            stage, clock.time, since, fault, is_seen(measured.target), planned, there, memory, measured, gains
        )
        if stage != memory.stage:
            _enter(stage, reason, clock, settings, gains, setpoints, memory, q, v)
        act(settings, gains, memory, clock, q, v, inputs)
        inputs.gripper = 2.0 if memory.holds > 0.5 or memory.stage == st.GRASP else 0.0

    def __init__(
        self,
        arm: Sequence[str],
        wheels: Sequence[str],
        thrusters: Mapping[str, Any],
        client: Mapping[str, Any],
        ready: Sequence[float],
        capture: Sequence[float],
        tool: str = "tool",
        target: str = "target",
        status: str = "status",
        gripper: str = "gripper",
        base: str = "base",
    ) -> None:
        """`target`, `status`, `base` name sensors, `gripper` a part; see `servicing_options.py` for the rest."""
        self.options = ServicingOptions(arm, wheels, tool, thrusters, ready, capture, client)
        self.names = {"target": target, "status": status, "gripper": gripper, "base": base}

    def start(self, robot: Robot) -> None:
        """Find arm, wheels, thrusters and readings."""
        fill_settings(self.settings, self.options, robot)
        target, status, gripper, base = (self.names[key] for key in ("target", "status", "gripper", "base"))
        thrusters = list(self.options.thrusters["names"])
        self.reads = {
            **robot.model.reads("state"),
            "state_at": [f"{base}.stamp"],
            "target.position": [f"{target}.position.{axis}" for axis in "xyz"],
            "target.orientation": [f"{target}.orientation.{axis}" for axis in "wxyz"],
            "target.stamp": [f"{target}.stamp"],
            "gripper_stage": [f"{status}.{gripper}.stage"],
            "gas": [f"{status}.{name}.gas" for name in thrusters],
            "gas_at": [f"{status}.stamp"],
        }
        self.writes = {
            "wheels": [actuator_of(robot, name).inputs["effort"] for name in self.options.wheels],
            "joints": [actuator_of(robot, name).inputs["effort"] for name in self.options.arm],
            "duty": thrusters,
            "gripper": [gripper],
        }
