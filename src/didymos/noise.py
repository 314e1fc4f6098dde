"""Random numbers that are a pure function of (stream, counter), so that no draw depends on any other.

SplitMix64 (Steele, Lea & Flood 2014) hashes the counter; two hashes make one standard normal number by Box and Muller. A
stream is a 64-bit key made from the run's seed and the name of what draws: adding a sensor changes no other sensor's noise,
and the order of evaluation, the number of threads and a restored state make no difference.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np

from didymos.compiled import kernel

__all__ = ["normal", "stream_key", "uniform"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11), np.uint64(32)


def stream_key(seed: int, name: str) -> tuple[float, float]:
    """The key of a named stream as two 32-bit halves, each exact in a float64."""
    digest = hashlib.sha256(f"{seed}:{name}".encode()).digest()
    return float(int.from_bytes(digest[:4], "little")), float(int.from_bytes(digest[4:8], "little"))


@kernel
def uniform(high: float, low: float, counter: int) -> float:
    """A number in the open interval (0, 1), 53 random bits."""
    state = (np.uint64(high) << _S32) | np.uint64(low)
    state += _GOLDEN * (np.uint64(counter) + np.uint64(1))
    state = (state ^ (state >> _S30)) * _MIX_1
    state = (state ^ (state >> _S27)) * _MIX_2
    state = state ^ (state >> _S31)
    return (np.float64(state >> _S11) + 0.5) * (1.0 / 9007199254740992.0)


@kernel
def normal(high: float, low: float, counter: int) -> float:
    """A standard normal number."""
    radius = math.sqrt(-2.0 * math.log(uniform(high, low, 2 * counter)))
    return radius * math.cos(2.0 * math.pi * uniform(high, low, 2 * counter + 1))
