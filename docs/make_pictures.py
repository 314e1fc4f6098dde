"""Draw docs/pictures: every kind of stimulus as the simulation evaluates it, and a circuit. `python docs/make_pictures.py`"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from didymos.control.stimulus import StimulusSpec, evaluate
from didymos.record.style import figure_file, new_figure, style

STIMULI = (
    "{kind: constant, value: 1}",
    "{kind: step, at: 2, from: 0, to: 1}",
    "{kind: pulse, start: 2, end: 6, value: 1}",
    "{kind: ramp, start: 2, end: 6, from: 0, to: 1}",
    "{kind: sine, amplitude: 1, frequency: 0.25, start: 2}",
    "{kind: chirp, amplitude: 1, frequency: 0.1, to_frequency: 1, start: 2, end: 9}",
    "{kind: triangle, amplitude: 1, period: 4, start: 2}",
    "{kind: trapezoid, amplitude: 1, rise: 1, hold: 0.5, start: 2}",
)


def stimulus(text: str) -> StimulusSpec:
    """The stimulus that a line of a twin file describes."""
    from ruamel.yaml import YAML

    return StimulusSpec.model_validate({"target": "setpoints.z", **YAML(typ="safe").load(text)})


def circuit() -> None:
    """The skywalker's circuit: its track over the ground and its height, as flown and as its GPS saw it."""
    import didymos

    twin = didymos.load("skywalker_2013")
    log = twin.simulate(seed=2, scenario="waypoints").run()
    assert twin.file.control is not None
    points = np.array(twin.file.control.options["waypoints"])
    with style():
        figure = new_figure(10.0, 4.2)
        above, beside = figure.subplots(1, 2)
        above.plot(log["gps.position.x"].values, log["gps.position.y"].values, ".", markersize=3, label="GPS")
        above.plot(log["truth.position.x"].values, log["truth.position.y"].values, label="true")
        above.plot(points[:, 0], points[:, 1], "o", fillstyle="none", markersize=10, label="way-points")
        above.set_aspect("equal")
        above.set_xlabel("east [m]")
        above.set_ylabel("north [m]")
        above.legend(fontsize=8)
        height = log["gps.position.z"]
        beside.plot(height.time, height.values, ".", markersize=3)
        beside.plot(log["truth.position.z"].time, log["truth.position.z"].values)
        beside.set_xlabel("time [s]")
        beside.set_ylabel("height [m]")
        figure_file(figure, Path(__file__).parent / "pictures" / "waypoints.png")


def stimuli() -> None:
    """Eight panels over ten seconds."""
    times = np.linspace(0.0, 10.0, 1001)
    with style():
        figure = new_figure(12.5, 4.2)
        for ax, text in zip(figure.subplots(2, 4, sharex=True, sharey=True).ravel(), STIMULI, strict=True):
            row = stimulus(text).record()
            ax.plot(times, [evaluate(row, np.zeros((1, 2)), t) for t in times])
            ax.set_title(text.strip("{}").replace("kind: ", "", 1).replace(", start", "\nstart"), fontsize=7.5)
            ax.set_ylim(-1.2, 1.2)
        figure_file(figure, Path(__file__).parent / "pictures" / "stimuli.png")


if __name__ == "__main__":
    stimuli()
    circuit()
