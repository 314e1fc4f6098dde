"""What the columns of recordings mean, from `--column COLUMN=SIGNAL[*SCALE][:UNIT][@WEIGHT]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.values import finite, pairs
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.fitting import Column
    from didymos.twin import Twin

__all__ = ["ColumnOption", "columns_from"]

ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column", metavar="COLUMN=SIGNAL[*SCALE][:UNIT][@WEIGHT]",
        help="What a column means, as elbow=joints.elbow.position:deg; repeatable; the twin's by default.",
    ),
]  # fmt: skip


def columns_from(twin: Twin, texts: list[str]) -> dict[str, Column]:
    """The columns that were named, or those of the twin file where none were."""
    from didymos.fitting import Column, columns_of

    if not texts:
        return columns_of(twin)
    columns = {}
    for name, text in pairs(texts, "--column").items():
        rest, _, weight = text.partition("@")
        rest, _, unit = rest.partition(":")
        signal, _, scale = rest.partition("*")
        columns[name] = Column(
            name, signal.strip(), finite(scale or "1", name), finite(weight or "1", name), unit=unit.strip()
        )  # fmt: skip
        if columns[name].weight < 0.0:
            raise InputError(f"found the weight {columns[name].weight:g}, expected none below 0", path=f"--column {name}")
    return columns
