"""What a person can do to a run between two ticks: set a parameter, override a set-point or an input, push a link, pilot it."""

from __future__ import annotations

from typing import Any

from didymos.describe.names import part_inputs
from didymos.engine.build import Built
from didymos.engine.build_context import push_index
from didymos.engine.context import Target
from didymos.engine.intervention import Intervention
from didymos.engine.pushes import WRENCH
from didymos.errors import InputError, nearest

__all__ = ["Overrides", "push"]


class Overrides:
    """What a pilot adds to set-points and inputs, by the names of both."""

    def __init__(self, built: Built) -> None:
        self._state = built.data.plugin_state
        first = built.assembly.state.starts["override"]
        self._first, self._initial = first, built.initial
        robot = built.robot
        self.names = (*(f"setpoints.{name}" for name in robot.setpoints), *(f"inputs.{name}" for name in robot.inputs))
        self._stretches = {name: range(first + i, first + i + 1) for i, name in enumerate(self.names)}
        for name, part, index in part_inputs(built.twin):
            last = self._stretches[f"inputs.{name}"].start
            self._stretches[f"inputs.{part}"] = range(last - index, last + 1)  # a part's inputs lie side by side

    def clear(self) -> None:
        """Hold nothing; set-points are what the program says that they are before anybody sets them."""
        self._state[self._first : self._first + len(self.names)] = 0.0
        self._state[self._first : self._first + len(self._initial)] = self._initial

    def held(self, path: str) -> tuple[float, ...]:
        """What a set-point, an input or all inputs of a part are held at, or what is added to them, now."""
        stretch = self._stretches[path]
        return tuple(self._state[stretch.start : stretch.stop].tolist())

    def apply(self, path: str, value: tuple[float, ...]) -> None:
        """Hold a set-point, an input, or all inputs of a part at once."""
        stretch = self._stretches.get(path)
        if stretch is None:
            raise InputError(f"there is no such set-point or input{nearest(path, self._stretches)}", path=path)
        if len(value) != len(stretch):
            raise InputError(f"found {len(value)} numbers, expected {len(stretch)}", path=path)
        self._state[stretch.start : stretch.stop] = value


def push(built: Built, item: Intervention) -> None:
    """Push a link with a force [N], and maybe a moment [N m], of the world's frame; what stimuli add to it stays."""
    links: Any = built.twin.description.links
    if item.path not in links:
        raise InputError(f"there is no such link{nearest(item.path, links)}", path=item.path)
    if len(item.value) not in (3, WRENCH):
        raise InputError(f"found {len(item.value)} numbers, expected 3 of a force, or 6 with its moment", path=item.path)
    state, first = built.data.plugin_state, push_index(built.assembly, f"{item.path}.x")
    state[built.assembly.state.starts["pushes"]] = 1.0
    state[first : first + WRENCH] = (*item.value, 0.0, 0.0, 0.0)[:WRENCH]
    for target in built.context.stimuli.targets:
        if target["kind"] == Target.PUSH and first <= target["index"] < first + 3:
            state[target["index"]] += state[target["shown"]]
