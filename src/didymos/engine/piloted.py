"""What a pilot can do to a run beside steering it: the channel table, boxes, and the robot back at its start."""

from __future__ import annotations

from collections.abc import Callable

from didymos.control.pilot import CHANNELS
from didymos.engine.boxes import Boxes
from didymos.engine.build import Built
from didymos.engine.intervention import Intervention
from didymos.engine.memory_layout import LOOP_STATE, ROBOT_STATE
from didymos.errors import InputError
from didymos.sensors.reading import SENSOR_MEMORY

__all__ = ["Piloted"]

_SIZES = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}
"""Positions and velocities of a free, ball, slide and hinge joint."""


class Piloted:
    """The pilot's side of a simulation; `place` puts the robot where the run begins."""

    def __init__(self, built: Built, place: Callable[[], None]) -> None:
        self._built, self._place = built, place
        self._state = built.data.plugin_state
        layout = built.assembly.state
        self._table = self._state[layout.stretch("channels")][:CHANNELS]
        assembly, boxes = built.assembly, self._state[layout.stretch("boxes")]
        prefix = built.twin.description.prefix
        self._boxes = Boxes(assembly.model, built.data, assembly.shown, built.twin.file.pilot.boxes, boxes, prefix)

    @property
    def channels(self) -> tuple[float, ...]:
        """The channel table as it is now."""
        return tuple(self._table.tolist())

    def settle(self) -> None:
        """Bring the model in line with a state that was set from outside."""
        self._boxes.weigh()

    def apply(self, item: Intervention) -> None:
        """Do what the pilot did."""
        if item.kind == "channels":
            self._table[:] = item.value
        elif item.kind == "reset":
            self._begin_anew()
        elif self._built.twin.file.pilot.drop is None:
            raise InputError("this twin has no boxes: no channel drops them", path="pilot.drop")
        elif item.kind == "drop":
            self._boxes.drop(self._built.assembly.links.root_body(self._built.assembly.model))
        else:
            self._boxes.remove()

    def _begin_anew(self) -> None:
        """The robot, its parts, its sensors and its program as they were at the start; the clock and all else go on."""
        model, data, layout = self._built.assembly.model, self._built.data, self._built.assembly.state
        for joint in _own_joints(self._built):
            q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            count, freedoms = _SIZES[int(model.jnt_type[joint])]
            data.qpos[q : q + count], data.qvel[v : v + freedoms] = model.qpos0[q : q + count], 0.0
            data.qacc_warmstart[v : v + freedoms] = 0.0
        assembly = self._built.assembly
        states = sum(len(part.contract.used_states(part)) for part in self._built.twin.file.parts.values())
        data.act[assembly.states_first : assembly.states_first + states] = 0.0
        for actuator in assembly.own_actuators:
            first, count = int(model.actuator_actadr[actuator]), int(model.actuator_actnum[actuator])
            data.act[first : first + count] = 0.0
        self._place()
        for name in layout.starts:
            if name.partition(":")[0] in ("inputs", "outputs", "memory", "measured", "commands", "program"):
                self._state[layout.stretch(name)] = 0.0
        for row in self._built.context.sensors.sensors:
            memory = self._state[row["memory"] : row["memory"] + SENSOR_MEMORY.itemsize // 8].view(SENSOR_MEMORY)[0]
            memory["arrived"], memory["sampled_at"] = memory["taken"], 0.0  # what is on its way is lost
        loop = self._state[self._built.assembly.common.stretch("loop")].view(LOOP_STATE)[0]
        own = self._state[layout.stretch("robot")].view(ROBOT_STATE)[0]
        own["reset_tick"], own["program_called"], loop["sensed_ticks"] = loop["tick"], 0.0, 0.0


def _own_joints(built: Built) -> list[int]:
    """The engine's joints of the robot: all but those of boxes and of other robots."""
    model, own = built.assembly.model, set(built.assembly.links.bodies)
    return [joint for joint in range(model.njnt) if model.body(int(model.jnt_bodyid[joint])).name in own]
