"""cflib flies the twin: squares by each of its commanders, every kind of set-point, trajectories from memory.

Corners are judged by the truth of the twin. 5 cm is asked for; with the estimate of motion capture (variant `motion_capture`) the
robot stays within 11 mm rms of a place, by the wander of the velocity and attitude that it believes, so 5 cm are more than four
of them. Where a robot of the twin as it is differs by more, it is by the wander of where it believes to be: 26 mm rms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crtp_server import CrtpServer, crazyflie_served, true_positions

from didymos import Log
from didymos.cli.main import main

pytest.importorskip("cflib")
NEAR = 0.05  # m
GROUND = 0.0145  # m, where the robot stands


def flight(folder: Path, what: str) -> tuple[CrtpServer, dict[str, Any], Log]:
    """A flight, what the client says of it, and what was recorded."""
    with crazyflie_served(folder, "--variant", "motion_capture") as server:
        told = server.ask(what)
        server.stop()
    return server, told, Log.load(server.record)


def errors(told: dict[str, Any], log: Log) -> np.ndarray:
    """How far [m] the robot was from each corner, and after the landing from where it stands at the ground."""
    places = true_positions(log, [stamp for stamp, _ in told["corners"]])
    (landed,) = true_positions(log, [told["landed"]])
    assert landed[2] == pytest.approx(GROUND, abs=0.002)  # it stands
    assert not any(log[f"inputs.motor{i}"].values[-1] for i in range(1, 5))
    return np.linalg.norm(places - [place for _, place in told["corners"]], axis=1)


def test_the_high_level_commander_flies_a_square_and_the_recording_repeats_it(tmp_path: Path) -> None:
    server, told, log = flight(tmp_path, "square_high_level")
    assert (errors(told, log) < NEAR).all()
    again = tmp_path / "again.mcap"
    words = ["--variant", "motion_capture", "--interventions", str(server.record), "--record", str(again), "--quiet"]
    assert main(["run", "crazyflie", *words]) == 0
    assert Log.load(again).sha256 == log.sha256


def test_the_position_commander_flies_a_square(tmp_path: Path) -> None:
    _, told, log = flight(tmp_path, "square_position")
    assert (errors(told, log) < NEAR).all()


def test_the_motion_commander_flies_a_square(tmp_path: Path) -> None:
    """It asks for velocities for a time of the wall's clock: what the twin was asked for is told by the recording."""
    server, told, log = flight(tmp_path, "square_motion")
    vx, vy, mode = (log[f"setpoints.{name}"] for name in ("vx", "vy", "mode_xy"))
    step = np.diff(vx.time, prepend=vx.time[0])
    asked = np.cumsum(np.column_stack([vx.values, vy.values]) * (step * (mode.values == 2))[:, None], axis=0)  # it heads along x
    at = np.searchsorted(vx.time, [stamp / 1000.0 - 1e-6 for stamp, _ in told["corners"]])
    begin = true_positions(log, [told["corners"][0][0]])[0]
    places = true_positions(log, [stamp for stamp, _ in told["corners"]])
    flown = np.linalg.norm(places[:, :2] - begin[:2] - asked[at], axis=1)
    assert (flown < NEAR).all()
    assert np.abs(places[:, 2] - 0.6).max() < NEAR
    corners = np.array([place[:2] for _, place in told["corners"]])
    on_time = np.abs(asked[at] - corners).max() < 0.01  # the machine let the client sleep as long as it wanted to, within 40 ms
    if on_time and not server.facts["overruns"]:  # type: ignore[index]
        assert (errors(told, log) < NEAR).all()


def test_trajectories_from_memory_and_spirals_end_where_they_should(tmp_path: Path) -> None:
    _, told, log = flight(tmp_path, "trajectories")
    assert (errors(told, log) < NEAR).all()


def test_every_kind_of_set_point_does_what_it_says(tmp_path: Path) -> None:
    """Places within 5 cm as above; angles within 5 deg: 0.6 deg of wander, and what is left of turns after four seconds."""
    with crazyflie_served(tmp_path, "--variant", "motion_capture") as server:
        told = server.ask("modes")

    def change(label: str) -> np.ndarray:
        return np.array(told[label][1]) - told[label][0]

    for label, place in (("position", (0, 0, 1.0)), ("position again", (0, 0, 1.0)), ("full state", (0.3, -0.2, 0.8))):
        assert np.linalg.norm(np.array(told[label][1][:3]) - place) < NEAR, label
    assert told["full state"][1][3] == pytest.approx(45.0, abs=5.0)
    dx, dy, dz, turned, *_ = change("velocity")  # 3 s and up to a packet of 0.2 m/s along x, 0.1 m/s up, 30 deg/s
    assert (dx, dy, dz) == pytest.approx((0.6, 0.0, 0.3), abs=NEAR + 0.02)
    assert turned == pytest.approx(90.0, abs=8.0)
    assert np.linalg.norm(change("stand")[:3]) < NEAR
    dx, dy, *_ = change("hover")  # 0.2 m/s forward, which is along y now
    assert (dx, dy) == pytest.approx((0.0, 0.6), abs=NEAR + 0.02)
    assert told["hover"][1][2] == pytest.approx(1.0, abs=NEAR)
    assert change("height")[1] < -0.15  # to the right, while it is tilted by 5 deg: 0.86 m/s^2 for 0.8 s, less what tilting takes
    assert told["height"][1][2] == pytest.approx(1.2, abs=0.1)
    assert told["height"][1][4] == pytest.approx(5.0, abs=2.5)
    assert told["thrust"][1][4] == pytest.approx(4.0, abs=2.5)
    assert 40.0 * 0.3 / 2 < change("rates")[4] < 40.0 * 0.5  # deg: 40 deg/s for 0.3 s and a packet, less what beginning takes
    assert told["catch again"][1][2] == pytest.approx(0.3, abs=NEAR)
    assert told["bits"] & 1 << 4 == 0  # it does not fly any more
    assert told["bits"] & 1 << 6 == 0  # and is not locked: it was told that no more set-points follow


def test_silence_and_emergencies_end_a_flight_until_a_restart(tmp_path: Path) -> None:
    with crazyflie_served(tmp_path, "--variant", "motion_capture") as server:
        told = server.ask("emergencies")
    ready, flying, level, locked = 3, 4, 7, 9
    assert told["silence"] == [ready, flying, level, locked]  # after 0.5 s and 2 s
    assert told["stop"] == told["watchdog"] == [ready, flying, locked]
    for how in ("silence", "stop", "watchdog"):
        assert told[f"{how} height"] < 0.1
        assert told[f"{how} after"] < 0.1
    assert told["console"].count("Locked, reboot required") == 3
    assert told["again"] == pytest.approx(0.5, abs=NEAR)
