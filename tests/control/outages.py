"""GPS lost and found on the twins that navigate by sensors: how far off, how tilted, and whether they still fly.

    python tests/control/outages.py --seeds 10                                 the table of docs/flight.md
    python tests/control/outages.py --seeds 3 --seconds 30 --twin quadcopter   some of it
    python tests/control/outages.py --first-seed 100 --seeds 40 --seconds 30   other seeds

A twin flies for 30 s, its GPS is silent for some time (`sensors.gps.drop_out` 1), and it flies on for 15 s. Errors are those of
the estimate against the truth.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from didymos import load
from didymos.engine.simulation import Simulation
from didymos.errors import RunError
from didymos.rotations import quaternion_to_matrix

CASES = (
    ("skywalker_2013", "cruise"), ("plane_1wing_sensors", "cruise"), ("skywalker_2013", "waypoints"),
    ("skywalker_2013", "cruise_gusts"), ("hexacopter", "gusts"), ("quadcopter", "gusts"), ("daedalus", "gusts"),
)  # fmt: skip
_SETTLES, _BEFORE, _AFTER, _LOOK = 10.0, 30.0, 15.0, 0.5  # [s]


@dataclass(frozen=True)
class Outage:
    """What became of one flight: errors of the tilt [rad], the worst before and after, of the position [m] at the return."""

    tilt_before: float
    tilt_after: float
    off: float
    height: float  # [m] at the end
    fell: str = ""  # what the run said, where it ended early


def navigation_of(simulation: Simulation) -> Any:
    """What the navigation of a twin's program remembers, a record of `FILTER_MEMORY`."""
    program: Any = simulation.program
    start, layout = simulation.built.assembly.state.starts["program"], type(program).memory_layout
    return simulation.data.plugin_state[start : start + layout.itemsize // 8].view(layout)[0]["navigation"]


def _errors(simulation: Simulation) -> tuple[float, float]:
    """Errors of the estimate: tilt [rad], position [m]."""
    said = navigation_of(simulation)["estimate"]
    true, believed = quaternion_to_matrix(simulation.data.qpos[3:7]), quaternion_to_matrix(said["orientation"])
    turned = true @ believed.T
    tilt = 0.5 * np.hypot(turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0])
    return float(tilt), float(np.linalg.norm(said["position"] - simulation.data.qpos[:3]))


def _fly(simulation: Simulation, seconds: float) -> float:
    """Fly on; the worst error of the tilt [rad], looked at twice a second."""
    worst = 0.0
    for _ in range(round(seconds / _LOOK)):
        simulation.run(_LOOK)
        worst = max(worst, _errors(simulation)[0])
    return worst


def outage(twin: str, scenario: str, seed: int, seconds: float) -> Outage:
    """One flight with an outage of some seconds."""
    simulation = load(twin).simulate(seed=seed, scenario=scenario)
    before, off = 0.0, np.nan
    try:
        _fly(simulation, _SETTLES)
        before = _fly(simulation, _BEFORE - _SETTLES)
        simulation.set("sensors.gps.drop_out", 1.0)
        _fly(simulation, seconds)
        off = _errors(simulation)[1]
        simulation.set("sensors.gps.drop_out", 0.0)
        after = _fly(simulation, _AFTER)
    except RunError as error:
        return Outage(before, np.nan, off, np.nan, str(error))
    return Outage(before, after, off, float(simulation.data.qpos[2]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, nargs="*", default=[10.0, 30.0, 60.0])
    parser.add_argument("--twin")
    asked = parser.parse_args()
    for silent in asked.seconds:
        for name, title in CASES:
            if asked.twin in (None, name):
                seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
                flown = [outage(name, title, seed, silent) for seed in seeds]
                ended = [one.fell for one in flown if one.fell]
                offs = np.array([one.off for one in flown])
                tilts = np.degrees([(one.tilt_before, one.tilt_after) for one in flown])
                print(
                    f"{name:20} {title:10} {silent:3.0f} s: off {offs.max():5.1f} (median {np.median(offs):4.1f}) m,"
                    f" tilt before {tilts[:, 0].max():.2f}, after {tilts[:, 1].max():.2f},"
                    f" worst rise {(tilts[:, 1] - tilts[:, 0]).max():.2f} deg, height at the end"
                    f" {min(one.height for one in flown):.1f} to {max(one.height for one in flown):.1f} m,"
                    f" fell {len(ended)} {ended[:1]}",
                    flush=True,
                )
