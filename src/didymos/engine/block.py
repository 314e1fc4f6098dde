"""The block: all that the force laws need to know about a twin, as one row of numbers inside the engine's model.

It is the last `numeric` element of the model. Offsets below are in float64 words from its start, except those that point
into `mjData.userdata` (inputs, memory, outputs, rates, scratch, state of the air) and into `mjData.act` (states). Addresses of
compiled laws are kept as numbers: below 2^53 a float64 holds them exactly. They are good in the process that made the
model, not in a file.
"""

from __future__ import annotations

__all__ = [
    "AIR", "AIR_STATE", "BELT_DOF", "BELT_QPOS", "BODY", "COUNT", "DIRECTIONS", "DIRECTION_COUNT", "DIRECTION_WORDS",
    "FIRST_STATE_ACTUATOR", "GUSTS", "HEADER_WORDS", "INPUTS", "JOINT_DOF", "JOINT_QPOS", "LAST_DOF", "LAW", "MAGIC",
    "MAGIC_NUMBER", "MEMORY", "OUTPUTS", "PARAMETERS", "PART_RATES", "POSE", "PUSHES", "PUSH_COUNT", "PUSH_TABLE", "RATES",
    "ROOT_DOF", "ROOT_QPOS", "ROW_WORDS", "SCRATCH", "SENSORS", "SENSOR_TABLE", "STATES", "TABLE", "TABLES", "TICK", "TOLD",
    "UPSTREAM", "WIND",
]  # fmt: skip

MAGIC_NUMBER = 0x5D1D1305  # any other model is left alone

# header
(
    MAGIC, COUNT, TABLE, AIR, WIND, GUSTS, SCRATCH, RATES, FIRST_STATE_ACTUATOR, AIR_STATE, ROOT_QPOS, ROOT_DOF, SENSORS,
    SENSOR_TABLE, DIRECTIONS, DIRECTION_COUNT, PUSH_TABLE, PUSH_COUNT, PUSHES,
) = range(19)  # fmt: skip
HEADER_WORDS = 19

# one row per shape whose friction has a direction: the shape's number, then the body and the axis [3] in it that it follows
DIRECTION_WORDS = 5

# one row per part; also one per sensor of the air, with its kind as LAW and its place in sensordata as OUTPUTS
(
    LAW, TICK, BODY, LAST_DOF, JOINT_DOF, JOINT_QPOS, PARAMETERS, TABLES, UPSTREAM, INPUTS, MEMORY, OUTPUTS, STATES, PART_RATES,
    TOLD, BELT_DOF, BELT_QPOS, POSE,
) = range(18)  # fmt: skip
ROW_WORDS = POSE + 12  # position [3], rotation [9] of the part in its link, row-major
