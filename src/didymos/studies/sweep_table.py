"""What a sweep found, as a table of runs (CSV) and as a picture: every expectation over every varied parameter."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.record.style import COLOURS, figure_file, new_figure, style, unit_label
from didymos.studies.trial import Trial

__all__ = ["plot_sweep", "save_sweep"]

_MET, _MISSED, _LIMIT = COLOURS[0], COLOURS[1], "#888888"


def save_sweep(trials: Sequence[Trial], file: str | Path) -> None:
    """One row a run: seed, varied values by path, measured values by expectation, whether it was met, what ended it."""
    names = _expectations(trials)
    paths = list(trials[0].values) if trials else []
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["seed", *paths, *names, "ok", "error"])
    for trial in trials:
        found = {verdict.name: verdict.value for verdict in trial.verdicts}
        values = [repr(trial.values[path]) for path in paths]
        measured = ["" if found.get(name) is None else repr(found[name]) for name in names]
        table.writerow([trial.seed, *values, *measured, int(trial.ok), trial.error or ""])
    try:
        Path(file).write_text(text.getvalue())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=Path(file)) from error


def plot_sweep(trials: Sequence[Trial], file: str | Path) -> Path:
    """Measured values over varied parameters (over the seed where none varies), their limits as lines."""
    names = _expectations(trials)
    if not names:
        raise InputError("there is nothing to draw: the scenario expects nothing, or no run came to its end")
    paths = list(trials[0].values) or ["seed"]
    with style():
        figure = new_figure(1.5 + 3.2 * len(paths), 0.6 + 2.0 * len(names))
        grid = figure.subplots(len(names), len(paths), squeeze=False, sharex="col", sharey="row")
        for row, name in enumerate(names):
            points = [(trial, verdict) for trial in trials for verdict in trial.verdicts if verdict.name == name]
            seen = [(trial, verdict) for trial, verdict in points if verdict.value is not None]
            for column, path in enumerate(paths):
                panel = grid[row][column]
                panel.margins(x=0.04)
                _limits(panel, points[0][1])
                for ok, colour, label in ((True, _MET, "met"), (False, _MISSED, "missed")):
                    chosen = [(trial, verdict) for trial, verdict in seen if bool(verdict.ok) is ok]
                    places = [trial.values.get(path, trial.seed) for trial, _ in chosen]
                    panel.scatter(places, [verdict.value for _, verdict in chosen], s=12.0, color=colour, label=label)
                if row == len(names) - 1:
                    panel.set_xlabel(path)
            grid[row][0].set_ylabel(f"{name} {unit_label(points[0][1].unit)}".strip())
        grid[0][-1].legend(loc="best")
        return figure_file(figure, file)


def _limits(panel: object, verdict: Verdict) -> None:
    for bound in (verdict.low, verdict.high):
        if bound is not None:
            panel.axhline(bound, color=_LIMIT, linewidth=0.9, linestyle="--")  # type: ignore[attr-defined]


def _expectations(trials: Sequence[Trial]) -> list[str]:
    return list(dict.fromkeys(verdict.name for trial in trials for verdict in trial.verdicts))
