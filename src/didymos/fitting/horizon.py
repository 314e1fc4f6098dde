"""How far a prediction strays: mean errors over windows, sample by sample from where each begins.

    e_k = mean over windows of |error at the k-th sample after the begin|,      sum = e_1 + ... + e_N

with the length of a vector's error, and the angle of an attitude's. `h` of a sample is e_k there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error

__all__ = ["HorizonError", "as_facts", "horizon_errors"]

_Array = NDArray[np.float64]
_WORDS = {
    "truth.position": "position", "truth.velocity_world": "velocity", "truth.velocity": "velocity",
    "truth.orientation": "attitude", "truth.angular_velocity": "rate",
}  # fmt: skip
_SHORT = 5  # the shorter of the two horizons that are told is a fifth of the window


@dataclass(frozen=True, eq=False)
class HorizonError:
    """Mean errors of a signal at each sample after the begin of a window, shape [N], over so many windows."""

    errors: _Array
    windows: int

    def facts(self) -> dict[str, float]:
        """The error after a fifth of the window and at its end, by the number of the sample, and the sum over all."""
        count = len(self.errors)
        short = max(count // _SHORT, 1)
        return {f"h{k}": float(self.errors[k - 1]) for k in dict.fromkeys((short, count))} | {"sum": float(self.errors.sum())}


def horizon_errors(
    recordings: Sequence[Recording], segments: Sequence[Segment], predictions: Sequence[Sequence[_Array] | None]
) -> dict[str, HorizonError]:
    """Errors by signal, `position`, `velocity`, `attitude` and `rate` of the truth by these words; None is a run that failed."""
    sums: dict[str, list[_Array]] = {}
    for segment, found in zip(segments, predictions, strict=True):
        if found is None:
            continue
        for channel, part, said in zip(recordings[segment.recording].channels, segment.samples, found, strict=True):
            errors = channel_error(channel, channel.rows[part], said)
            name = _WORDS.get(channel.column.signal, channel.column.signal)
            sums.setdefault(name, []).append(np.linalg.norm(errors, axis=1))
    return {name: _mean(lengths) for name, lengths in sums.items()}


def _mean(lengths: Sequence[_Array]) -> HorizonError:
    """Windows that lost samples are left out, so that every sample has the same windows."""
    counts = [len(item) for item in lengths]
    usual = max(set(counts), key=counts.count)
    kept = [item for item in lengths if len(item) == usual]
    return HorizonError(np.mean(kept, axis=0), len(kept))


def as_facts(errors: Mapping[str, HorizonError]) -> dict[str, dict[str, float]]:
    """Errors as plain numbers, by signal."""
    return {name: item.facts() for name, item in errors.items()}
