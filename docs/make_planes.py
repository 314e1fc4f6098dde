"""Draw the pictures of docs/twins/planes.md: circuits and one landing. `python docs/make_planes.py`; half a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.control.flight_stages import FLARE, ROLL_OUT
from didymos.record.style import figure_file, new_figure, style

PICTURES = Path(__file__).parent / "pictures"
PLANES = ("skywalker_2013", "plane_1wing_sensors", "plane_3wing_2motor", "plane_1wing")


def fly(twin: str, scenario: str, seed: int = 0) -> Any:
    """The log of a flight."""
    simulation = didymos.load(twin).simulate(seed=seed, scenario=scenario)
    return simulation.run(simulation.seconds)


def circuits() -> None:
    """Tracks over the ground with 5 m/s across, and heights along the way."""
    with style():
        figure = new_figure(10.0, 4.2)
        above, beside = figure.subplots(1, 2)
        for twin in PLANES:
            log = fly(twin, "circuit_crosswind")
            above.plot(log["truth.position.x"].values, log["truth.position.y"].values, label=twin)
            beside.plot(log["truth.position.z"].time, log["truth.position.z"].values)
        above.set_aspect("equal")
        above.set_xlabel("along the runway [m]")
        above.set_ylabel("left of its centre line [m]")
        beside.legend(*above.get_legend_handles_labels(), fontsize=8, loc="center", bbox_to_anchor=(0.25, 0.4))
        beside.set_xlabel("time [s]")
        beside.set_ylabel("height [m]")
        figure_file(figure, PICTURES / "circuits.png")


def landing() -> None:
    """The last seconds of a landing across the wind: height and glide slope, heading, distance from the centre line."""
    log = fly("skywalker_2013", "landing_crosswind")
    stage = log["control.stage"]
    flare = stage.time[np.argmax(stage.values == FLARE)]
    touch = stage.time[np.argmax(stage.values == ROLL_OUT)]
    with style():
        figure = new_figure(10.0, 6.0)
        rows = figure.subplots(3, 1, sharex=True)
        for axes, signals, label in zip(
            rows,
            (("truth.position.z", "control.height"), ("truth.yaw",), ("truth.position.y",)),
            ("height [m]", "heading [rad]", "left of the centre line [m]"),
            strict=True,
        ):
            for name in signals:
                signal = log[name]
                shown = (signal.time > flare - 12.0) & (signal.time < touch + 8.0)
                axes.plot(signal.time[shown], signal.values[shown], label=name)
            for at in (flare, touch):
                axes.axvline(at, color="0.6", linewidth=0.8)
            axes.set_ylabel(label)
            axes.legend(fontsize=8)
        rows[-1].set_xlabel("time [s]; lines: flare, touch-down")
        figure_file(figure, PICTURES / "landing_across.png")


if __name__ == "__main__":
    circuits()
    landing()
