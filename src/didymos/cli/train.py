"""`didymos train`: a policy for a task of a twin, by CMA-ES or augmented random search."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.options import AsJson, Portable, Quiet, Sets, Threads, TwinName, Values, Variant, chosen_values, load_twin
from didymos.cli.progress import progress
from didymos.cli.text import print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.learning.train import Trained
    from didymos.learning.training import Progress

__all__ = ["train"]

_BAR = "generation {task.completed:.0f} of {task.total:.0f}"


@dataclass(frozen=True, kw_only=True)
class HowLong:
    """When it ends."""

    generations: Annotated[int, typer.Option(metavar="N", min=1, help="Generations in all.")] = 100
    minutes: Annotated[float | None, typer.Option(metavar="MIN", min=0, help="End after so many minutes.")] = None
    until: Annotated[float | None, typer.Option(metavar="RETURN", help="End once its validation has this mean return.")] = None


@dataclass(frozen=True, kw_only=True)
class HowSearched:
    """Which search, and how it goes about it."""

    method: Annotated[str, typer.Option(metavar="NAME", help="ars, augmented random search, or cma, CMA-ES.")] = "ars"
    population: Annotated[int | None, typer.Option(metavar="N", min=2, help="Candidates of a generation.")] = None
    episodes: Annotated[int, typer.Option(metavar="N", min=1, help="That each candidate is tried in.")] = 1
    validation: Annotated[int, typer.Option(metavar="N", min=1, help="Episodes that say what the policy is worth.")] = 8
    noise: Annotated[float | None, typer.Option(metavar="X", min=0, help="How far apart candidates are at first.")] = None
    step: Annotated[float | None, typer.Option(metavar="X", min=0, help="How far ars goes in a generation.")] = None
    curriculum: Annotated[
        int, typer.Option(metavar="N", min=0, help="Generations over which the task's curriculum goes from 0 to 1.")
    ] = 0


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """All options, in the order in which the help lists them."""

    twin: TwinName
    task: Annotated[str | None, typer.Option(metavar="NAME", help="What is to be learnt; the twin's first by default.")] = None
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="For policy, curve and all that is needed to go on.")
    ] = None
    read: Reading
    variant: Variant = None
    sets: Sets = None
    values: Values = None
    long: HowLong
    search: HowSearched
    hidden: Annotated[
        str | None, typer.Option(metavar="N,N", help="Sizes of hidden layers, none for a linear policy; the task's by default.")
    ] = None
    start: Annotated[Path | None, typer.Option(metavar="FILE.npz", help="Begin with a policy of this task.")] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Same seed, same policy.")] = 0
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the training of the folder.")] = False
    portable: Portable = False
    threads: Threads = None
    cluster: Annotated[
        str | None, typer.Option(metavar="WHERE", help="ray, ray://HOST:PORT, dask, tcp://HOST:PORT; threads by default.")
    ] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def train(options: TrainOptions) -> int:
    """Train a policy for a task of a twin; fly it with the command that is printed at the end.

    Ctrl-C leaves everything in the folder; --resume goes on.
    """
    quiet = options.quiet or options.as_json
    twin = load_twin(
        options.twin, options.variant, chosen_values(options.values, options.sets), read=options.read, quiet=quiet
    )
    task = options.task or next(iter(twin.file.tasks), None)
    if task is None:
        raise InputError("this twin has no tasks; its file says them, see docs/learning.md", option="task")
    folder = options.output or Path(f"{twin.name}_{task}")
    from didymos.learning.train import train as train_policy

    try:
        with progress(float(options.long.generations), quiet=quiet, text=_BAR) as tick:

            def tell(now: Progress) -> None:
                tick(float(now.generation), f"return {now.validation:.4g}, best {now.best:.4g}")

            found = train_policy(
                twin, task, folder, method=options.search.method, generations=options.long.generations,
                minutes=options.long.minutes, until=options.long.until, seed=options.seed, population=options.search.population,
                episodes=options.search.episodes, validation=options.search.validation, noise=options.search.noise,
                step=options.search.step, hidden=_sizes(options.hidden), curriculum=options.search.curriculum,
                start=options.start, threads=options.threads, cluster=options.cluster, resume=options.resume, progress=tell,
            )  # fmt: skip
    except KeyboardInterrupt:
        print(f"didymos: {folder} holds what was found; --resume goes on", file=sys.stderr)
        raise
    _tell(found, options, twin, task)
    return 0


def _sizes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",")] if text not in ("", "none") else []
    except ValueError:
        raise InputError(f"found {text!r}, expected sizes joined by commas, as 16,16", option="hidden") from None


def _tell(found: Trained, options: TrainOptions, twin: Twin, task: str) -> None:
    policy = found.folder / "policy.npz"
    if options.as_json:
        print_json({
            "twin": options.twin, "task": task, "return": found.value, "generations": found.generations,
            "seconds": found.seconds, "numbers": found.policy.numbers.size, "policy": policy, "curve": found.folder / "curve.png",
            "unmeasured": list(found.unmeasured), "run": None if found.unmeasured else _flight(options, twin, task, policy),
        })  # fmt: skip
        return
    if not options.quiet:
        print_table([
            ("return", f"{found.value:.5g}"), ("generations", str(found.generations)), ("time", f"{found.seconds:.0f} s"),
            ("policy", f"{policy}, {found.policy.numbers.size} numbers"), ("curve", str(found.folder / "curve.png")),
        ])  # fmt: skip
    if found.unmeasured:
        names = ", ".join(found.unmeasured[:3]) + (", ..." if len(found.unmeasured) > 3 else "")
        print(f"didymos: it observes {names}, which no sensor measures: it cannot run as a control program", file=sys.stderr)
    elif not options.quiet:
        print(_flight(options, twin, task, policy))


def _flight(options: TrainOptions, twin: Twin, task: str, policy: Path) -> str:
    """The command that lets the policy drive where it was trained: begin, wind and so on as the task has them."""
    from didymos.learning.task_surroundings import surroundings

    read, about = options.read, twin.file.tasks[task]
    single = {"--control": policy, "--variant": options.variant, "--with": options.values, "--scenario": about.scenario}
    several = {"--package": read.package, "--arg": read.arg, "--set": options.sets}
    words = ["didymos", "run", options.twin]
    words += [word for flag, value in single.items() if value is not None for word in (flag, str(value))]
    words += [word for flag, items in several.items() for item in items or () for word in (flag, str(item))]
    words += ["--repair"] if read.repair else []
    words += [word for path, value in surroundings(twin, about).items() for word in ("--set", f"{path}={value:.12g}")]
    return shlex.join([*words, "--seconds", f"{about.seconds:g}"])
