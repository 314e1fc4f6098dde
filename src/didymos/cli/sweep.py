"""`didymos sweep`: many runs on all cores, or on a cluster, while parameters and seeds vary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_settings
from didymos.cli.description_options import Reading
from didymos.cli.options import (
    AsJson,
    Cluster,
    Control,
    Portable,
    Quiet,
    Scenario,
    Scenarios,
    Sets,
    Threads,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_model,
)
from didymos.cli.progress import progress
from didymos.cli.sweep_result import NAMED, print_sweep, rate_facts, trial_facts
from didymos.cli.text import print_json
from didymos.cli.values import drawn_from
from didymos.cli.verdicts import print_skipped, skipped_facts
from didymos.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from didymos.studies.distribution import Distribution
    from didymos.studies.plan import Plan
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.trial import Trial
    from didymos.studies.trial_runner import TrialRunner

__all__ = ["sweep"]


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What varies in which runs, where they are made, and what is kept of them."""

    twin: TwinName
    read: Reading
    variant: Variant = None
    scenario: Scenario = None
    scenarios: Scenarios = None
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary", metavar="PATH=LO:HI", help="Draw a parameter in a range, or from log:LO:HI or normal:MEAN:SD; repeatable.",
            autocompletion=complete_settings,
        ),
    ] = None
    sampling: Annotated[
        str, typer.Option(metavar="HOW", help="latin, sobol, random, grid, saltelli; rare: search failures, count them.")
    ] = "latin"
    runs: Annotated[int, typer.Option(metavar="N", min=1, max=100_000_000, help="How many; with --until at most.")] = 20
    until: Annotated[
        float | None,
        typer.Option(metavar="W", help="Stop when the pass rate is known to +- W; of rare failures to that share of it."),
    ] = None
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1e-6, max=1e6, help="Length of each; the scenario's by default.")
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the first run, and of what is drawn.")] = 0
    portable: Portable = False
    threads: Threads = None
    cluster: Cluster = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Keep the runs as Parquet, as they come; FILE.csv: as a table."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Make the runs that the FOLDER lacks; none twice.")] = False
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="SIGNAL", help="Keep samples of a signal in the FOLDER; repeatable.")
    ] = None
    keep_rate: Annotated[float, typer.Option(metavar="HZ", min=1e-6, help="Samples of it per second.")] = 10.0
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the expectations over what was varied.")] = None
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def folder(self) -> Path | None:
        """Where runs are kept as Parquet."""
        return None if self.output is None or self.output.suffix.lower() == ".csv" else self.output


@command
def sweep(options: SweepOptions) -> int:
    """Run a twin many times while parameters and seeds vary.

    Exit status 1 if any run fails or falls short of its scenario's expectations.
    """
    from didymos.studies.plan import make_plan
    from didymos.studies.sweep import checked_ranges
    from didymos.studies.trial_runner import TrialRunner

    _check(options)
    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_model(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    scenario = options.scenario or next(iter(twin.scenarios), None)
    varied = checked_ranges(twin, drawn_from(options.vary or (), "--vary"), scenario)
    plan = make_plan(varied, runs=options.runs, seed=options.seed, sampling=options.sampling, until=options.until)
    runner = TrialRunner(twin, scenario=scenario, seconds=options.seconds, keep=options.keep or (), keep_rate=options.keep_rate)
    with progress(float(plan.most), quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} runs") as tick:
        made = _make(runner, plan, options, tick) if options.folder is None else _make_stored(runner, varied, plan, options, tick)
    summary, trials = made
    if options.plot is not None:
        from didymos.studies.sweep_table import plot_sweep

        plot_sweep([trial for _, trial in sorted(trials, key=lambda item: item[0])], options.plot)
    if options.as_json:
        what = {"twin": twin.name, "variant": options.variant, "scenario": scenario, "runs": summary.runs, "met": summary.met}
        result: dict[str, object] = {
            "seed": options.seed, "vary": {path: given.facts() for path, given in varied.items()}, "sampling": options.sampling,
            **rate_facts(summary, plan, options.until),
        }  # fmt: skip
        if options.folder is None:
            result["trials"] = [trial_facts(trial) for _, trial in trials]
        skipped = skipped_facts(summary.skipped)
        print_json({**what, **result, "skipped": skipped, "output": options.output, "plot": options.plot})
    elif not options.quiet:
        print_sweep(summary, plan, options.until, kept=options.output is not None)
        print_skipped(summary.skipped)
    return 0 if summary.met == summary.runs else 1


def _check(options: SweepOptions) -> None:
    if options.output is not None and options.folder is not None and options.output.suffix:
        raise InputError(f"found {options.output}, expected a FOLDER or FILE.csv", option="output")
    for given, name in ((options.resume, "resume"), (options.keep, "keep")):
        if given and options.folder is None:
            raise InputError("goes with a folder that keeps the runs: `output` FOLDER", option=name)
    for file in (options.output, options.plot):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)


def _make(
    runner: TrialRunner, plan: Plan, options: SweepOptions, tick: Callable[[int], None]
) -> tuple[SweepSummary, Iterable[tuple[int, Trial]]]:
    """All runs, held in memory; a table of them where one is asked for."""
    from didymos.studies.sweep import run_plan
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.sweep_table import save_sweep

    made: dict[int, Trial] = {}
    with closing(run_plan(plan, runner, seed=options.seed, threads=options.threads, cluster=options.cluster)) as runs:
        for index, trial, _ in runs:
            made[index] = trial
            tick(len(made))
    trials = [(index, made[index]) for index in range(len(made))]
    if options.output is not None:
        save_sweep([trial for _, trial in trials], options.output)
    summary = SweepSummary(NAMED)
    summary.add_all(trials)
    return summary, trials


def _make_stored(
    runner: TrialRunner, varied: Mapping[str, Distribution], plan: Plan, options: SweepOptions, tick: Callable[[int], None]
) -> tuple[SweepSummary, Iterable[tuple[int, Trial]]]:
    """All runs that the folder lacks, into it."""
    from didymos.studies.store import SweepStore, read_store
    from didymos.studies.sweep import sweep_into
    from didymos.studies.sweep_about import sweep_about
    from didymos.studies.sweep_summary import SweepSummary

    assert options.folder is not None
    expected, simulation = runner.expected()
    read = {**asdict(options.read), "scenarios": [str(file) for file in options.scenarios or ()]}
    about = sweep_about(
        runner, varied, runs=plan.most, seed=options.seed, name=options.twin, sampling=options.sampling, until=options.until,
        read=read, command=["didymos", *sys.argv[1:]],
    )  # fmt: skip
    weighted = options.sampling == "rare"
    with closing(SweepStore(options.folder, about, expected, resume=options.resume, weighted=weighted)) as store:
        try:
            sweep_into(store, runner, plan, seed=options.seed, threads=options.threads, cluster=options.cluster, progress=tick)
        except KeyboardInterrupt:
            where = f"{len(store)} of {plan.most} runs are in {options.folder}"
            print(f"didymos: {where}; the same command with --resume makes the others", file=sys.stderr)
            raise
    summary = SweepSummary(NAMED)
    summary.add_all(read_store(options.folder).trials())
    summary.skipped = simulation.skipped
    return summary, read_store(options.folder).trials()
