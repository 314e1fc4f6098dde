"""`didymos validate`: every recording, every signal, one table."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.fit_columns import ColumnOption, columns_from
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
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import limits
from didymos.cli.workers import workers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from didymos.fitting.horizon import HorizonError
    from didymos.fitting.validate import Validation

__all__ = ["validate"]

_USUAL = 40.0  # runs of a search for what each recording has for itself; only the bar's length depends on it


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """Which twin is held against which recordings, and how."""

    twin: TwinName
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Recordings: FILE, FILE=SCENARIO that was commanded, A+B of one clock.")
    ]
    variant: Variant = None
    scenarios: Scenarios = None
    window: Annotated[
        float | None, typer.Option(metavar="S", min=1e-4, max=1e4, help="Predict so long from measured states, over and over.")
    ] = None
    between: Annotated[
        str | None, typer.Option(metavar="A:B", help="Only what lies between these times [s] of each recording.")
    ] = None
    look_back: Annotated[
        float, typer.Option(metavar="S", min=0.0, max=100.0, help="Motors have seen the inputs of so long before each window.")
    ] = 0.0
    column: ColumnOption = None
    portable: Portable = False
    threads: Threads = None
    cluster: Cluster = None
    sets: Sets = None
    values: Values = None
    control: Control = None
    read: Reading
    as_json: AsJson = False
    quiet: Quiet = False


@command
def validate(options: ValidateOptions) -> int:
    """Hold a twin against recordings of its robot.

    With --with or --set, before and after stand side by side. Exit status 1 if a run fails.
    """
    found = _judge(options)
    for text in found.findings:
        print(f"didymos: {text}", file=sys.stderr)
    if found.failed:
        print(f"didymos: {found.failed} runs failed and are not counted", file=sys.stderr)
    if options.as_json:
        print_json(_facts(found))
    elif not options.quiet:
        _print(found)
    return 1 if found.failed else 0


def _judge(options: ValidateOptions) -> Validation:
    from didymos.fitting import read_recordings
    from didymos.fitting.validate import validate as judge

    quiet = options.quiet or options.as_json
    values = chosen_values(options.values, options.sets)
    twin = load_twin(
        options.twin, options.variant, values, options.control, read=options.read, scenarios=options.scenarios, quiet=quiet
    )
    before = None
    if values:
        before = load_twin(
            options.twin, options.variant, {}, options.control, read=options.read, scenarios=options.scenarios, quiet=True
        )
    recordings = read_recordings(twin, options.data, columns_from(twin, options.column or []))
    between = limits(options.between, "--between") if options.between else None
    bar = progress(_USUAL, quiet=quiet, text="{task.completed:.0f} runs")
    with workers(options.cluster, options.threads) as threads, bar as tick:
        return judge(
            twin, recordings, before=before, window=options.window, between=between, look_back=options.look_back,
            threads=threads,
            watch=lambda runs, loss: tick(min(runs, 0.99 * _USUAL), f"loss {loss:.6g}"),
        )  # fmt: skip


def _facts(found: Validation) -> dict[str, Any]:
    from didymos.fitting.horizon import as_facts

    files: dict[str, dict[str, Any]] = {}
    for row in found.rows:
        errors = {"rmse_before": row.before, "rmse": row.after, "reference": row.reference}
        files.setdefault(row.recording, {"signals": {}})["signals"][row.signal] = errors
    for name, errors_of in found.windows_by_recording.items():
        files[name]["windows"] = as_facts(errors_of)
        files[name]["count"] = max((item.windows for item in errors_of.values()), default=0)
    for name, values in found.own.items():
        files[name]["own"] = values
    facts: dict[str, Any] = {"twin": found.twin, "window": found.window, "files": files, "failed": found.failed}
    if found.window is not None:
        facts["windows"] = as_facts(found.windows)
        facts["count"] = max((item.windows for item in found.windows.values()), default=0)
    if found.windows_as_filed:
        facts["windows_as_filed"] = as_facts(found.windows_as_filed)
    return facts | {"findings": found.findings}


def _print(found: Validation) -> None:
    with_before = any(row.before is not None for row in found.rows)
    with_reference = any(row.reference is not None for row in found.rows)
    head = ["recording", "signal", *(["rmse before"] if with_before else []), "after" if with_before else "rmse"]
    rows = []
    for row in found.rows:
        cells = [Path(row.recording).name, row.signal, *([_cell(row.before)] if with_before else []), number(row.after)]
        rows.append((*cells, *([_cell(row.reference)] if with_reference else [])))
    print_table(rows, (*head, *(["published"] if with_reference else [])))
    for name, values in found.own.items():
        for path, value in values.items():
            print(f"{Path(name).name}: {path} = {number(value)}, its own")
    if found.windows:
        print_table(*_window_table(found.windows, f"windows of {found.window:g} s"))
    if found.windows_as_filed:
        print_table(*_window_table(found.windows_as_filed, "with nothing fitted to any recording"))


def _window_table(windows: Mapping[str, HorizonError], title: str) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    count = max(item.windows for item in windows.values())
    facts = {signal: item.facts() for signal, item in windows.items()}
    keys = tuple(next(iter(facts.values())))
    rows = [(signal, *(number(values.get(key, float("nan"))) for key in keys)) for signal, values in facts.items()]
    return rows, (f"{count} {title}", *keys)


def _cell(value: float | None) -> str:
    return "-" if value is None else number(value)
