"""`didymos fit`: move parameters of a twin until it does what recordings of the real robot say."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.fit_parameters import free_parameters
from didymos.cli.options import (
    AsJson,
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
from didymos.cli.residual_options import Residuals, print_residual, residual_facts, with_residual
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import finite, limits, pairs
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.fitting import Column, Fit, FittedParameter
    from didymos.twin import Twin

__all__ = ["columns_from", "fit"]

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
        typer.Option(metavar="PATH[=LO:HI]", help="What may move, links.NAME as a whole too; commas; the twin's by default."),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=SIGNAL[*SCALE][@WEIGHT]", help="What a column means; repeatable; the twin's by default."),
    ] = None
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
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the drawn starts and the global search.")] = 0
    portable: Portable = False
    threads: Threads = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    read: Reading
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.yaml", help="Keep the values, for run --with.")
    ] = None
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Tables and overlay plots.")] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def fit(options: FitOptions) -> int:
    """Fit parameters of a twin to recordings of the real robot.

    Ctrl-C ends the search and keeps the best so far.
    """
    for file in (options.output, options.report):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
    fitted = _search(options)
    _keep(fitted, options)
    for text in (*fitted.warnings, *(["interrupted; this is the best so far"] if fitted.interrupted else [])):
        print(f"didymos: {text}", file=sys.stderr)
    if options.as_json:
        print_json({**_result(fitted), "fitted": options.output, "report": options.report})
    elif not options.quiet:
        _print_result(fitted, {"fitted": options.output, "report": options.report})
    return 0


def _search(options: FitOptions) -> Fit:
    """The fit, with a bar that shows how it goes."""
    from didymos.fitting import fit as search
    from didymos.fitting import read_recordings

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
    recordings = read_recordings(twin, options.data, columns)
    held_out = read_recordings(twin, options.hold_out or (), columns)
    usual = options.starts * _USUAL_ROUNDS * (len(bounds) + 1)
    checkpoint = None if options.output is None else options.output.with_name(options.output.name + ".progress")
    between = limits(options.between, "--between") if options.between else None
    if options.residuals.residual_only:
        from didymos.fitting.unfitted import as_it_is

        fitted = as_it_is(
            twin, recordings, hold_out=held_out, window=options.window, between=between, given=values, threads=options.threads
        )
        return with_residual(fitted, twin, recordings, held_out, between, options.residuals, options.threads, quiet=quiet)
    with progress(usual, quiet=quiet, text="{task.completed:.0f} runs") as tick:
        fitted = search(
            twin, recordings, bounds, hold_out=held_out, window=options.window, start=options.start,
            between=between, first_guess=options.first_guess, method=options.method, starts=options.starts,
            seed=options.seed, threads=options.threads, units=not options.units_as_given, checkpoint=checkpoint,
            resume=options.resume,
            watch=lambda runs, loss: tick(min(runs, 0.99 * usual), f"loss {loss:.6g}"),
        )  # fmt: skip
    return with_residual(fitted, twin, recordings, held_out, between, options.residuals, options.threads, quiet=quiet)


def _keep(fitted: Fit, options: FitOptions) -> None:
    if options.output is not None:
        from didymos.fitting.result import save_values

        save_values(fitted, options.output)
    if options.report is not None:
        from didymos.fitting.report import save_report

        save_report(fitted, options.report)


def columns_from(twin: Twin, texts: list[str]) -> dict[str, Column]:
    from didymos.fitting import Column, columns_of

    if not texts:
        return columns_of(twin)
    columns = {}
    for name, text in pairs(texts, "--column").items():
        rest, _, weight = text.partition("@")
        signal, _, scale = rest.partition("*")
        columns[name] = Column(name, signal.strip(), finite(scale or "1", name), finite(weight or "1", name))
        if columns[name].weight < 0.0:
            raise InputError(f"found the weight {columns[name].weight:g}, expected none below 0", path=f"--column {name}")
    return columns


def _result(fitted: Fit) -> dict[str, Any]:
    recordings: dict[str, dict[str, dict[str, float]]] = {}
    for item in fitted.evaluations:
        errors = {"rmse_before": item.rmse_before, "rmse_after": item.rmse_after}
        recordings.setdefault(item.name, {})[item.channel.column.signal] = errors
    return {
        "twin": fitted.twin,
        "method": fitted.method,
        "loss_before": fitted.loss_before,
        "loss_after": fitted.loss_after,
        "seconds": fitted.seconds,
        "runs": fitted.runs,
        "interrupted": fitted.interrupted,
        "converged": fitted.converged,
        "iterations": fitted.iterations,
        "window": fitted.window,
        "parameters": {x.path: _facts(x) for x in fitted.parameters if x.recording is None},
        "per_recording": {
            name: {x.path: _facts(x) for x in fitted.parameters if x.recording == name}
            for name in dict.fromkeys(x.recording for x in fitted.parameters if x.recording is not None)
        },
        "directions": [asdict(item) for item in fitted.directions],
        "misfits": [asdict(item) for item in fitted.misfits],
        "lags": [asdict(item) for item in fitted.lags],
        "valleys": [{"loss": valley.loss, "values": valley.values} for valley in fitted.valleys],
        "recordings": recordings,
        "hold_out": sorted({item.name for item in fitted.evaluations if item.held_out}),
        "correlation": fitted.correlation,
        "warnings": fitted.warnings,
        **residual_facts(fitted),
    }


def _facts(x: FittedParameter) -> dict[str, Any]:
    return {"before": x.before, "after": x.after, "interval": x.interval}


def _print_result(fitted: Fit, files: dict[str, Path | None]) -> None:
    rows = [
        ("loss", f"{fitted.loss_before:.6g} -> {fitted.loss_after:.6g}"),
        ("time", f"{fitted.seconds:.1f} s, {fitted.runs} runs, {fitted.method}"),
        *((name, str(file)) for name, file in files.items() if file is not None),
    ]
    print_table(rows)
    table = [
        (x.path if x.recording is None else f"{x.path} of {Path(x.recording).name}", x.unit, number(x.before),
         number(x.after), _interval(x.interval))
        for x in fitted.parameters
    ]
    print_table(table, ("parameter", "unit", "before", "after", "95 % interval"))
    errors = [
        (Path(item.name).name + (" (held out)" if item.held_out else ""), item.channel.column.signal, number(item.rmse_before),
         number(item.rmse_after))
        for item in fitted.evaluations
    ]  # fmt: skip
    print_table(errors, ("recording", "signal", "rmse before", "after"))
    print_residual(fitted)


def _interval(ends: tuple[float, float] | None) -> str:
    return "not determined" if ends is None else f"{number(ends[0])} .. {number(ends[1])}"
