"""`didymos sweep`: many runs on all cores, or on a cluster, while parameters and seeds vary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
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
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import ranges
from didymos.cli.verdicts import print_skipped, skipped_facts
from didymos.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from didymos.describe.twin import Twin
    from didymos.describe.world import World
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.trial import Trial

__all__ = ["sweep"]

_NAMED = 8  # runs that fell short and are named one by one


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What varies in which runs, where they are made, and what is kept of them."""

    twin: TwinName
    read: Reading
    variant: Variant = None
    scenario: Scenario = None
    scenarios: Scenarios = None
    vary: Annotated[
        list[str] | None, typer.Option("--vary", metavar="PATH=LO:HI", help="Draw a parameter in a range; repeatable.")
    ] = None
    runs: Annotated[int, typer.Option(metavar="N", min=1, max=100_000_000, help="How many.")] = 20
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
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the expectations over what was varied.")
    ] = None
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
    _check(options)
    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_model(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    scenario = options.scenario or next(iter(twin.scenarios), None)
    varied = ranges(options.vary or (), "--vary")
    with progress(float(options.runs), quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} runs") as tick:
        make = _make if options.folder is None else _make_stored
        summary, trials = make(twin, scenario, varied, options, tick)
    if options.plot is not None:
        from didymos.studies.sweep_table import plot_sweep

        plot_sweep([trial for _, trial in sorted(trials, key=lambda item: item[0])], options.plot)
    if options.as_json:
        what = {"twin": twin.name, "variant": options.variant, "scenario": scenario, "runs": options.runs, "met": summary.met}
        result: dict[str, object] = {"seed": options.seed, "vary": varied}
        if options.folder is None:
            result["trials"] = [_facts(trial) for _, trial in trials]
        skipped = skipped_facts(summary.skipped)
        print_json({**what, **result, "skipped": skipped, "output": options.output, "plot": options.plot})
    elif not options.quiet:
        _print_result(summary)
        print_skipped(summary.skipped)
    return 0 if summary.met == options.runs else 1


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
    twin: Twin | World, scenario: str | None, varied: dict[str, tuple[float, float]], options: SweepOptions,
    tick: Callable[[int], None],
) -> tuple[SweepSummary, Iterable[tuple[int, Trial]]]:  # fmt: skip
    """All runs, held in memory; a table of them where one is asked for."""
    from didymos.studies.sweep import sweep as run_all
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.sweep_table import save_sweep

    trials = run_all(
        twin, varied, runs=options.runs, scenario=scenario, seconds=options.seconds, seed=options.seed,
        threads=options.threads, cluster=options.cluster, progress=tick,
    )  # fmt: skip
    if options.output is not None:
        save_sweep(trials, options.output)
    summary = SweepSummary(_NAMED)
    summary.add_all(enumerate(trials))
    return summary, list(enumerate(trials))


def _make_stored(
    twin: Twin | World, scenario: str | None, varied: dict[str, tuple[float, float]], options: SweepOptions,
    tick: Callable[[int], None],
) -> tuple[SweepSummary, Iterable[tuple[int, Trial]]]:  # fmt: skip
    """All runs that the folder lacks, into it."""
    from didymos.studies.sampling import sample
    from didymos.studies.store import SweepStore, read_store
    from didymos.studies.sweep import check_ranges, sweep_into
    from didymos.studies.sweep_about import sweep_about
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.trial_runner import TrialRunner

    assert options.folder is not None
    check_ranges(twin, varied, scenario)
    runner = TrialRunner(
        twin, scenario=scenario, seconds=options.seconds, keep=options.keep or (), keep_rate=options.keep_rate
    )
    expected, simulation = runner.expected()
    about = sweep_about(
        runner, varied, runs=options.runs, seed=options.seed, name=options.twin, command=["didymos", *sys.argv[1:]]
    )
    drawn = sample(varied, runs=options.runs, seed=options.seed)
    with closing(SweepStore(options.folder, about, expected, resume=options.resume)) as store:
        try:
            sweep_into(
                store, runner, drawn, seed=options.seed, threads=options.threads, cluster=options.cluster, progress=tick
            )
        except KeyboardInterrupt:
            where = f"{len(store)} of {options.runs} runs are in {options.folder}"
            print(f"didymos: {where}; the same command with --resume makes the others", file=sys.stderr)
            raise
    summary = SweepSummary(_NAMED)
    summary.add_all(read_store(options.folder).trials())
    summary.skipped = simulation.skipped
    return summary, read_store(options.folder).trials()


def _facts(trial: Trial) -> dict[str, object]:
    expectations = [{"name": x.name, "value": x.value, "limit": x.limit, "ok": x.ok} for x in trial.verdicts]
    return {"seed": trial.seed, "values": trial.values, "ok": trial.ok, "expectations": expectations, "error": trial.error}


def _print_result(summary: SweepSummary) -> None:
    """What was found of each expectation over all runs, and which runs fell short."""
    print_table([("runs", str(summary.runs)), ("met", str(summary.met))])
    rows = []
    for name, found in summary.found.items():
        least, mean, most = (number(value, found.unit) for value in (found.least, found.mean, found.most))
        rows.append((name, least, mean, most, str(found.missed)))
    print_table(rows, ("expectation", "least", "mean", "most", "missed"))
    for _, trial in summary.fell_short:
        short = trial.error or ", ".join(verdict.name for verdict in trial.verdicts if verdict.ok is False)
        drawn = "".join(f" {path}={value:.6g}" for path, value in trial.values.items())
        print(f"didymos: seed {trial.seed}{drawn}: {short}", file=sys.stderr)
    others = summary.runs - summary.met - len(summary.fell_short)
    if others:
        print(f"didymos: and {others} more; -o FOLDER keeps them all", file=sys.stderr)
