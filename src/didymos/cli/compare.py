"""`didymos compare`: errors per signal of two logs, and an overlay picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.options import AsJson
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import pairs

__all__ = ["compare"]


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The reference: a .mcap or .csv log.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="What is held against it: a .mcap or .csv log.")],
    signal: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this signal; repeatable.")] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="IN_B=IN_A", help="A signal with another name in B; repeatable.")
    ] = None,
    shift: Annotated[float, typer.Option(metavar="S", help="Added to the time stamps of B [s].")] = 0.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="Draw both.")] = None,
    as_json: AsJson = False,
) -> int:
    """Errors per signal of two logs, and an overlay picture.

    Samples are aligned by time stamp.
    """
    import didymos

    result = didymos.compare(a, b, signals=signal or None, rename=pairs(rename or (), "--rename"), shift=shift)
    if output is not None:
        result.plot(output)
    found = result.to_json()
    if as_json:
        print_json({**found, "plot": output})
        return 0
    rows = [(name, number(x["rmse"]), number(x["max"]), str(x["samples"])) for name, x in found["signals"].items()]
    print_table(rows, ("signal", "rmse", "max", "samples"))
    if output is not None:
        print(f"overlay: {output}")
    return 0
