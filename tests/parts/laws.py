"""Call a force law as the engine does, with numbers of one's own."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.parts.law import MOTION, WRENCH, Law
from didymos.spec import number_fields

_FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 10)


class Answer:
    """What a law wrote: force, torque, joint torque, rates of its states and readouts by name."""

    def __init__(self, law: Law, wrench: Any, rates: NDArray[np.float64], outputs: NDArray[np.float64]) -> None:
        self.force, self.torque = wrench["force"][0], wrench["torque"][0]
        self.joint_torque = float(wrench["joint_torque"][0])
        self.rates = rates
        self.readouts = dict(zip((output.name for output in law.outputs), outputs.tolist(), strict=True))


def call(
    law: Law,
    *,
    inputs: Sequence[float] = (),
    memory: Sequence[float] = (),
    states: Sequence[float] = (),
    heard: Sequence[float] = (),
    air_velocity: Sequence[float] = (0.0, 0.0, 0.0),
    rate: Sequence[float] = (0.0, 0.0, 0.0),
    density: float = 1.225,
    height: float = 100.0,
    x_up: bool = False,
    **parameters: Any,
) -> Answer:
    """One evaluation; the part's +x points up where `x_up`, else north."""
    spec = law.spec(link="body", **parameters)
    record = np.array([getattr(spec, name) for name, _ in number_fields(law.spec)], dtype=np.float64)
    motion, wrench = np.zeros(1, dtype=MOTION), np.zeros(1, dtype=WRENCH)
    motion["air_velocity"][0], motion["velocity"][0], motion["rate"][0] = air_velocity, air_velocity, rate
    motion["density"], motion["position_world"][0, 2] = density, height
    motion["rotation"][0] = [0, 0, 1, 0, 1, 0, 1, 0, 0] if x_up else np.eye(3).ravel()
    rates, outputs = np.zeros(max(1, len(law.states))), np.zeros(len(law.outputs))
    rows = [np.array([*numbers, 0.0], dtype=np.float64) for numbers in (spec.tables(), heard, inputs, memory, states)]
    tables, input_from, given, kept, now = rows
    arrays = (record, tables, motion, input_from, given, kept, now, rates, wrench, outputs)
    _FUNCTION(law.function.address)(*(array.ctypes.data for array in arrays))
    return Answer(law, wrench, rates, outputs)
