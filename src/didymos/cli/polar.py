"""`didymos polar`: a table of lift, drag and moment from the name of an airfoil."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.options import AsJson
from didymos.cli.text import print_json
from didymos.errors import InputError

__all__ = ["polar"]


def polar(
    airfoil: Annotated[str, typer.Argument(metavar="AIRFOIL", help="naca2412, e216, or another name that aerosandbox knows.")],
    reynolds: Annotated[
        list[float] | None, typer.Option("--reynolds", metavar="RE", min=1e3, max=1e9, help="Reynolds number; repeatable.")
    ] = None,
    low: Annotated[float, typer.Option(min=-90.0, max=90.0, help="Least angle of attack [deg].")] = -12.0,
    high: Annotated[float, typer.Option(min=-90.0, max=90.0, help="Largest angle of attack [deg].")] = 18.0,
    step: Annotated[float, typer.Option(min=0.05, max=30.0, help="From one angle to the next [deg].")] = 1.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A CSV file; the screen by default.")] = None,
    as_json: AsJson = False,
) -> int:
    """Make the table of an airfoil by its name, for parts of kind aero_table."""
    from didymos.describe.tables.airfoil_polar import polar_of_airfoil

    if not low < high:
        raise InputError(f"found {low:g} and {high:g}, expected the least angle below the largest", option="low")
    made = polar_of_airfoil(airfoil, tuple(reynolds or (1e5, 3e5, 1e6)), low, high, step)
    if output is not None:
        try:
            output.write_text(made.text)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", file=output) from None
    if as_json:
        print_json({"airfoil": airfoil, "rows": made.rows, "confidence": made.confidence, "file": output and str(output)})
    elif output is None:
        print(made.text, end="")
    else:
        print(f"{output}: {made.rows} rows; NeuralFoil's confidence is {made.confidence:.2f} or more")
    return 0
