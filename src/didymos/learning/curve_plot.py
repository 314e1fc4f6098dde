"""The learning curve as a picture: what the policy is worth, over generations and over simulated time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from didymos.learning.checkpoint import Checkpoint
from didymos.record.style import COLOURS, figure_file, new_figure, style

__all__ = ["plot_curve"]


def plot_curve(checkpoint: Checkpoint, file: Path, rate: float) -> Path:
    """Draw returns of the centre's validation and of the candidates; `rate` are the policy's answers per second [Hz]."""
    table = checkpoint.curve()
    hours = table[:, 5] / rate / 3600.0
    about = checkpoint.about
    with style():
        figure = new_figure(6.4, 3.4)
        panel = figure.subplots()
        lowest = [item.validation.min() for item in checkpoint.generations]
        highest = [item.validation.max() for item in checkpoint.generations]
        panel.fill_between(hours, lowest, highest, color=COLOURS[0], alpha=0.18, linewidth=0.0, label="its episodes")
        panel.plot(hours, table[:, 1], color=COLOURS[0], label="policy, mean of validation")
        panel.plot(hours, table[:, 3], color=COLOURS[1], linewidth=0.9, label="candidates, mean")
        panel.set_xlabel("simulated time [h]")
        panel.set_ylabel("return")
        low = np.percentile(table[:, 3], 5) if len(table) else 0.0
        most = max([*highest, *table[:, 4]], default=1.0)
        panel.set_ylim(min(low, table[:, 1].min(initial=0.0)) - 0.05 * abs(most), most + 0.05 * abs(most))
        wall, cpu = (table[-1, 7], table[-1, 8]) if len(table) else (0.0, 0.0)
        panel.set_title(
            f"{about['twin']}, {about['task']}: {about['method']}, {len(table)} generations, {wall:.0f} s ({cpu:.0f} s of CPU)"
        )
        panel.legend(loc="lower right")
        return figure_file(figure, file)
