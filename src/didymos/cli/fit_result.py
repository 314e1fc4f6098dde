"""What `didymos fit` tells: tables, or the same for --json."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.cli.residual_options import print_residual, residual_facts
from didymos.cli.text import number, print_table

if TYPE_CHECKING:
    from didymos.fitting import Fit, FittedParameter

__all__ = ["fit_facts", "print_fit"]


def fit_facts(fitted: Fit) -> dict[str, Any]:
    """Everything, for --json."""
    recordings: dict[str, dict[str, dict[str, float]]] = {}
    for item in fitted.evaluations:
        errors = {"rmse_before": item.rmse_before, "rmse_after": item.rmse_after}
        recordings.setdefault(item.name, {})[item.channel.column.signal] = errors
    return {
        "twin": fitted.twin,
        "method": fitted.method,
        "loss_before": fitted.loss_before,
        "loss_after": fitted.loss_after,
        "seconds": fitted.seconds,
        "runs": fitted.runs,
        "interrupted": fitted.interrupted,
        "converged": fitted.converged,
        "iterations": fitted.iterations,
        "window": fitted.window,
        "parameters": {x.path: _facts(x) for x in fitted.parameters if x.recording is None},
        "per_recording": {
            name: {x.path: _facts(x) for x in fitted.parameters if x.recording == name}
            for name in dict.fromkeys(x.recording for x in fitted.parameters if x.recording is not None)
        },
        "directions": [asdict(item) for item in fitted.directions],
        "misfits": [asdict(item) for item in fitted.misfits],
        "lags": [asdict(item) for item in fitted.lags],
        "valleys": [{"loss": valley.loss, "values": valley.values} for valley in fitted.valleys],
        "recordings": recordings,
        "hold_out": sorted({item.name for item in fitted.evaluations if item.held_out}),
        "correlation": fitted.correlation,
        "intervals": fitted.intervals,
        **_sampling(fitted),
        "warnings": fitted.warnings,
        **residual_facts(fitted),
    }


def _sampling(fitted: Fit) -> dict[str, Any]:
    """How the posterior was sampled; the samples themselves go to a file."""
    found = fitted.samples
    if found is None:
        return {}
    names = ("walkers", "steps", "autocorrelation", "effective", "acceptance", "converged")
    return {"sampling": {"samples": len(found.values)} | {name: getattr(found, name) for name in names}}


def _facts(x: FittedParameter) -> dict[str, Any]:
    facts: dict[str, Any] = {"before": x.before, "after": x.after, "interval": x.interval, "bounds": x.bounds}
    return facts | ({"open": x.open} if any(x.open) else {})


def print_fit(fitted: Fit, files: dict[str, Path | None]) -> None:
    """Tables of parameters and errors, and the files that were written."""
    rows = [
        ("loss", f"{fitted.loss_before:.6g} -> {fitted.loss_after:.6g}"),
        ("time", f"{fitted.seconds:.1f} s, {fitted.runs} runs, {fitted.method}"),
        *([("sampling", fitted.samples.text)] if fitted.samples is not None else []),
        *((name, str(file)) for name, file in files.items() if file is not None),
    ]
    print_table(rows)
    table = [
        (x.full_name, x.unit, number(x.before), number(x.after), _interval(x)) for x in fitted.parameters
    ]  # fmt: skip
    print_table(table, ("parameter", "unit", "before", "after", f"95 % interval ({fitted.intervals})"))
    errors = [
        (Path(item.name).name + (" (held out)" if item.held_out else ""), item.channel.column.signal, number(item.rmse_before),
         number(item.rmse_after))
        for item in fitted.evaluations
    ]  # fmt: skip
    print_table(errors, ("recording", "signal", "rmse before", "after"))
    print_residual(fitted)


def _interval(x: FittedParameter) -> str:
    if x.interval is None:
        return "not determined"
    return " .. ".join(f"{number(end)}{' (bound)' if met else ''}" for end, met in zip(x.interval, x.open, strict=True))
