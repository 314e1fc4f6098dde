"""`didymos compare`: errors per signal of two logs, and an overlay picture."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.logs import open_log
from didymos.cli.options import AsJson
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import pairs

if TYPE_CHECKING:
    from didymos import Log

__all__ = ["compare"]

NOT_COMPARED = {"only_in_a": "only in A", "only_in_b": "only in B", "no_overlap": "no common time"}


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The reference: a log of any kind that didymos log reads.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="What is held against it: another log.")],
    signal: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this signal; repeatable.")] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="IN_B=IN_A", help="A signal with another name in B; repeatable.")
    ] = None,
    twin: Annotated[
        str | None,
        typer.Option(metavar="TWIN", help="Whose recordings.columns say what the columns of A mean; the twin of B by default."),
    ] = None,
    shift: Annotated[float, typer.Option(metavar="S", help="Added to the time stamps of B [s].")] = 0.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="Draw both.")] = None,
    as_json: AsJson = False,
) -> int:
    """Errors per signal of two logs, and an overlay picture.

    Samples are aligned by time stamp.
    """
    import didymos

    log_a, log_b = open_log(a), open_log(b)
    names = {**_columns(twin, log_a, log_b), **pairs(rename or (), "--rename")}
    result = didymos.compare(log_a, log_b, signals=signal or None, rename=names, shift=shift)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace(result, labels=(a.name, b.name)).plot(output)
    facts = result.to_json()
    if as_json:
        print_json({**facts, "plot": output})
        return 0
    rows = [
        (name, x.unit or "-", number(x.rmse), number(x.max), number(x.time_of_max), str(x.samples))
        for name, x in result.signals.items()
    ]
    print_table(rows, ("signal", "unit", "rmse", "max", "at [s]", "samples"))
    for key, meaning in NOT_COMPARED.items():
        if facts[key]:
            print(f"{meaning}: {' '.join(facts[key])}", file=sys.stderr)
    if output is not None:
        print(f"overlay: {output}")
    return 0


def _columns(twin: str | None, a: Log, b: Log) -> dict[str, str]:
    """Signals of B by the columns of A that measure them, as a twin says; without one, as the bundled twin that B is a run of."""
    import didymos

    if twin is None:
        twin = b.metadata.get("twin", "")
        if twin not in didymos.bundled():
            return {}
    known = didymos.load(twin, run_code=False).file.recordings.columns
    plain = {name: x.signal for name, x in known.items() if x.signal is not None and x.scale == 1.0 and not (x.unit or x.columns)}
    return {signal: name for name, signal in plain.items() if name in a and signal in b and signal not in a}
