"""Keep what a fit found as a file of values."""

from __future__ import annotations

from pathlib import Path

from didymos.describe.values_file import write_values
from didymos.fitting.fitted import Fit, FittedParameter

__all__ = ["save_values"]


def save_values(fit: Fit, path: Path) -> Path:
    """Write the values by parameter path, each with its unit and interval, below the story of the fit."""
    files = sorted({Path(item.name).name for item in fit.evaluations if not item.held_out})
    story = f"{fit.twin} fitted to {', '.join(files)} by {fit.method}: loss {fit.loss_before:.6g} -> {fit.loss_after:.6g}"
    values = fit.values()
    shared = [item for item in fit.parameters if item.recording is None]
    remarks = {name: _remark(item) for item in shared for name in item.followers if name in values}
    own = [f"{x.path} of {Path(x.recording).name}: {x.after:.6g} {x.unit}" for x in fit.parameters if x.recording is not None]
    learned = () if fit.residual is None else (f"{fit.residual.name} correction of {fit.residual.part}: {fit.residual.verdict}",)
    write_values(path, values, comments=(story, *learned, *fit.warnings, *own), remarks=remarks)
    return path


def _remark(parameter: FittedParameter) -> str:
    ends = parameter.interval
    if ends is None:
        return f"{parameter.unit}; not determined"
    low, high = (f"{end:.6g}{' (bound)' if met else ''}" for end, met in zip(ends, parameter.open, strict=True))
    return f"{parameter.unit}; 95 %: {low} .. {high}"
