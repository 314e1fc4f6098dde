"""Keep what a fit found as a file of values."""

from __future__ import annotations

from pathlib import Path

from didymos.describe.values_file import write_values
from didymos.fitting.fit import Fit, FittedParameter

__all__ = ["save_values"]


def save_values(fit: Fit, path: Path) -> Path:
    """Write the values by parameter path, each with its unit and interval, below the story of the fit."""
    files = sorted({Path(item.name).name for item in fit.evaluations if not item.held_out})
    story = f"{fit.twin} fitted to {', '.join(files)} by {fit.method}: loss {fit.loss_before:.6g} -> {fit.loss_after:.6g}"
    remarks = {path: _remark(parameter) for parameter in fit.parameters for path in parameter.paths}
    write_values(path, fit.values(), comments=(story, *fit.warnings), remarks=remarks)
    return path


def _remark(parameter: FittedParameter) -> str:
    ends = parameter.interval
    return f"{parameter.unit}; " + ("not determined" if ends is None else f"95 %: {ends[0]:.6g} .. {ends[1]:.6g}")
