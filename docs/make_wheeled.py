"""Fill the table of docs/wheeled.md and draw its picture: `python docs/make_wheeled.py PACKAGES`, a folder of unpacked packages.

    pip download --no-deps -d wheels example-robot-data pybullet manipulation      # never installed, never run
    unzip -d packages/pybullet-3.2.7 wheels/pybullet-3.2.7-*.whl

Every base drives a circle and a square by set-points of its twist, and by nothing else. Its odometry is held against the
textbook's formulas for its kind, on the recorded angles of its joints, and against where the base really was.
"""

from __future__ import annotations

import argparse
import math
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image

import didymos
from didymos.control.joint_gains import joint_gains
from didymos.control.wheel_finder import find_wheels
from didymos.control.wheeled import wheel_damping
from didymos.control.wheels import Kind, Wheels
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.record.log import Log
from didymos.record.style import figure_file, new_figure, style

HERE = Path(__file__).parent
PAGE = HERE / "wheeled.md"
Array = NDArray[np.float64]

_STEP = 0.002  # [s]
_SIDE = 1.0  # [m] of the square
_REST = 1.0  # [s] between two ways: the program's acceleration brings any speed here to rest


@dataclass(frozen=True)
class Base:
    """A description by the end of its path, how fast it is driven [m/s, rad/s], and what the description does not say."""

    name: str
    file: str
    speed: float
    turn: float
    what: str
    kind: Kind | None = None


BASES = (
    Base("TIAGo", "tiago_description/robots/tiago_no_hand.urdf", 0.3, 0.5, "differential, four ball casters"),
    Base("Husky", "pybullet_data/husky/husky.urdf", 0.3, 0.5, "differential, four wheels: skid steering"),
    Base("MIT racecar", "pybullet_data/racecar/racecar.urdf", 0.4, 0.4, "Ackermann, four driven wheels"),
    Base("mecanum_base", "models/mecanum/mecanum_base.urdf", 0.2, 0.5, "mecanum, rollers in the description"),
    Base("TIAGo Pro", "tiago_pro_description/robots/tiago_pro.urdf", 0.1, 0.2, "mecanum, no rollers described", "mecanum"),
)


def make_twin(base: Base, packages: Path, folder: Path) -> tuple[didymos.Twin, Wheels]:
    """A twin of a base: a servo on each wheel, each steering joint and each other joint that is driven, and two scenarios."""
    (source,) = packages.glob(f"**/{base.file}")
    description = float_base(read_description(source, repair=True))
    model = robot_model(description)
    wheels = find_wheels(model, kind=base.kind)
    assert wheels is not None, f"{base.name} has no wheels"
    passive = {wheel.joint for wheel in wheels.casters} | {joint for joint in model.joints if "roller" in joint}
    gains = joint_gains(model, _STEP)
    parts: dict[str, Any] = {}
    for joint in model.joints:
        if joint not in passive and joint in gains:
            kp, kd = (round(float(gain), 6) for gain in gains[joint])
            if any(wheel.joint == joint for wheel in wheels.driven):
                kp, kd = 0.0, round(wheel_damping(model, wheels, joint), 6)
            parts[joint] = {"kind": "servo", "link": model.joint(joint).parent, "joint": joint, "kp": kp, "kd": kd}
    height = max(wheel.radius - float(wheel.position[2]) for wheel in wheels.wheels)
    file = {
        "description": {"file": str(source), "base": "floating", "repair": True},
        "world": {"step": _STEP, "integrator": "implicitfast", "ground": {"friction": 1.0}, **wheels.world},
        "contacts": wheels.contacts,
        "parts": parts,
        "sensors": {"encoders": {"kind": "joints", "rate": 100}, "imu": {"kind": "imu", "link": model.root, "rate": 100}},
        "control": {"program": "wheeled", "rate": 100, "options": {"kind": base.kind} if base.kind else {}},
        "start": {"position": [0.0, 0.0, round(height, 6)]},
        "scenarios": dict(_scenarios(base, wheels)),
    }
    folder.mkdir(parents=True)
    for name, rows in _paths(base, wheels).items():
        (folder / f"{name}.txt").write_text("\n".join(" ".join(f"{x:.9g}" for x in row) for row in rows))
    (folder / "twin.yaml").write_text(yaml.safe_dump(file, sort_keys=False))
    return didymos.load(folder, trust=True), wheels


def _paths(base: Base, wheels: Wheels) -> dict[str, list[tuple[float, float, float, float]]]:
    """Rows of duration, v_x, v_y, w_z: a circle, and a square, turning on the spot or in an arc where the base has to."""
    v, w = base.speed, base.turn
    along, quarter, rest = _SIDE / v, 0.5 * math.pi / w, (_REST, 0.0, 0.0, 0.0)
    if wheels.sideways:
        sides = [(along, v, 0.0, 0.0), (along, 0.0, v, 0.0), (along, -v, 0.0, 0.0), (along, 0.0, -v, 0.0)]
        square = [row for side in sides for row in (side, rest)]
    elif wheels.kind == "ackermann":
        square = [row for _ in range(4) for row in ((along, v, 0.0, 0.0), rest, (quarter, v, 0.0, w), rest)]
    else:
        square = [row for _ in range(4) for row in ((along, v, 0.0, 0.0), rest, (quarter, 0.0, 0.0, w), rest)]
    return {"circle": [(2.0 * math.pi / w, v, 0.0, w), rest], "square": square}


def _scenarios(base: Base, wheels: Wheels) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, rows in _paths(base, wheels).items():
        stimuli = [
            {"target": f"setpoints.{axis}", "kind": "rows", "file": f"{name}.txt", "column": str(i), "start": 1.0}
            for i, axis in enumerate(("vx", "vy", "wz"), 1)
        ]
        yield name, {"seconds": round(1.0 + sum(row[0] for row in rows), 3), "stimuli": stimuli}


def textbook(wheels: Wheels, angles: dict[str, Array]) -> Array:
    """The path of the root link by the formulas of its kind, on angles of joints over time; x, y, yaw, shape [n, 3]."""
    rolled = {wheel.joint: wheel.radius * np.diff(angles[wheel.joint]) * np.sign(wheel.forward[0]) for wheel in wheels.driven}
    place = {wheel.joint: wheel.position for wheel in wheels.wheels}
    left = np.mean([way for joint, way in rolled.items() if place[joint][1] > 0], axis=0)
    right = np.mean([way for joint, way in rolled.items() if place[joint][1] <= 0], axis=0)
    rear = np.zeros_like(left)
    if wheels.kind == "mecanum":
        lever = float(np.mean([abs(at[0]) + abs(at[1]) for at in place.values()]))
        forward = np.mean(list(rolled.values()), axis=0)
        aside = np.mean([way * -np.sign(place[joint][0] * place[joint][1]) for joint, way in rolled.items()], axis=0)
        turn = np.mean([way * -np.sign(place[joint][1]) for joint, way in rolled.items()], axis=0) / lever
        return _integrated(forward, aside, turn, 0.0)
    if wheels.kind == "ackermann":
        steered = [wheel.steering for wheel in wheels.wheels if wheel.steering is not None]
        front = float(np.mean([wheel.position[0] for wheel in wheels.wheels if wheel.steering is not None]))
        axle = [wheel for wheel in wheels.driven if wheel.steering is None]
        forward = np.mean([rolled[wheel.joint] for wheel in axle], axis=0)
        behind = float(np.mean([wheel.position[0] for wheel in axle]))
        bends = []  # of each steered wheel: tan d / (L + y tan d), y of its pivot
        for item in steered:
            tangent = np.tan(item.sign * angles[item.joint][1:])
            bends.append(tangent / (front - behind + float(item.position[1]) * tangent))
        return _integrated(forward, rear, forward * np.mean(bends, axis=0), behind)
    middles = [np.mean([place[wheel.joint][1] for wheel in wheels.driven if wheel.position[1] * sign > 0]) for sign in (1, -1)]
    ahead = np.array([place[wheel.joint][0] for wheel in wheels.driven])
    chi = 1.0 + float(np.sum((ahead - ahead.mean()) ** 2) / np.sum([place[wheel.joint][1] ** 2 for wheel in wheels.driven]))
    turn = (right - left) / (float(middles[0] - middles[1]) * chi)
    return _integrated(0.5 * (left + right), rear, turn, float(ahead.mean()))


def _integrated(forward: Array, aside: Array, turn: Array, axle: float) -> Array:
    """The path of the root link whose axle, so far ahead of it, moves by these; straight lines at half of each turn."""
    yaw = np.concatenate([[0.0], np.cumsum(turn)])
    middle = yaw[:-1] + 0.5 * turn
    x = np.concatenate([[axle], axle + np.cumsum(forward * np.cos(middle) - aside * np.sin(middle))])
    y = np.concatenate([[0.0], np.cumsum(forward * np.sin(middle) + aside * np.cos(middle))])
    return np.column_stack([x - axle * np.cos(yaw), y - axle * np.sin(yaw), yaw])


@dataclass(frozen=True)
class Drive:
    """A run: its log, and paths of the root link over time: as commanded, by odometry, by the textbook, and true."""

    log: Log
    commanded: Array
    odometry: Array
    textbook: Array
    truth: Array

    @property
    def row(self) -> str:
        """The cells of the table."""
        formula = np.abs(self.odometry[-1] - self.textbook[-1])
        apart = np.hypot(*(self.odometry - self.truth)[:, :2].T)
        way = float(np.sum(np.hypot(*np.diff(self.odometry[:, :2], axis=0).T)))
        turned = self.truth[-1, 2] - self.odometry[-1, 2]
        slip, turn_slip = self.log["control.slip"].values[150:], self.log["control.turn_slip"].values[150:]
        cells = (
            f"{way:.2f}", f"{1e3 * math.hypot(*formula[:2]):.2g}", f"{formula[2]:.1g}", f"{1e3 * apart.max():.0f}",
            f"{turned:+.3f}", f"{1e3 * np.max(slip):.2g}", f"{np.sqrt(np.mean(turn_slip**2)):.3f}",
        )  # fmt: skip
        return " | ".join(cells)


def drive(twin: didymos.Twin, wheels: Wheels, scenario: str) -> Drive:
    """Drive a scenario."""
    log = twin.simulate(scenario=scenario).run()
    time = log["control.x"].time

    def at(name: str) -> Array:
        return np.interp(time, log[name].time, log[name].values)

    joints = [wheel.joint for wheel in wheels.driven]
    joints += [wheel.steering.joint for wheel in wheels.wheels if wheel.steering is not None]
    formula = textbook(wheels, {joint: log[f"encoders.{joint}.position"].values for joint in joints})
    period = np.diff(time, prepend=time[0])
    twist = [log[f"control.{axis}"].values * period for axis in ("vx", "vy", "wz")]
    w, z = at("truth.orientation.w"), at("truth.orientation.z")
    yaw = np.unwrap(2.0 * np.arctan2(z, w), period=2.0 * math.pi)
    truth = np.column_stack([at("truth.position.x"), at("truth.position.y"), yaw])
    odometry = np.column_stack([log[f"control.{axis}"].values for axis in ("x", "y", "yaw")])
    return Drive(log, _integrated(*twist, 0.0)[1:], odometry, formula, truth - truth[0])


def draw(drives: dict[str, dict[str, Drive]]) -> None:
    """Paths and slip of every base."""
    with style():
        figure = new_figure(2.2 * len(drives), 5.6)
        axes = figure.subplots(3, len(drives))
        for column, (name, done) in enumerate(drives.items()):
            for row, scenario in enumerate(("circle", "square")):
                ax, run = axes[row, column], done[scenario]
                paths = (("commanded", run.commanded, 4.0), ("odometry", run.odometry, 1.8), ("true", run.truth, 1.2))
                for label, path, width in paths:
                    ax.plot(path[:, 0], path[:, 1], linewidth=width, label=label, alpha=0.5 if width > 2 else 1.0)
                ax.set_aspect("equal", adjustable="datalim")
                ax.set_title(name if row == 0 else "", fontsize=10)
            slip, turn = done["square"].log["control.slip"], done["square"].log["control.turn_slip"]
            axes[2, column].plot(slip.time[100:-50:5], slip.values[100:-50:5], label="slip [m/s]")
            smooth = np.convolve(turn.values, np.ones(50) / 50, "same")  # over half a second
            axes[2, column].plot(turn.time[100:-50:5], smooth[100:-50:5], label="turn_slip [rad/s]", linewidth=0.8)
            axes[2, column].set_xlabel("time [s], square")
        axes[0, 0].legend(fontsize=8)
        axes[2, 0].legend(fontsize=8)
        file = figure_file(figure, HERE / "pictures" / "wheeled.png")
    Image.open(file).convert("RGB").quantize(48).save(file, optimize=True)  # a third of the size


def main() -> None:
    """Write the table between its marks, and the picture."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("packages", type=Path)
    packages = parser.parse_args().packages
    lines = [
        "| base | found | path | way [m] | odometry against formula [mm] | [rad] | against truth, largest [mm] | heading [rad] |"
        " slip, largest [mm/s] | turn slip, RMS [rad/s] |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    drives: dict[str, dict[str, Drive]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for base in BASES:
            twin, wheels = make_twin(base, packages, Path(folder) / base.name.replace(" ", "_"))
            drives[base.name] = {scenario: drive(twin, wheels, scenario) for scenario in ("circle", "square")}
            found = f"{base.what}; {len(wheels.wheels)} wheels of {1e3 * wheels.wheels[0].radius:.3g} mm"
            for scenario, run in drives[base.name].items():
                lines.append(f"| {base.name} | {found if scenario == 'circle' else ''} | {scenario} | {run.row} |")
                print(lines[-1], flush=True)
    draw(drives)
    between = re.compile("(<!-- bases -->\n).*?(<!-- end -->)", re.DOTALL)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(between.sub(lambda match: f"{match[1]}{chr(10).join(lines)}\n{match[2]}", page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
