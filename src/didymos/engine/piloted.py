"""What a pilot can do to a run beside steering it: the channel table, boxes, and the robot back at its start."""

from __future__ import annotations

from collections.abc import Callable

from didymos.control.pilot import CHANNELS
from didymos.engine.boxes import Boxes, is_box
from didymos.engine.build import Built
from didymos.engine.intervention import Intervention
from didymos.engine.memory_layout import LOOP_STATE
from didymos.errors import InputError
from didymos.sensors.reading import SENSOR_MEMORY

__all__ = ["Piloted"]


class Piloted:
    """The pilot's side of a simulation; `place` puts the robot where the run begins."""

    def __init__(self, built: Built, place: Callable[[], None]) -> None:
        self._built, self._place = built, place
        self._state = built.data.plugin_state
        layout = built.assembly.state
        self._table = self._state[layout.stretch("channels")][:CHANNELS]
        assembly, boxes = built.assembly, self._state[layout.stretch("boxes")]
        self._boxes = Boxes(assembly.model, built.data, assembly.shown, built.twin.file.pilot.boxes, boxes)

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
        boxes = sum(is_box(model, body) for body in range(model.nbody))
        nq, nv = model.nq - 7 * boxes, model.nv - 6 * boxes  # boxes come last
        data.qpos[:nq], data.qvel[:nv], data.qacc_warmstart[:nv] = model.qpos0[:nq], 0.0, 0.0
        data.act[:] = 0.0
        self._place()
        for name in layout.starts:
            if name.partition(":")[0] in ("inputs", "outputs", "memory", "measured", "commands", "program"):
                self._state[layout.stretch(name)] = 0.0
        for row in self._built.context.sensors.sensors:
            memory = self._state[row["memory"] : row["memory"] + SENSOR_MEMORY.itemsize // 8].view(SENSOR_MEMORY)[0]
            memory["arrived"], memory["sampled_at"] = memory["taken"], 0.0  # what is on its way is lost
        loop = self._state[layout.stretch("loop")].view(LOOP_STATE)[0]
        loop["reset_tick"], loop["program_called"], loop["sensed_ticks"] = loop["tick"], 0.0, 0.0
