"""What policies are worth: one episode each for many sets of numbers at once, stepped as one compiled batch.

    return = sum of the rewards of an episode, from its start to its end or until its time is over

An episode is a function of its numbers and its seed: the same alone, in a batch of any size, on any thread or worker.
Environments whose episode is over rest until the others are done.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.policy import Policy
from didymos.control.policy_network import respond_all
from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.learning.batch import Batch
from didymos.learning.normalizer import Moments

__all__ = ["Episodes", "Evaluated", "Evaluation"]

Array = NDArray[np.float64]

_KEPT = 2  # batches of a process, for work that comes back in pieces


@dataclass(frozen=True)
class Episodes:
    """Episodes to be run: a policy, the numbers [n, numbers] and the seed [n] of each, and the progress of a curriculum."""

    policy: Policy
    numbers: Array
    seeds: NDArray[np.int64]
    progress: float = 1.0

    def __len__(self) -> int:
        return len(self.seeds)

    def part(self, first: int, last: int) -> Episodes:
        """Those from one to before another."""
        return Episodes(self.policy, self.numbers[first:last], self.seeds[first:last], self.progress)


@dataclass(frozen=True)
class Evaluated:
    """What came of episodes: their returns [n], how many steps each took [n], and the moments of what was observed in each."""

    returns: Array
    steps: NDArray[np.int64]
    observed: tuple[Moments, ...]

    def __add__(self, other: Evaluated) -> Evaluated:
        returns, steps = np.concatenate([self.returns, other.returns]), np.concatenate([self.steps, other.steps])
        return Evaluated(returns, steps, (*self.observed, *other.observed))


class Evaluation:
    """Runs episodes of a task of a twin, at most `slots` at a time; it can travel to other processes."""

    def __init__(self, key: str, twin: Twin, task: TaskSpec, slots: int, threads: int | None = None) -> None:
        self.key, self._twin, self._task, self._slots, self._threads = key, twin, task, slots, threads

    @property
    def batch(self) -> Batch:
        """The environments, made when they are first asked for, and kept while this process has use for them."""
        return _batch(self.key, self._twin, self._task, self._slots, self._threads)

    def __call__(self, episodes: Episodes) -> Evaluated:
        """Run episodes, whatever their number."""
        with _TURN:
            batch = self.batch
            size = len(batch)
            parts = [_run(batch, episodes.part(first, first + size)) for first in range(0, len(episodes), size)]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole + part
        return whole

    def close(self) -> None:
        """Let the environments go."""
        batch = _BATCHES.pop(self.key, None)
        if batch is not None:
            batch.close()


_TURN = threading.RLock()
_BATCHES: OrderedDict[str, Batch] = OrderedDict()


def _batch(key: str, twin: Twin, task: TaskSpec, slots: int, threads: int | None) -> Batch:
    with _TURN:
        if key not in _BATCHES:
            _BATCHES[key] = Batch(twin, {"": task}, slots, threads=threads)
            while len(_BATCHES) > _KEPT:
                _BATCHES.popitem(last=False)[1].close()
        _BATCHES.move_to_end(key)
        return _BATCHES[key]


def _run(batch: Batch, episodes: Episodes) -> Evaluated:
    policy, rows, count = episodes.policy, batch.rows, len(episodes)
    batch.progress = episodes.progress
    live = np.zeros(len(batch), dtype=np.bool_)
    live[:count] = True
    for i, seed in enumerate(episodes.seeds):
        batch.seed(i, int(seed))
    batch.begin(live)
    size = policy.mean.size
    layers, normal, limits, numbers = policy.layers, policy.normal, policy.limits, np.ascontiguousarray(episodes.numbers)
    calls, outputs = np.zeros(count), np.zeros((count, len(limits)))
    actions = np.zeros((len(batch), len(limits)), dtype=np.float32)
    returns, first = np.zeros(count), rows.observations[:count, -size:].astype(np.float64)
    total, squares = np.zeros((count, size)), np.zeros((count, size))
    while live.any():
        on = live[:count]
        seen = rows.observations[:count].astype(np.float64)
        apart = np.where(on[:, None], seen[:, -size:] - first, 0.0)
        total += apart
        squares += apart * apart
        respond_all(layers, numbers, normal, limits, seen, outputs)
        actions[:count] = outputs
        batch.step(actions, rests=~live)
        returns[on] += rows.rewards[:count, 0][on]
        calls[on] += 1.0
        live &= (rows.ended[:, 0] == 0) & (rows.cut_off == 0)
    moments = tuple(_moments(*each) for each in zip(calls, first, total, squares, strict=True))
    return Evaluated(returns, calls.astype(np.int64), moments)


def _moments(count: Any, first: Array, total: Array, squares: Array) -> Moments:
    """Of observations whose distances from the first one, and their squares, were summed."""
    return Moments(float(count), first + total / count, np.maximum(squares - total * total / count, 0.0))
