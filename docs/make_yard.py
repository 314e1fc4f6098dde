"""Draw the map of docs/worlds/yard.md: `python docs/make_yard.py`.

A grid of occupancy in the world's frame from the scans of the lidar and the true pose of the dog. Every ray counts for the cells
that it passes as free and for the one in which it ends as taken,

    l <- l + 0.85 (taken) or - 0.4 (free), |l| <= 3.5,    p = 1 / (1 + exp(-l)),

so what moves on is wiped out again. Ends below 0.2 m are the ground, seen by a dog that tilts, and count for nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from didymos.record.log import Log
from didymos.record.style import figure_file, new_figure, style
from didymos.world import find_world, load_world

PICTURE = Path(__file__).parent / "pictures" / "yard.png"
RAYS, FIELD_OF_VIEW, FARTHEST = 360, 6.265732, 8.0  # as in world.yaml
HEIGHT = 0.605  # [m] of imu_link above base_link, whose pose `truth` is
LOW, HIGH, CELL = np.array([-2.6, -4.6]), np.array([11.6, 4.6]), 0.05  # [m]
TAKEN, FREE, MOST = 0.85, 0.4, 3.5
MOVERS = ("crosser_1", "crosser_2", "orbiter", "cart")
Array = NDArray[np.float64]


def poses(log: Log, times: Array) -> tuple[Array, Array]:
    """Places [n, 3] and rotation matrices [n, 3, 3] of the lidar in the world at some times [s]."""

    def at(name: str) -> Array:
        signal = log[f"dog.truth.{name}"]
        return np.interp(times, signal.time, signal.values)

    w, x, y, z = (at(f"orientation.{axis}") for axis in "wxyz")
    turns = np.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ], axis=1).reshape(-1, 3, 3)  # fmt: skip
    base = np.stack([at(f"position.{axis}") for axis in "xyz"], axis=1)
    return base + HEIGHT * turns[:, :, 2], turns


def occupancy(log: Log) -> tuple[Array, Array]:
    """Occupancy from 0 to 1, shape [rows along y, columns along x], and the places of the lidar, [scans, 3]."""
    times = log["dog.lidar.ranges.0"].time
    scans = np.stack([log[f"dog.lidar.ranges.{i}"].values for i in range(RAYS)], axis=1)
    angles = np.linspace(-0.5 * FIELD_OF_VIEW, 0.5 * FIELD_OF_VIEW, RAYS)
    rays = np.stack([np.cos(angles), np.sin(angles), np.zeros(RAYS)], axis=1)
    columns, rows = np.ceil((HIGH - LOW) / CELL).astype(int)
    odds = np.zeros((rows, columns))
    steps = np.arange(0.0, FARTHEST, 0.5 * CELL)
    eyes, turns = poses(log, times)
    for eye, turn, scan in zip(eyes, turns, scans, strict=True):
        toward = rays @ turn.T
        reach = np.where(np.isfinite(scan), scan, FARTHEST)
        stands = np.isfinite(scan) & (eye[2] + toward[:, 2] * reach > 0.2)
        clear = np.minimum(reach - 1.5 * CELL, FARTHEST)
        passed = (eye[:2] + steps[None, :, None] * toward[:, None, :2])[steps[None, :] < clear[:, None]]
        mark = np.zeros_like(odds)
        for points, value in ((passed, -FREE), (eye[:2] + toward[stands, :2] * reach[stands, None], TAKEN)):
            cells = np.floor((points - LOW) / CELL).astype(int)
            inside = np.all((cells >= 0) & (cells < [columns, rows]), axis=1)
            mark[cells[inside, 1], cells[inside, 0]] = value
        odds = np.clip(odds + mark, -MOST, MOST)
    return 1.0 / (1.0 + np.exp(-odds)), eyes


def draw() -> None:
    """Run the scenario and draw the map with the dog's path, and where the obstacles went."""
    file = find_world("yard")
    assert file is not None
    log = load_world(file).simulate(scenario="cross", seed=1).run()
    filled, path = occupancy(log)
    again = load_world(file).simulate(scenario="cross", seed=1)
    went: dict[str, list[Array]] = {name: [] for name in MOVERS}
    for _ in range(60):
        again.run(0.5)
        for name in MOVERS:
            went[name].append(again.data.body(f"didymos:object:{name}").xpos.copy())
    with style():
        figure = new_figure(9.0, 6.0)
        axes = figure.subplots()
        extent = (LOW[0], HIGH[0], LOW[1], HIGH[1])
        axes.imshow(1.0 - filled, cmap="gray", vmin=0.0, vmax=1.0, origin="lower", extent=extent, interpolation="nearest")
        for place, label in ((3.0, "rough"), (6.6, "blocks")):
            axes.plot(place + 1.5 * np.array([-1, 1, 1, -1, -1]), 1.5 * np.array([-1, -1, 1, 1, -1]), ":", color="0.45", lw=1)
            axes.text(place - 1.4, -1.4, label, fontsize=8, color="0.35")
        for name, colour in zip(MOVERS, ("tab:red", "tab:purple", "tab:green", "tab:orange"), strict=True):
            track = np.array(went[name])
            axes.plot(track[:, 0], track[:, 1], "--", color=colour, lw=1.2, label=name)
            axes.plot(*track[-1, :2], "o", color=colour, ms=5)
        axes.plot(path[:, 0], path[:, 1], color="tab:blue", lw=2, label="dog")
        axes.plot(*path[-1, :2], "o", color="tab:blue", ms=6)
        axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        axes.grid(False)
        axes.legend(fontsize=8, ncols=5, loc="upper center", bbox_to_anchor=(0.5, 1.1), frameon=False)
        figure_file(figure, PICTURE)
    Image.open(PICTURE).convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    draw()
