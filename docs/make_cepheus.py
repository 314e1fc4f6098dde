"""Draw docs/pictures/cepheus.png: the capture of a drifting target in the plane, and over time. `python docs/make_cepheus.py`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.control.capture_stages import STAGES
from didymos.record.log import Log
from didymos.record.plot import COLOURS, figure_file, new_figure, style

ARM = ("base", "upper_arm", "forearm", "wrist_link", "hand")


def plane(ax: Any, log: Log) -> None:
    """Base, arm and target at five moments, and the paths of base, hand and target."""
    moments = np.linspace(0.0, log["tf.base.position.x"].time[-1], 5)
    for name, colour in (("base", COLOURS[0]), ("hand", COLOURS[1]), ("target", COLOURS[2])):
        ax.plot(log[f"tf.{name}.position.x"].values, log[f"tf.{name}.position.y"].values, color=colour, label=f"path of {name}")
    for k, moment in enumerate(moments):
        shade = 0.25 + 0.6 * k / (len(moments) - 1)
        i = min(int(np.searchsorted(log["tf.base.position.x"].time, moment)), len(log["tf.base.position.x"].time) - 1)
        points = np.array([[log[f"tf.{name}.position.{axis}"].values[i] for axis in "xy"] for name in ARM])
        ax.plot(*points.T, "o-", color="black", alpha=shade, markersize=3, linewidth=1.5)
        for name, size, colour in (("base", 0.14, COLOURS[0]), ("target", 0.15, COLOURS[2])):
            x, y = (log[f"tf.{name}.position.{axis}"].values[i] for axis in "xy")
            yaw = 2.0 * np.arctan2(log[f"tf.{name}.orientation.z"].values[i], log[f"tf.{name}.orientation.w"].values[i])
            corners = np.linspace(0, 2 * np.pi, 41 if name == "base" else 5) + yaw + (0.0 if name == "base" else np.pi / 4)
            radius = size if name == "base" else size * np.sqrt(2)
            ax.plot(x + radius * np.cos(corners), y + radius * np.sin(corners), color=colour, alpha=shade, linewidth=0.9)
    ax.set_aspect("equal")
    ax.margins(0.05)
    ax.set_title("the plane [m], at five moments")
    ax.legend(loc="lower right")


def main() -> None:
    """One run of `drifting_target`, seed 1."""
    simulation = didymos.load("cepheus").simulate(seed=1, scenario="drifting_target")
    log = simulation.run()
    with style():
        figure = new_figure(6.8, 4.0)
        grid = figure.add_gridspec(4, 2, width_ratios=(1.2, 1))
        plane(figure.add_subplot(grid[:, 0]), log)
        curves = (
            ("control.stage", 1.0, "stage"), ("control.force", 1.0, "force on the target, as felt [N]"),
            ("joints.base_yaw.position", 180.0 / np.pi, "base angle [deg]"),
            ("joints.wheel.velocity", 1.0, "wheel speed [rad/s]"),
        )  # fmt: skip
        for row, (name, factor, title) in enumerate(curves):
            ax = figure.add_subplot(grid[row, 1])
            ax.plot(log[name].time, factor * log[name].values, color=COLOURS[row])
            ax.set_title(title)
            if name == "control.stage":
                ax.set_yticks(range(7), STAGES[:7], fontsize=6.5)
        figure_file(figure, Path(__file__).parent / "pictures" / "cepheus_capture.png")


if __name__ == "__main__":
    main()
