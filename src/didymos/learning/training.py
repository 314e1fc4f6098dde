"""Training of a policy for a task, without gradients: generations of candidates, evaluated as one compiled batch.

    1. candidates of the search (`search.py`), each with the same few episodes; the centre with the episodes of its validation
    2. returns go to the search, observations to the normaliser
    3. the centre that did best in validation is the policy; what is known is kept on disk (`checkpoint.py`)

The episodes of a generation are those of seeds drawn from the training's seed, the same for all candidates, so that these are
compared under the same gusts; those of the validation are the same in every generation, and no candidate ever sees them. The
result hangs on the seed alone, not on threads, workers or interruptions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Executor
from didymos.control.policy import Policy
from didymos.errors import RunError
from didymos.learning.checkpoint import Checkpoint, Generation
from didymos.learning.evaluation import Episodes, Evaluated, Evaluation
from didymos.learning.normalizer import Moments
from didymos.learning.search import Search

__all__ = ["Progress", "Training"]

Array = NDArray[np.float64]

_VALIDATION, _TRAINING = 2, 3  # streams of seeds
_CLIP = 10.0  # of a normalised observation


@dataclass(frozen=True)
class Progress:
    """Where a training stands."""

    generation: int
    validation: float  # of the centre, mean return
    best: float  # of the policy
    steps: int
    seconds: float


class Training:
    """A training that can be gone on with; `plan` holds its sizes."""

    def __init__(
        self,
        policy: Policy,
        search: Search,
        evaluation: Evaluation,
        folder: Path,
        about: Mapping[str, Any],
        *,
        episodes: int,
        validation: int,
        seed: int,
        curriculum: int = 0,
        normalize: bool = True,
        workers: Executor | None = None,
        resume: bool = False,
    ) -> None:
        self._plain, self._search, self._evaluation, self._workers = policy, search, evaluation, workers
        self._episodes, self._seed, self._curriculum, self._normalize = episodes, seed, curriculum, normalize
        self._validation = _seeds(seed, _VALIDATION, 0, validation)
        self.best, self.best_return = policy, -np.inf
        size = policy.mean.size
        if resume and Checkpoint.holds_one(folder):
            self.checkpoint = Checkpoint.load(folder, about)
            self._replay()
        else:
            self.checkpoint = Checkpoint(folder, about, Moments.none(size))
            if normalize:
                numbers = np.tile(policy.numbers, (validation, 1))
                seen = self._evaluated(Episodes(policy, numbers, self._validation, self._progress))
                self.checkpoint.first = _total(Moments.none(size), seen)
            self.checkpoint.save()

    @property
    def generation(self) -> int:
        """How many are over."""
        return len(self.checkpoint.generations)

    @property
    def _progress(self) -> float:
        """Of a curriculum."""
        return min(1.0, self.generation / self._curriculum) if self._curriculum else 1.0

    @property
    def observed(self) -> Moments:
        """Of everything that was observed so far."""
        return self.checkpoint.generations[-1].observed if self.checkpoint.generations else self.checkpoint.first

    def _policy(self, observed: Moments) -> Policy:
        """The policy as it is asked in a generation: its weights are those of the candidates."""
        return replace(self._plain, mean=observed.mean, scale=observed.scale, clip=_CLIP) if self._normalize else self._plain

    def _replay(self) -> None:
        """Tell the search all that is known."""
        observed = self.checkpoint.first
        for item in self.checkpoint.generations:
            self._keep(self._search.centre, observed, item.validation)
            self._search.ask()
            self._search.tell(item.returns)
            observed = item.observed

    def _keep(self, centre: Array, observed: Moments, validation: Array) -> bool:
        """Take a centre for the policy where it did best so far; whether it did."""
        if not validation.mean() > self.best_return:
            return False
        self.best, self.best_return = self._policy(observed).with_numbers(centre), float(validation.mean())
        return True

    def _evaluated(self, episodes: Episodes) -> Evaluated:
        if self._workers is None:
            return self._evaluation(episodes)
        size = -(-len(episodes) // self._workers.workers)
        parts = [episodes.part(first, first + size) for first in range(0, len(episodes), size)]
        found = dict(self._workers.run(self._evaluation, parts))
        whole = found[0]
        for i in range(1, len(parts)):
            whole = whole + found[i]
        return whole

    def step(self) -> Progress:
        """One generation."""
        began, cpu_began = time.monotonic(), time.process_time()
        observed, centre = self.observed, self._search.centre
        candidates = self._search.ask()
        seeds = _seeds(self._seed, _TRAINING, self.generation, self._episodes)
        numbers = np.concatenate([np.repeat(candidates, self._episodes, axis=0), np.tile(centre, (len(self._validation), 1))])
        every = np.concatenate([np.tile(seeds, len(candidates)), self._validation])
        found = self._evaluated(Episodes(self._policy(observed), numbers, every, self._progress))
        tried = len(candidates) * self._episodes
        returns = _finite(found.returns[:tried].reshape(-1, self._episodes).mean(axis=1))
        validation = found.returns[tried:]
        self._search.tell(returns)
        self.checkpoint.generations.append(Generation(
            returns, validation, int(found.steps.sum()), time.monotonic() - began, time.process_time() - cpu_began,
            _total(observed, found) if self._normalize else observed,
        ))  # fmt: skip
        if self._keep(centre, observed, validation):
            self.save_policy()
        self.checkpoint.save()
        steps = sum(item.steps for item in self.checkpoint.generations)
        seconds = sum(item.seconds for item in self.checkpoint.generations)
        return Progress(self.generation, float(validation.mean()), self.best_return, steps, seconds)

    def run(
        self,
        generations: int,
        *,
        minutes: float | None = None,
        until: float | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Go on until so many generations are over in all, or the time [min] is, or the policy is worth `until`."""
        began = time.monotonic()
        while self.generation < generations:
            if minutes is not None and time.monotonic() - began >= 60.0 * minutes:
                break
            if until is not None and self.best_return >= until:
                break
            now = self.step()
            if progress is not None:
                progress(now)

    def finish(self) -> None:
        """Give the last centre its validation too: it may be the best."""
        numbers = np.tile(self._search.centre, (len(self._validation), 1))
        found = self._evaluated(Episodes(self._policy(self.observed), numbers, self._validation, self._progress))
        self._keep(self._search.centre, self.observed, found.returns)
        self.save_policy()

    def save_policy(self) -> Path:
        """Write the best policy."""
        about = {**self.best.about, "return": self.best_return, "generation": self.generation}
        return replace(self.best, about=about).save(self.checkpoint.folder / "policy.npz")


def _seeds(seed: int, stream: int, generation: int, count: int) -> NDArray[np.int64]:
    return np.random.SeedSequence([seed, stream, generation]).generate_state(count).astype(np.int64)


def _total(before: Moments, found: Evaluated) -> Moments:
    for item in found.observed:
        before = before + item
    return before


def _finite(returns: Array) -> Array:
    """Returns, where one that is no number counts as less than the least."""
    known = returns[np.isfinite(returns)]
    if not len(known):
        raise RunError("no episode has a return that is a number: look at the task's reward")
    return np.where(np.isfinite(returns), returns, known.min() - 1.0)
