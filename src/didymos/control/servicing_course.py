"""How the servicing program goes from stage to stage: what forbids to go on, whether a stage is complete, how the next begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control import servicing_layout as layout
from didymos.control import servicing_stages as st
from didymos.control.pose_goal import difference, quaternion_of
from didymos.control.servicing_act import tool_now
from didymos.control.servicing_observe import client_at
from didymos.control.servicing_path import base_attitude, tool_pose
from didymos.control.servicing_plan import PEAK, begin_path, turn_between
from didymos.model import place

__all__ = ["enter", "fault", "is_there", "wake"]


@kernel
def wake(memory: Any, time: float, q: Any) -> None:
    """Begin where the base is; nothing was seen yet."""
    memory.awake, memory.client.stamp, memory.pulse_number, memory.stage_start.time = 1.0, -1.0, -1.0, time
    for i in range(3):
        memory.stage_start.base_position[i] = q[i]
    for i in range(4):
        memory.path.orientation[i], memory.path.goal_orientation[i] = q[3 + i], q[3 + i]


@kernel
def fault(measured: Any, setpoints: Any, gains: Any, settings: Any, memory: Any, time: float, v: Any) -> int:
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
def is_there(gains: Any, memory: Any, settings: Any, v: Any) -> bool:
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
def enter(stage: int, reason: int, clock: Any, settings: Any, gains: Any, setpoints: Any, memory: Any, q: Any, v: Any) -> None:
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
