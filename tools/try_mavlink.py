#!/usr/bin/env python3
"""How near the bundled multirotors come to the points of a mission, flown as MAVLink vehicles, as fast as this machine goes.

    .venv/bin/python tools/try_mavlink.py [TWIN ...]

Six points, 2 m apart and 3 m above home. For each vehicle, without the sensors' errors, and with them over five seeds: the
largest distance of the truth from a point when it is reported as reached, and of where it lands from where it took off.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

import didymos  # noqa: E402
from didymos.describe.kindred_program import take_kindred_program  # noqa: E402
from didymos.engine.run import Run  # noqa: E402
from didymos.ports.mavlink import mission  # noqa: E402
from didymos.ports.mavlink.dialect import mavlink  # noqa: E402
from didymos.ports.mavlink.modes import Mode  # noqa: E402
from didymos.ports.mavlink.system import System  # noqa: E402
from didymos.ports.mavlink.vehicles import make_flight  # noqa: E402

TWINS = ("quadcopter", "hexacopter", "daedalus", "crazyflie")
OFFSETS = ((2.0, 0.0, 3.0), (2.0, 2.0, 3.0), (0.0, 2.0, 4.0), (-2.0, 2.0, 3.0), (-2.0, 0.0, 2.5), (0.0, 0.0, 3.0))
SLICE = 0.005  # [s]


def fly(name: str, *, errors: bool, seed: int) -> tuple[float, float, float]:
    """The largest distance [m] at a point, the distance of the landing, and how long [s] the flight took."""
    twin = didymos.load(name)
    take_kindred_program(twin, "multirotor_commander")
    for sensor in twin.file.sensors if not errors else ():
        twin.set(f"sensors.{sensor}.errors", 0.0)
    run = Run(twin.simulate(seed=seed), keep=True)
    system = System(make_flight(run, run.simulation.robots[""]), 1)
    flight, ticks = system.flight, max(1, round(SLICE / run.simulation.period))

    def truth() -> np.ndarray:
        return np.array([run.log[f"truth.position.{axis}"].values[-1] for axis in "xyz"])

    def step() -> None:
        system.update()
        run.advance(ticks)

    while run.simulation.time < 5.0:
        step()
    assert flight.arm() == 0
    begin, places = truth(), [np.array(flight.home) + offset for offset in OFFSETS]
    way = [
        (mission.WAYPOINT, mavlink.MAV_FRAME_GLOBAL, (0.0, 0.3, 0.0, float("nan")), *flight.places.globally(place))
        for place in places
    ]
    flight.mission.load([mission.Item(*item) for item in way])
    assert flight.set_mode(Mode.MISSION) == 0
    worst, took = 0.0, run.simulation.time
    while flight.armed:
        step()
        for number in flight.mission.reached:
            worst = max(worst, float(np.linalg.norm(truth() - begin - OFFSETS[number])))
        flight.mission.reached.clear()
        if flight.mission.finished and flight.mode is Mode.HOLD and flight.airborne:
            flight.set_mode(Mode.LAND)
        assert run.simulation.time < 200.0, "it does not come back"
    found = worst, float(np.linalg.norm((truth() - begin)[:2])), run.simulation.time - took
    run.close()
    return found


def main() -> int:
    for name in sys.argv[1:] or TWINS:
        own = [fly(name, errors=True, seed=seed) for seed in range(5)]
        ideal = fly(name, errors=False, seed=0)
        worst, away = max(item[0] for item in own), max(item[1] for item in own)
        print(f"| {name} | {ideal[0]:.2f} m | {ideal[1]:.2f} m | {worst:.2f} m | {away:.2f} m | {ideal[2]:.0f} s |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
