"""Draw the picture of docs/wake.md, print its table and measure what wakes cost: `python docs/make_wake.py`; half a minute.

Two Crazyflies of the bundled twin, one above the other, each a simulation; the kernels of engine/wakes.py bring them together.
"""

from __future__ import annotations

import json
import math
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import didymos
from didymos.air.merged_jet import merge_rotors
from didymos.air.rotor_wake import JET, ROTOR, WakeSpec, wake_at
from didymos.compiled import kernel
from didymos.engine.forces import state_address
from didymos.engine.wakes import blow, feel_wakes
from didymos.record.style import COLOURS, figure_file, new_figure, style
from didymos.spec import number_fields, record_type

PICTURE = Path(__file__).parent / "pictures" / "wake.png"
MASS, GRAVITY, DISTANCE, RADIUS = 0.034, 9.81, 2.0 * math.hypot(0.0325, 0.0325), 0.0231  # of a Crazyflie [kg, m/s^2, m, m]
# Shi et al., Neural-Swarm (2020), figure 3, as quad-swarm-rl read it: separation [m], force [g] on a Crazyflie of 34 g
NEURAL_SWARM = ((0.2, 10.0), (0.3, 8.0), (0.4, 6.0), (0.5, 4.0))
# gym-pybullet-drones, Physics.PYB_DW for cf2x.urdf, "experiments conducted at the Dynamic Systems Lab by SiQi Zhou", of 27 g
LIGHT, ZHOU, ZHOU_RADIUS, ZHOU_FROM = 0.027, 2267.18, 0.0231348, 0.11 / 0.16  # below, its width 0.16 z - 0.11 m is negative
# Jain et al., Modeling of aerodynamic disturbances for proximity flight of multirotors (2019), by code of its laboratory:
# axial and radial constant of one propeller's jet; "match well" with flights from seven vehicle sizes on
JAIN_AXIAL, JAIN_RADIAL, JAIN_FROM = 4.90, 25.0, 7 * 0.092  # the last: [m], of a Crazyflie
CLIMB_LIFT = 0.0171  # [N s/m]; what air from above takes from a Crazyflie: the twin's parts.balance, fitted to eight real flights


def wake_record() -> Any:
    """The numbers of the law as compiled code reads them."""
    spec = WakeSpec(on=True)
    return np.array([tuple(getattr(spec, name) for name, _ in number_fields(WakeSpec))], dtype=record_type(WakeSpec))[0]


def published(depth: Any, mass: float = MASS) -> Any:
    """Speed on the centreline below a hovering Crazyflie [m/s], Bauersfeld et al. (2024), equations 1, 2 and 9."""
    return induced(mass) * 10.11 / (depth / DISTANCE + 5.817)


def induced(mass: float) -> float:
    """Speed that the rotors of a hovering Crazyflie induce [m/s]."""
    return math.sqrt(mass * GRAVITY / (2 * 1.225 * 4 * math.pi * RADIUS**2))


def jain(depth: float, mass: float) -> float:
    """Speed on the centreline below a hovering Crazyflie [m/s]: four jets, speeds added."""
    return 4 * induced(mass) * JAIN_AXIAL * RADIUS / depth * math.exp(-JAIN_RADIAL * (DISTANCE / 2 / depth) ** 2)


def flown(speed: float) -> float:
    """Push [g] of a jet on a Crazyflie that loses what the recorded flights lose when they climb."""
    return CLIMB_LIFT * speed / GRAVITY * 1e3


def zhou(below: Any) -> Any:
    """Push [g] right below a Crazyflie of 27 g."""
    return ZHOU * (ZHOU_RADIUS / (4 * below)) ** 2 / GRAVITY * 1e3


class Pair:
    """Two Crazyflies at hovering rotor speeds, one in the origin, one somewhere below it."""

    def __init__(self, folder: Path) -> None:
        robots = Path(didymos.__file__).parent / "robots"
        for name in ("crazyflie", "shared"):
            shutil.copytree(robots / name, folder / name)
        file = folder / "crazyflie" / "twin.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("\nworld:\n", "\nworld:\n  wake: {on: true}\n"), encoding="utf-8")
        twin = didymos.load(folder / "crazyflie")
        self.coefficient = twin.get("parts.motor1.thrust_coefficient")
        self.robots = [twin.simulate() for _ in range(2)]
        self.jets, self.rotors = np.zeros(2, JET), np.zeros(8, ROTOR)

    def _settle(self, robot: int, place: Any, mass: float) -> float:
        simulation = self.robots[robot]
        simulation.data.qpos[:7], simulation.data.qvel[:] = [*place, 1, 0, 0, 0], 0.0
        simulation.data.act[:] = math.sqrt(mass * GRAVITY / 4 / self.coefficient)
        mujoco.mj_forward(simulation.model, simulation.data)
        return float(sum(simulation.readouts(f"motor{i}")[0] for i in range(1, 5)))

    def lost(self, below: float, mass: float = MASS) -> float:
        """Thrust [g] that the lower one loses."""
        places = ((0.0, 0.0, 10.0), (0.0, 0.0, 10.0 - below))
        jets, rotors = self.jets.ctypes.data, self.rotors.ctypes.data
        addresses = []
        for robot, simulation in enumerate(self.robots):
            model, data = simulation.model._address, simulation.data._address
            addresses.append((data, simulation.context.robot.table, state_address(model, data, 0)))
            self._settle(robot, places[robot], mass)
        blow(*addresses[0], 0, jets, 0, rotors, 0)
        feel_wakes(*addresses[1], 9, jets, 0, rotors, 0)  # nobody blows
        still = self._settle(1, places[1], mass)
        feel_wakes(*addresses[1], 1, jets, 1, rotors, 4)
        return (still - self._settle(1, places[1], mass)) / GRAVITY * 1e3


def field(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Speeds [m/s] in the plane of two opposite rotors of a Crazyflie."""
    jets, rotors, wake = np.zeros(1, JET), np.zeros(4, ROTOR), wake_record()
    jets["rotors"] = 4
    rotors["position"] = [[math.cos(a) * DISTANCE / 2, math.sin(a) * DISTANCE / 2, 0.0] for a in np.arange(4) * math.pi / 2]
    rotors["direction"], rotors["radius"], rotors["thrust"] = (0, 0, -1), RADIUS, MASS * GRAVITY / 4
    merge_rotors(rotors, jets[0], 1.225, 0.0, 0.0, 0.0, wake)
    found, velocity = np.zeros(x.shape), np.zeros(3)
    for place in np.ndindex(x.shape):
        wake_at(jets, rotors, 1, -1, wake, np.array([x[place], 0.0, z[place]]), velocity)
        found[place] = np.linalg.norm(velocity)
    return found


def draw(pair: Pair) -> None:
    """The field below a Crazyflie, its centreline, and the force on another one."""
    x, z = np.meshgrid(np.linspace(-0.3, 0.3, 121), np.linspace(-1.1, 0.1, 241))
    depths = np.linspace(0.02, 2.0, 100)
    with style():
        figure = new_figure(10.0, 4.4)
        left, middle, right = figure.subplots(1, 3, width_ratios=(0.8, 1, 1))
        shown = left.contourf(x, z, field(x, z), levels=np.arange(0.0, 7.0, 0.5), cmap="viridis")
        left.axhline(-2.5 * DISTANCE, color="white", linewidth=0.8, linestyle=":")
        left.set_aspect("equal")
        left.set_xlabel("across [m]")
        left.set_ylabel("height over the rotors [m]")
        left.grid(False)
        figure.colorbar(shown, ax=left, label="speed [m/s]")
        ours = field(np.zeros_like(depths), -depths)
        middle.plot(depths, ours, label="on the axis of the robot")
        middle.plot(depths, field(np.full_like(depths, DISTANCE / 2), -depths), label="below a rotor")
        far = depths[depths >= 2.5 * DISTANCE]
        middle.plot(far[::8], published(far[::8]), "o", fillstyle="none", label="Bauersfeld et al., axis")
        middle.set_xlabel("below [m]")
        middle.set_ylabel("speed [m/s]")
        middle.legend(fontsize=8)
        right.plot(depths, [pair.lost(depth) for depth in depths], label="ours, 34 g")
        right.plot(depths, [pair.lost(depth, LIGHT) for depth in depths], label="ours, 27 g")
        right.plot(*np.array(NEURAL_SWARM).T, "s", color=COLOURS[3], label="Neural-Swarm, 34 g")
        within = depths[depths > ZHOU_FROM]
        right.plot(within[::3], zhou(within[::3]), "^", color=COLOURS[4], label="gym-pybullet-drones, 27 g")
        jet = [flown(jain(depth, LIGHT)) for depth in within[::3]]
        right.plot(within[::3], jet, "v", fillstyle="none", color=COLOURS[5], label="Jain et al., loss of real flights, 27 g")
        right.set_xlabel("below [m]")
        right.set_ylabel("push on a Crazyflie [g]")
        right.set_ylim(0.0)
        right.legend(fontsize=8)
        figure_file(figure, PICTURE)


def table(pair: Pair) -> list[dict[str, float | None]]:
    """Speeds and pushes below a Crazyflie."""
    measured = dict(NEURAL_SWARM)
    rows: list[dict[str, float | None]] = []
    for below in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0):
        speed = float(field(np.zeros(1), np.array([-below]))[0])
        law = published(below) if below >= 2.5 * DISTANCE else None
        rows.append({
            "below": below, "speed": round(speed, 2), "published_speed": None if law is None else round(law, 2),
            "push_34g": round(pair.lost(below), 1), "neural_swarm": measured.get(below),
            "push_27g": round(pair.lost(below, LIGHT), 1),
            "gym_pybullet_drones": round(zhou(below), 1) if below > ZHOU_FROM else None,
            "bauersfeld_flown": None if law is None else round(flown(published(below, LIGHT)), 1),
            "jain_flown": round(flown(jain(below, LIGHT)), 1) if below >= JAIN_FROM else None,
        })  # fmt: skip
    return rows


@kernel
def _all(jets: Any, rotors: Any, wake: Any, points: Any, velocities: Any) -> None:
    for i in range(jets.size):
        merge_rotors(rotors, jets[i], 1.225, 0.1, 0.2, 0.0, wake)
    for i in range(points.shape[0]):
        wake_at(jets, rotors, jets.size, i // 5, wake, points[i], velocities[i])


def cost(places: NDArray[np.float64]) -> float:
    """Time [us] of a tick's wakes: a Crazyflie at each place, five points each."""
    count, wake = len(places), wake_record()
    jets, rotors = np.zeros(count, JET), np.zeros(4 * count, ROTOR)
    jets["robot"], jets["first"], jets["rotors"] = np.arange(count), 4 * np.arange(count), 4
    arms = 0.0325 * np.array([[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]])
    rotors["position"] = (places[:, None] + arms).reshape(-1, 3)
    rotors["direction"], rotors["radius"], rotors["thrust"] = (0, 0, -1), RADIUS, MASS * GRAVITY / 4
    points = (places[:, None] + np.concatenate([arms, np.zeros((1, 3))])).reshape(-1, 3)
    velocities = np.zeros_like(points)
    best = math.inf
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(100):
            _all(jets, rotors, wake, points, velocities)
        best = min(best, (time.perf_counter() - start) / 100)
    return best * 1e6


def main() -> None:
    """Picture, table, cost."""
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder))
        draw(pair)
        for row in table(pair):
            print(json.dumps(row))
    spread = np.random.default_rng(0).uniform([-3, -3, 0.5], [3, 3, 4], (30, 3))
    column = np.array([[0.0, 0.0, 0.3 * i] for i in range(30)])
    print(f"30 robots, 150 points: {cost(spread):.0f} us in a room of 6 x 6 x 3.5 m, {cost(column):.0f} us in a column")


if __name__ == "__main__":
    main()
