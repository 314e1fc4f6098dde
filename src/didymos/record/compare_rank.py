"""Which differences of two logs matter: each error over the range of its own signal, without what is dust or noise.

    share = RMSE / range,   range = largest less smallest in the first log, at least a hundredth of the widest of its unit

so that a yaw angle that is zero but for rounding is not the worst of all. An error is *dust* where it is below 1e-9 of what
signals of its unit reach, and *noise* where it is as the first log's own noise: without memory from sample to sample, and less
than twice what neighbouring samples of that signal differ by at random,

    sigma = 1.4826 median |a_{i+1} - 2 a_i + a_{i-1}| / sqrt(6)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from didymos.record.compare import SignalError

__all__ = ["Rank", "ranked", "that_matter", "told_once"]

_LEAST_RANGE = 0.01
_DUST = 1e-9
_NOISY = 2.0  # sigma of one log; the difference of two equally noisy ones has the root of 2
_MEMORY = 0.3  # lag-one correlation of an error that has none
_FEWEST = 20  # samples to speak of noise
_ALIKE = 0.01  # of a signal's range: curves nearer to each other look the same
_AS_LARGE = 0.2  # of an error: what differs by more is told by itself


@dataclass(frozen=True)
class Rank:
    """An error over the range of its signal, and whether nobody needs to see it: "dust", "noise", or empty."""

    name: str
    share: float
    hidden: str

    @property
    def repeats(self) -> bool:
        """Whether it says again what others say: poses of links that of the robot, quaternions by four numbers one turn."""
        return self.name.startswith("tf.") or ".orientation." in self.name


def ranked(errors: Mapping[str, SignalError]) -> list[Rank]:
    """All errors, the largest share first."""
    widest: dict[str, float] = {}
    reaches: dict[str, float] = {}
    own = {name: float(np.ptp(error.a)) for name, error in errors.items()}
    for name, error in errors.items():
        widest[error.unit] = max(widest.get(error.unit, 0.0), own[name])
        reach = float(max(np.abs(error.a).max(), np.abs(error.b).max()))
        reaches[error.unit] = max(reaches.get(error.unit, 0.0), reach)
    found = []
    for name, error in errors.items():
        scale = max(own[name], _LEAST_RANGE * widest[error.unit]) or reaches[error.unit]
        dust = error.max <= _DUST * min(1.0, reaches[error.unit])
        hidden = "dust" if dust else "noise" if _is_noise(error) else ""
        found.append(Rank(name, error.rmse / scale if scale > 0.0 else 0.0, hidden))
    return sorted(found, key=lambda rank: -float(f"{rank.share:.3g}"))  # equals in the order of the log


def that_matter(ranks: Sequence[Rank], errors: Mapping[str, SignalError], count: int = 3) -> list[str]:
    """The worst of different streams: one axis, or one motor, speaks for the others.

    Poses of links repeat that of the robot, and a reading without errors repeats the truth: what looks the same is told once.
    """
    chosen: dict[str, str] = {}
    seen = sorted((rank for rank in ranks if not rank.hidden), key=lambda rank: rank.repeats)
    if len(seen) <= count:
        return [rank.name for rank in seen]
    for rank in seen:
        stream = rank.name.partition(".")[0]
        if stream not in chosen and not any(_same(errors[rank.name], errors[name]) for name in chosen.values()):
            chosen[stream] = rank.name
        if len(chosen) == count:
            break
    return list(chosen.values())


def told_once(
    ranks: Sequence[Rank], errors: Mapping[str, SignalError], count: int, alone: Collection[str] = ()
) -> list[list[str]]:
    """The first signals of a ranking, at most `count` of them, each with those that look the same and err as much.

    Four motors that do the same are one, and so are a truth and the sensor that reads it. Those of `alone` stay by themselves.
    """
    groups: list[list[str]] = []
    for rank in ranks:
        one = errors[rank.name]
        near = (group for group in groups if not {rank.name, group[0]} & {*alone} and _as_large(one, errors[group[0]]))
        like_it = next((group for group in near if _same(one, errors[group[0]])), None)
        if like_it is not None:
            like_it.append(rank.name)
        elif len(groups) < count:
            groups.append([rank.name])
    return groups


def _as_large(one: SignalError, other: SignalError) -> bool:
    return abs(one.rmse - other.rmse) <= _AS_LARGE * max(one.rmse, other.rmse)


def _same(one: SignalError, other: SignalError) -> bool:
    """Whether both logs have the same curves under two names, as far as the eye can tell."""
    if one.unit != other.unit:
        return False
    for name in ("a", "b"):
        mine, theirs = getattr(one, name), np.interp(one.time, other.time, getattr(other, name))
        if float(np.max(np.abs(mine - theirs))) > _ALIKE * float(np.ptp(mine)):
            return False
    return True


def _is_noise(error: SignalError) -> bool:
    if error.samples < _FEWEST:
        return False
    bend = np.abs(np.diff(error.a, 2))
    sigma = 1.4826 * float(np.median(bend)) / np.sqrt(6.0)
    if not 0.0 < error.rmse < _NOISY * sigma:
        return False
    away = error.error - error.error.mean()
    power = float(away @ away)
    return power > 0.0 and abs(float(away[1:] @ away[:-1])) < _MEMORY * power
