"""`didymos.train`: a policy for a task of a twin, and the folder that holds what was found on the way."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.control.policy import Policy
from didymos.describe.policy_spec import PolicySpec
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.learning.training import Progress, Training

__all__ = ["Trained", "train"]


@dataclass(frozen=True)
class Trained:
    """A policy that was trained: what it is worth, the mean return of its validation; and where it is kept."""

    policy: Policy
    value: float
    generations: int
    seconds: float
    folder: Path
    unmeasured: tuple[str, ...]
    """What it observes that no sensor measures, no set-point and no report is: with any of it, it is no program."""


def train(
    twin: Twin,
    task: str,
    folder: str | Path,
    *,
    method: str = "ars",
    generations: int = 100,
    minutes: float | None = None,
    until: float | None = None,
    seed: int = 0,
    population: int | None = None,
    episodes: int = 1,
    validation: int = 8,
    noise: float | None = None,
    step: float | None = None,
    hidden: Sequence[int] | None = None,
    curriculum: int = 0,
    start: str | Path | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Trained:
    """Train a policy for a task of a twin; the same seed gives the same policy on any number of threads or workers.

    Args:
        folder: where the policy (`policy.npz`), the learning curve and all that is needed to go on are kept.
        method: "ars" or "cma".
        generations: to be over in all; `minutes` and `until`, a mean return of the validation, may end it before.
        population: candidates of a generation; `episodes` that each is tried in, `validation` episodes of the centre.
        noise, step: of the search, see `learning/search.py`.
        hidden: sizes of hidden layers; as the task says by default.
        curriculum: generations over which the progress of the task's curriculum goes from 0 to 1.
        start: a policy to begin with, of the same task.
        cluster: as `didymos.sweep` has it.
        resume: go on with the training of the folder, where there is one.
    """
    from didymos.cluster.executor import executor
    from didymos.learning.curve_plot import plot_curve
    from didymos.learning.evaluation import Evaluation
    from didymos.learning.search import new_search
    from didymos.learning.task_policy import policy_for, unmeasured
    from didymos.learning.training import Training

    folder = Path(folder)
    if task not in twin.file.tasks:
        known = ", ".join(twin.file.tasks) or "none"
        raise InputError(f"{twin.name} has no task {task!r}{nearest(task, twin.file.tasks)} (it has: {known})", option="task")
    _check(folder, generations, episodes, validation, resume)
    spec = twin.file.tasks[task]
    shape = spec.policy if hidden is None else PolicySpec.model_validate({**spec.policy.model_dump(), "hidden": tuple(hidden)})
    about: dict[str, Any] = {
        "twin": twin.name, "variant": twin.variant, "task": task, "method": method, "seed": seed, "population": population,
        "episodes": episodes, "validation": validation, "noise": noise, "step": step, "policy": shape.model_dump(mode="json"),
        "curriculum": curriculum, "start": None if start is None else str(start),
        "set": {path: twin.get(path) for path in sorted(twin.set_by_hand - {"control"})},
    }  # fmt: skip
    trial = Evaluation(uuid.uuid4().hex, twin, spec, 1, 1)
    plain = policy_for(trial.batch, shape, about={"twin": twin.name, "task": task, "method": method, "seed": seed})
    unseen = unmeasured(trial.batch)
    trial.close()
    begin = plain if start is None else _begun(Policy.load(start), plain, Path(start))
    search = new_search(method, begin.numbers, seed=seed, population=population, noise=noise, step=step)
    slots = len(new_search(method, begin.numbers, seed=seed, population=population).ask()) * episodes + validation
    pool = None if cluster is None else executor(cluster)
    slots = slots if pool is None else -(-slots // pool.workers)
    evaluation = Evaluation(uuid.uuid4().hex, twin, spec, slots, threads if pool is None else 1)
    with closing(evaluation), closing(pool) if pool is not None else nullcontext():
        training = Training(
            begin, search, evaluation, folder, about, episodes=episodes, validation=validation, seed=seed, curriculum=curriculum,
            normalize=start is None and shape.normalize, workers=pool, resume=resume,
        )  # fmt: skip
        try:
            training.run(generations, minutes=minutes, until=until, progress=progress)
            training.finish()
        finally:
            if training.generation:
                plot_curve(training.checkpoint, folder / "curve.png", begin.rate)
    return _trained(training, unseen)


def _check(folder: Path, generations: int, episodes: int, validation: int, resume: bool) -> None:
    from didymos.learning.checkpoint import Checkpoint

    if not resume and Checkpoint.holds_one(folder):
        what = f"{folder} holds a training already; `resume` goes on with it, or name another folder"
        raise InputError(what, option="output")
    for name, value in (("generations", generations), ("episodes", episodes), ("validation", validation)):
        if value < 1:
            raise InputError(f"found {value}, expected at least 1", option=name)


def _begun(given: Policy, plain: Policy, file: Path) -> Policy:
    """A policy to begin with, which has to be one for the same task."""
    for name in ("observations", "actions", "rate", "stack", "activations"):
        if getattr(given, name) != getattr(plain, name):
            what = f"is a policy for something else: its {name} are {getattr(given, name)}, expected {getattr(plain, name)}"
            raise InputError(what, file=file, option="start")
    if given.numbers.shape != plain.numbers.shape:
        raise InputError(f"has {given.numbers.size} weights, expected {plain.numbers.size}", file=file, option="start")
    return given


def _trained(training: Training, unseen: tuple[str, ...]) -> Trained:
    seconds = sum(item.seconds for item in training.checkpoint.generations)
    return Trained(training.best, training.best_return, training.generation, seconds, training.checkpoint.folder, unseen)
