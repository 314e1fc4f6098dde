"""What a person did to a run, as marks in time: the words of an intervention, and which of them are worth a mark."""

from __future__ import annotations

import math

from didymos.engine.intervention import Intervention

__all__ = ["HandMarks"]

BURST = 1.0  # [s] between two moves of a stick, or of a hand that holds a robot, that are one
_STEADY = ("steer", "push", "put")  # many a second
_NEVER = ("channels",)


class HandMarks:
    """Marks interventions as they come: what is done many times a second is one mark, the end of a push is none."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}  # [s] of each kind of what is done many times a second

    def text(self, item: Intervention, time: float) -> str | None:
        """What was done at a time [s], in a few words; None where it is not worth a mark."""
        if item.kind in _NEVER or (item.kind == "push" and not any(item.value)):
            return None
        if item.kind in _STEADY:
            since, self._last[item.kind] = time - self._last.get(item.kind, -math.inf), time
            if since < BURST:
                return None
        numbers = ", ".join(f"{value:.4g}" for value in item.value[:3])
        path = item.path.replace("\n", ", ")
        if item.kind in ("set", "set_all"):
            return f"{path} = {numbers}"
        if item.kind == "steer":
            return f"flown by hand: {path}"
        return f"{item.kind} {path}" + (f" ({numbers})" if numbers else "")
