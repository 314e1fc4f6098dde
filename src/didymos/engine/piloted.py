"""What a pilot can do to a run beside steering it: the channel table and boxes."""

from __future__ import annotations

from didymos.control.pilot import CHANNELS
from didymos.engine.boxes import Boxes
from didymos.engine.build import Built
from didymos.engine.intervention import Intervention
from didymos.errors import InputError

__all__ = ["Piloted"]


class Piloted:
    """The pilot's side of a simulation."""

    def __init__(self, built: Built) -> None:
        self._built = built
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
        elif self._built.twin.file.pilot.drop is None:
            raise InputError("this twin has no boxes: no channel drops them", path="pilot.drop")
        elif item.kind == "drop":
            self._boxes.drop(self._built.assembly.links.root_body(self._built.assembly.model))
        else:
            self._boxes.remove()
