"""Allocation: which inputs of a robot share what a program asks of it, with which signs, within which limits, and who gives way.

A program commands axes, not inputs:

    roll    right wing down         thrust  forward, or up where it hovers         tilt    0 rotors up, 1 rotors forward
    pitch   nose up                 flaps   0 to 1                                 brake   0 to 1
    yaw     nose right

all of them shares: -1 to 1 of roll, pitch and yaw, 0 to 1 of the others. An `Allocation` has a weight for each input and axis,

    u_i = offset_i + sum over axes a of w_ia c_a,      low_i <= u_i <= high_i

so an input that stands under two axes is mixed from both (elevons, V-tails, differential thrust). What does not fit gives way as
`allocate.py` says, in the order of `priority`. A robot has two of them, `flight` (on the wing) and `hover` (on rotors), which
serve all its programs: `robot.allocation`. They come from the twin file's section `allocation` (`allocation_spec.py`), or are
derived, from where the rotors sit (`mixer.py`) or from what the inputs do in the engine (`engine/effectiveness.py`).

Signs are those of aircraft (forward-right-down); programs that count pitch and yaw in the body's frame (forward-left-up) hand
over -pitch and -yaw.

    class Fly(CompiledController):
        allocation = setting(layout=ALLOCATION)
        effectors = command(count=MOST_INPUTS)

        @program
        def step(clock, settings, gains, measured, setpoints, memory, inputs):
            command = Command(roll=..., pitch=..., yaw=..., thrust=..., flaps=0.0, tilt=0.0, brake=0.0)
            allocate(settings.allocation, command, inputs.effectors)

        def start(self, robot):
            shared = robot.allocation.flight
            self.settings["allocation"] = shared.record()
            self.writes = {"effectors": shared.inputs}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError

__all__ = ["ALLOCATION", "AXES", "FLIGHT_PRIORITY", "HOVER_PRIORITY", "MOST_INPUTS", "Allocation", "Allocations", "Command"]

AXES = ("roll", "pitch", "yaw", "thrust", "flaps", "tilt", "brake")
MOST_INPUTS = 32
"""Inputs that an allocation may have."""

FLIGHT_PRIORITY: tuple[tuple[str, ...], ...] = (("tilt",), ("roll",), ("pitch",), ("thrust",), ("yaw",), ("flaps",), ("brake",))
HOVER_PRIORITY: tuple[tuple[str, ...], ...] = (("tilt",), ("roll", "pitch"), ("thrust",), ("yaw",), ("flaps",), ("brake",))
"""Who gives way last, first: axes that stand together shrink together and keep their direction."""

_RANK = np.dtype([(axis, np.float64) for axis in AXES])
ALLOCATION = np.dtype(
    [
        ("count", np.float64),  # inputs
        ("groups", np.float64),  # of axes that have weights
        ("rank", _RANK),  # the group of each axis, 0 gives way last; -1 where the axis has no weights
        *((axis, np.float64, (MOST_INPUTS,)) for axis in AXES),  # weights
        ("offset", np.float64, (MOST_INPUTS,)),
        ("low", np.float64, (MOST_INPUTS,)),
        ("high", np.float64, (MOST_INPUTS,)),
    ]
)
"""Memory layout of an allocation in the settings of a compiled program."""


class Command(NamedTuple):
    """What a program asks for, a share of each axis."""

    roll: float
    pitch: float
    yaw: float
    thrust: float
    flaps: float
    tilt: float
    brake: float


@dataclass(frozen=True, eq=False)
class Allocation:
    """Inputs, their weights under each axis, offsets and limits; see the module."""

    inputs: tuple[str, ...]
    weights: Mapping[str, NDArray[np.float64]]
    """By axis, shape [inputs]; an axis that nothing does is left out."""
    low: NDArray[np.float64]
    """[inputs]"""
    high: NDArray[np.float64]
    """[inputs]"""
    offset: NDArray[np.float64]
    """[inputs], where all axes are asked for nothing."""
    priority: tuple[tuple[str, ...], ...] = FLIGHT_PRIORITY

    def __post_init__(self) -> None:
        if len(self.inputs) > MOST_INPUTS:
            raise InputError(f"found {len(self.inputs)} inputs, expected at most {MOST_INPUTS}", path="allocation")

    def has(self, axis: str) -> bool:
        """Whether any input does something under an axis."""
        return axis in self.weights and bool(np.any(self.weights[axis]))

    def of(self, axis: str) -> tuple[str, ...]:
        """The inputs with a weight under an axis."""
        return tuple(name for name, weight in zip(self.inputs, self.weights.get(axis, ()), strict=False) if weight != 0.0)

    def share(self, command: Mapping[str, float]) -> dict[str, float]:
        """Inputs by name for shares of some axes, plainly: what does not fit is cut off."""
        total = self.offset.copy()
        for axis, value in command.items():
            total += value * self.weights.get(axis, np.zeros(len(self.inputs)))
        return dict(zip(self.inputs, np.clip(total, self.low, self.high).tolist(), strict=True))

    def record(self, inputs: Sequence[str] | None = None) -> NDArray[Any]:
        """A record of `ALLOCATION`, of its own inputs, or of others among which its own are: the rest stays at zero."""
        names = self.inputs if inputs is None else tuple(inputs)
        places = [names.index(name) for name in self.inputs]
        made = np.zeros((), dtype=ALLOCATION)
        made["count"] = len(names)
        for key, values in {**self.weights, "offset": self.offset, "low": self.low, "high": self.high}.items():
            made[key][places] = values
        used = [group for group in self.priority if any(self.has(axis) for axis in group)]
        made["groups"] = len(used)
        for axis in AXES:
            made["rank"][axis] = next((i for i, group in enumerate(used) if axis in group and self.has(axis)), -1)
        return made


class Allocations:
    """The allocations of a robot, each found when it is first asked for; one that cannot be is an `InputError`."""

    def __init__(self, find: Callable[[str], Allocation] | None = None) -> None:
        self.find = find

    def _found(self, name: str) -> Allocation:
        if self.find is None:
            raise InputError("this robot does not say which inputs roll, pitch, yaw and push it", path="allocation")
        return self.find(name)

    @cached_property
    def flight(self) -> Allocation:
        """How it flies on its wing: forward thrust."""
        return self._found("flight")

    @cached_property
    def hover(self) -> Allocation:
        """How it hovers: upward thrust. Inputs of rotors come first, in the order of `Robot.rotors`."""
        return self._found("hover")
