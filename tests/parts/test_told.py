"""A law answers from nothing but what it says it is told: the rest of `MOTION` may hold anything."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from didymos.parts import PARTS
from didymos.parts.law import MOTION, WRENCH, Told

_FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 10)
_OF_AIR = ("air_velocity", "density")
_OF_JOINT = ("time", "joint_position", "joint_velocity")
_MODEST = [kind for kind, law in PARTS.items() if law.told is not Told.AIR]


def answer(kind: str, untold: float) -> tuple[np.ndarray, ...]:
    law = PARTS[kind]
    random = np.random.default_rng(4)

    def some(count: int) -> np.ndarray:
        return random.uniform(0.2, 0.8, max(count, 1))

    record = some(len(law.record.names or ()))
    tables, input_from, inputs, memory, states = some(64), some(64), some(64), some(512), some(64)
    motion, wrench = np.zeros(1, dtype=MOTION), np.zeros(1, dtype=WRENCH)
    for name in MOTION.names or ():
        told = name not in _OF_AIR if law.told is Told.MOTION else name in _OF_JOINT
        motion[name] = random.uniform(0.2, 0.8, motion[name].shape) if told else untold
    rates, outputs = np.zeros(64), np.zeros(64)
    arrays = (record, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs)
    _FUNCTION(law.function.address)(*(array.ctypes.data for array in arrays))
    return wrench.view(np.float64), rates, outputs


@pytest.mark.parametrize("kind", _MODEST)
def test_a_law_reads_only_what_it_is_told(kind: str) -> None:
    for blind, seeing in zip(answer(kind, np.nan), answer(kind, 3.0), strict=True):
        np.testing.assert_array_equal(blind, seeing)


@pytest.mark.parametrize("kind", [kind for kind in _MODEST if PARTS[kind].told is Told.JOINT])
def test_a_law_that_knows_only_its_joint_acts_only_there(kind: str) -> None:
    wrench = answer(kind, 3.0)[0]
    assert not wrench[:6].any()
