"""The robots of a world on the wires of their drives: each behind an fdcanusb of its own, driven by a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import didymos
from didymos import InputError, Log, World
from didymos.cli.main import main
from didymos.control.idle import Idle
from didymos.engine.intervention import load_interventions
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions

pytest.importorskip("moteus")
WORLD = """
robots:
  front: {twin: power_unit}
  rear: {twin: power_unit, start: {position: [1, 0, 0]}}
  guard: {twin: quadcopter, start: {position: [0, 3, 0.3]}, scenario: hover}
"""
CLIENT = """
# The public client, unmodified: path, number on the bus, speed [rev/s], rounds, seconds to wait before them.
import asyncio, json, sys, time
import moteus
R = moteus.Register

async def main(path, number, speed, rounds, late):
    transport = moteus.Fdcanusb(path, command_timeout=100.0, response_timeout=100.0)
    c = moteus.Controller(id=int(number), transport=transport)
    uuid = (await c.custom_query({R.UUID1: 2, R.UUID2: 2, R.UUID3: 2, R.UUID4: 2})).values
    time.sleep(float(late))
    positions = []
    for i in range(int(rounds)):
        state = await c.set_position(position=float(speed) * 0.005 * i, velocity=float(speed), query=True)
        positions.append(state.values[R.POSITION])
    await c.set_stop()
    transport.close()
    print(json.dumps({"positions": positions, "uuid": [uuid[r] for r in (R.UUID1, R.UUID2, R.UUID3, R.UUID4)]}))

asyncio.run(main(*sys.argv[1:]))
"""
ROUNDS = 60


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two power units, and a drone without a drive that flies by its own program."""
    folder = tmp_path_factory.mktemp("bench")
    (folder / "world.yaml").write_text(WORLD)
    return didymos.load_world(folder)


@contextmanager
def served(world: World, **options: Any) -> Iterator[dict[str, Any]]:
    """A world on the wire until the end of the block; what it said about itself is there afterwards."""
    ready, stop, facts = Event(), Event(), dict[str, Any]()
    simulation = world.simulate(control={"front": Idle(), "rear": Idle()})

    def hear(line: str) -> None:
        facts.setdefault("said", line)
        ready.set()

    def work() -> None:
        facts.update(serve(simulation, ServeOptions(say=hear, stop=stop, **options)))

    thread = Thread(target=work)
    thread.start()
    try:
        while not ready.wait(0.1):
            assert thread.is_alive()
        yield facts
    finally:
        stop.set()
        thread.join()


def client(path: Path, number: int, speed: float, rounds: int = ROUNDS, late: float = 0.0) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", CLIENT, *map(str, (path, number, speed, rounds, late))]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_two_processes_drive_a_robot_each_in_lock_step_and_the_bytes_do_not_hang_on_who_is_faster(
    world: World, tmp_path: Path
) -> None:
    speeds, logs = {"front": 0.5, "rear": -0.3}, []
    for which, late in enumerate(({"front": 0.0, "rear": 0.5}, {"front": 0.5, "rear": 0.0})):
        links = {robot: tmp_path / f"{robot}{which}" for robot in speeds}
        record = tmp_path / f"run{which}.mcap"
        with served(world, links=links, ids={"rear.drive": 7}, record=record, step_locked=True) as facts:
            numbers = {"front": 1, "rear": 7}
            drivers = {robot: client(links[robot], numbers[robot], speeds[robot], late=late[robot]) for robot in speeds}
            found = {robot: ended(process) for robot, process in drivers.items()}
        assert facts["ids"] == {"front.drive": 1, "rear.drive": 7}
        assert facts["paths"] == {robot: str(path) for robot, path in links.items()}
        assert facts["refused"] == facts["lost"] == 0
        assert not any(link.is_symlink() for link in links.values())
        logs.append(Log.load(record))
    log, done = logs[1], load_interventions(record)
    assert logs[0].sha256 == log.sha256
    assert found["front"]["uuid"] != found["rear"]["uuid"]
    tick, period = world.simulate(control={"front": Idle(), "rear": Idle()}).period, 0.005  # [s]: 200 Hz is the twin's rate
    assert done.seconds == pytest.approx(tick + ROUNDS * period)
    for robot, seen in found.items():
        moved, fastest = log[f"{robot}.parts.drive.position"], np.abs(log[f"{robot}.parts.drive.velocity"].values).max()
        times = tick + period * np.arange(1, ROUNDS + 1)
        assert np.abs(seen["positions"] - np.interp(times, moved.time, moved.values)).max() < 2 * tick * fastest
        assert moved.values[-1] == pytest.approx(speeds[robot] * ROUNDS * period, rel=0.5)
        assert sum(item.path == f"{robot}.inputs.drive" for item in done.interventions) == ROUNDS + 1
    assert log["guard.truth.position.z"].values[-1] > 0.25  # it flies by itself
    assert {item.path.partition(".")[0] for item in done.interventions} == {"front", "rear"}
    controls = {"front": Idle(), "rear": Idle()}
    again = world.simulate(control=controls).run(done.seconds, interventions=done.interventions)
    assert again.sha256 == log.sha256


def test_robots_that_share_a_link_share_a_bus(world: World, tmp_path: Path) -> None:
    bus = tmp_path / "bus"
    with served(world, links={"front": bus, "rear": bus}, ids={"front.drive": 2}, step_locked=True) as facts:
        ended(client(bus, 1, 0.5, rounds=20))
    assert facts["ids"] == {"front.drive": 2, "rear.drive": 1}
    assert facts["said"].endswith(f"as {bus} with front.drive=2 rear.drive=1")
    assert facts["paths"] == {"front": str(bus), "rear": str(bus)}


def test_any_bytes_on_one_bus_leave_the_other_alone(world: World, tmp_path: Path) -> None:
    links = {robot: tmp_path / robot for robot in ("front", "rear")}
    with served(world, links=links) as facts:
        with links["front"].open("wb", buffering=0) as wire:
            for junk in (b"\0\xff" * 500 + b"\n", b"can send 8001 zz\n", b"can send 8001 0123 *00\n", b"\r\n\r\n", b"can " * 99):
                wire.write(junk)
        assert len(ended(client(links["rear"], 1, 0.5, rounds=20))["positions"]) == 20
    assert facts["refused"] >= 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ids": {"front.drvie": 1}}, "did you mean 'front.drive'"),
        ({"ids": {"drive": 1}}, "there is no drive 'drive'"),
        ({"ids": {"rear.drive": 127}}, "1 to 126"),
        ({"links": {"rea": Path("bus")}}, "there is no robot 'rea' with drives, did you mean 'rear'?"),
        ({"links": {"guard": Path("bus")}}, "there is no robot 'guard' with drives"),
        ({"links": {"front": Path("bus"), "rear": Path("bus")}, "ids": {"rear.drive": 3, "front.drive": 3}}, "3 twice"),
    ],
)
def test_what_cannot_be_served_is_said(world: World, options: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        serve(world.simulate(), ServeOptions(**options))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--link", "bus"], "--link: found 'bus', expected two names or values joined by '='"),
        (["--control", "front=idle"], "--control: cannot go with --port moteus for front: whoever is on the wire drives it"),
        (["--id", "side.drive=1"], "--id: there is no drive 'side.drive'"),
    ],
)
def test_the_command_line_names_robots(world: World, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(world.folder), "--port", "moteus", "--seconds", "0.1", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_robot_without_drives_may_have_another_program(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["serve", str(world.folder), "--port", "moteus", "--seconds", "0.02", "--json", "--control", "guard=idle"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ids"] == {"front.drive": 1, "rear.drive": 1}
    assert set(found["paths"]) == {"front", "rear"}


def test_a_twin_alone_has_one_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "power_unit", "--port", "moteus", "--link", "a", "--link", "b"]) == 2
    assert "--link: found several, expected one: a twin alone has one terminal" in capsys.readouterr().err
