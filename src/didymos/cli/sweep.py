"""`didymos sweep`: many runs on all cores while parameters and seeds vary."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.options import (
    AsJson,
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from didymos.describe.twin import Twin
    from didymos.describe.world import World
    from didymos.studies.trial import Trial

__all__ = ["sweep"]

_NAMED = 8  # runs that fell short and are named one by one


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What varies in which runs, and what is kept of them."""

    twin: TwinName
    read: Reading
    variant: Variant = None
    scenario: Scenario = None
    scenarios: Scenarios = None
    vary: Annotated[
        list[str] | None, typer.Option("--vary", metavar="PATH=LO:HI", help="Draw a parameter in a range; repeatable.")
    ] = None
    runs: Annotated[int, typer.Option(metavar="N", min=1, max=1_000_000, help="How many.")] = 20
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1e-6, max=1e6, help="Length of each; the scenario's by default.")
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the first run, and of what is drawn.")] = 0
    portable: Portable = False
    threads: Threads = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Keep the table of runs.")] = None
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the expectations over what was varied.")
    ] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def sweep(options: SweepOptions) -> int:
    """Run a twin many times while parameters and seeds vary.

    Exit status 1 if any run fails or falls short of its scenario's expectations.
    """
    for file in (options.output, options.plot):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_model(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    scenario = options.scenario or next(iter(twin.scenarios), None)
    varied = ranges(options.vary or (), "--vary")
    trials = _run(twin, scenario, varied, options)
    met = sum(trial.ok for trial in trials)
    if options.as_json:
        what = {"twin": twin.name, "variant": options.variant, "scenario": scenario, "runs": options.runs, "met": met}
        result = {"seed": options.seed, "vary": varied, "trials": [_facts(trial) for trial in trials]}
        skipped = skipped_facts(trials[0].skipped)
        print_json({**what, **result, "skipped": skipped, "output": options.output, "plot": options.plot})
    elif not options.quiet:
        _print_result(trials, met)
        print_skipped(trials[0].skipped)
    return 0 if met == options.runs else 1


def _run(
    twin: Twin | World, scenario: str | None, varied: dict[str, tuple[float, float]], options: SweepOptions
) -> Sequence[Trial]:
    """All runs, with a bar; what is to be kept is kept."""
    from didymos.studies.sweep import sweep as run_all
    from didymos.studies.sweep_table import plot_sweep, save_sweep

    quiet = options.quiet or options.as_json
    with progress(float(options.runs), quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} runs") as tick:
        trials = run_all(
            twin, varied, runs=options.runs, scenario=scenario, seconds=options.seconds, seed=options.seed,
            threads=options.threads, progress=tick,
        )  # fmt: skip
    if options.output is not None:
        save_sweep(trials, options.output)
    if options.plot is not None:
        plot_sweep(trials, options.plot)
    return trials


def _facts(trial: Trial) -> dict[str, object]:
    expectations = [{"name": x.name, "value": x.value, "limit": x.limit, "ok": x.ok} for x in trial.verdicts]
    return {"seed": trial.seed, "values": trial.values, "ok": trial.ok, "expectations": expectations, "error": trial.error}


def _print_result(trials: Sequence[Trial], met: int) -> None:
    """What was found of each expectation over all runs, and which runs fell short."""
    print_table([("runs", str(len(trials))), ("met", str(met))])
    rows = []
    for name in dict.fromkeys(verdict.name for trial in trials for verdict in trial.verdicts):
        verdicts = [verdict for trial in trials for verdict in trial.verdicts if verdict.name == name]
        values = [verdict.value for verdict in verdicts if verdict.value is not None]
        if values:
            missed = sum(verdict.ok is False for verdict in verdicts)
            mean = sum(values) / len(values)
            unit = verdicts[0].unit
            rows.append((name, number(min(values), unit), number(mean, unit), number(max(values), unit), str(missed)))
    print_table(rows, ("expectation", "least", "mean", "most", "missed"))
    fell_short = [trial for trial in trials if not trial.ok]
    for trial in fell_short[:_NAMED]:
        short = trial.error or ", ".join(verdict.name for verdict in trial.verdicts if verdict.ok is False)
        drawn = "".join(f" {path}={value:.6g}" for path, value in trial.values.items())
        print(f"didymos: seed {trial.seed}{drawn}: {short}", file=sys.stderr)
    if len(fell_short) > _NAMED:
        print(f"didymos: and {len(fell_short) - _NAMED} more; -o FILE.csv keeps them all", file=sys.stderr)
