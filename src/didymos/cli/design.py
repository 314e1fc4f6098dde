"""`didymos design`: the experiment to record, so that a fit knows most."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_parameters
from didymos.cli.description_options import Reading
from didymos.cli.fit_columns import columns_from
from didymos.cli.fit_parameters import free_parameters
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
    load_twin,
)
from didymos.cli.progress import progress
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import ranges, settings
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.fitting.designed import Design, KeptLimit, PredictedParameter

__all__ = ["design"]


@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """What is to be known, what may move, what is recorded, and what is kept of it."""

    twin: TwinName
    variant: Variant = None
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH[=LO:HI]", help="What is to be known; repeatable or with commas; the twin's list by default.",
            autocompletion=complete_parameters,
        ),
    ] = None
    seconds: Annotated[float, typer.Option(metavar="S", min=1e-3, max=1e5, help="Length of the experiment.")] = 10.0
    scenario: Scenario = None
    scenarios: Scenarios = None
    move: Annotated[
        list[str] | None,
        typer.Option(metavar="TARGET", help="setpoints.NAME, inputs.NAME or a pattern; repeatable; the scenario's by default."),
    ] = None
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=SIGNAL", help="What will be recorded; repeatable; the twin's columns by default."),
    ] = None
    noise: Annotated[
        list[str] | None,
        typer.Option(metavar="SIGNAL=SD", help="Noise of a signal, where column and sensor say none; repeatable, patterns."),
    ] = None
    limit: Annotated[
        list[str] | None,
        typer.Option(metavar="SIGNAL=LO:HI", help="What a signal may be, instead of its own limits; repeatable, patterns."),
    ] = None
    criterion: Annotated[
        str, typer.Option(metavar="worst|D|A", help="Least: largest ratio to today's intervals, their volume, sum of variances.")
    ] = "worst"
    band: Annotated[float, typer.Option(metavar="HZ", min=1e-3, max=1e4, help="Highest frequency that is moved.")] = 10.0
    draws: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Mean over so many values of the parameters, not one.")
    ] = 1
    evaluations: Annotated[int, typer.Option(metavar="N", min=2, help="Excitations that are tried.")] = 500
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the search.")] = 0
    portable: Portable = False
    threads: Threads = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    read: Reading
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.yaml", help="Keep the scenario, under the file's name, for --scenarios."),
    ] = None
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw what moves, signals and limits.")] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def design(options: DesignOptions) -> int:
    """Propose the experiment that tells most about parameters, within limits.

    Ctrl-C ends the search and keeps the best so far. Exit status 1 if nothing that was tried keeps the limits.
    """
    for file in (options.output, options.plot):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
    if options.output is not None and options.output.name in ("twin.yaml", "world.yaml"):
        raise InputError(f"{options.output.name} is the name of a twin's or world's own file", option="output")
    name = "designed" if options.output is None else options.output.stem
    found = _search(options, name)
    _keep(found, options, name)
    if found.interrupted:
        print("didymos: interrupted; this is the best so far", file=sys.stderr)
    if options.as_json:
        print_json({**_facts(found), "name": name, "output": options.output, "plot": options.plot})
    elif not options.quiet:
        _print(found, options)
    return 0


def _search(options: DesignOptions, name: str) -> Design:
    """The design, with a bar that shows how it goes."""
    from didymos.fitting import design as find

    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_twin(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    if name in twin.scenarios:
        raise InputError(f"the twin has a scenario {name!r}; the file's name is that of the new one", option="output")
    total = float(options.evaluations)
    with progress(total, quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} excitations") as tick:
        return find(
            twin, free_parameters(twin, options.parameters or [], [], [], []), seconds=options.seconds, scenario=options.scenario,
            move=options.move or (), columns=columns_from(twin, options.column or []),
            noise=settings(options.noise or (), "--noise"), limits=ranges(options.limit or (), "--limit"),
            criterion=options.criterion, band=options.band, draws=options.draws,
            evaluations=options.evaluations, seed=options.seed, threads=options.threads,
            watch=lambda done, loss: tick(min(done, total), f"{options.criterion} {loss:.4g}"),
        )  # fmt: skip


def _keep(found: Design, options: DesignOptions, name: str) -> None:
    if options.output is not None:
        from didymos.fitting.design_scenario import save_scenario

        save_scenario(found, name, options.output)
    if options.plot is not None:
        from didymos.fitting.design_picture import plot_design

        plot_design(found, options.plot)


def _facts(found: Design) -> dict[str, Any]:
    return {
        "twin": found.twin,
        "scenario": found.scenario,
        "seconds": found.seconds,
        "criterion": found.criterion,
        "family": found.family,
        "factor": found.factor,
        "gain": found.gain,
        "parameters": {x.path: _widths(x) for x in found.parameters},
        "correlation": found.correlation,
        "limits": [_limit(kept) for kept in found.limits],
        "verified": found.verified,
        "evaluations": found.evaluations,
        "runs": found.runs,
        "interrupted": found.interrupted,
        "designed": found.plain,
    }


def _widths(x: PredictedParameter) -> dict[str, Any]:
    return {
        "value": x.value, "unit": x.unit, "half_width": x.half_width, "half_width_present": x.half_width_present,
        "ratio": x.ratio,
    }  # fmt: skip


def _limit(kept: KeptLimit) -> dict[str, Any]:
    limit = kept.limit
    return {
        "signal": limit.signal, "low": limit.low, "high": limit.high, "rms": limit.rms, "why": limit.why, "least": kept.least,
        "most": kept.most,
    }  # fmt: skip


def _print(found: Design, options: DesignOptions) -> None:
    files = {"scenario": options.output, "picture": options.plot}
    print_table([
        ("excitation", f"{found.family}, {found.seconds:g} s, {found.criterion}-optimal of {found.evaluations}"),
        ("moves", ", ".join(f"{item.target} {number(item.low)} .. {number(item.high, item.unit)}" for item in found.moved)),
        ("checked", f"{found.verified} runs, other seed and ends of the bounds among them: all limits are kept{_smaller(found)}"),
        *((name, str(file)) for name, file in files.items() if file is not None),
    ])  # fmt: skip
    headers = ("parameter", "unit", "value", "95 % interval", f"as {found.scenario or 'it is'}", "ratio")
    rows = [
        (x.path, x.unit, number(x.value), _half(x.half_width), _half(x.half_width_present), f"{x.ratio:.2f}")
        for x in found.parameters
    ]  # fmt: skip
    print_table(rows, headers)
    limits = [
        (kept.limit.signal + (" (rms)" if kept.limit.rms else ""), f"{kept.least:.4g} .. {kept.most:.4g}",
         f"{kept.limit.low:.4g} .. {kept.limit.high:.4g}", kept.limit.why)
        for kept in found.limits
    ]  # fmt: skip
    print_table(limits, ("signal", "reaches", "may be", "says"))


def _smaller(found: Design) -> str:
    return "" if found.factor == 1.0 else f" since it was made smaller, to {found.factor:.2f}"


def _half(width: float) -> str:
    return "not determined" if math.isinf(width) else f"+- {width:.3g}"
