"""The page of all robots: totals by package and verdict, what went wrong, and a row for every file."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

__all__ = ["write_table"]

Row = dict[str, Any]

_VERDICTS = (
    "holds", "stands still", "hangs loose", "sags", "stands", "rolls", "lies", "falls over", "diverges", "fell through the floor",
    "refused",
)  # fmt: skip
_NEVER = ("diverges", "fell through the floor")  # counted also where there is none
_HEAD = """\
# Robots of others

Every robot of some packages, made into a twin by `didymos new`, checked, and run for two seconds on level ground as it was
written, without a line of the user's. Made by [tools/robot_table](../tools/robot_table); the files are no part of this project.

*Holds*: a fixed robot whose driven joints stay within 0.05 rad or m of their start; *sags*: one does not; *hangs loose*: nothing
drives its joints; *stands still*: it has none. *Stands*: a floating robot with drives that has turned by less than 0.5 rad and
sunk by less than a third of its height; *rolls*: one that `wheeled` drives; *falls over*: it turned or sank further; *lies*:
nothing drives it, it is a thing rather than a robot. *Refused*: the file is wrong, or needs files that are not there; the
sentence is that of `didymos new`. The rules stand in [trial.py](../src/didymos/engine/trial.py). `mujoco-menagerie` itself
holds no robots, it downloads them: the Menagerie models here are those that `mjlab`, `genesis-world` and `mujoco-mjx` carry.
"""


def write_table(page: Path, rows: list[Row]) -> None:
    """Write the page of all results."""
    rows = sorted((row for row in rows if row["verdict"] != "fragment"), key=lambda row: str(row["file"]))
    page.write_text("\n".join([_HEAD, _totals(rows), _files(rows)]), encoding="utf-8")


def _package(row: Row) -> str:
    return str(row["file"]).partition("/")[0]


def _totals(rows: list[Row]) -> str:
    known = [verdict for verdict in (*_VERDICTS, "fails") if verdict in _NEVER or any(row["verdict"] == verdict for row in rows)]
    lines = ["| package | files | " + " | ".join(known) + " |", "|---|---|" + "---|" * len(known)]
    for package in (*dict.fromkeys(_package(row) for row in rows), "all"):
        own = [row for row in rows if package in ("all", _package(row))]
        counts = Counter(row["verdict"] for row in own)
        lines.append(f"| {package.replace('-', ' ', 1)} | {len(own)} | " + " | ".join(str(counts[v]) for v in known) + " |")
    return "\n".join([*lines, ""])


def _files(rows: list[Row]) -> str:
    """A row each; mass [kg], joints that move, joints that something drives, base, program, what came of it."""
    lines = []
    for package in dict.fromkeys(_package(row) for row in rows):
        own = [row for row in rows if _package(row) == package]
        above = _common([row["file"] for row in own])
        lines += [f"## {package.replace('-', ' ', 1)}", ""]
        lines += [f"Below `{above}`. Joint error in rad or m, height gained by the base in m.", ""]
        lines.append("| file | mass | joints | drives | base | by | program | verdict | joint error | height | |")
        lines.append("|---|---|---|---|---|---|---|---|---|---|---|")
        lines += [_row(row, above) for row in own]
        lines.append("")
    return "\n".join(lines)


def _common(names: list[str]) -> str:
    """The folder that all names begin with."""
    first, last = min(names), max(names)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: first[:same].rfind("/") + 1]


def _row(row: Row, above: str) -> str:
    cells = [row["file"].removeprefix(above)]
    cells.append(f"{row['mass']:.4g}" if "mass" in row else "")
    cells += [str(row.get(key, "")) for key in ("joints", "drives", "base", "rule", "program", "verdict")]
    cells.append(_figure(row["joint_error"]) if row.get("drives") and "joint_error" in row else "")
    cells.append(f"{row['rise']:+.3f}" if row.get("base") == "floating" and "rise" in row else "")
    cells.append(_reason(row))
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def _reason(row: Row) -> str:
    """Why, without any folder of the machine; what was estimated unasked."""
    if row.get("estimated"):
        return f"{row['estimated']} links have a mass and no inertia: it is that of their shapes"
    return re.sub(rf"{re.escape(tempfile.gettempdir())}/[^\s':]*/", "", str(row["why"]))


def _figure(value: float) -> str:
    """A joint error; what is below a millionth is none."""
    return "0" if abs(value) < 1e-6 else f"{value:.2g}"
