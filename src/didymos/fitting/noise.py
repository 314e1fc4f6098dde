"""The noise of sensors, as a column says it or as its samples show it.

A signal that is smooth beside its sampling has small differences of high order; noise of standard deviation s has not:

    s_k = median |d^k x| / (0.6745 sqrt(binom(2k, k))),        s = the least of s_1 ... s_6

with d^k the k-th difference (the median makes it deaf to spikes). Slow noise hides from it: s is the noise from one sample to the
next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Channel, Recording

__all__ = ["channel_noise", "noise_size", "sample_noise"]

_Array = NDArray[np.float64]
_ORDERS = range(1, 7)
_FEW = 20  # samples below which differences say nothing
_MEDIAN = 0.6744897501960817  # of |x| of a standard normal
_LEAST = 1e-6  # of a signal's spread: the noise of one without any, as a simulation writes it


def sample_noise(values: _Array) -> float | None:
    """Standard deviation of the noise from one sample to the next of a signal, shape [n]; None where it has too few samples."""
    if len(values) < _FEW:
        return None
    sizes = []
    for order in _ORDERS:
        differences = np.abs(np.diff(values, n=order))
        sizes.append(float(np.median(differences)) / (_MEDIAN * math.sqrt(math.comb(2 * order, order))))
    return min(sizes)


def channel_noise(channel: Channel) -> float:
    """Standard deviation of a channel's noise along each axis, that of an attitude as an angle [rad]; 0 where none is seen."""
    if channel.column.sd is not None:
        return channel.column.sd
    sizes = [sample_noise(column) for column in channel.rows.T]
    if any(size is None for size in sizes):
        return 0.0
    factor = 2.0 if channel.is_orientation else 1.0  # an angle is twice what a quaternion's parts move by
    return factor * float(np.sqrt(np.mean([size**2 for size in sizes if size is not None])))


def noise_size(recordings: Sequence[Recording]) -> float:
    """The noise of a sample as a residual counts it, weight included: the median over all channels that are fitted."""
    sizes = []
    for channel in (channel for recording in recordings for channel in recording.channels if channel.column.weight > 0.0):
        size = max(channel_noise(channel), _LEAST * float(np.std(channel.rows)))
        sizes.append(math.sqrt(channel.column.weight) * size)
    return float(np.median(sizes)) if sizes and np.median(sizes) > 0.0 else 1.0
