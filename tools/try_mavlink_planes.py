#!/usr/bin/env python3
"""Fly a mission of a plane over the services of the MAVLink port, without a wall clock: how near its points and where it stops.

    .venv/bin/python tools/try_mavlink_planes.py [--seeds N]

Take-off from the runway, four points, landing, by the sensors of the twin with and without their errors. Prints how far from its
points it passes at most, how far aside of the centre line it stops, and how long the flight takes, worst of the seeds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

import didymos  # noqa: E402
from didymos.engine.run import Run  # noqa: E402
from didymos.ports.mavlink import mission  # noqa: E402
from didymos.ports.mavlink.dialect import mavlink  # noqa: E402
from didymos.ports.mavlink.modes import Mode  # noqa: E402
from didymos.ports.mavlink.system import System  # noqa: E402
from didymos.ports.mavlink.vehicles import make_flight  # noqa: E402

POINTS = ((250.0, 0.0, 28.0), (250.0, 150.0, 33.0), (0.0, 150.0, 33.0), (-250.0, 150.0, 28.0))  # of the world [m]
SLICE, LONGEST = 0.005, 400.0  # [s]


def fly(*, errors: bool, seed: int) -> tuple[float, float, float]:
    """The largest distance [m] from a point, the distance [m] aside of the centre line, and how long [s] the flight took."""
    twin = didymos.load("skywalker_2013")
    for sensor in twin.file.sensors if not errors else ():
        twin.set(f"sensors.{sensor}.errors", 0.0)
    run = Run(twin.simulate(seed=seed, scenario="parked"), keep=True)
    system = System(make_flight(run, run.simulation.robots[""]), 1)
    flight, ticks = system.flight, max(1, round(SLICE / run.simulation.period))
    while run.simulation.time < 5.0:
        system.update()
        run.advance(ticks)
    assert flight.arm() == mavlink.MAV_RESULT_ACCEPTED
    frame, nothing = mavlink.MAV_FRAME_GLOBAL, (0.0, 0.0, 0.0, float("nan"))
    places = [(mission.TAKE_OFF, (*flight.home[:2], 28.0)), *((mission.WAYPOINT, point) for point in POINTS)]
    items = [mission.Item(command, frame, nothing, *flight.places.globally(place)) for command, place in places]
    flight.mission.load([*items, mission.Item(mission.LAND, frame, nothing, 0.0, 0.0, 0.0)])
    assert flight.set_mode(Mode.MISSION) == mavlink.MAV_RESULT_ACCEPTED
    while flight.armed and run.simulation.time < LONGEST:
        system.update()
        run.advance(ticks)
    assert not flight.armed, "it does not come back"
    way = np.stack([run.log[f"truth.position.{axis}"].values for axis in "xyz"], axis=1)
    worst = max(float(np.linalg.norm(way - point, axis=1).min()) for point in POINTS)
    took = run.simulation.time - 5.0
    run.close()
    return worst, abs(float(way[-1, 1])), took


def main() -> int:
    """Fly and print."""
    reader = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reader.add_argument("--seeds", type=int, default=5)
    seeds = range(1, 1 + reader.parse_args().seeds)
    for errors in (False, True):
        worst = np.array([fly(errors=errors, seed=seed) for seed in seeds]).max(axis=0)
        name = "as the twin has them" if errors else "sensors without errors"
        print(f"{name}: points {worst[0]:.1f} m, aside {worst[1]:.1f} m, {worst[2]:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
