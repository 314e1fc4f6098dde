"""A robot back at its start while the run goes on: its pose, its parts, its sensors and its program begin anew.

Clock, noise, air, other robots and the objects of the world go on.
"""

from __future__ import annotations

from collections.abc import Callable

from didymos.engine.build import Built
from didymos.engine.memory_layout import LOOP_STATE, ROBOT_STATE
from didymos.sensors.reading import SENSOR_MEMORY

__all__ = ["begin_anew"]

_SIZES = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}
"""Positions and velocities of a free, ball, slide and hinge joint."""


def begin_anew(built: Built, place: Callable[[], None]) -> None:
    """The robot, its parts, its sensors and its program as they were at the start; `place` puts it where the run begins."""
    model, data, layout = built.assembly.model, built.data, built.assembly.state
    state = data.plugin_state
    for joint in _own_joints(built):
        q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        count, freedoms = _SIZES[int(model.jnt_type[joint])]
        data.qpos[q : q + count], data.qvel[v : v + freedoms] = model.qpos0[q : q + count], 0.0
        data.qacc_warmstart[v : v + freedoms] = 0.0
    assembly = built.assembly
    states = sum(len(part.contract.used_states(part)) for part in built.twin.file.parts.values())
    data.act[assembly.states_first : assembly.states_first + states] = 0.0
    for actuator in assembly.own_actuators:
        first, count = int(model.actuator_actadr[actuator]), int(model.actuator_actnum[actuator])
        data.act[first : first + count] = 0.0
    place()
    for name in layout.starts:
        if name.partition(":")[0] in ("inputs", "outputs", "memory", "measured", "commands", "program"):
            state[layout.stretch(name)] = 0.0
    for row in built.context.sensors.sensors:
        memory = state[row["memory"] : row["memory"] + SENSOR_MEMORY.itemsize // 8].view(SENSOR_MEMORY)[0]
        memory["arrived"], memory["sampled_at"] = memory["taken"], 0.0  # what is on its way is lost
    loop = state[assembly.common.stretch("loop")].view(LOOP_STATE)[0]
    own = state[layout.stretch("robot")].view(ROBOT_STATE)[0]
    own["reset_tick"], own["program_called"], loop["sensed_ticks"] = loop["tick"], 0.0, 0.0


def _own_joints(built: Built) -> list[int]:
    """The engine's joints of the robot: all but those of boxes and of other robots."""
    model, own = built.assembly.model, set(built.assembly.links.bodies)
    return [joint for joint in range(model.njnt) if model.body(int(model.jnt_bodyid[joint])).name in own]
