"""`didymos plot`: pictures of a log's signals, or the list of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.completion import complete_signals
from didymos.cli.logs import open_log
from didymos.cli.options import AsJson, LogFile, RobotName
from didymos.cli.text import number, print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos import Log

__all__ = ["plot"]


def plot(
    log: LogFile,
    signals: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SIGNAL...]", help="What to draw; an overview by default.", autocompletion=complete_signals),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="The picture; LOG's name by default.")
    ] = None,
    plane: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK[,LINK...]", help="Draw the path of a link, or of a chain of links, from above; repeatable."),
    ] = None,
    begin: Annotated[float | None, typer.Option("--from", metavar="S", help="Draw from this time on [s].")] = None,
    end: Annotated[float | None, typer.Option("--to", metavar="S", help="Draw up to this time [s].")] = None,
    robot: RobotName = None,
    only_list: Annotated[bool, typer.Option("--list", help="List the signals and draw nothing.")] = False,
    as_json: AsJson = False,
) -> int:
    """Pictures of a log's signals; of a world's log, of where its robots went.

    Without SIGNAL, what the scenario expects comes first, with its limits. A file that is no picture of Didymos stays.
    """
    if begin is not None and end is not None and not begin < end:
        raise InputError(f"found {end:g}, expected a time after {begin:g} s, where --from begins", path="--to")
    loaded = open_log(log, robot)
    picture = None if only_list or (as_json and output is None) else output or log.with_suffix(".png")
    if picture is not None:
        picture.parent.mkdir(parents=True, exist_ok=True)
        loaded.plot(*(signals or ()), path=picture, plane=plane or (), start=begin, end=end)
    if as_json:
        print_json({"log": log, "metadata": loaded.metadata, "signals": _signals(loaded), "plot": picture})
    elif only_list:
        rows = [
            (name, x["unit"] or "-", str(x["count"]), number(x["min"]), number(x["max"]))
            for name, x in _signals(loaded).items()
        ]
        print_table(rows, ("signal", "unit", "count", "min", "max"))
    else:
        print(f"picture: {picture}")
    return 0


def _signals(log: Log) -> dict[str, dict[str, Any]]:
    signals = {}
    for name in log.signals:
        signal = log[name]
        numbers = signal.values[signal.values == signal.values]  # a NaN is not equal to itself
        low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (None, None)
        signals[name] = {"unit": signal.unit, "count": len(signal.time), "min": low, "max": high}
    return signals
