"""What is drawn for each episode: where it begins, parameters of the robot and its world, set-points.

Every draw is a pure function of the environment's seed, the path and the number of the episode, so that no draw depends on any
other, on threads, or on how the episodes before went:

    uniform      a + (b - a) u                  u in (0, 1)
    normal       a + b n                        n standard normal
    log_uniform  exp(ln a + (ln b - ln a) u)

times the twin's own value where it is a scale, within the bounds of the parameter. Of a curriculum, a and b move with the
progress p from 0 to 1:  a = a_0 + p (a_1 - a_0).

The streams of noise of sensors and gusts have a key for each episode; those of the first are the run's of the same seed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.noise import normal, uniform

__all__ = ["DRAW", "EFFECT", "UNIFORM", "Distribution", "Kind", "draw", "episode_key"]

DRAW = np.dtype([
    ("kind", np.int64),  # what it is a number of, see `Kind`
    ("index", np.int64),  # where
    ("distribution", np.int64),
    ("a", np.float64), ("b", np.float64),  # at progress 1
    ("a_begin", np.float64), ("b_begin", np.float64),  # at progress 0
    ("factor", np.float64),  # the twin's own value of a scale, else 1
    ("low", np.float64), ("high", np.float64),
])  # fmt: skip


class Kind:
    """Where a drawn number belongs: a number of the part table, one of the state, of positions, of velocities, of the start of a
    floating robot (`START`), something that Python sets, or nowhere but in what follows from it (`model_numbers.py`)."""

    NUMBER, STATE, QPOS, QVEL, START, PYTHON, ELSEWHERE = 0, 1, 2, 3, 4, 5, 6


class Distribution:
    """How a number is distributed."""

    UNIFORM, NORMAL, LOG_UNIFORM = 0, 1, 2


EFFECT = np.dtype([
    ("draw", np.int64),  # its number
    ("field", np.int64), ("index", np.int64),  # offset of an array's address in the engine's structure, and where in it
    ("rest", np.float64), ("factor", np.float64),
])  # fmt: skip
"""A number of the engine's model that follows a draw: rest + factor * drawn (`model_numbers.py`)."""

UNIFORM = Distribution.UNIFORM
_NORMAL, _LOG_UNIFORM = Distribution.NORMAL, Distribution.LOG_UNIFORM
_EPISODES = 1 << 60  # from here on, numbers of a stream are keys of episodes: no sensor counts so far
_WHOLE = 4294967296.0  # a half of a key is a whole number below


@kernel
def draw(about: Any, high: float, low: float, episode: int, progress: float) -> float:
    """The number of a DRAW in an episode; `high` and `low` are the key of its stream."""
    a = about.a_begin + progress * (about.a - about.a_begin)
    b = about.b_begin + progress * (about.b - about.b_begin)
    if about.distribution == _NORMAL:
        value = a + b * normal(high, low, episode)
    elif about.distribution == _LOG_UNIFORM:
        value = math.exp(math.log(a) + (math.log(b) - math.log(a)) * uniform(high, low, episode))
    else:
        value = a + (b - a) * uniform(high, low, episode)
    return min(max(value * about.factor, about.low), about.high)


@kernel
def episode_key(high: float, low: float, episode: int, key: Any) -> None:
    """Write the key of a stream in an episode; in the first one, number 0, it is the stream's own."""
    key[0], key[1] = high, low
    if episode > 0:
        key[0] = np.floor(_WHOLE * uniform(high, low, _EPISODES + 2 * episode))
        key[1] = np.floor(_WHOLE * uniform(high, low, _EPISODES + 2 * episode + 1))
