"""`didymos fit`: move parameters of a twin until it does what recordings of the real robot say."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_parameters
from didymos.cli.description_options import Reading
from didymos.cli.fit_columns import ColumnOption, columns_from
from didymos.cli.fit_parameters import free_parameters
from didymos.cli.fit_result import fit_facts, print_fit
from didymos.cli.options import (
    AsJson,
    Cluster,
    Control,
    Portable,
    Quiet,
    Scenarios,
    Sets,
    Threads,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_twin,
)
from didymos.cli.progress import progress
from didymos.cli.residual_options import Residuals, with_residual
from didymos.cli.text import print_json
from didymos.cli.values import limits
from didymos.cli.workers import workers
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.fitting import Fit

__all__ = ["fit"]

_USUAL_ROUNDS = 25.0  # how many Jacobians a search usually takes; only the bar's length depends on it


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """What is fitted to what, how, and what is kept of it."""

    twin: TwinName
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Recordings: FILE, FILE=SCENARIO that was commanded, A+B of one clock.")
    ]
    variant: Variant = None
    scenarios: Scenarios = None
    hold_out: Annotated[
        list[str] | None, typer.Option(metavar="DATA", help="A recording that is only judged; repeatable.")
    ] = None
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH[=LO:HI]",
            help="What may move (a fifth to five times its value by default), links.NAME as a whole; commas; the twin's list.",
            autocompletion=complete_parameters,
        ),
    ] = None
    column: ColumnOption = None
    per_recording: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=LO:HI[/GRID]", help="What each recording has for itself; tried on a grid first; repeatable."),
    ] = None
    tie: Annotated[
        list[str] | None, typer.Option(metavar="PATH=RATIO*PATH", help="Follows what moves, as a multiple of it; repeatable.")
    ] = None
    prior: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=[MEAN]:SD", help="What is known of what moves; the twin's value by default; repeatable."),
    ] = None
    window: Annotated[
        float | None, typer.Option(metavar="S", min=1e-4, max=1e4, help="Windows of so long, each from the measured state.")
    ] = None
    between: Annotated[
        str | None, typer.Option(metavar="A:B", help="Only what lies between these times [s] of each recording.")
    ] = None
    start: Annotated[
        str, typer.Option(metavar="NAME", help="Of windows: measured, or estimated beside the parameters.")
    ] = "measured"
    first_guess: Annotated[
        bool, typer.Option("--first-guess", help="Begin with windows of a few samples: a regression of accelerations.")
    ] = False
    units_as_given: Annotated[
        bool, typer.Option("--units-as-given", help="Believe columns that look wrong by a factor such as 2 pi.")
    ] = False
    resume: Annotated[bool, typer.Option("--resume", help="Go on where an earlier fit with the same -o ended.")] = False
    residuals: Residuals
    method: Annotated[str, typer.Option(metavar="NAME", help="least-squares, pattern or global.")] = "least-squares"
    starts: Annotated[int, typer.Option(metavar="N", min=1, help="The twin's values, then some drawn within bounds.")] = 1
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of drawn starts, the global search and samples.")] = 0
    intervals: Annotated[
        str, typer.Option(metavar="NAME", help="sandwich (of the slopes), profile (likelihood) or posterior (sampled by emcee).")
    ] = "sandwich"
    portable: Portable = False
    threads: Threads = None
    cluster: Cluster = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    read: Reading
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.yaml", help="Keep the values, for run --with.")
    ] = None
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Tables and overlay plots.")] = None
    samples: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Keep what --intervals posterior sampled.")] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def fit(options: FitOptions) -> int:
    """Fit parameters of a twin to recordings of the real robot.

    Ctrl-C ends the search and keeps the best so far.
    """
    files = {"fitted": options.output, "report": options.report, "samples": options.samples}
    for file in files.values():
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
    if options.output is not None:
        from didymos.describe.values_file import check_replaceable_values

        check_replaceable_values(options.output)
    fitted = _search(options)
    _keep(fitted, options)
    for text in (*fitted.warnings, *(["interrupted; this is the best so far"] if fitted.interrupted else [])):
        print(f"didymos: {text}", file=sys.stderr)
    if options.as_json:
        print_json({**fit_facts(fitted), **{name: file for name, file in files.items() if file is not None or name != "samples"}})
    elif not options.quiet:
        print_fit(fitted, files)
    return 0


def _search(options: FitOptions) -> Fit:
    """The fit, with a bar that shows how it goes."""
    from didymos.fitting import fit as search
    from didymos.fitting import read_recordings
    from didymos.fitting.intervals import usual_runs

    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_twin(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    options.residuals.prepare(twin, values)
    columns = columns_from(twin, options.column or [])
    bounds = free_parameters(
        twin, options.parameters or [], options.per_recording or [], options.tie or [], options.prior or []
    )  # fmt: skip
    if options.resume and options.output is None:
        raise InputError("goes with -o: the progress is kept beside that file", option="resume")
    if options.samples is not None and options.intervals != "posterior":
        raise InputError("goes with --intervals posterior: nothing else is sampled", option="samples")
    for text in options.data:
        if text in twin.parameters and not Path(text).exists():
            found = f"found {text} among the recordings; several parameters are one word, with commas"
            raise InputError(found, option="parameters")
    recordings = read_recordings(twin, options.data, columns)
    held_out = read_recordings(twin, options.hold_out or (), columns)
    usual = options.starts * _USUAL_ROUNDS * (len(bounds) + 1) + usual_runs(options.intervals, len(bounds))
    checkpoint = None if options.output is None else options.output.with_name(options.output.name + ".progress")
    between = limits(options.between, "--between") if options.between else None
    with workers(options.cluster, options.threads) as threads:
        if options.residuals.residual_only:
            from didymos.fitting.unfitted import as_it_is

            fitted = as_it_is(
                twin, recordings, hold_out=held_out, window=options.window, between=between, given=values, threads=threads
            )
            return with_residual(fitted, twin, recordings, held_out, between, options.residuals, threads, quiet=quiet)
        with progress(usual, quiet=quiet, text="{task.completed:.0f} runs") as tick:
            fitted = search(
                twin, recordings, bounds, hold_out=held_out, window=options.window, start=options.start,
                between=between, first_guess=options.first_guess, method=options.method, starts=options.starts,
                seed=options.seed, threads=threads, units=not options.units_as_given, intervals=options.intervals,
                checkpoint=checkpoint, resume=options.resume,
                watch=lambda runs, loss: tick(min(runs, 0.99 * usual), f"loss {loss:.6g}"),
            )  # fmt: skip
        return with_residual(fitted, twin, recordings, held_out, between, options.residuals, threads, quiet=quiet)


def _keep(fitted: Fit, options: FitOptions) -> None:
    if options.output is not None:
        from didymos.fitting.result import save_values

        save_values(fitted, options.output)
    if options.report is not None:
        from didymos.fitting.report import save_report

        save_report(fitted, options.report)
    if options.samples is not None and fitted.samples is not None:
        from didymos.fitting.samples import save_samples

        save_samples(fitted.samples, options.samples)
