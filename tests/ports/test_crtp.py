"""The twin as a Crazyflie: the unmodified cflib connects, reads all there is, logs without gaps, writes parameters."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from crtp_server import CrtpServer, crazyflie_served

import didymos
from didymos import Log
from didymos.cli.main import main
from didymos.engine.intervention import load_interventions

pytest.importorskip("cflib")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrtpServer]:
    with crazyflie_served(tmp_path_factory.mktemp("crtp")) as found:
        yield found


def test_it_is_fully_connected_and_every_variable_and_parameter_is_read(server: CrtpServer) -> None:
    told = server.ask("contents")
    assert told["protocol"] == 12
    assert told["bits"] & 0b1111 == 0b1110  # armed, by itself, can fly
    assert told["board"] == {"Board name": "bcFlow2", "Board revision": "D"}
    assert {kind for kind, _ in told["memories"]} == {0x00, 0x01, 0x10, 0x12, 0x15, 0x17, 0x19}
    values = {name: float(value) for name, value in told["parameters"].items()}
    assert len(values) > 100
    assert len(told["logged"]) > 100
    assert np.isfinite(list(values.values())).all()
    assert np.isfinite(list(told["logged"].values())).all()
    twin = didymos.load("crazyflie")
    paths = ("position.kp", "roll.kp", "roll.kd", "tilt.limit")
    gain = {path: float(twin.parameters[f"control.gains.{path}"].value) for path in paths}
    assert values["posCtlPid.xKp"] == pytest.approx(gain["position.kp"])
    assert values["pid_attitude.roll_kp"] == pytest.approx(gain["roll.kp"] / gain["roll.kd"])
    assert values["posCtlPid.rLimit"] == pytest.approx(np.degrees(gain["tilt.limit"]))
    assert values["deck.bcFlow2"] == 1
    assert values["deck.bcMultiranger"] == 0
    logged = told["logged"]
    assert logged["pm.vbat"] == pytest.approx(3.5, abs=0.3)  # V of the twin's battery, which falls by 4.5 mV/s in flight alone
    assert logged["acc.z"] == pytest.approx(1.0, abs=0.05)  # g, of a robot that stands
    believed = twin.file.sensors["state"].position  # m
    assert logged["kalman.varX"] == pytest.approx(believed.bias**2 + believed.noise**2, rel=1e-4)  # of its sensor's error model
    assert logged["motor.m1"] == logged["stabilizer.thrust"] == 0
    assert logged["stateEstimateZ.z"] == pytest.approx(1000 * logged["stateEstimate.z"], abs=5)  # mm, ten times the noise


def test_a_log_at_100_hz_has_no_gaps(server: CrtpServer) -> None:
    stamps = np.array(server.ask("steady_log", server.uri, 5.0)["stamps"])
    assert len(stamps) > 490
    assert set(np.diff(stamps)) == {10}  # ms of the twin's clock: not one is missing, late or twice


def test_one_client_connects_again_and_again_and_memory_is_what_was_written(server: CrtpServer) -> None:
    assert server.ask("connections", server.uri, 5)["errors"] == [0] * 5


def test_a_client_that_is_gone_without_a_word_is_no_harm_to_the_next(server: CrtpServer) -> None:
    server.ask("vanish")
    assert set(np.diff(server.ask("steady_log", server.uri, 1.0)["stamps"])) == {10}


def test_a_written_parameter_is_a_gain_of_the_twin(tmp_path: Path) -> None:
    with crazyflie_served(tmp_path) as server:
        told = server.ask("parameters")
        server.stop()
    assert told["raw"] == ["ring.effect", "7"]
    not_stored, stored, state, cleared, after, default = told["states"]
    assert (not_stored, stored, state, cleared, after) == ([False, 6, None], True, [True, 6, 7], True, [False, 6, None])
    assert default == [6]
    done = [(item.kind, item.path, item.value) for item in load_interventions(server.record).interventions]
    twin = didymos.load("crazyflie")
    before = {path: float(twin.parameters[f"control.gains.roll.{path}"].value) for path in ("kp", "kd")}
    kd = 100.0 / (2.0 * 65535.0 * np.pi / 180.0)
    assert done[0] == ("set", "control.gains.position.kp", (2.5,))
    assert done[1:] == [
        ("set", "control.gains.roll.kd", (pytest.approx(kd),)),
        ("set", "control.gains.roll.kp", (pytest.approx(before["kp"] * kd / before["kd"]),)),  # the attitude's gain stays
    ]
    assert told["roll"] == pytest.approx(before["kp"] / before["kd"], rel=1e-6)


def test_who_only_reads_does_not_change_a_byte_of_the_log(tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    with crazyflie_served(alone, "--seconds", "8") as nobody, crazyflie_served(tmp_path) as server:
        server.ask("contents")
        read = server.stop()["seconds"]
        nobody.end()
    for record, seconds in ((server.record, read), (nobody.record, 8.0)):
        plain = didymos.load("crazyflie").simulate(seed=0).run(seconds)  # without a port
        assert Log.load(record).sha256 == plain.sha256
        assert not plain["inputs.motor1"].values.any()  # nobody asked for anything: the rotors stand


def test_a_scan_finds_it(tmp_path: Path) -> None:
    for port in range(19850, 19860):  # where clients look
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        break
    else:
        pytest.skip("all ports that a client scans are in use")
    with crazyflie_served(tmp_path, udp=(str(port),)) as server:
        end = time.monotonic() + 60.0
        found: list[str] = []
        while server.uri not in found and time.monotonic() < end:  # it waits for 0.1 s only, and a busy machine may be later
            found = server.ask("scan")["found"]
    assert server.uri in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["crazyflie", "--udp", "x"], "found 'x', expected a UDP port"),
        (["crazyflie", "--udp", "1", "--udp", "2"], "a twin alone has one UDP port"),
        (["crazyflie", "--step-locked"], "runs in real time"),
        (["quadcopter"], "no robot here has four rotors and the program multirotor_commander"),
        (["crazyflie", "--control", "multirotor_hold"], ""),
    ],
)
def test_what_cannot_be_served_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "crtp", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_name_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "world.yaml").write_text("robots: {alpha: {twin: crazyflie, start: {position: [0, 0, 0.0145]}}}\n")
    assert main(["serve", str(tmp_path), "--port", "crtp", "--udp", "alfa=0"]) == 2
    assert "did you mean 'alpha'" in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        assert main(["serve", "crazyflie", "--port", "crtp", "--udp", str(port)]) == 2
    assert f"cannot listen on UDP port {port}" in capsys.readouterr().err
