"""`didymos compare`: errors per signal of two logs, and an overlay picture."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.logs import open_log
from didymos.cli.options import AsJson
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import pairs

__all__ = ["compare"]

NOT_COMPARED = {"only_in_a": "only in A", "only_in_b": "only in B", "no_overlap": "no common time"}


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The reference: a .mcap or .csv log.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="What is held against it: a .mcap or .csv log.")],
    signal: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this signal; repeatable.")] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="IN_B=IN_A", help="A signal with another name in B; repeatable.")
    ] = None,
    twin: Annotated[
        str | None, typer.Option(metavar="TWIN", help="A is a recording whose columns this twin knows (fit.columns).")
    ] = None,
    shift: Annotated[float, typer.Option(metavar="S", help="Added to the time stamps of B [s].")] = 0.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="Draw both.")] = None,
    as_json: AsJson = False,
) -> int:
    """Errors per signal of two logs, and an overlay picture.

    Samples are aligned by time stamp.
    """
    import didymos

    names = pairs(rename or (), "--rename")
    if twin is not None:
        known = didymos.load(twin).file.fit.columns
        names = {item.signal: name for name, item in known.items() if item.scale == 1.0} | names
    result = didymos.compare(open_log(a), open_log(b), signals=signal or None, rename=names, shift=shift)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace(result, labels=(a.name, b.name)).plot(output)
    found = result.to_json()
    if as_json:
        print_json({**found, "plot": output})
        return 0
    rows = [
        (name, x.unit or "-", number(x.rmse), number(x.max), number(x.time_of_max), str(x.samples))
        for name, x in result.signals.items()
    ]
    print_table(rows, ("signal", "unit", "rmse", "max", "at [s]", "samples"))
    for key, meaning in NOT_COMPARED.items():
        if found[key]:
            print(f"{meaning}: {' '.join(found[key])}", file=sys.stderr)
    if output is not None:
        print(f"overlay: {output}")
    return 0
