"""Whether one twin is better than another on recordings that neither has seen: a paired comparison of their squared errors.

Recordings are cut into blocks of time, eight in all or one for each recording if these are more: samples next to each other
share their errors, blocks hardly do. In block b the twins leave sums of weighted squared errors P_b and C_b, and d_b = P_b -
C_b. If there were no difference, each d_b could as well have had the other sign: p is the share of all choices of signs whose
sum is at least as large as what was found. Better is what has p < 1 % and a sum of squares that falls by 2 %, which is 1 % of
the error; what gains less is not worth its numbers. The test is exact, and asks neither for normal errors nor for blocks of one
size.

References: Fisher, The Design of Experiments (1935), ch. 3 (randomization of signs); Diebold & Mariano, J. Business & Economic
Statistics 13 (1995) (differences of losses).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error

__all__ = ["PairedJudgement", "judge_pair"]

_Array = NDArray[np.float64]
_Predictions = Sequence[Sequence[_Array] | None]
_BLOCKS = 8
_ENUMERATED = 14  # blocks up to which all choices of signs are tried
_LEVEL = 0.01
_ROUNDING = 1e-12
_LEAST = 0.02  # of the sum of squares
_NOTHING = 1e-12  # of the sum of squares of the signals themselves: errors of arithmetic


@dataclass(frozen=True)
class PairedJudgement:
    """Two twins on the same samples: sums of squares, how many blocks, the ratio of errors (not squares), and p."""

    physics: float
    corrected: float
    blocks: int
    ratio: float
    chance: float
    better: bool
    why: str


def judge_pair(
    recordings: Sequence[Recording], segments: Sequence[Segment], physics: _Predictions, corrected: _Predictions
) -> PairedJudgement:
    """Whether `corrected` is better than `physics` at segments of recordings; None is a run that failed."""
    failed = sum(c is None and p is not None for p, c in zip(physics, corrected, strict=True))
    pairs = [i for i in range(len(segments)) if physics[i] is not None and corrected[i] is not None]
    distinct = max(len({segment.recording for segment in segments}), 1)
    count = -(-_BLOCKS // distinct)
    sums: dict[tuple[int, int], _Array] = {}
    size = 0.0
    for i in pairs:
        segment, about = segments[i], recordings[segments[i].recording]
        for k, channel in enumerate(about.channels):
            part = segment.samples[k]
            measured, weight = channel.rows[part], channel.column.weight
            size += weight * float(np.sum(measured**2))
            place = np.minimum((count * channel.time[part] / about.seconds).astype(int), count - 1)
            for which, said in enumerate((physics[i], corrected[i])):
                assert said is not None
                squares = weight * np.sum(channel_error(channel, measured, said[k]) ** 2, axis=1)
                for block in np.unique(place):
                    entry = sums.setdefault((segment.recording, int(block)), np.zeros(2))
                    entry[which] += squares[place == block].sum()
    table = np.array(list(sums.values())).reshape(-1, 2)
    before, after = (float(value) for value in table.sum(axis=0))
    if before <= _NOTHING * size:
        return PairedJudgement(before, after, len(table), 1.0, 1.0, False, "physics explains these recordings to the last digit")
    chance = _chance(table[:, 0] - table[:, 1])
    ratio = float(np.sqrt(after / before))
    changed = f"on {len(table)} held-out blocks the error {'falls' if ratio < 1.0 else 'grows'} to {ratio:.3f} of what it was"
    if after == before:
        why = "no weights fit stretches that they were not found from"
    elif failed:
        why = f"{failed} runs with the correction failed that physics alone does not"
    elif chance < _LEVEL and after > (1.0 - _LEAST) * before:
        why = f"{changed} only"
    else:
        why = f"{changed} (p = {chance:.2g})"
    better = not failed and chance < _LEVEL and after <= (1.0 - _LEAST) * before
    return PairedJudgement(before, after, len(table), ratio, chance, better, why)


def _chance(gains: _Array) -> float:
    """The share of all choices of signs, or of many that are drawn, whose sum is at least that of the gains."""
    count = len(gains)
    if count <= _ENUMERATED:
        signs = 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
    else:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(2**_ENUMERATED, count))
        signs[0] = 1.0
    return float(np.mean(signs @ gains >= gains.sum() - _ROUNDING * np.abs(gains).sum()))
