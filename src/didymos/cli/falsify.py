"""`didymos falsify`: look for values of parameters at which a twin falls short of its scenario's expectations."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_settings
from didymos.cli.description_options import Reading
from didymos.cli.falsify_result import example_facts, print_example, print_none, repeat
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
from didymos.cli.text import number, print_json
from didymos.cli.values import ranges
from didymos.cli.verdicts import print_skipped, skipped_facts, status
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.describe.world import World
    from didymos.engine.verdict import Verdict
    from didymos.record.log import Log
    from didymos.studies.falsify import Falsification
    from didymos.studies.trial import Trial

__all__ = ["falsify"]

_ENDINGS = {"output": (".yaml", ".yml"), "table": (".csv",), "record": (".mcap", ".csv"), "plot": (".png", ".svg", ".pdf")}


@dataclass(frozen=True, kw_only=True)
class FalsifyOptions:
    """What may vary, how long to look, and what is kept of what is found."""

    twin: TwinName
    read: Reading
    variant: Variant = None
    scenario: Scenario = None
    scenarios: Scenarios = None
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary", metavar="PATH=LO:HI", help="A parameter, a start value, a number of a stimulus; repeatable.",
            autocompletion=complete_settings,
        ),
    ] = None
    runs: Annotated[int, typer.Option(metavar="N", min=1, max=100_000, help="Look in at most so many runs.")] = 200
    worst: Annotated[bool, typer.Option("--worst", help="Go on after the first counter-example, to the worst.")] = False
    as_found: Annotated[bool, typer.Option("--as-found", help="Do not make the counter-example smaller.")] = False
    seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1e-6, max=1e6, help="Length of each; the scenario's by default.")
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the noise in all runs, and of the search.")] = 0
    portable: Portable = False
    threads: Threads = None
    cluster: Cluster = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.yaml", help="Keep the values: run --with FILE.yaml.")
    ] = None
    table: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Keep the table of all runs of the search.")] = None
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the log of the counter-example.")] = None
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw what it misses, and when.")] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def falsify(options: FalsifyOptions) -> int:
    """Look for a counter-example: values at which a run falls short of what its scenario expects.

    Exit status 1 if one is found, 0 if none is, which is no proof that there is none.
    """
    _check(options)
    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_model(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    scenario = options.scenario or next(iter(twin.scenarios), None)
    result = _search(twin, scenario, options, quiet)
    if options.table is not None:
        from didymos.studies.sweep_table import save_sweep

        save_sweep(result.trials, options.table)
    files = _keep(twin, scenario, result, options) if result.found else {}
    again = repeat(options, scenario, result.smallest)
    if options.as_json:
        what = {"twin": twin.name, "variant": options.variant, "scenario": scenario, "seed": options.seed}
        found = {**example_facts(result, again), "skipped": skipped_facts(result.worst.skipped)}
        print_json({**what, "vary": ranges(options.vary or (), "--vary"), **found, "table": options.table, **files})
    elif not options.quiet:
        print_example(result, again, files) if result.found else print_none(result, again)
        print_skipped(result.worst.skipped)
    if result.found:
        status(result.smallest.verdicts)
        if result.smallest.error is not None:
            print(f"didymos: {result.smallest.error}", file=sys.stderr)
    return 1 if result.found else 0


def _check(options: FalsifyOptions) -> None:
    """Refuse files that could not be written before the search, not after it."""
    from didymos.describe.values_file import check_replaceable_values
    from didymos.record.own_file import check_replaceable

    for name, endings in _ENDINGS.items():
        file = getattr(options, name)
        if file is not None and file.suffix.lower() not in endings:
            raise InputError(f"found {str(file)!r}, expected a file that ends in {' or '.join(endings)}", option=name)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            if name == "output":
                check_replaceable_values(file)
            elif name != "table":
                check_replaceable(file)


def _search(twin: Twin | World, scenario: str | None, options: FalsifyOptions, quiet: bool) -> Falsification:
    from didymos.studies.falsify import falsify as search

    with progress(float(options.runs), quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} runs") as tick:

        def show(done: int, worst: Trial, verdict: Verdict | None) -> None:
            from didymos.studies.margin import margin

            least = "a run failed" if verdict is None else f"least {number(margin(verdict), verdict.unit)} ({verdict.name})"
            tick(float(done), least)

        return search(
            twin, ranges(options.vary or (), "--vary"), scenario=scenario, runs=options.runs, seconds=options.seconds,
            seed=options.seed, worst=options.worst, smaller=not options.as_found, threads=options.threads,
            cluster=options.cluster, progress=show,
        )  # fmt: skip


def _keep(twin: Twin | World, scenario: str | None, result: Falsification, options: FalsifyOptions) -> dict[str, Any]:
    """The files of a counter-example that were asked for."""
    example = result.smallest
    if options.output is not None:
        from didymos.describe.values_file import write_values

        remarks = {path: f"nominal {result.nominal[path]:.6g}" for path in example.values}
        write_values(options.output, example.values, comments=[repeat(options, scenario, example)], remarks=remarks)
    if options.record is None and options.plot is None:
        return {"output": options.output, "record": None, "plot": None}
    log, expectations, failed = _run(twin, scenario, example, options)
    if options.record is not None:
        log.save(options.record)
    if options.plot is not None:
        from didymos.studies.counter_example_plot import plot_counter_example
        from didymos.studies.trial import Trial

        nominal, _, _ = _run(twin, scenario, Trial(options.seed, {}, (), None), options)
        verdict = result.decisive(example)
        missed = next((item for item in expectations if verdict is not None and item.name == verdict.name), expectations[0])
        values = ", ".join(f"{path} = {value:.4g}" for path, value in example.values.items())
        plot_counter_example(missed, log, nominal, options.plot, title=f"{missed.name}: missed with {values}", failed_at=failed)
    return {"output": options.output, "record": options.record, "plot": options.plot}


def _run(
    twin: Twin | World, scenario: str | None, example: Trial, options: FalsifyOptions
) -> tuple[Log, tuple[Any, ...], float | None]:
    """The log of a run, what is expected of it, and when [s] it failed."""
    from didymos.engine.world_simulation import simulation_of

    changed = twin.copy()
    changed.set_all(example.values)
    simulation = simulation_of(changed, seed=options.seed, scenario=scenario)
    try:
        return simulation.run(options.seconds), simulation.expected, None
    except RunError as error:
        return error.log, simulation.expected, simulation.time
