"""Call a force law as the engine does, with numbers of one's own, by name."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from didymos.parts import Part
from didymos.parts.part import CLOCK, MOTION, WRENCH

_LAW, _TICK = (ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count) for count in (8, 5))


def evaluate(part: type[Part], *records: Any) -> None:
    """Call the law of a part with arrays of one record each: (part, here, inputs, memory, state, rate, wrench, output)."""
    _LAW(part.law.address)(*(record.ctypes.data for record in records))


def step(part: type[Part], numbers: Any, inputs: Any, memory: Any, output: Any, *, time: float, period: float = 0.001) -> None:
    """One tick of a part with arrays of one record each; its memory changes."""
    assert part.tick is not None
    clock = record(CLOCK, {"time": time, "period": period})
    _TICK(part.tick.address)(*(array.ctypes.data for array in (numbers, clock, inputs, memory, output)))


def record(layout: np.dtype[Any], values: Mapping[str, Any]) -> Any:
    """A record with these values, zero elsewhere."""
    made = np.zeros(1, dtype=layout)
    for name, value in values.items():
        made[name] = value
    return made


class Answer:
    """What a law wrote: force, torque, joint torque, rates of its states and readouts by name."""

    def __init__(self, part: type[Part], rate: Any, wrench: Any, output: Any) -> None:
        self.force, self.torque = wrench["force"][0], wrench["torque"][0]
        self.joint_torque = float(wrench["joint_torque"][0])
        self.rate = rate[0]
        self._part, self._output = part, output

    @cached_property
    def readouts(self) -> dict[str, float]:
        names = [name for item in self._part.outputs for name in item.names]
        return dict(zip(names, self._output.view(np.float64).tolist(), strict=True))


def call(
    part: type[Part],
    *,
    inputs: Mapping[str, Any] | None = None,
    memory: Mapping[str, Any] | None = None,
    state: Mapping[str, float] | None = None,
    air_velocity: Sequence[float] = (0.0, 0.0, 0.0),
    rate: Sequence[float] = (0.0, 0.0, 0.0),
    density: float = 1.225,
    height: float = 100.0,
    x_up: bool = False,
    **parameters: Any,
) -> Answer:
    """One evaluation; `inputs` hold what the part needs of another one too; its +x points up where `x_up`, else north."""
    numbers = np.array([part.spec(link="body", **parameters).record()])
    here = record(MOTION, {"density": density, "air_velocity": air_velocity, "velocity": air_velocity})
    here["rate"] = here["air_rate"] = rate
    here["position_world"][0, 2] = here["height"] = here["clearance"] = height
    here["rotation"][0] = [0, 0, 1, 0, 1, 0, 1, 0, 0] if x_up else np.eye(3).ravel()
    rates, wrench, output = (np.zeros(1, dtype=layout) for layout in (part.state_layout, WRENCH, part.output_layout))
    given = (
        record(layout, values or {})
        for layout, values in ((part.input_layout, inputs), (part.memory_layout, memory), (part.state_layout, state))
    )
    evaluate(part, numbers, here, *given, rates, wrench, output)
    return Answer(part, rates, wrench, output)


class Law:
    """A force law with its numbers, to be called many times: `law(inputs={...}, state={...}, velocity=..., time=...)`.

    What is not a record of the part's own is a field of `MOTION`; what is not named is zero, the part's frame the world's.
    """

    def __init__(self, part: type[Part], **parameters: Any) -> None:
        self.part = part
        self.numbers = np.array([part.spec(link="body", **parameters).record()])
        self._given = [np.zeros(1, dtype=layout) for layout in (part.input_layout, part.memory_layout, part.state_layout)]
        self._still = record(MOTION, {"density": 1.225, "rotation": np.eye(3).ravel()})
        self._function = _LAW(part.law.address)

    def __call__(
        self,
        *,
        inputs: Mapping[str, Any] | None = None,
        memory: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        **here: Any,
    ) -> Answer:
        for array, values in zip(self._given, (inputs, memory, state), strict=True):
            array.fill(0)
            for name, value in (values or {}).items():
                array[name] = value
        motion = self._still.copy()
        if "rate" in here:
            here = {"air_rate": here["rate"]} | here  # the air does not turn unless told so
        for name, value in here.items():
            motion[name] = value
        part = self.part
        rates, wrench, output = (np.zeros(1, dtype=layout) for layout in (part.state_layout, WRENCH, part.output_layout))
        records = (self.numbers, motion, *self._given, rates, wrench, output)
        self._function(*(array.ctypes.data for array in records))
        return Answer(part, rates, wrench, output)
