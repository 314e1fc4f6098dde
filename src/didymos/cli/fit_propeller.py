"""`didymos fit-propeller`: constants of a rotor from a bench table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.options import AsJson
from didymos.cli.text import print_json

__all__ = ["fit_propeller"]


def fit_propeller(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A CSV with the columns speed, thrust and power or torque.")],
    density: Annotated[float, typer.Option(min=0.1, max=10.0, help="Of the air on the bench [kg/m^3].")] = 1.225,
    as_json: AsJson = False,
) -> int:
    """Fit thrust and torque coefficients of a rotor to a bench table."""
    from didymos.describe.bench_table import read_bench_table
    from didymos.parts.propeller_fit import fit_propeller as fit

    fitted = fit(*read_bench_table(table), density=density)
    names = {"thrust_coefficient": "N s^2", "torque_coefficient": "N m s^2"}
    if as_json:
        print_json({"rows": fitted.rows} | {name: vars(getattr(fitted, name)) for name in names})
        return 0
    for name, unit in names.items():
        constant = getattr(fitted, name)
        about = f"{unit}, +- {constant.deviation:.2g}; predicts within {100 * constant.worst:.2g} %"
        print(f"{name}: {constant.value:.6g}   # {about}")
    return 0
