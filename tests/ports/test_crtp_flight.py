"""cflib flies the twin: squares by each of its commanders, every kind of set-point, trajectories from memory, a swarm of four.

Corners are judged by the truth of the twin. 5 cm is asked for; the robot stays within 15 mm rms of a place, by the wander of the
velocity and attitude that it believes, and was never further off than 35 mm in twenty hovers.

A flight lasts for half a minute of the wall's clock and computes for a sixth of it, so all of them are flown at once, each by a
client of its own from a server of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
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

NAMES = ("alpha", "bravo", "charlie", "delta")  # of one world, on a port each
WORLD = "robots:\n" + "".join(
    f"  {name}: {{twin: crazyflie, start: {{position: [{i}, 0, {GROUND}]}}}}\n" for i, name in enumerate(NAMES)
)

Flight = tuple[CrtpServer, dict[str, Any], Log]
Fly = Callable[[str], Flight]
FLIGHTS = (
    "modes", "trajectories", "emergencies", "square_motion", "square_high_level", "square_position", "swarm",
)  # fmt: skip  # longest first


@pytest.fixture(scope="module")
def flight(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fly]:
    """flight(what): the server of a flight, what its client says of it, and what was recorded, as soon as it is over."""
    one_by_one = threading.Lock()  # a start is all work: the second would be late for those that fly by the clock already

    def fly(folder: Path, what: str) -> Flight:
        with ExitStack() as held:
            with one_by_one:
                if what == "swarm":
                    (folder / "world.yaml").write_text(WORLD)
                    served = crazyflie_served(folder, twin=str(folder), udp=tuple(f"{name}=0" for name in NAMES))
                else:
                    served = crazyflie_served(folder)
                server = held.enter_context(served)
            told = server.ask(what, list(server.uris.values()) if what == "swarm" else server.uri)
            server.stop()
        return server, told, Log.load(server.record)

    with ThreadPoolExecutor(len(FLIGHTS)) as pool:
        flying = {what: pool.submit(fly, tmp_path_factory.mktemp(what), what) for what in FLIGHTS}
        yield lambda what: flying[what].result()


def errors(told: dict[str, Any], log: Log) -> np.ndarray:
    """How far [m] the robot was from each corner, and after the landing from where it stands at the ground."""
    places = true_positions(log, [stamp for stamp, _ in told["corners"]])
    (landed,) = true_positions(log, [told["landed"]])
    assert landed[2] == pytest.approx(GROUND, abs=0.002)  # it stands
    assert not any(log[f"inputs.motor{i}"].values[-1] for i in range(1, 5))
    return np.linalg.norm(places - [place for _, place in told["corners"]], axis=1)


def test_the_high_level_commander_flies_a_square_and_the_recording_repeats_it(flight: Fly, tmp_path: Path) -> None:
    server, told, log = flight("square_high_level")
    assert (errors(told, log) < NEAR).all()
    again = tmp_path / "again.mcap"
    words = ["--interventions", str(server.record), "--record", str(again), "--quiet"]
    assert main(["run", "crazyflie", *words]) == 0
    assert Log.load(again).sha256 == log.sha256


def test_the_position_commander_flies_a_square(flight: Fly) -> None:
    _, told, log = flight("square_position")
    assert (errors(told, log) < NEAR).all()


def test_the_motion_commander_flies_a_square(flight: Fly) -> None:
    """It asks for velocities for a time of the wall's clock: what the twin was asked for is told by the recording."""
    server, told, log = flight("square_motion")
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


def test_trajectories_from_memory_and_spirals_end_where_they_should(flight: Fly) -> None:
    _, told, log = flight("trajectories")
    assert (errors(told, log) < NEAR).all()


def test_every_kind_of_set_point_does_what_it_says(flight: Fly) -> None:
    """Places within 5 cm as above; angles within 5 deg: 0.6 deg of wander, and what is left of turns after four seconds."""
    _, told, _ = flight("modes")

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


def test_silence_and_emergencies_end_a_flight_until_a_restart(flight: Fly) -> None:
    _, told, _ = flight("emergencies")
    ready, flying, level, locked = 3, 4, 7, 9
    assert told["silence"] == [ready, flying, level, locked]  # after 0.5 s and 2 s
    assert told["stop"] == told["watchdog"] == [ready, flying, locked]
    for how in ("silence", "stop", "watchdog"):
        assert told[f"{how} height"] < 0.1
        assert told[f"{how} after"] < 0.1
    assert told["console"].count("Locked, reboot required") == 3
    assert told["again"] == pytest.approx(0.5, abs=NEAR)


def test_four_crazyflies_of_a_world_fly_at_once(flight: Fly) -> None:
    server, told, log = flight("swarm")
    assert tuple(server.uris) == NAMES
    assert server.facts is not None
    assert server.facts["uris"] == server.uris
    assert server.facts["lost"] == 0
    for i, (name, uri) in enumerate(server.uris.items()):
        stamp, place = told["corners"][uri]
        (found,) = true_positions(log, [stamp], f"{name}.")
        assert np.linalg.norm(found - place - [i, 0, 0]) < NEAR, name
        assert log[f"{name}.truth.position.z"].values[-1] == pytest.approx(GROUND, abs=0.002)
