"""Robots in each other's wake, once a tick: what each of them blows, and what each feels of the others.

    for every robot    blow: rotors' places, directions and thrusts -> its jets           (air/merged_jet.py)
    for every robot    feel_wakes: the jets of all others -> velocities of the air at its parts and its root link

`feel_wakes` writes into the robot's own state (`wakes`, three numbers per part and three for the root link, world frame), where
forces.py adds them to wind and gust until the next tick; sensors of the air feel that of the root link. Jets and rotors are
scratch of whoever runs several robots, written anew each tick: all that lasts is in the states, so saving those saves the wakes.

Both belong between the engine's velocities of a tick (`mj_fwdVelocity`) and its forces; thrusts are those that the laws last
found. Robots may be parts of one model, with a table and a state each, or of several.
"""

from __future__ import annotations

from typing import Any

from didymos.air.air_state import AIR_STATE
from didymos.air.atmosphere import density
from didymos.air.merged_jet import merge_rotors
from didymos.air.place import PLACE
from didymos.air.rotor_wake import JET, ROTOR, wake_at
from didymos.compiled import kernel
from didymos.engine.layout import DATA
from didymos.engine.part_table import AIR, BLOWER, PART, ROBOT, WAKE
from didymos.native import array_at, doubles, record_at, row_at, word
from didymos.parts.part import Motion

__all__ = ["blow", "feel_wakes"]

_MOTION_AIR = int(Motion.AIR)
_XPOS, _XMAT, _QVEL = DATA["xpos"], DATA["xmat"], DATA["qvel"]


@kernel
def _place(data: int, part: Any, position: Any) -> None:
    """Where a part's frame is in the world [m]."""
    at, matrix = doubles(word(data + _XPOS) + 24 * part.body), doubles(word(data + _XMAT) + 72 * part.body)
    offset = part.position
    for i in range(3):
        position[i] = at[i] + (matrix[3 * i] * offset[0] + matrix[3 * i + 1] * offset[1] + matrix[3 * i + 2] * offset[2])


@kernel
def _point(data: int, part: Any, axis: Any, direction: Any) -> None:
    """Where a part with a thrust along an axis of its frame blows to, in the world."""
    matrix, turn = doubles(word(data + _XMAT) + 72 * part.body), part.rotation
    x = turn[0] * axis[0] + turn[1] * axis[1] + turn[2] * axis[2]
    y = turn[3] * axis[0] + turn[4] * axis[1] + turn[5] * axis[2]
    z = turn[6] * axis[0] + turn[7] * axis[1] + turn[8] * axis[2]
    for i in range(3):
        direction[i] = -(matrix[3 * i] * x + matrix[3 * i + 1] * y + matrix[3 * i + 2] * z)


@kernel
def blow(data: int, table: int, state: int, robot: int, jets: int, first_jet: int, rotors: int, first_rotor: int) -> None:
    """Write the jets of a robot from row `first_jet` on, and its rotors from `first_rotor` on, of arrays at two addresses.

    `robot` is any number of its own; `ROBOT.jets` and `ROBOT.blowers` of its table say how many rows.
    """
    header = record_at(table, ROBOT)
    if header.blowers == 0:
        return
    parts, blowers = table + 8 * header.first_part, table + 8 * header.first_blower
    made, all_rotors = array_at(jets, first_jet + header.jets, JET), array_at(rotors, first_rotor + header.blowers, ROTOR)
    for i in range(header.jets):
        made[first_jet + i].robot, made[first_jet + i].rotors = robot, 0
    for i in range(header.blowers):
        blower, rotor = row_at(blowers, i, BLOWER), all_rotors[first_rotor + i]
        part, jet = row_at(parts, blower.part, PART), made[first_jet + blower.jet]
        if jet.rotors == 0:
            jet.first = first_rotor + i
        jet.rotors += 1
        _place(data, part, rotor.position)
        _point(data, part, blower.axis, rotor.direction)
        rotor.radius, rotor.thrust = blower.radius, doubles(state)[blower.thrust]
    air, wake = record_at(table + 8 * header.air, AIR), record_at(table + 8 * header.wake, WAKE)
    wind = record_at(state + 8 * header.air_state, AIR_STATE).wind_at_root
    x, y, z = wind[0], wind[1], wind[2]
    if header.root_dof >= 0:
        velocity = doubles(word(data + _QVEL) + 8 * header.root_dof)
        x, y, z = x - velocity[0], y - velocity[1], z - velocity[2]
    altitude = doubles(word(data + _XPOS) + 24 * header.root_body)[2]
    if header.curved != 0:
        altitude = record_at(state + 8 * header.place, PLACE).height
    thick = density(altitude, air.temperature, air.pressure)
    for i in range(header.jets):
        merge_rotors(all_rotors, made[first_jet + i], thick, x, y, z, wake)


@kernel
def feel_wakes(data: int, table: int, state: int, robot: int, jets: int, jet_count: int, rotors: int, rotor_count: int) -> None:
    """Write the wakes of all robots but `robot` at its parts and its root link into its state."""
    header = record_at(table, ROBOT)
    if header.wakes == 0:
        return
    all_jets, all_rotors = array_at(jets, jet_count, JET), array_at(rotors, rotor_count, ROTOR)
    wake, parts, felt = record_at(table + 8 * header.wake, WAKE), table + 8 * header.first_part, state + 8 * header.wakes
    root = felt + 24 * header.parts
    for i in range(header.parts):
        part = row_at(parts, i, PART)
        if part.motion == _MOTION_AIR:
            _place(data, part, doubles(root))  # room until its own turn
            wake_at(all_jets, all_rotors, jet_count, robot, wake, doubles(root), doubles(felt + 24 * i))
    at = doubles(word(data + _XPOS) + 24 * header.root_body)
    wake_at(all_jets, all_rotors, jet_count, robot, wake, at, doubles(root))
