"""Inputs recorded in every tick, so that whoever listens hears each change when it begins to act.

A row of the log is stamped with the time of its tick, and the inputs in it act from then on until the next tick. Recorded less
often than that, a change would be heard late, and a twin that is fed with them would fall out of step.
"""

from __future__ import annotations

from didymos.describe.names import input_names
from didymos.describe.twin import Twin
from didymos.describe.world import World

__all__ = ["record_every_input"]

_RATE = "record.inputs_rate"


def record_every_input(model: Twin | World) -> None:
    """Record the inputs of a twin, or of all robots of a world, once a tick, where there are any and no file says how often."""
    twins = {name: robot.twin for name, robot in model.robots.items()} if isinstance(model, World) else {"": model}
    for name, twin in twins.items():
        if input_names(twin) and not twin.file.record.inputs_rate:
            model.set(f"{name}.{_RATE}" if name else _RATE, 1.0 / twin.file.world.step)
