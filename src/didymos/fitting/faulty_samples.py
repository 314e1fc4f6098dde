"""Samples of a column that a fit leaves out, and what is said of them.

What was measured is looked at by `record/bad_samples.py`: numbers that are none, spikes, lines drawn over missing samples, poses
that leap. What was commanded may do anything that is a number, but lines drawn over missing samples are no commands either. A
sensor that hangs is told and kept: a robot that stands still looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Channel, Column
from didymos.record.bad_samples import Nature, faults_of, gaps, usual_interval
from didymos.record.derivative import disagreement

__all__ = ["FaultySamples", "disagreeing", "faulty", "not_numbers"]

_Array = NDArray[np.float64]
_Mask = NDArray[np.bool_]
Stretch = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FaultySamples:
    """Samples of a column that are left out, shape [n], stretches [s] that no window may touch, and a sentence for each kind."""

    mask: _Mask
    stretches: tuple[Stretch, ...]
    texts: tuple[str, ...]


def faulty(column: Column, time: _Array, values: _Array) -> FaultySamples:
    """What of a column cannot be trusted: stamps [s], shape [n], and values, shape [n, k]."""
    faults = faults_of(time, values, _nature(column, values))
    commanded = column.use in ("input", "setpoint")
    kinds: dict[str, _Mask] = {"are no numbers": faults.not_numbers, "repeat a stamp": faults.repeated}
    kinds |= {"lie on a line drawn over missing ones": faults.drawn}
    if not commanded:
        kinds |= {"leave the course and come back": faults.spikes & ~faults.drawn, "leap": faults.leaps & ~faults.drawn}
    mask, texts = np.zeros(len(time), bool), []
    for what, bad in kinds.items():
        if bad.any():
            mask |= bad
            texts.append(f"{bad.sum()} samples {what} and are left out, the first at t = {time[int(np.argmax(bad))]:.6g} s")
    if faults.held.any() and not commanded:
        first = time[int(np.argmax(faults.held))]
        texts.append(f"stays the same to the last digit from t = {first:.6g} s on: a sensor that hangs?")
    stretches = _stretches(time, mask)
    for i in gaps(time):
        texts.append(f"a gap of {time[i + 1] - time[i]:.3g} s at t = {time[i]:.6g} s, where samples come every"
                     f" {usual_interval(time):.3g} s; no window crosses it")  # fmt: skip
        stretches.append((float(time[i]), float(time[i + 1])))
    return FaultySamples(mask, tuple(stretches), tuple(texts))


def not_numbers(values: _Array) -> FaultySamples:
    """What of a column is no number at all: values, shape [n, k]."""
    mask = np.asarray(~np.isfinite(values).all(axis=1))
    return FaultySamples(mask, (), (f"{mask.sum()} samples are no numbers and are left out",) if mask.any() else ())


def disagreeing(channels: Sequence[Channel]) -> Iterator[tuple[str, list[Stretch]]]:
    """Stretches where a velocity is not the rate of its position, which no window may touch."""
    known = {channel.column.signal: channel for channel in channels}
    position, velocity = known.get("truth.position"), known.get("truth.velocity_world")
    if position is None or velocity is None or len(position.time) != len(velocity.time):
        return
    if (position.time == velocity.time).all():
        bad = disagreement(position.time, position.rows, velocity.rows)
        if bad.any():
            first = float(position.time[int(np.argmax(bad))])
            yield (f"{velocity.column.name} is not the rate of {position.column.name} in {bad.sum()} samples, the first at"
                   f" t = {first:.6g} s; no window touches them"), _stretches(position.time, bad)  # fmt: skip


def _nature(column: Column, values: _Array) -> Nature:
    if values.shape[1] == 4:
        return "quaternion"
    pose = column.use in ("signal", "start") and column.signal.rpartition(".")[2] == "position"
    return "pose" if pose else "measured"


def _stretches(time: _Array, bad: _Mask) -> list[Stretch]:
    """From the sample before to the sample after each run of bad samples [s]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]]).astype(np.int8)))
    last = len(time) - 1
    return [(float(time[max(i - 1, 0)]), float(time[min(j, last)])) for i, j in zip(edges[::2], edges[1::2], strict=True)]
