"""Four Crazyflies of one world on four ports, flown at once by cflib's swarm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from crtp_server import crazyflie_served, true_positions

from didymos import Log
from didymos.cli.main import main

pytest.importorskip("cflib")
NAMES = ("alpha", "bravo", "charlie", "delta")
WORLD = "robots:\n" + "".join(
    f"  {name}: {{twin: crazyflie, variant: motion_capture, start: {{position: [{i}, 0, 0.0145]}}}}\n"
    for i, name in enumerate(NAMES)
)
NEAR = 0.05  # m, see test_crtp_flight.py


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hall")
    (folder / "world.yaml").write_text(WORLD)
    return folder


def test_four_crazyflies_fly_at_once(world: Path, tmp_path: Path) -> None:
    with crazyflie_served(tmp_path, twin=str(world), udp=tuple(f"{name}=0" for name in NAMES)) as server:
        assert tuple(server.uris) == NAMES
        told = server.ask("swarm", list(server.uris.values()))
        facts = server.stop()
    assert facts["uris"] == server.uris
    assert facts["lost"] == 0
    log = Log.load(server.record)
    for i, (name, uri) in enumerate(server.uris.items()):
        stamp, place = told["corners"][uri]
        (found,) = true_positions(log, [stamp], f"{name}.")
        assert np.linalg.norm(found - place - [i, 0, 0]) < NEAR, name
        assert log[f"{name}.truth.position.z"].values[-1] == pytest.approx(0.0145, abs=0.002)


def test_a_name_that_is_not_there_is_refused(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(world), "--port", "crtp", "--udp", "alfa=0"]) == 2
    assert "did you mean 'alpha'" in capsys.readouterr().err
