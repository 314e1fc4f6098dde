"""The law of the program `pick`, piece by piece: where the object is, where the tool shall be, what the fingers do.

    p <- p + (1 - exp(-dt / T)) (p_measured - p)            of the place to grasp, along the axes of the robot's model
    speed = |p - p_slow| / T                                p_slow follows p in the same way: zero for an object that stands
    q* of a finger closes at `close.speed` while kp |q - q*| < f, and stays: it presses with f, and holds the middle with kp

A finger's q* stays where the finger began to press with f: two fingers that both pushed with a constant force would let the
object go sideways; so each is a spring about the place of the touch, bent by f / kp. A finger that presses less moves on: fingers
that have lost the object close.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.actuation import actuate
from didymos.control.angles import turn_vector
from didymos.control.pick_stages import APPROACH, DESCEND, HOLD, LIFT, RELEASE, WAIT, holds
from didymos.control.pose_goal import difference, quaternion_of
from didymos.model import bias, frame_position, frame_rotation

__all__ = [
    "FINGER", "GRASP", "OBJECT", "command_fingers", "has_arrived", "lead", "look_at_object", "move_fingers", "object_stands",
    "room_left",
]  # fmt: skip

GRASP = np.dtype(
    [
        ("frame", np.float64),  # of the model, in which the object is measured; -1 for the world
        ("offset", np.float64, 3),  # [m] from the object's origin to where it is grasped, in its frame
        ("turn", np.float64),  # [rad] of the tool about the vertical, from the object's x axis
        ("symmetry", np.float64),  # how many grasps there are in a turn
        ("fingers", np.float64),  # how many
    ]
)
FINGER = np.dtype([("joint", np.float64), ("open", np.float64), ("closed", np.float64)])  # place among the joints; [rad or m]
OBJECT = np.dtype(
    [
        ("stamp", np.float64),  # [s] of the last reading
        ("grasp", np.float64, 3),  # [m] where to grasp it
        ("slow", np.float64, 3),  # [m] the same, smoothed once more
        ("cos", np.float64),  # of its heading, smoothed
        ("sin", np.float64),
        ("distance", np.float64),  # [m] from the frame in which it is measured
    ]
)

_GONE = 3.0  # times the speed at which an object still stands: it is on its way
_NEARLY = 0.98  # of the force that is asked for
_AT_END = 0.01  # of a finger's travel: it is open, or closed on nothing


@kernel
def look_at_object(settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """Take in a new reading of the object; the model has to be placed."""
    seen, grasp, stamp = memory.seen, settings.grasp, measured.object_stamp
    if stamp < 0.0 or stamp == seen.stamp:
        return
    rotation, point, axis = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    place = (0.0, 0.0, 0.0)
    for i in range(3):
        rotation[i, i] = 1.0
    if grasp.frame >= 0.0:
        place = frame_position(settings.model, int(grasp.frame))
        frame_rotation(settings.model, int(grasp.frame), rotation)
    turn = measured.object_orientation
    ox, oy, oz = turn_vector(turn, grasp.offset[0], grasp.offset[1], grasp.offset[2])
    hx, hy, hz = turn_vector(turn, 1.0, 0.0, 0.0)
    p = measured.object_position
    for i in range(3):
        point[i] = place[i] + rotation[i, 0] * (p[0] + ox) + rotation[i, 1] * (p[1] + oy) + rotation[i, 2] * (p[2] + oz)
        axis[i] = rotation[i, 0] * hx + rotation[i, 1] * hy + rotation[i, 2] * hz
    flat = max(math.sqrt(axis[0] * axis[0] + axis[1] * axis[1]), 1e-9)
    first = seen.stamp < 0.0
    share = 1.0 if first else 1.0 - math.exp(-(stamp - seen.stamp) / gains.smoothing)
    for i in range(3):
        seen.grasp[i] += share * (point[i] - seen.grasp[i])
        seen.slow[i] += share * (seen.grasp[i] - seen.slow[i])
    seen.cos += share * (axis[0] / flat - seen.cos)
    seen.sin += share * (axis[1] / flat - seen.sin)
    seen.distance = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    seen.stamp = stamp


@kernel
def object_stands(clock: Any, gains: Any, memory: Any) -> tuple[bool, bool]:
    """Whether the object has been seen in reach and at rest for long enough; whether it is not even nearly so."""
    seen, size = memory.seen, 0.0
    for i in range(3):
        size += (seen.grasp[i] - seen.slow[i]) ** 2
    memory.object_speed = math.sqrt(size) / gains.smoothing
    visible = seen.stamp >= 0.0 and clock.time - seen.stamp < gains.sight_patience
    near = visible and seen.distance < gains.reach
    if not (near and memory.object_speed < gains.still_speed):
        memory.still_since = clock.time
    gone = not near or memory.object_speed > _GONE * gains.still_speed
    return clock.time - memory.still_since >= gains.still_time, gone


@kernel
def _tool_yaw(grasp: Any, seen: Any, tool: float) -> float:
    """The heading [rad] of the tool that grasps the object, the nearest to the heading `tool` of all that do."""
    step = 2.0 * math.pi / grasp.symmetry
    away = math.atan2(seen.sin, seen.cos) + grasp.turn - tool
    return tool + away - step * math.floor(away / step + 0.5)


@kernel
def lead(clock: Any, settings: Any, gains: Any, memory: Any) -> None:
    """Where the tool shall be: `memory.target`, above where it grasps by `memory.height`, which moves by stages."""
    stage = int(memory.stage)
    if stage in (APPROACH, DESCEND):
        for i in range(3):
            memory.foot[i] = memory.seen.grasp[i]
        memory.yaw = _tool_yaw(settings.grasp, memory.seen, memory.yaw)
    goal, speed = 0.0, gains.descend_speed
    if stage in (APPROACH, RELEASE):
        goal = gains.clearance
    elif stage in (LIFT, HOLD):
        goal, speed = gains.lift_height, gains.lift_speed
    if stage == APPROACH:
        memory.height = goal
    elif stage != RELEASE or memory.opened > 0.5:
        most = speed * clock.period
        memory.height += min(max(goal - memory.height, -most), most)
    memory.short_of = abs(goal - memory.height)
    if stage != WAIT:
        memory.target[0], memory.target[1] = memory.foot[0], memory.foot[1]
        memory.target[2] = memory.foot[2] + memory.height
        memory.turn[0], memory.turn[1], memory.turn[2], memory.turn[3] = quaternion_of(math.pi, 0.0, memory.yaw)


@kernel
def has_arrived(gains: Any, memory: Any, here: Any) -> bool:
    """Whether the tool is at the end of its way, as far as can be measured."""
    away = 0.0
    for i in range(3):
        away += (memory.target[i] - here[i]) ** 2
    o, w = memory.goal.orientation, memory.turn
    x, y, z = difference((w[0], w[1], w[2], w[3]), (o[0], o[1], o[2], o[3]))
    x, y, z = x + memory.error[3], y + memory.error[4], z + memory.error[5]
    turned = math.sqrt(x * x + y * y + z * z)
    return memory.short_of < 1e-9 and math.sqrt(away) < gains.arrived_distance and turned < gains.arrived_angle


@kernel
def move_fingers(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any) -> tuple[bool, bool]:
    """Open or close the fingers by a period; whether all have pressed for long enough, and whether one is closed on nothing."""
    stage, empty, pressing, opened, grip = int(memory.stage), False, True, True, 0.0
    count = int(settings.grasp.fingers)
    for i in range(count):
        finger = settings.fingers[i]
        joint = int(finger.joint)
        travel, at = finger.closed - finger.open, measured.joint[joint].position
        inward, near = math.copysign(1.0, travel), _AT_END * abs(travel)
        press = settings.links[joint].kp * (memory.finger[i] - at) * inward
        grip += press / count
        most = gains.close_speed * clock.period
        if holds(stage):
            if press < setpoints.grip:
                memory.finger[i] += most * inward
            pressing = pressing and press >= _NEARLY * setpoints.grip
        else:
            memory.finger[i] += min(max(finger.open - memory.finger[i], -most), most)
        empty = empty or (finger.closed - at) * inward < near
        opened = opened and (at - finger.open) * inward < near
    memory.opened = 1.0 if opened else 0.0
    memory.pressed = grip
    if not pressing:
        memory.pressing_since = clock.time
    return pressing and clock.time - memory.pressing_since >= gains.close_time, empty


@kernel
def room_left(settings: Any, measured: Any) -> float:
    """How far [rad or m] the joint of the chain that is nearest to one of its limits is from it; negative beyond."""
    room = math.inf
    for i in range(int(settings.count)):
        if settings.links[i].column >= 0.0:
            actuator, at = settings.actuators[i], measured.joint[i].position
            room = min(room, at - actuator.lower, actuator.upper - at)
    return room


@kernel
def command_fingers(settings: Any, measured: Any, memory: Any, inputs: Any) -> None:
    """Command the fingers' joints; the model has to be placed."""
    carried = np.zeros(int(settings.model.nv))
    bias(settings.model, carried)
    for i in range(int(settings.grasp.fingers)):
        joint = int(settings.fingers[i].joint)
        link, state = settings.links[joint], measured.joint[joint]
        actuate(
            settings.actuators[joint], memory.finger[i], 0.0, carried[int(link.dof)], link.kp, link.kd,
            state.position, state.velocity, memory.beat, inputs.told[joint],
        )  # fmt: skip
