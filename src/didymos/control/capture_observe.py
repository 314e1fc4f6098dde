"""What the capture program knows: readings into positions, velocities and force; what forbids to go on.

Filters step from reading to reading, by their stamps, and not from call to call: a track is as of the stamp of its last reading,
and is carried to the present by its velocity (`now`). So it makes no difference how often the program is called between two
readings, nor whether it is called as often as a sensor reads.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import capture_stages as st
from didymos.control.capture_law import average, blend, track
from didymos.control.capture_layout import WINDOW, Pose

__all__ = ["fault", "feel", "has_seen", "now", "observe", "pose_now", "wake"]

_TARE_TIME = 2.0  # [s] over which the zero of the force follows, as long as nothing touches: a real sensor creeps
_FADE_TIME = 0.5  # [s] in which the weight of a contact that is lost fades


@kernel
def now(tracked: Any, i: int) -> float:
    """A tracked position as it is now: the track is as late as its readings are."""
    return tracked.position[i] + tracked.lag * tracked.velocity[i]


@kernel
def pose_now(tracked: Any) -> Pose:
    """A tracked pose as it is now."""
    return Pose(now(tracked, 0), now(tracked, 1), now(tracked, 2))


@kernel
def _angle(pose: Any) -> float:
    """The angle of a pose that was read, from its quaternion."""
    return 2.0 * math.atan2(pose.orientation_z, pose.orientation_w)


@kernel
def _has_come(pose: Any) -> bool:
    return not (pose.orientation_w * pose.orientation_w + pose.orientation_z * pose.orientation_z < 0.5)


@kernel
def has_seen(measured: Any) -> bool:
    """Whether every pose has come at least once, a quaternion is not zero, and the encoders have."""
    poses = _has_come(measured.base) and _has_come(measured.tool) and _has_come(measured.port)
    return poses and not measured.encoders.stamp < 0.0


@kernel
def _begin_pose(pose: Any, tracked: Any) -> None:
    tracked.position[0], tracked.position[1], tracked.position[2] = pose.position[0], pose.position[1], _angle(pose)
    tracked.stamp = pose.stamp


@kernel
def wake(measured: Any, gains: Any, settings: Any, memory: Any) -> None:
    """Set the encoders, whose counts begin anywhere, in the known posture, and begin to follow what is seen."""
    if gains.unfold_set_encoders > 0.5:
        for i in range(3):
            memory.encoder_zero[i] = settings.joints[i].home - measured.encoders.position[i]
    _begin_pose(measured.base, memory.estimate.base)
    _begin_pose(measured.tool, memory.estimate.tool)
    _begin_pose(measured.port, memory.estimate.port)
    for i in range(3):
        memory.estimate.joints.position[i] = measured.encoders.position[i] + memory.encoder_zero[i]
    memory.estimate.joints.stamp = measured.encoders.stamp


@kernel
def _elapsed(stamp: float, time: float, tracked: Any) -> float:
    """Time [s] from the last reading to this one, 0 where it is the same; how old it is now."""
    elapsed = max(stamp - tracked.stamp, 0.0)
    tracked.stamp, tracked.lag = stamp, time - stamp
    return elapsed


@kernel
def _follow(tracked: Any, i: int, reading: float, is_angle: bool, bandwidth: float, elapsed: float) -> None:
    if elapsed > 0.0:
        tracked.position[i], tracked.velocity[i] = track(
            tracked.position[i], tracked.velocity[i], reading, is_angle, bandwidth, elapsed
        )


@kernel
def _observe_pose(pose: Any, bandwidth: float, time: float, tracked: Any, memory: Any) -> None:
    """Follow a pose, and note its age where it is the oldest."""
    elapsed = _elapsed(pose.stamp, time, tracked)
    memory.pose_age = max(memory.pose_age, tracked.lag)
    _follow(tracked, 0, pose.position[0], False, bandwidth, elapsed)
    _follow(tracked, 1, pose.position[1], False, bandwidth, elapsed)
    _follow(tracked, 2, _angle(pose), True, bandwidth, elapsed)


@kernel
def observe(measured: Any, gains: Any, time: float, memory: Any) -> None:
    """Readings into positions and velocities; how old the oldest pose is."""
    memory.pose_age = 0.0
    _observe_pose(measured.base, gains.filter_base, time, memory.estimate.base, memory)
    _observe_pose(measured.tool, gains.filter_base, time, memory.estimate.tool, memory)
    _observe_pose(measured.port, gains.filter_port, time, memory.estimate.port, memory)
    joints = memory.estimate.joints
    elapsed = _elapsed(measured.encoders.stamp, time, joints)
    for i in range(3):
        _follow(joints, i, measured.encoders.position[i] + memory.encoder_zero[i], False, gains.filter_joints, elapsed)


@kernel
def _read_force(push: float, stamp: float, gains: Any, memory: Any) -> None:
    """A new reading of the force into its zero and its average."""
    felt = memory.force_filter
    count = int(felt.count)
    elapsed = stamp - felt.stamp
    if stamp < 0.0 or (count > 0 and not elapsed > 0.0):
        return
    felt.count, felt.stamp = count + 1, stamp
    if memory.stage <= st.APPROACH:
        felt.tare += (push - felt.tare) * max(1.0 / (count + 1), min(elapsed / _TARE_TIME, 1.0))
    window = min(max(int(gains.force_window), 1), WINDOW)
    memory.force = average(felt.ring, count, window, push - felt.tare)


@kernel
def feel(push: float, stamp: float, gains: Any, period: float, memory: Any) -> None:
    """The force on the target [N], tared and averaged, and the weight of contact."""
    _read_force(push, stamp, gains, memory)
    goal = blend(memory.force, gains.contact_dead_band, gains.contact_full)
    if not (st.CONTACT <= memory.stage <= st.HARD_GRIP):
        goal = 0.0
    # rises at once and fades slowly: a touch that is lost for a moment is pushed back into contact
    memory.blend = max(goal, memory.blend * math.exp(-period / _FADE_TIME))
    memory.touching = memory.touching + period if memory.blend > 0.3 else 0.0


@kernel
def _out_of_reach(robot: Any, estimate: Any) -> bool:
    """Whether the wrist would have to be further from the shoulder than the arm is long."""
    base, port = pose_now(estimate.base), pose_now(estimate.port)
    upper, fore, hand = robot.links[0], robot.links[1], robot.links[2]
    c, s = math.cos(base.angle), math.sin(base.angle)
    forward, left = robot.base.shoulder_x, robot.base.shoulder_y
    x = port.x - (hand.to_center + hand.to_end) * math.cos(port.angle) - base.x - c * forward + s * left
    y = port.y - (hand.to_center + hand.to_end) * math.sin(port.angle) - base.y - s * forward - c * left
    return x * x + y * y > (upper.to_center + upper.to_end + fore.to_center + fore.to_end) ** 2


@kernel
def _at_the_end_of_travel(joints: Any, margin: float, tracked: Any) -> bool:
    for i in range(3):
        position = now(tracked, i)
        if position < joints[i].low + margin or position > joints[i].high - margin:
            return True
    return False


@kernel
def fault(measured: Any, abort: float, gains: Any, settings: Any, memory: Any) -> int:
    """What forbids to go on, or 0; the gravest of them."""
    reason = st.FINE
    stage, joints = memory.stage, memory.estimate.joints
    elbow = now(joints, 1)
    if st.APPROACH <= stage <= st.HARD_GRIP and abs(math.sin(elbow)) < gains.watch_elbow:
        reason = st.SINGULAR
    # not while it unfolds: the encoders' posture lies at the ends of the travel
    if stage >= st.APPROACH and gains.watch_travel > 0.0 and _at_the_end_of_travel(settings.joints, gains.watch_travel, joints):
        reason = st.TRAVEL
    if stage <= st.APPROACH and _out_of_reach(settings.robot, memory.estimate):
        reason = st.REACH
    if gains.watch_mocap > 0.0 and memory.pose_age > gains.watch_mocap:
        reason = st.MOCAP
    if measured.saturated > 0.5:
        reason = st.WHEEL
    for i in range(4):
        if measured.tripped[i] > 0.5:
            reason = st.DRIVE
    if abort > 0.5:
        reason = st.OPERATOR
    return reason
