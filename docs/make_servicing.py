"""Fill the figures of docs/worlds/servicing.md and draw its picture: `python docs/make_servicing.py [RUNS]`; ten minutes for 20.

Every run has a client of its own: attitude of any kind, a spin of 0.01 to 0.1 rad/s about any axis, a drift of up to 3 mm/s.
"""

from __future__ import annotations

import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import didymos
from didymos.control.servicing_stages import DONE, GRASP, REASONS, SETTLE, STAGES, TRACK
from didymos.record.log import Log
from didymos.record.picture import render_picture
from didymos.record.style import figure_file, new_figure, style

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "worlds" / "servicing.md", HERE / "pictures" / "servicing.png"
SHOWN = 11  # the run of the picture
Array = NDArray[np.float64]


def client_start(seed: int) -> dict[str, float]:
    """How the client of a run begins, by paths of the world."""
    rng = np.random.default_rng(1000 + seed)
    axis, quaternion = rng.normal(size=3), rng.normal(size=4)
    rate = rng.uniform(0.01, 0.1) * axis / np.linalg.norm(axis)
    drift = rng.uniform(-0.003, 0.003, 3)
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    turn = (
        np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0)),
        np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )
    found: dict[str, float] = {}
    for key, values in (("orientation", turn), ("velocity", drift), ("angular_velocity", rate)):
        found |= {f"client.start.{key}.{name}": float(value) for name, value in zip("xyz", values, strict=True)}
    return found


def mission(world: Any, seed: int) -> Any:
    """A simulation of the scenario with the client of a seed."""
    own = world.copy()
    own.set_all(client_start(seed))
    return own.simulate(seed=seed, scenario="any_axis")


def size(log: Log, name: str) -> Array:
    """Length of a vector of the log over time."""
    return np.asarray(np.linalg.norm([log[f"{name}.{axis}"].values for axis in "xyz"], axis=0))


@dataclass(frozen=True)
class Outcome:
    """What became of a run."""

    seed: int
    spin: float  # [rad/s]
    stage: str
    reason: str
    caught: float  # [s]
    attitude: float  # [deg] at the end, of the truth
    excursion: float  # [deg] largest from where the base shall be
    force: float  # [N] largest in the grip
    torque: float  # [N m]
    gas: float  # [kg]
    touch: float  # [N] largest between the chaser's shapes and the client's

    @classmethod
    def of(cls, seed: int, log: Log) -> Outcome:
        """From a log."""
        stage = log["chaser.control.stage"]
        caught = stage.time[stage.values > GRASP]
        w = log["chaser.truth.orientation.w"].values[-1]
        x = [log[f"chaser.truth.orientation.{axis}"].values[-1] for axis in "xyz"]
        tanks = [signal.values for signal in log.select("chaser.parts.thruster_*.gas")]
        start = client_start(seed)
        return cls(
            seed, float(np.linalg.norm([start[f"client.start.angular_velocity.{axis}"] for axis in "xyz"])),
            STAGES[int(stage.values[-1])], REASONS[int(log["chaser.control.reason"].values[-1])],
            float(caught[0]) if len(caught) else np.nan,
            float(np.degrees(2.0 * np.arctan2(np.linalg.norm(x), abs(w)))),
            float(np.degrees(log["chaser.control.error.attitude"].values.max())),
            float(size(log, "chaser.parts.gripper.force").max()), float(size(log, "chaser.parts.gripper.torque").max()),
            float(sum(tank[0] - tank[-1] for tank in tanks)), float(size(log, "client.touch.force").max()),
        )  # fmt: skip


def rows(found: list[Outcome]) -> list[str]:
    """The table of all runs, and what is worst of them."""
    done = sum(item.stage == STAGES[DONE] for item in found)
    lines = [
        f"{done} of {len(found)} clients caught. Worst: attitude at the end "
        f"{max(item.attitude for item in found):.3f} deg, on the way {max(item.excursion for item in found):.2f} deg off; "
        f"{max(item.force for item in found):.1f} N and {max(item.torque for item in found):.2f} N m in the grip; "
        f"{max(item.touch for item in found):.1f} N between other shapes; {1000 * max(item.gas for item in found):.0f} g of gas.",
        "",
        "| seed | spin [rad/s] | ended as | caught after [s] | attitude at the end [deg] | largest on the way [deg] "
        "| grip [N] | grip [N m] |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for item in found:
        ended = item.stage + (f": {item.reason}" if item.reason else "")
        lines.append(
            f"| {item.seed} | {item.spin:.3f} | {ended} | {item.caught:.0f} | {item.attitude:.3f} | {item.excursion:.2f} "
            f"| {item.force:.1f} | {item.torque:.2f} |"
        )
    return lines


def draw(simulation: Any, log: Log) -> None:
    """Stills of a run, which the simulation does again, over its curves."""
    stage = log["chaser.control.stage"]
    begins = {k: float(stage.time[stage.values == k][0]) for k in range(len(STAGES)) if (stage.values == k).any()}
    times = [0.0, begins[TRACK], begins[GRASP], float(stage.time[-1])]
    shots = []
    with tempfile.TemporaryDirectory() as folder:
        for time in times:
            if time > simulation.time:
                simulation.run(time - simulation.time)
            shown = simulation.shown
            file = render_picture(shown.model, shown.pose(simulation.data), Path(folder) / "shot.png", size=(640, 480))
            shots.append(np.asarray(Image.open(file))[60:420, 80:560])
    with style():
        figure = new_figure(11.0, 4.9)
        grid = figure.add_gridspec(2, 12, height_ratios=(1.0, 1.0))
        for i, (time, shot) in enumerate(zip(times, shots, strict=True)):
            ax = figure.add_subplot(grid[0, 3 * i : 3 * i + 3])
            ax.imshow(shot)
            ax.set_axis_off()
            ax.set_title(f"{STAGES[int(stage.values[np.argmin(np.abs(stage.time - time))])]}, {time:.0f} s")
        curves = (
            ("control.error.attitude", "attitude error of the base [deg]", np.degrees),
            ("control.error.tool", "error of the tool [mm]", lambda x: 1000.0 * x),
            ("", "force in the grip [N]", None),
        )
        for i, (name, title, change) in enumerate(curves):
            ax = figure.add_subplot(grid[1, 4 * i : 4 * i + 4])
            force = log["chaser.parts.gripper.force.x"]
            signal = log[f"chaser.{name}"] if name else force
            ax.plot(signal.time, change(signal.values) if change else size(log, "chaser.parts.gripper.force"))
            ax.set_title(title)
            ax.set_xlabel("time [s]")
            ax.set_xlim(begins[TRACK] - 10.0, begins[SETTLE] + 30.0)
            for k in (TRACK, GRASP):
                ax.axvline(begins[k], color="0.7", linewidth=0.8)
        figure_file(figure, PICTURE)


def main() -> None:
    """Run, write, draw."""
    world, found = didymos.load_world("servicing"), []
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20):  # same seeds, same bytes
        log = mission(world, seed).run()
        found.append(Outcome.of(seed, log))
        print(found[-1], flush=True)
        if seed == SHOWN:
            draw(mission(world, seed), log)
    page = PAGE.read_text(encoding="utf-8")
    between = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(between.sub(lambda match: match[1] + "\n".join(rows(found)) + "\n" + match[2], page), encoding="utf-8")


if __name__ == "__main__":
    main()
