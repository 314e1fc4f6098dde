"""A law answers from nothing but what it says it reads of `MOTION`: the rest may hold anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import evaluate

from didymos.parts import PARTS
from didymos.parts.part import MOTION, WRENCH, Motion

_OF_AIR = ("air_velocity", "density")
_OF_JOINT = ("time", "step", "step_time", "implicit", "joint_position", "joint_velocity")
_MODEST = [kind for kind, part in PARTS.items() if part.motion is not Motion.AIR]


def answer(kind: str, unread: float) -> tuple[np.ndarray, ...]:
    part = PARTS[kind]
    random = np.random.default_rng(4)

    def some(layout: np.dtype[Any]) -> np.ndarray:
        return random.uniform(0.2, 0.8, layout.itemsize // 8).view(layout)

    layouts = (part.input_layout, part.memory_layout, part.state_layout)
    numbers, inputs, memory, state = (some(layout) for layout in (part.parameter_layout, *layouts))
    here = np.zeros(1, dtype=MOTION)
    for name in MOTION.names or ():
        read = name not in _OF_AIR if part.motion is Motion.FRAME else name in _OF_JOINT
        here[name] = random.uniform(0.2, 0.8, here[name].shape) if read else unread
    rate, wrench, output = (np.zeros(1, dtype=layout) for layout in (part.state_layout, WRENCH, part.output_layout))
    evaluate(part, numbers, here, inputs, memory, state, rate, wrench, output)
    return tuple(record.view(np.float64) for record in (wrench, rate, output))


@pytest.mark.parametrize("kind", _MODEST)
def test_a_law_reads_only_what_it_says(kind: str) -> None:
    for blind, seeing in zip(answer(kind, np.nan), answer(kind, 3.0), strict=True):
        np.testing.assert_array_equal(blind, seeing)


@pytest.mark.parametrize("kind", [kind for kind in _MODEST if PARTS[kind].motion is Motion.JOINT])
def test_a_law_that_knows_only_its_joint_acts_only_there(kind: str) -> None:
    wrench = answer(kind, 3.0)[0]
    assert not wrench[:6].any()
