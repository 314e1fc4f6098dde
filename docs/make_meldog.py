"""Draw docs/pictures/meldog_push.png: a trot on the spot and a push of 20 N s from the side. `python docs/make_meldog.py`"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import didymos
from didymos.record.style import COLOURS, figure_file, new_figure, style


def main() -> None:
    """One run of `push_20`, seed 1: what the robot feels and believes, and what is so."""
    twin = didymos.load("meldog")
    twin.set("record.tf_rate", 100.0)
    log = twin.simulate(seed=1, scenario="push_20").run(6.0)
    time = log["control.vy"].time
    place = log["tf.trunk_link.position.y"].values
    with style():
        figure = new_figure(6.8, 4.4)
        loads, heights, speeds = (figure.add_subplot(3, 1, i + 1) for i in range(3))
        for leg, colour in (("LF", COLOURS[0]), ("RF", COLOURS[1])):
            loads.plot(time, log[f"control.load.{leg}"].values, color=colour, label=leg)
            heights.plot(time, 100 * (log[f"tf.{leg}F_link.position.z"].values - 0.035), color=colour, label=leg)
        loads.set_title("load of the front feet, felt by the torque of the joints [N]")
        heights.set_title("their height above the floor [cm]")
        speeds.plot(time, np.gradient(place, time), color=COLOURS[0], label="is")
        speeds.plot(time, log["control.vy"].values, color=COLOURS[1], label="believed")
        speeds.set_title("speed of the trunk to the left [m/s]")
        speeds.set_xlabel("time [s]")
        for ax in (loads, heights, speeds):
            ax.set_xlim(3.0, 6.0)
            ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.0)  # above, where no curve goes
        figure_file(figure, Path(__file__).parent / "pictures" / "meldog_push.png")


if __name__ == "__main__":
    main()
