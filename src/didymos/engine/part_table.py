"""The part table: all that the force laws need to know about the robots of a model, inside the model.

It is the last `numeric` element of the model, a row of 64-bit words: a `HEADER`, one `ENTRY` per robot, and for each robot (a
twin alone is one) a table of its own: a `ROBOT`, the numbers of the air, one `PART` per part, one `NEED` per output that a part
takes from another one, one `BLOWER` per part whose wake others feel, one `MEASURING` per sensor that measures by itself, one
`DIRECTION` per shape whose friction has a direction, an `EARTH` and an `INERTIAL` per sensor that feels it where it is on, one
`LIMIT` per joint that parts drive within limits, one `PUSHED_LINK` per
link, and the parameters of parts and sensors. Offsets are in words: from the start of the robot's table, or, where it says so,
into the plugin's state or the engine's `act`. Laws are named by identity (see law_table.py): the table holds no address, so a
model can be copied, pickled and loaded elsewhere.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from didymos.air.air_state import AIR_STATE
from didymos.air.atmosphere import AirSpec
from didymos.air.earth import EARTH
from didymos.air.gusts import GustSpec
from didymos.air.nearby import NEARBY
from didymos.air.place import PLACE
from didymos.air.rotor_wake import WakeSpec
from didymos.air.wind import WindSpec
from didymos.engine.earth_forces import INERTIAL
from didymos.engine.earth_truth import EARTH_TRUTH
from didymos.engine.joint_limits import LIMIT
from didymos.engine.pushes import PUSHED_LINK
from didymos.parts.part import MOTION, WRENCH
from didymos.sensors.sensor import SURROUNDINGS
from didymos.spec import record_type

__all__ = [
    "AIR", "BLOWER", "DIRECTION", "ENTRY", "GUSTS", "HEADER", "MEASURING", "NAME", "NEED", "PART", "ROBOT", "WAKE", "WIND",
    "layout_identity",
]  # fmt: skip

NAME = "didymos_part_table"
"""Name of the `numeric` element."""

AIR, WIND, GUSTS, WAKE = (record_type(spec) for spec in (AirSpec, WindSpec, GustSpec, WakeSpec))

HEADER = np.dtype(
    [
        ("identity", np.int64),  # of this layout; any other model is left alone
        ("robots", np.int64),  # how many, each with a table of its own that begins with a `ROBOT`
        ("first_robot", np.int64),  # where their `ENTRY`s are
        ("applied", np.int64),  # in the state: see forces.py
        ("earth", np.int64),  # in the table, an `EARTH`; 0 where it is flat, still and far below
    ]
)

ENTRY = np.dtype([("table", np.int64)])
"""Where the table of a robot begins, in words from the header."""

ROBOT = np.dtype(
    [
        ("parts", np.int64),  # how many, and where the first row is
        ("first_part", np.int64),
        ("first_need", np.int64),
        ("blowers", np.int64),  # none where the wake is off
        ("first_blower", np.int64),
        ("jets", np.int64),  # that they make
        ("measuring", np.int64),
        ("first_measuring", np.int64),
        ("directions", np.int64),
        ("first_direction", np.int64),
        ("limits", np.int64),
        ("first_limit", np.int64),
        ("links", np.int64),
        ("first_link", np.int64),
        ("air", np.int64),
        ("wind", np.int64),
        ("gusts", np.int64),
        ("wake", np.int64),
        ("earth", np.int64),  # an `EARTH`; 0 where it is flat, still and far below
        ("curved", np.int64),  # 1 where heights and directions follow the shape of the Earth
        ("inertials", np.int64),  # sensors that feel the Earth turn
        ("first_inertial", np.int64),
        ("place", np.int64),  # in the state
        ("earth_truth", np.int64),  # in the state
        ("scratch", np.int64),  # in the state
        ("air_state", np.int64),  # in the state
        ("driven", np.int64),  # in the state: what each part drives its joint with
        ("pushes", np.int64),  # in the state: see pushes.py
        ("wakes", np.int64),  # in the state: see wakes.py; 0 where the wake is off
        ("root_qpos", np.int64),  # of a floating robot, else -1
        ("root_dof", np.int64),
        ("root_body", np.int64),
        ("ground_height", np.float64),  # [m], z of the ground; 0 without one
    ]
)

PART = np.dtype(
    [
        ("identity", np.int64),
        ("law", np.int64),  # index in the law table
        ("motion", np.int64),  # how much the law reads, see parts.part.Motion
        ("below", np.int64),  # 1 where it is told what stands below
        ("body", np.int64),
        ("tree", np.int64),  # root body of its tree, to whose centre of mass the engine refers velocities
        ("last_dof", np.int64),  # that moves the body, or -1
        ("joint_dof", np.int64),  # -1 without a joint
        ("joint_qpos", np.int64),
        ("belt_dof", np.int64),  # -1 without a belt
        ("belt_qpos", np.int64),
        ("limit", np.int64),  # row of its joint's limits, -1 without any
        ("switch", np.int64),  # the parameter that switches it off, 0 without one
        ("parameters", np.int64),
        ("needs", np.int64),  # how many rows, and the first of them
        ("first_need", np.int64),
        ("inputs", np.int64),  # in the state
        ("memory", np.int64),  # in the state
        ("outputs", np.int64),  # in the state, and how many numbers
        ("output_count", np.int64),
        ("states", np.int64),  # in `act`
        ("position", np.float64, 3),  # [m] of the part's frame in the body
        ("rotation", np.float64, 9),  # row-major
    ]
)

NEED = np.dtype([("source", np.int64), ("target", np.int64), ("count", np.int64)])
"""Numbers to copy inside the state, from another part's outputs to a part's inputs."""

BLOWER = np.dtype(
    [
        ("part", np.int64),  # its row
        ("jet", np.int64),  # of the robot's jets that it belongs to; rows are in their order
        ("thrust", np.int64),  # in the state
        ("radius", np.float64),  # [m]
        ("axis", np.float64, 3),  # of a positive thrust, in the part's frame
    ]
)
"""A part that throws air, see blowers.py."""

MEASURING = np.dtype(
    [
        ("identity", np.int64),
        ("law", np.int64),
        ("sensor", np.int64),  # its row in the loop's table of sensors
        ("body", np.int64),
        ("tree", np.int64),
        ("parameters", np.int64),
        ("reading", np.int64),  # in the state
        ("position", np.float64, 3),
        ("rotation", np.float64, 9),
        ("quaternion", np.float64, 4),  # the same, w first
        ("target_body", np.int64),  # what it looks at, -1 without a target
        ("target_tree", np.int64),
        ("target_position", np.float64, 3),  # of the target's frame in its body
        ("target_quaternion", np.float64, 4),
    ]
)

DIRECTION = np.dtype([("shape", np.int64), ("body", np.int64), ("axis", np.float64, 3)])
"""A shape whose friction has a direction: the body and the axis in it that the direction follows."""


def layout_identity() -> int:
    """A number that changes with the layout of the table and of what the air and the laws' scratch take of the state."""
    of_robot: tuple[np.dtype[Any], ...] = (
        ROBOT, PART, NEED, BLOWER, MEASURING, DIRECTION, LIMIT, PUSHED_LINK, AIR, WIND, GUSTS, WAKE,
        EARTH, INERTIAL,
    )  # fmt: skip
    in_state: tuple[np.dtype[Any], ...] = (MOTION, WRENCH, SURROUNDINGS, NEARBY, AIR_STATE, PLACE, EARTH_TRUTH)
    layouts = (HEADER, ENTRY, *of_robot, *in_state)
    digest = hashlib.sha256(" ".join(str(layout.descr) for layout in layouts).encode()).digest()
    return int.from_bytes(digest[:6], "little")
