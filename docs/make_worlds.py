"""Draw the pictures and clips of docs/worlds: `python docs/make_worlds.py [formation] [landing]`, all of them without a name.

A clip shows a stretch of the scenario's first seed, a few pictures per second, small enough for a page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import didymos
from didymos.describe.world_file import RelativeSpec
from didymos.record.canvas import open_canvas
from didymos.record.log import Log
from didymos.record.relations import relative_of
from didymos.record.style import figure_file, new_figure, style
from didymos.spec import Vector

PICTURES = Path(__file__).parent / "pictures"
Array = NDArray[np.float64]
Look = Callable[[float], tuple[Array, float, float, float]]
"""From the time [s] to the point that is looked at [m], the distance [m], azimuth and elevation [deg]."""


def simulate(world: str, scenario: str, seed: int = 0) -> tuple[Any, Log]:
    """A run of a scenario, and its log."""
    simulation = didymos.load_world(world).simulate(seed=seed, scenario=scenario)
    return simulation, simulation.run()


def path_of(log: Log, robot: str) -> tuple[Array, Array]:
    """Times [s] and true positions [m], shape [n, 3]."""
    axes = [log[f"{robot}.truth.position.{axis}"] for axis in "xyz"]
    return axes[0].time, np.column_stack([axis.values for axis in axes])


def relative(
    simulation: Any, log: Log, about: RelativeSpec, point: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[Array, Array]:
    """Times [s] and where a robot was as seen from another."""
    roots = {name: robot.twin.description.root for name, robot in simulation.world.robots.items()}
    time, values, _ = relative_of(about, Vector(x=point[0], y=point[1], z=point[2]), log, roots)
    return time, values


def clip(
    simulation: Any, log: Log, name: str, span: tuple[float, float], fps: float, size: tuple[int, int], extent: float, look: Look
) -> None:
    """An animated GIF of a stretch of time [s]; haze begins beyond the `extent` [m] of what is looked at."""
    model = simulation.shown.model
    model.stat.extent = extent
    states = simulation.poses(log)
    time = np.linspace(0.0, simulation.time, len(states), endpoint=False)
    data, pictures = mujoco.MjData(model), []
    with open_canvas(model, size, fine=extent > 10.0) as canvas:  # thin arms far away need smooth edges
        for at in np.arange(span[0], span[1], 1.0 / fps):
            data.qpos[:] = states[int(np.searchsorted(time, at))]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            view = mujoco.MjvCamera()
            view.type = mujoco.mjtCamera.mjCAMERA_FREE
            view.lookat[:], view.distance, view.azimuth, view.elevation = look(float(at))
            pictures.append(Image.fromarray(canvas.draw(data, view)))
    palette = pictures[len(pictures) // 2].quantize(32)
    first, *others = [picture.quantize(palette=palette, dither=0) for picture in pictures]
    first.save(PICTURES / f"{name}.gif", save_all=True, append_images=others, duration=round(100 / fps) * 10, loop=0)


def shrink(name: str) -> None:
    """Few colours do for a plot."""
    file = PICTURES / name
    Image.open(file).convert("RGB").quantize(48, dither=Image.Dither.NONE).save(file, optimize=True)


def formation() -> None:
    """Tracks of the V with its shape every ten seconds, and how far each follower was from its place."""
    simulation, log = simulate("formation", "turn")
    robots = list(simulation.world.robots)
    paths = {name: path_of(log, name) for name in robots}
    with style():
        figure = new_figure(8.0, 3.6)
        above, beside = figure.subplots(1, 2)
        for name, (_, path) in paths.items():
            above.plot(path[::50, 0], path[::50, 1], color="0.8" if name != "leader" else "0.3", linewidth=0.7)
        wing = [f"left{i}" for i in (4, 3, 2, 1)] + ["leader"] + [f"right{i}" for i in (1, 2, 3, 4)]
        for at in range(0, 61, 10):
            places = np.array([[np.interp(at, paths[name][0], paths[name][1][:, axis]) for axis in (0, 1)] for name in wing])
            above.plot(places[:, 0], places[:, 1], "o-", markersize=3, linewidth=1.0, label=f"{at} s")
        above.set_aspect("equal")
        above.set_xlabel("east [m]")
        above.set_ylabel("north [m]")
        above.legend(fontsize=7)
        for name in robots[1:]:
            rank, side = int(name[-1]), 1.0 if name.startswith("left") else -1.0
            about = RelativeSpec(of=name, to="leader", axes="heading")
            time, away = relative(simulation, log, about, (-2.0 * rank, 2.0 * side * rank, 0.0))
            beside.plot(time[::20], away[::20], linewidth=0.8, label=name)
        beside.axhline(1.0, color="0.3", linewidth=0.8, linestyle="--")
        beside.set_xlabel("time [s]")
        beside.set_ylabel("distance from the place in the V [m]")
        beside.legend(fontsize=7, ncols=2)
        figure_file(figure, PICTURES / "formation.png")
        shrink("formation.png")

    def look(at: float) -> tuple[Array, float, float, float]:
        time, path = paths["leader"]
        heading = float(np.interp(at, log["leader.truth.yaw"].time, np.unwrap(log["leader.truth.yaw"].values)))
        place = np.array([np.interp(at, time, path[:, axis]) for axis in range(3)])
        return place - 5.0 * np.array([np.cos(heading), np.sin(heading), 0.0]), 19.0, -35.0, -40.0

    plain = simulation.shown.model  # a pattern that moves makes a clip twenty times larger
    ground = plain.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    plain.geom_matid[ground], plain.geom_rgba[ground] = -1, (0.82, 0.85, 0.82, 1.0)
    clip(simulation, log, "formation", (22.0, 48.0), 2.5, (360, 220), 15.0, look)


def landing() -> None:
    """Track of drone and deck from above, and the height and place over the deck with the stages."""
    simulation, log = simulate("landing", "circle")
    with style():
        figure = new_figure(10.0, 4.2)
        above, beside = figure.subplots(1, 2)
        for name, label in (("drone", "quadcopter"), ("deck", "deck")):
            path = path_of(log, name)[1]
            above.plot(path[:, 0], path[:, 1], label=label)
        above.set_aspect("equal")
        above.set_xlabel("east [m]")
        above.set_ylabel("north [m]")
        above.legend(fontsize=8)
        for along, label in (("z", "height over the deck"), ("x", "along the deck"), ("y", "across the deck")):
            beside.plot(*relative(simulation, log, RelativeSpec(of="drone", to="deck", along=along)), label=label)
        for time, name, text in simulation.events(log):
            if name == "drone.stage" and text != "follow":
                beside.axvline(time, color="0.6", linewidth=0.8)
                beside.text(time + 0.15, -5.8, text, fontsize=7, rotation=90, va="bottom")
        beside.set_xlabel("time [s]")
        beside.set_ylabel("[m]")
        beside.set_ylim(-6.0, 5.0)
        beside.legend(fontsize=8, loc="upper right")
        figure_file(figure, PICTURES / "landing.png")
        shrink("landing.png")
    time, deck = path_of(log, "deck")
    drone = path_of(log, "drone")[1]

    def look(at: float) -> tuple[Array, float, float, float]:
        place = np.array([np.interp(at, time, deck[:, axis]) for axis in range(3)])
        above = np.array([np.interp(at, time, drone[:, axis]) for axis in range(3)])
        return 0.7 * place + 0.3 * above, 4.2, 140.0, -14.0

    clip(simulation, log, "landing", (7.5, 14.0), 4.0, (240, 180), 2.0, look)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or ("formation", "landing"):
        {"formation": formation, "landing": landing}[chosen]()
