"""What a pilot can do to a run beside steering it: the channel table, boxes, and the robot back at its start."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mujoco

from didymos.control.pilot import CHANNELS
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly
from didymos.engine.boxes import Boxes, is_box
from didymos.engine.intervention import Intervention
from didymos.errors import InputError
from didymos.parts import PARTS
from didymos.sensors.reading import ARRIVED, MEMORY, TAKEN

__all__ = ["Piloted"]


class Piloted:
    """The pilot's side of a simulation.

    Args:
        twin, assembly, data: of the simulation.
        root: the root link's body.
        place: puts the robot where the run begins.
    """

    def __init__(
        self, twin: Twin, assembly: Assembly, data: mujoco.MjData, root: int, place: Callable[[], None]
    ) -> None:
        self._twin, self._assembly, self._data, self._root, self._place = twin, assembly, data, root, place
        start = assembly.plan.starts["channels"]
        self._table = data.userdata[start : start + CHANNELS]
        self._boxes = Boxes(assembly.model, data, assembly.shown, twin.file.pilot.boxes, assembly.plan.starts["boxes"])

    @property
    def channels(self) -> tuple[float, ...]:
        """The channel table as it is now."""
        return tuple(self._table.tolist())

    def settle(self) -> None:
        """Bring the model in line with a state that was set from outside."""
        self._boxes.weigh()

    def apply(self, deed: Intervention, sensors: Any, measured: Iterable[int]) -> None:
        """Do it; `sensors` are the loop's rows of sensors, `measured` the places of readings in `userdata`."""
        if deed.kind == "channels":
            self._table[:] = deed.value
        elif deed.kind == "reset":
            self._begin_anew(sensors, measured)
        elif self._twin.file.pilot.drop is None:
            raise InputError("this twin has no boxes: no channel drops them", path="pilot.drop")
        elif deed.kind == "drop":
            self._boxes.drop(self._root)
        else:
            self._boxes.remove()

    def _begin_anew(self, sensors: Any, measured: Iterable[int]) -> None:
        """The robot, its parts, its sensors and its program as they were at the start; the clock and all else go on."""
        model, data, plan = self._assembly.model, self._data, self._assembly.plan.starts
        boxes = sum(is_box(model, body) for body in range(model.nbody))
        nq, nv = model.nq - 7 * boxes, model.nv - 6 * boxes  # boxes come last
        data.qpos[:nq], data.qvel[:nv], data.qacc_warmstart[:nv] = model.qpos0[:nq], 0.0, 0.0
        data.act[:] = 0.0
        self._place()
        for part, spec in self._twin.file.parts.items():
            law = PARTS[spec.kind]
            for name, size in (("inputs", len(law.inputs)), ("outputs", len(law.outputs)), ("memory_of", len(law.memory))):
                data.userdata[plan[f"{name}:{part}"] : plan[f"{name}:{part}"] + size] = 0.0
        data.userdata[plan["commands"] : plan["setpoints"]] = 0.0
        data.userdata[plan["memory"] : plan["moved"]] = 0.0
        for sensor in sensors:
            data.userdata[sensor[MEMORY] + ARRIVED] = data.userdata[sensor[MEMORY] + TAKEN]  # what is on its way is lost
        for place in measured:
            data.userdata[place] = 0.0
        tick = data.userdata[plan["tick"]]
        data.userdata[plan["began"] : plan["began"] + 2] = tick, 0.0
