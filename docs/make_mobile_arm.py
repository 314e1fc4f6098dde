"""Draw the picture of docs/worlds/mobile_arm.md: `python docs/make_mobile_arm.py`.

Above, the world before the arm reaches out, and while it holds the box; below, one run over time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from PIL import Image

from didymos.record.canvas import open_canvas
from didymos.record.style import figure_file, new_figure, style
from didymos.world import find_world, load_world

PICTURE = Path(__file__).parent / "pictures" / "mobile_arm.png"
_SIZE = (900, 620)  # [pixel] of one view
_VIEWS = (7.5, 16.0)  # [s]


def view_at(simulation: Any) -> np.ndarray:
    """What a camera beside the table sees now, shape [height, width, 3]."""
    model = simulation.shown.model
    data = mujoco.MjData(model)
    data.qpos[:] = simulation.data.qpos
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = [0.0, 1.4, 0.62]
    camera.distance, camera.azimuth, camera.elevation = 2.7, 205.0, -14.0
    with open_canvas(model, _SIZE, fine=True) as canvas:
        return canvas.draw(data, camera)


def draw() -> None:
    """Run the scenario and draw."""
    file = find_world("mobile_arm")
    assert file is not None
    simulation, views = load_world(file).simulate(scenario="grasp", seed=1), []
    for time in _VIEWS:
        simulation.run(time - simulation.time)
        views.append(view_at(simulation))
    simulation = load_world(file).simulate(scenario="grasp", seed=1)
    log = simulation.run()
    with style():
        figure = new_figure(10.0, 6.2)
        above, below = figure.subfigures(2, 1, height_ratios=[1.25, 1.0])
        for axes, pixels, time in zip(above.subplots(1, 2), views, _VIEWS, strict=True):
            axes.imshow(pixels)
            axes.set_axis_off()
            axes.set_title(f"{time:g} s", fontsize=9)
        left, right = below.subplots(1, 2)
        base, box, tool = (log[name] for name in ("base.truth.position.y", "crate.truth.position.z", "arm.in_hand.position.z"))
        left.plot(base.time, base.values, label="base, y")
        left.plot(box.time, box.values, label="box, z")
        left.set(xlabel="time [s]", ylabel="position [m]")
        left.legend(fontsize=8)
        for time, _, label in simulation.events(log):
            left.axvline(time, color="0.85", zorder=0)
            left.text(time + 0.1, 0.02, label, rotation=90, fontsize=7, color="0.45")
        held = tool.time >= next(time for time, _, label in simulation.events(log) if label == "lift")
        right.plot(tool.time[held], 1e3 * (tool.values[held] - tool.values[held][0]))
        right.set(xlabel="time [s]", ylabel="box in the hand, along the fingers [mm]", ylim=(-0.1, 1.0))
        figure_file(figure, PICTURE)
    Image.open(PICTURE).convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(PICTURE, optimize=True)


if __name__ == "__main__":
    draw()
