"""Fly the mission of the twin vtol in moderate gusts with many seeds, print the table of docs/twins/vtol.md and draw its picture.

    python docs/make_vtol.py [SEEDS]        20 by default: two to three minutes

Errors of height are those of the true height against the one that the program asks for, over all of both transitions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.control import vtol_stages as st
from didymos.record.log import Log
from didymos.record.style import figure_file, new_figure, style

PICTURE = Path(__file__).parent / "pictures" / "vtol.png"


def at(log: Log, name: str, times: Any) -> Any:
    """A signal at other times."""
    signal = log[name]
    return np.interp(times, signal.time, signal.values)


def figures(log: Log) -> dict[str, float]:
    """What the table has of a run."""
    stage = log["control.stage"]
    error = np.abs(at(log, "truth.position.z", stage.time) - at(log, "control.height_setpoint", stage.time))
    by = {name: error[stage.values == number] for name, number in (("out", st.OUT), ("wing", st.WING), ("back", st.BACK))}
    end = [float(log[f"truth.position.{axis}"].values[-1]) for axis in "xy"]
    touched = float(stage.time[np.nonzero(stage.values == st.LAND)[0][-1]])
    return {
        **{name: float(values.max()) for name, values in by.items()},
        "back seconds": float((stage.values == st.BACK).sum() * np.diff(stage.time).mean()),
        "off": float(np.hypot(*end)), "tilt": float(log["truth.tilt"].values.max()), "landed": touched,
        "upright": float(stage.values[-1] == st.LANDED and log["truth.tilt"].values[-1] < 0.1),
    }  # fmt: skip


def table(seeds: int) -> None:
    """Print a row per seed and the worst of all."""
    twin = didymos.load("vtol")
    print("| seed | out [m] | wing [m] | back [m] | back [s] | lands off [m] | largest tilt [rad] | landed at [s] |")
    print("|---|---|---|---|---|---|---|---|")
    worst: list[dict[str, float]] = []
    for seed in range(seeds):
        found = figures(twin.simulate(seed=seed, scenario="mission_gusts").run())
        worst.append(found)
        row = [f"{found[key]:.2f}" for key in ("out", "wing", "back", "back seconds", "off", "tilt")]
        print(f"| {seed} | {' | '.join(row)} | {found['landed']:.0f} |", flush=True)
    print({key: round(max(found[key] for found in worst), 2) for key in worst[0]})
    print("upright and landed:", sum(found["upright"] for found in worst), "of", seeds)


def draw() -> None:
    """Two transitions of one mission in gusts: height and airspeed, and who carries."""
    log = didymos.load("vtol").simulate(seed=1, scenario="mission_gusts").run()
    stage = log["control.stage"]
    with style():
        figure = new_figure(7.2, 4.2)
        for column, number in enumerate((st.OUT, st.BACK)):
            times = stage.time[stage.values == number]
            low, high = times[0] - 4.0, times[-1] + 8.0
            above, below = figure.add_subplot(2, 2, 1 + column), figure.add_subplot(2, 2, 3 + column)
            span = np.arange(low, high, 0.2)
            above.plot(span, at(log, "air.speed", span), label="airspeed [m/s]")
            above.plot(span, at(log, "truth.position.z", span), label="height [m]")
            above.plot(span, at(log, "control.height_setpoint", span), "--", label="height asked for [m]")
            below.plot(span, at(log, "inputs.pusher", span), label="pusher")
            below.plot(span, np.mean([at(log, f"inputs.lift{i}", span) for i in range(1, 5)], axis=0), label="lift rotors, mean")
            below.plot(span, at(log, "inputs.wing.y", span), label="elevator")
            for axes in (above, below):
                axes.axvspan(times[0], times[-1], color="#e6eef5", lw=0)
                axes.set_xlim(low, high)
            above.set_title(st.STAGES[number])
            below.set_xlabel("time [s]")
            if column == 0:
                above.legend(fontsize=8)
                below.legend(fontsize=8)
                below.set_ylabel("inputs")
        figure_file(figure, PICTURE)


if __name__ == "__main__":
    draw()
    table(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
