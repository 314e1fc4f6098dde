"""Viewers cannot harm a run: garbage, viewers that stop reading, many of them; watched or not, it has the same log."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import socket
import struct
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from foxglove_server import Watched, served, started
from websockets.exceptions import ConnectionClosed

from didymos import Log
from didymos.cli.main import main
from didymos.describe.twin import Twin

PENDULUM = """<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass="1"/></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
FRAMES = 6000


@pytest.fixture(scope="module")
def pendulum(make_twin: Any) -> Twin:
    """A pendulum with noisy readings, recorded at 1 kHz; it swings for a second and a half."""
    found: Twin = make_twin(
        PENDULUM,
        sensors={"encoders": {"kind": "joints", "rate": 1000, "position": {"noise": 1e-3}}},
        record={"rate": 1000, "tf_rate": 200},
        control={"program": "idle", "rate": 1000},
        start={"joints": {"hinge": 1.0}},
        scenarios={"swing": {"seconds": 1.5}},
    )
    return found


class Rough:
    """A socket that speaks websocket as far as it must: frames of any content, and no reading unless asked."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET / HTTP/1.1", f"Host: {place.netloc}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: foxglove.sdk.v1", "", "",
        ]  # fmt: skip
        self.socket.sendall("\r\n".join(lines).encode())
        assert b" 101 " in self.socket.recv(100)

    def send(self, payload: bytes, opcode: int = 1, first: int = 0x80) -> None:
        """A frame, masked with zeros."""
        size = len(payload)
        head = bytes([first | opcode])
        head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        self.socket.sendall(head + bytes(4) + payload)

    def drain(self) -> None:
        """Read what is there."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(1 << 20):
                pass
        except BlockingIOError:
            pass
        finally:
            self.socket.settimeout(60)


def requests() -> list[bytes]:
    """Messages as a viewer sends them, to be spoiled."""
    texts = [
        {"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 1}]},
        {"op": "unsubscribe", "subscriptionIds": [1]},
        {"op": "advertise", "channels": [{"id": 1, "topic": "/none", "encoding": "json", "schemaName": ""}]},
        {"op": "unadvertise", "channelIds": [1]},
        {"op": "getParameters", "parameterNames": ["world.gravity"], "id": "a"},
        {"op": "setParameters", "parameters": [{"name": "control.rate", "value": 1}], "id": "b"},
        {"op": "subscribeParameterUpdates", "parameterNames": ["world.gravity"]},
        {"op": "subscribeConnectionGraph"},
        {"op": "fetchAsset", "uri": "package://robot/robot.urdf", "requestId": 1},
        {"op": "playbackControlRequest"},
    ]
    binary = [b"\x01" + struct.pack("<I", 1) + b'{"data": "x"}', b"\x02" + struct.pack("<III", 9, 1, 4) + b"json{}", b"\x03\0"]
    return [json.dumps(text).encode() for text in texts] + binary


def spoiled(message: bytes, dice: random.Random) -> bytes:
    """The same with bytes changed, cut, repeated or put in."""
    data = bytearray(message)
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(4):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                del data[at : at + dice.randrange(8)]
            case 2:
                data[at:at] = dice.randbytes(dice.randrange(8))
            case _:
                data[at:at] = data[at : at + dice.randrange(40)]
    return bytes(data)[:60_000]


def test_garbage_does_no_harm(pendulum: Twin, tmp_path: Path) -> None:
    """Thousands of spoiled messages; the run that got them is that of which nothing was asked, to the bit."""
    file, quiet = tmp_path / "fuzzed.mcap", tmp_path / "quiet.mcap"
    dice, sent = random.Random(16), 0
    with served(pendulum.folder, "--step-locked", "--record", str(file)) as twin, twin.view() as viewer:
        rough = Rough(twin.url)
        while sent < FRAMES:
            try:
                for _ in range(50):
                    message = spoiled(dice.choice(requests()), dice)
                    kind = 1 if message[:1] == b"{" else 2
                    first = dice.choice([0x80] * 50 + [0x00, 0xC0, 0xB0])  # a few are torn, or use bits that mean nothing
                    rough.send(message, dice.randrange(16) if dice.random() < 0.02 else kind, first)
                    sent += 1
                rough.drain()
            except OSError:  # thrown out, as it should be for frames that are none
                rough = Rough(twin.url)
            if sent % 1000 == 0:
                assert viewer.call("/step", ticks=100)
        for raw in (b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(4000)):
            with socket.create_connection((urlsplit(twin.url).hostname, urlsplit(twin.url).port)) as plain:
                plain.sendall(raw)
        tick = viewer.call("/step", ticks=1)["tick"]
        twin.stop()
        assert len(twin.said) < 150
    assert main(["run", str(pendulum.folder), "--seconds", str(tick * 0.001), "--record", str(quiet), "--quiet"]) == 0
    assert Log.load(file).sha256 == Log.load(quiet).sha256


def test_a_viewer_that_stops_reading_slows_nobody(pendulum: Twin) -> None:
    """It would have to take in many times what the sockets between hold; the run and others go on, and it can be stopped."""
    with served(pendulum.folder, "--step-locked") as twin, twin.view() as viewer:
        stalled = Rough(twin.url)
        stalled.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        everything = [{"id": i, "channelId": item["id"]} for i, item in enumerate(viewer.channels.values())]
        stalled.send(json.dumps({"op": "subscribe", "subscriptions": everything}).encode())
        viewer.subscribe("/encoders")
        ticks, pieces = 1000, 30
        for piece in range(1, pieces + 1):
            assert viewer.call("/step", ticks=ticks)["tick"] == piece * ticks
            viewer.wait(lambda: len(viewer.messages.get("/encoders", ())) == piece * ticks)  # noqa: B023
        assert [time for time, _ in viewer.messages["/encoders"]] == [1_000_000 * i for i in range(pieces * ticks)]
        facts = twin.stop()
        assert facts["sent"] > 2 * pieces * ticks  # for the other one, too
        assert facts["lost"] == 0


def test_several_viewers_see_the_same(pendulum: Twin) -> None:
    with served(pendulum.folder, "--step-locked") as twin:
        viewers = [twin.view() for _ in range(8)]
        for viewer in viewers:
            viewer.subscribe("/encoders", "/tf")
        for viewer in viewers[:4]:
            assert isinstance(viewer.call("/step", ticks=25)["tick"], int)
        for viewer in viewers:
            viewer.wait(lambda: [len(viewer.messages.get(topic, ())) for topic in ("/encoders", "/tf")] == [100, 20])  # noqa: B023
            assert viewer.messages == viewers[0].messages
            viewer.socket.close()


@pytest.mark.parametrize("way", ["step by step", "in real time", "run", "run --fast"])
def test_the_log_of_a_run_that_is_watched_is_that_of_one_that_is_not(pendulum: Twin, tmp_path: Path, way: str) -> None:
    plain, watched = tmp_path / "plain.mcap", tmp_path / "watched.mcap"
    assert main(["run", str(pendulum.folder), "--scenario", "swing", "--record", str(plain), "--quiet"]) == 0
    words = ("--scenario", "swing", "--record", str(watched))
    if way.startswith("run"):
        started_run = started("run", str(pendulum.folder), *words, "--foxglove", "0", *way.split()[1:])
    else:
        pace = "--step-locked" if way == "step by step" else "--real-time"
        started_run = served(pendulum.folder, *words, "--seconds", "1.5", pace)
    with started_run as twin:
        seen = see_all_of(twin, way == "step by step")
        facts = twin.ended()
    assert facts["seconds"] == 1.5
    assert seen >= 1400 or way != "step by step"  # others may be over before a viewer of a busy machine is there
    assert watched.read_bytes() == plain.read_bytes()


def see_all_of(twin: Watched, stepped: bool) -> int:
    """Subscribe to everything, read until the end of the run; how many messages came."""
    with contextlib.suppress(ConnectionClosed, OSError):
        viewer = twin.view()
        with contextlib.suppress(ConnectionClosed):
            viewer.subscribe(*viewer.channels)
            if stepped:  # all but the end, which a viewer of a busy machine may not have read when the run closes the line
                viewer.call("/step", ticks=1400)
                viewer.wait(lambda: len(viewer.messages.get("/encoders", ())) == 1400)
                viewer.call("/step", ticks=100)
            viewer.wait(lambda: False)
        return sum(map(len, viewer.messages.values()))
    return 0


def test_a_port_that_is_taken_is_said(pendulum: Twin, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", str(pendulum.folder), "--port", "foxglove", "--listen", port, "--seconds", "1"]) == 2
        said = capsys.readouterr().err
        assert port in said
        assert "choose another" in said


@pytest.mark.parametrize("words", [["serve", "--port", "foxglove"], ["run", "--foxglove"]])
def test_without_the_library_one_command_is_named(
    pendulum: Twin, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if f"{name}.".startswith(("foxglove.", "didymos.ports.foxglove.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "foxglove", None)
    assert main([words[0], str(pendulum.folder), *words[1:], "--seconds", "0.1"]) == 2
    assert "pip install 'didymos[foxglove]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--fast"], "goes with --foxglove only"),
        (["--fast", "--foxglove", "--real-time"], "cannot go with --real-time"),
        (["--foxglove", "--view"], "cannot go with --view"),
        (["--foxglove", "70000"], "65535"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    pendulum: Twin, words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(pendulum.folder), *words]) == 2
    assert why in capsys.readouterr().err
