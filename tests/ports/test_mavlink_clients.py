"""Ground stations and libraries as they come from the registry fly the twin: pymavlink, MAVSDK and MAVProxy, one vehicle each, at
once.

Three quadcopters of one world are systems 1 to 3 of one UDP port. What each flew is told by the truth of the recording. The
sensors' error models are off, so that a vehicle is where it believes to be; NEAR is then the radius within which a point counts
as reached, and what the estimate may be wrong by.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mavlink_client import ACCELERATION, GAIN, RADIUS
from mavlink_server import MavlinkServer, served

import didymos
from didymos import Log
from didymos.cli.main import main
from didymos.engine.intervention import load_interventions

pytest.importorskip("pymavlink")
CLIENTS = ("pymavlink", "mavsdk", "mavproxy")
STANDS = 0.011  # [m], the height of a quadcopter on its feet
NEAR = RADIUS + 0.1  # [m]
# east, north, up [m] of the start
OFFSETS = ((2.0, 0.0, 3.0), (2.0, 2.0, 3.0), (0.0, 2.0, 4.0), (-2.0, 2.0, 3.0), (-2.0, 0.0, 2.5), (0.0, 0.0, 3.0))
WORLD = "robots:\n" + "".join(
    f"  {name}: {{twin: quadcopter, start: {{position: [{20 * i}, 0, {STANDS}]}}}}\n" for i, name in enumerate(CLIENTS)
)
ERRORS_OFF = [word for name in CLIENTS for word in ("--set", f"{name}.sensors.*.errors=0")]


def place_on_earth(east: float, north: float) -> tuple[float, float]:
    """Latitude and longitude [deg] some metres from the world's origin, by the radii of curvature of WGS 84."""
    origin = didymos.load("quadcopter").file.world.earth
    a, square = 6_378_137.0, 0.00669437999014
    w = math.sqrt(1.0 - square * math.sin(origin.latitude) ** 2)
    meridian, normal = a * (1.0 - square) / w**3, a / w
    latitude = origin.latitude + north / meridian
    return math.degrees(latitude), math.degrees(origin.longitude + east / (normal * math.cos(origin.latitude)))


@pytest.fixture(scope="module")
def flown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, MavlinkServer, dict[str, Any], dict[str, Any]]]:
    """The world, the server, what each client told, and what the server said at its end."""
    folder = tmp_path_factory.mktemp("field")
    (folder / "world.yaml").write_text(WORLD)
    with served(folder, str(folder), *ERRORS_OFF, targets=2) as server:
        addresses = {
            "pymavlink": f"udpin:127.0.0.1:{server.targets[0]}",
            "mavsdk": f"udpin://127.0.0.1:{server.targets[1]}",
            "mavproxy": f"udpout:127.0.0.1:{server.port}",
        }
        processes = {}
        for i, name in enumerate(CLIENTS):
            points = [[*place_on_earth(20.0 * i + east, north), up] for east, north, up in OFFSETS]
            processes[name] = server.client(name, addresses[name], 1 + i, points)
        told = {}
        for name, process in processes.items():
            out, err = process.communicate(timeout=290)
            assert process.returncode == 0, f"{name}: {err[-3000:]}"
            told[name] = json.loads(out.splitlines()[-1])
        yield folder, server, told, server.stop()


def test_each_client_connects_reads_and_sets_parameters(flown: Any) -> None:
    _, server, told, facts = flown
    assert "pymavlink is system 1, mavsdk is system 2, mavproxy is system 3" in server.said
    assert facts["systems"] == {"pymavlink": 1, "mavsdk": 2, "mavproxy": 3}
    assert facts["lost"] == 0
    for name in CLIENTS:
        assert told[name]["gain"] == pytest.approx(0.8)  # the quadcopter's position.kp
        assert told[name]["set"] == pytest.approx([ACCELERATION, GAIN])
    assert told["pymavlink"]["refused"] == pytest.approx(GAIN)  # what does not fit stays as it was
    assert told["pymavlink"]["names"] == told["mavsdk"]["names"]
    assert len(told["mavsdk"]["names"]) == told["mavproxy"]["received"] > 400
    done = load_interventions(server.record).interventions
    for name in CLIENTS:
        assert [item.value for item in done if item.path == f"{name}.control.gains.position.kp"] == [(GAIN,)]


def test_each_client_arms_takes_off_flies_six_points_in_order_and_lands(flown: Any) -> None:
    _, server, told, _ = flown
    assert told["pymavlink"]["mode"] == "LOITER"
    assert [told["pymavlink"][what] for what in ("uploaded", "arm", "take_off", "start", "land")] == [0] * 5
    assert told["pymavlink"]["reached"] == list(range(6))
    assert told["mavproxy"]["current"] == list(range(1, 6))
    assert (told["mavproxy"]["uploaded"], told["mavproxy"]["take_off"]) == ("ACCEPTED", "ACCEPTED")
    assert told["mavsdk"]["finished"]
    assert told["mavsdk"]["landed"] == 1
    progress = told["mavsdk"]["progress"]
    assert progress == sorted(progress)
    assert progress[-1] == 6
    log = Log.load(server.record)
    for i, name in enumerate(CLIENTS):
        track = np.column_stack([log[f"{name}.truth.position.{axis}"].values for axis in "xyz"])
        at = 0
        for east, north, up in OFFSETS:
            away = np.linalg.norm(track[at:] - [20.0 * i + east, north, STANDS + up], axis=1)
            assert away.min() < NEAR, (name, east, north, up, away.min())
            at += int(np.argmax(away < NEAR))
        assert track[-1] == pytest.approx([20.0 * i, 0.0, STANDS], abs=NEAR)
        assert track[-1][2] == pytest.approx(STANDS, abs=0.01)  # it stands
        assert not any(log[f"{name}.inputs.motor{k}"].values[-1] for k in range(1, 5))


def test_a_mission_comes_back_as_it_was_sent(flown: Any) -> None:
    _, _, told, _ = flown
    points = [[*place_on_earth(20.0 + east, north), up] for east, north, up in OFFSETS]
    assert np.abs(np.array(told["mavsdk"]["back"]) - points).max() < 1e-6  # deg; the wire has 1e-7


def test_the_recording_repeats_the_flights_without_any_client(flown: Any, tmp_path: Path) -> None:
    folder, server, _, _ = flown
    again = tmp_path / "again.mcap"
    control = ",".join(f"{name}=multirotor_commander" for name in CLIENTS)
    words = ["--control", control, *ERRORS_OFF, "--interventions", str(server.record), "--record", str(again), "--quiet"]
    assert main(["run", str(folder), *words]) == 0
    assert Log.load(again).sha256 == Log.load(server.record).sha256
