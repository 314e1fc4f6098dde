"""The past of a run, for another that is to stand where it stood: parameters are no part of a saved state, and are set again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from didymos.engine.intervention import Intervention

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["repeat_values"]

_SETS = ("set", "set_all")


def repeat_values(simulation: Simulation, done: Sequence[Intervention], until: int) -> None:
    """Give the parameters of a fresh simulation the values that they had before a tick.

    What people set (`done`, in the order of its ticks) and what the scenario changes happens again, in the same order, and no
    time passes. Parameters that the compiled loop moves by itself are written in every tick anyway.
    """
    ahead = deque(item for item in done if item.kind in _SETS)
    tick = 0
    while tick < until:
        while ahead and ahead[0].tick <= tick:
            simulation.intervene(ahead.popleft())
        stops = [until, *([ahead[0].tick] if ahead else [])]
        for robot in simulation.robots.values():
            due = dict(robot.changes.due(tick))
            if due:
                robot.live.set_all(due)
            stops.append(tick + robot.changes.until(tick))
        tick = min(stops)
    for item in ahead:
        simulation.intervene(item)
