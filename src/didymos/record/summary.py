"""What a log holds at a glance: its streams with their columns, rows, rates and times, for a terminal and for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from didymos.record.log import Log

__all__ = ["as_html", "as_text"]

_HEAD = ("stream", "columns", "rows", "rate", "from", "to")


def _title(log: Log) -> str:
    about = " ".join(log.metadata.get(key, "") for key in ("twin", "variant", "scenario")).split()
    of = f" of {', '.join(about)}" if about else ""
    return f"Log{of}: {len(log.layouts)} streams, {len(log.signals)} signals"


def _cells(log: Log, index: int) -> tuple[str, ...]:
    """Of one stream: name, how many columns and rows, mean rate and the times of its first and last row."""
    layout = log.layouts[index]
    name, columns = layout.name or "(no name)", str(len(layout.columns))
    if not log.keeps_rows:
        return name, columns, "not kept", "-", "-", "-"
    times, _ = log.rows(index)
    if len(times) == 0:
        return name, columns, "0", "-", "-", "-"
    first, last = float(times[0]), float(times[-1])
    rate = f"{(len(times) - 1) / (last - first):.4g} Hz" if last > first else "-"
    return name, columns, str(len(times)), rate, f"{first:g} s", f"{last:g} s"


def as_text(log: Log) -> str:
    """A title and a table whose columns line up."""
    rows = [_HEAD, *(_cells(log, i) for i in range(len(log.layouts)))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join((_title(log), *(f"  {line}".rstrip() for line in lines)))


def as_html(log: Log) -> str:
    """The same; the number of a stream's columns opens the list of them, with units."""
    head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
    body = []
    for i, layout in enumerate(log.layouts):
        name, columns, *rest = map(escape, _cells(log, i))
        units = zip(layout.columns, layout.units, strict=True)
        listed = "<br>".join(escape(f"{column} [{unit}]" if unit else column) for column, unit in units)
        opened = f"<details><summary>{columns}</summary>{listed}</details>" if listed else columns
        body.append(f"<tr><td>{name}</td><td>{opened}</td>" + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>")
    return f"<div><b>{escape(_title(log))}</b><table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
