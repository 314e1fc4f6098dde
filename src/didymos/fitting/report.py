"""The report of a fit: one HTML file that needs nothing else, with tables, overlay plots and correlations.

Plots are SVG drawn by matplotlib inside the page: a tenth of the size of an interactive plotting library, and they print.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from didymos.fitting.evaluation import Evaluation
from didymos.fitting.fitted import Fit, FittedParameter

__all__ = ["save_report"]

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:62em;padding:0 1em;color:#1c2733}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse}td,th{padding:.25em .8em;text-align:left;
border-bottom:1px solid #dde3e9}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}
.w{background:#fff4e0;border-left:4px solid #e39b1a;padding:.4em 1em}.big{font-size:1.25em}"""
_REAL, _BEFORE, _AFTER = "#1c2733", "#b5bdc6", "#d1481f"


def save_report(fit: Fit, path: Path) -> Path:
    """Write the report of a fit."""
    losses = f"{fit.loss_before:.5g} → <b>{fit.loss_after:.5g}</b>"
    parts = [
        f"<h1>{html.escape(fit.twin)}: fit to {_files(fit)}</h1>",
        f'<p class="big">Loss {losses} ({fit.runs} runs in {fit.seconds:.1f} s, {fit.method})</p>',
        *(f'<p class="w">{html.escape(text)}</p>' for text in fit.warnings),
        "<h2>Parameters</h2>",
        _table(("parameter", "unit", "before", "after", "95 % interval", "bounds"), [_row(x) for x in fit.parameters]),
        f"<p>Intervals: {html.escape(by_what(fit))}.</p>",
        "<h2>Errors (RMSE)</h2>",
        _table(("recording", "signal", "before", "after"), [_error_row(item) for item in fit.evaluations]),
        *residual_section(fit),
        "<h2>Overlays</h2>",
        *(_overlay(item) for item in fit.evaluations),
        "<h2>Correlation of the parameters</h2>",
        _correlation(fit),
        *_posterior(fit),
    ]
    page = f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(fit.twin)}</title><style>{_STYLE}</style>"
    path.write_text(page + "\n".join(parts) + "</html>\n", encoding="utf-8")
    return path


def residual_section(fit: Fit) -> list[str]:
    """What was learned on top of the fit: the verdict, and errors of physics alone and with the correction."""
    found = fit.residual
    if found is None:
        return []
    before = {(item.name, item.channel.column.signal): f"{item.rmse_before:.5g}" for item in fit.evaluations}
    rows = []
    for item in found.evaluations:
        name, signal, physics, corrected = _error_row(item)
        rows.append((name, signal, before.get((item.name, signal), ""), physics, corrected))
    return [
        f"<h2>Residual: {html.escape(found.name)} correction in {html.escape(found.part)}</h2>",
        f"<p>{html.escape(found.verdict)}</p>",
        _table(("recording", "signal", "before", "physics", "physics and correction"), rows),
    ]


def by_what(fit: Fit) -> str:
    """How intervals were found, in words."""
    if fit.samples is not None:
        return f"posterior ({fit.samples.text})"
    return {"sandwich": "sandwich, from the slopes at the optimum", "profile": "profile likelihood"}[fit.intervals]


def _files(fit: Fit) -> str:
    return html.escape(", ".join(dict.fromkeys(Path(item.name).name for item in fit.evaluations if not item.held_out)))


def _row(x: FittedParameter) -> tuple[str, ...]:
    interval = "not determined" if x.interval is None else " to ".join(
        f"{end:.4g}{' (bound)' if met else ''}" for end, met in zip(x.interval, x.open, strict=True)
    )  # fmt: skip
    return x.full_name, x.unit, f"{x.before:.5g}", f"{x.after:.5g}", interval, f"{x.bounds[0]:g} to {x.bounds[1]:g}"


def _error_row(item: Evaluation) -> tuple[str, ...]:
    name = Path(item.name).name + (" (held out)" if item.held_out else "")
    return name, item.channel.column.signal, f"{item.rmse_before:.5g}", f"{item.rmse_after:.5g}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _overlay(item: Evaluation) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    time, real = item.time, item.measured
    above.plot(time, item.before, color=_BEFORE, lw=1.2, label="twin before")
    above.plot(time, real, color=_REAL, lw=1.0, label="recorded")
    above.plot(time, item.after, color=_AFTER, lw=1.0, label="twin after")
    above.set_title(f"{Path(item.name).name}{' (held out)' if item.held_out else ''}: {item.channel.column.signal}", fontsize=10)
    above.legend(fontsize=8, frameon=False)
    below.plot(time, item.before - real, color=_BEFORE, lw=1.0)
    below.plot(time, item.after - real, color=_AFTER, lw=1.0)
    below.set_ylabel("error", fontsize=8)
    below.set_xlabel("time [s]", fontsize=8)
    for axes in (above, below):
        axes.grid(alpha=0.25)
        axes.tick_params(labelsize=8)
    return _svg(figure)


def _correlation(fit: Fit) -> str:
    if not len(fit.correlation):
        return "<p>No parameter moved.</p>"
    from matplotlib.figure import Figure

    names = [parameter.path for parameter in fit.parameters][: len(fit.correlation)]
    side = 2.5 + 0.34 * len(names)
    figure = Figure(figsize=(side + 1.5, side), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(np.asarray(fit.correlation), vmin=-1, vmax=1, cmap="RdBu_r")
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    figure.colorbar(image, ax=axes, shrink=0.7)
    return _svg(figure)


def _posterior(fit: Fit) -> list[str]:
    if fit.samples is None:
        return []
    from didymos.fitting.corner_picture import corner_picture

    return ["<h2>Posterior</h2>", f"<p>{html.escape(fit.samples.text)}.</p>", _svg(corner_picture(fit))]


def _svg(figure: Any) -> str:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "didymos", "svg.fonttype": "none"}):
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]
