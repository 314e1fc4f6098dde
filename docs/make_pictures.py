"""Draw docs/pictures/stimuli.png: every kind of stimulus as the simulation evaluates it. `python docs/make_pictures.py`"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from didymos.control.stimulus import StimulusSpec, evaluate
from didymos.record.plot import figure_file, new_figure, style

STIMULI = (
    "{kind: constant, value: 1}",
    "{kind: step, at: 2, from: 0, to: 1}",
    "{kind: pulse, start: 2, end: 6, value: 1}",
    "{kind: ramp, start: 2, end: 6, from: 0, to: 1}",
    "{kind: sine, amplitude: 1, frequency: 0.25, start: 2}",
    "{kind: chirp, amplitude: 1, frequency: 0.1, to_frequency: 1, start: 2, end: 9}",
)


def stimulus(text: str) -> StimulusSpec:
    """The stimulus that a line of a twin file describes."""
    from ruamel.yaml import YAML

    return StimulusSpec.model_validate({"target": "wanted.z", **YAML(typ="safe").load(text)})


def main() -> None:
    """Six panels over ten seconds."""
    times = np.linspace(0.0, 10.0, 1001)
    with style():
        figure = new_figure(10.0, 4.2)
        for ax, text in zip(figure.subplots(2, 3, sharex=True, sharey=True).ravel(), STIMULI, strict=True):
            row = np.array(stimulus(text).numbers())
            ax.plot(times, [evaluate(row, np.zeros((1, 2)), t) for t in times])
            ax.set_title(text.strip("{}").replace("kind: ", "", 1).replace(", start", "\nstart"), fontsize=7.5)
            ax.set_ylim(-1.2, 1.2)
        figure_file(figure, Path(__file__).parent / "pictures" / "stimuli.png")


if __name__ == "__main__":
    main()
