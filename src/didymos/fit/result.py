"""Keep what a fit found as a file of values that `didymos run --with` takes."""

from __future__ import annotations

from pathlib import Path

from didymos.fit.fit import Fit

__all__ = ["save_values"]


def save_values(found: Fit, path: Path) -> Path:
    """Write `path: value` lines, each with its interval and unit, below the story of the fit."""
    files = sorted({Path(item.name).name for item in found.judged if not item.held_out})
    lines = [
        f"# {found.twin} fitted to {', '.join(files)} by {found.method}: loss {found.loss_before:.6g} -> {found.loss_after:.6g}",
        *(f"# {text}" for text in found.warnings),
    ]
    for parameter in found.parameters:
        ends = parameter.interval
        sure = "not determined" if ends is None else f"95 %: {ends[0]:.6g} .. {ends[1]:.6g}"
        lines += [f"{path}: {parameter.after!r}  # {parameter.unit}; {sure}" for path in parameter.paths]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
