"""`didymos fit`: move parameters of a twin until it does what recordings of the real robot say."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.options import (
    AsJson,
    Control,
    Portable,
    Quiet,
    Sets,
    Threads,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_twin,
)
from didymos.cli.progress import progress
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import finite, limits, pairs
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.fitting import Column, Fit
    from didymos.twin import Twin

__all__ = ["fit"]

_USUAL_ROUNDS = 25.0  # how many Jacobians a search usually takes; only the bar's length depends on it


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """What is fitted to what, how, and what is kept of it."""

    twin: TwinName
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Recordings, .csv or .mcap: FILE, or FILE=SCENARIO that was commanded.")
    ]
    variant: Variant = None
    hold_out: Annotated[
        list[str] | None, typer.Option(metavar="DATA", help="A recording that is only judged; repeatable.")
    ] = None
    parameters: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH[=LO:HI]", help="What may move; repeatable or with commas; the twin's list by default."),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=SIGNAL[*SCALE][@WEIGHT]", help="What a column means; repeatable; the twin's by default."),
    ] = None
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
    from didymos.fitting import read_recording

    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_twin(options.twin, options.variant, values, options.control, read=options.read, quiet=quiet)
    columns = _columns(twin, options.column or [])
    bounds = _bounds(twin, options.parameters or [])
    recordings = [read_recording(twin, text, columns) for text in options.data]
    held_out = [read_recording(twin, text, columns) for text in options.hold_out or ()]
    usual = options.starts * _USUAL_ROUNDS * (len(bounds) + 1)
    with progress(usual, quiet=quiet, text="{task.completed:.0f} runs") as tick:
        return search(
            twin, recordings, bounds, hold_out=held_out, method=options.method, starts=options.starts, seed=options.seed,
            threads=options.threads, watch=lambda runs, loss: tick(min(runs, 0.99 * usual), f"loss {loss:.6g}"),
        )  # fmt: skip


def _keep(fitted: Fit, options: FitOptions) -> None:
    if options.output is not None:
        from didymos.fitting.result import save_values

        save_values(fitted, options.output)
    if options.report is not None:
        from didymos.fitting.report import save_report

        save_report(fitted, options.report)


def _columns(twin: Twin, texts: list[str]) -> dict[str, Column]:
    from didymos.fitting import Column

    if not texts:
        given = twin.file.fit.columns
        return {name: Column(name, item.signal, item.scale, item.weight) for name, item in given.items()}
    columns = {}
    for name, text in pairs(texts, "--column").items():
        rest, _, weight = text.partition("@")
        signal, _, scale = rest.partition("*")
        columns[name] = Column(name, signal.strip(), finite(scale or "1", name), finite(weight or "1", name))
        if columns[name].weight < 0.0:
            raise InputError(f"found the weight {columns[name].weight:g}, expected none below 0", path=f"--column {name}")
    return columns


def _bounds(twin: Twin, texts: list[str]) -> dict[str, tuple[float, float]]:
    given = twin.file.fit.parameters
    if not texts:
        return dict(given)
    chosen: dict[str, tuple[float, float]] = {}
    for item in (piece.strip() for text in texts for piece in text.split(",") if piece.strip()):
        path, equals, bounds = (piece.strip() for piece in item.partition("="))
        if equals:
            chosen[path] = limits(bounds, f"--parameters {path}")
        elif path in given:
            chosen[path] = given[path]
        else:
            twin.get(path)
            raise InputError("has no bounds in the twin; write PATH=LOW:HIGH", path=path)
    return chosen


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
        "parameters": {x.path: {"before": x.before, "after": x.after, "interval": x.interval} for x in fitted.parameters},
        "recordings": recordings,
        "hold_out": sorted({item.name for item in fitted.evaluations if item.held_out}),
        "correlation": fitted.correlation,
        "warnings": fitted.warnings,
    }


def _print_result(fitted: Fit, files: dict[str, Path | None]) -> None:
    rows = [
        ("loss", f"{fitted.loss_before:.6g} -> {fitted.loss_after:.6g}"),
        ("time", f"{fitted.seconds:.1f} s, {fitted.runs} runs, {fitted.method}"),
        *((name, str(file)) for name, file in files.items() if file is not None),
    ]
    print_table(rows)
    table = [
        (x.path, x.unit, number(x.before), number(x.after), _interval(x.interval)) for x in fitted.parameters
    ]
    print_table(table, ("parameter", "unit", "before", "after", "95 % interval"))
    errors = [
        (Path(item.name).name + (" (held out)" if item.held_out else ""), item.channel.column.signal, number(item.rmse_before),
         number(item.rmse_after))
        for item in fitted.evaluations
    ]  # fmt: skip
    print_table(errors, ("recording", "signal", "rmse before", "after"))


def _interval(ends: tuple[float, float] | None) -> str:
    return "not determined" if ends is None else f"{number(ends[0])} .. {number(ends[1])}"
