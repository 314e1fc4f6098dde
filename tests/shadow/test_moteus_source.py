"""Drives heard on their bus: what the host commanded and what was answered, to the last bit; nothing is commanded from here."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hearing import PATIENCE, read_until

import didymos
from didymos import Log
from didymos.errors import InputError
from didymos.ports.moteus.line import Message
from didymos.ports.moteus.tap import Tap
from didymos.shadow.source import SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.sources.moteus import MoteusSource
from didymos.twin import Twin

moteus = pytest.importorskip("moteus")
SRC = Path(didymos.__file__).parent.parent
HOST = Path(__file__).with_name("moteus_host.py")
INPUTS = ("position", "velocity", "feedforward", "kp_scale", "kd_scale", "mode", "beat", "torque_limit", "watchdog")


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    return didymos.load("power_unit")


@contextmanager
def served(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A served power unit in a process of its own, on folder/bus and folder/tap."""
    links = ("--link", str(folder / "bus"), "--tap", str(folder / "tap"))
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", "serve", "power_unit", "--port", "moteus", "--json", *links, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        assert f"heard at {folder / 'tap'}" in said, said
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def facts_of(process: subprocess.Popen[str]) -> dict[str, object]:
    """What a served robot says about itself at Ctrl-C."""
    process.send_signal(signal.SIGINT)
    found: dict[str, object] = json.loads(process.communicate()[0])
    return found


def opened(twin: Twin, path: Path, **options: object) -> MoteusSource:
    source = open_source(twin, f"moteus:{path}", SourceOptions(**options))  # type: ignore[arg-type]
    assert isinstance(source, MoteusSource)
    return source


def test_what_arrives_is_what_was_commanded_answered_and_recorded(power_unit: Twin, tmp_path: Path) -> None:
    count, record, told = 300, tmp_path / "robot.mcap", tmp_path / "host.json"
    with served(tmp_path, "--record", str(record), "--set", "record.rate=1000") as robot:
        source = opened(power_unit, tmp_path / "tap")
        with told.open("w") as out:
            host = subprocess.Popen([sys.executable, str(HOST), str(tmp_path / "bus"), str(count), "0.005"], stdout=out)
        try:
            arrivals, said = read_until(source, lambda _, __: host.poll() is not None)
            rest, more = read_until(source, lambda found, _: any(item.values.get("inputs.drive.mode") == 0.0 for item in found)
                                    or any(item.values.get("inputs.drive.mode") == 0.0 for item in arrivals))  # fmt: skip
        finally:
            source.close()
            host.kill()
            host.wait()
        facts = facts_of(robot)
    assert host.returncode == 0
    arrivals += rest
    inputs = [item.values for item in arrivals if "inputs.drive.beat" in item.values]
    replies = [item.values for item in arrivals if "parts.drive.position" in item.values]
    heard = json.loads(told.read_text())
    # What the client says that it wrote and read, in the order in which it did; the wire has floats of 32 bits.
    own = {"position": "position", "velocity": "velocity", "feedforward": "feedforward_torque", "kp_scale": "kp_scale",
           "kd_scale": "kd_scale", "torque_limit": "maximum_torque"}  # fmt: skip
    for name, client in own.items():
        written = [float(np.float32(row[client])) for row in heard["commanded"]]
        assert [row[f"inputs.drive.{name}"] for row in inputs[:-1]] == written
    assert [row["inputs.drive.mode"] for row in inputs] == [10.0] * count + [0.0]
    assert [row["inputs.drive.watchdog"] for row in inputs[:-1]] == [-1.0] * count  # NaN on the wire: none
    assert [row["inputs.drive.beat"] for row in inputs] == list(range(1, count + 2))
    said_by_drive = [[row[f"parts.drive.{name}"] for name in ("position", "velocity", "torque")] for row in replies]
    assert said_by_drive == [row[1:] for row in heard["answered"]]
    assert max(abs(row[0]) for row in said_by_drive) > 0.1
    # What the robot recorded: each command with its beat, in the tick from which it acts; two in one tick leave the later.
    log = Log.load(record)
    beats = log["inputs.drive.beat"].values
    rows = np.flatnonzero(np.diff(beats, prepend=0.0) > 0.0)
    assert len(rows) > count // 2
    for row in rows:
        recorded = {name: float(log[f"inputs.drive.{name}"].values[row]) for name in INPUTS}
        assert recorded == {name: inputs[int(beats[row]) - 1][f"inputs.drive.{name}"] for name in INPUTS}
    ticks = {float(np.float32(value)) for value in log["parts.drive.position"].values}  # a reply says what the drive did last
    assert {row[0] for row in said_by_drive} <= ticks
    # Stamps are times of arrival, and nothing else came, was lost or was sent: the frames on the bus are the client's.
    assert all(item.stamp == item.received for item in arrivals)
    assert [item.stamp for item in arrivals] == sorted(item.stamp for item in arrivals)
    assert set(source.signals) == {name for item in arrivals for name in item.values}
    assert (source.lost, source.unread, facts["unheard"], facts["lost"], facts["refused"]) == (0, 0, 0, 0, 0)
    assert (facts["frames"], facts["replies"]) == (count + 1, count)
    assert not [line for line in [*said, *more] if "silent" not in line and "heard" not in line]


def test_drives_that_nobody_asks_are_asked_and_a_robot_that_is_killed_is_found_again(power_unit: Twin, tmp_path: Path) -> None:
    bus = tmp_path / "bus"
    with served(tmp_path) as robot:
        source = opened(power_unit, bus)
        try:
            arrivals, said = read_until(source, lambda found, _: sum("parts.drive.torque" in item.values for item in found) > 20)
            assert set(said) <= {f"the bus at {bus} is not heard yet", f"the bus at {bus} is heard"}
            robot.kill()
            _, said = read_until(source, lambda _, said: bool(said))
            assert len(said) == 1
            assert "it is opened again once it is there" in said[0]
            robot.wait()
            bus.unlink()  # a killed program leaves its name
            (tmp_path / "tap").unlink()
            with served(tmp_path, "--record", str(tmp_path / "again.mcap")) as again:
                _, said = read_until(source, lambda found, _: len(found) > 20)
                assert len(said) == 1
                assert said[0].startswith(f"the bus at {bus} is heard again after ")
                source.close()
                facts = facts_of(again)
        finally:
            source.close()
    assert {item.values["parts.drive.mode"] for item in arrivals if "parts.drive.mode" in item.values} == {0.0}
    # Asked, and never commanded: nothing was done to the run.
    assert facts["frames"] == facts["replies"] != 0
    log = Log.load(tmp_path / "again.mcap")
    assert not [key for key in log.metadata if "interventions" in key]
    assert log["inputs.drive.beat"].values.max() == 0.0


def test_lines_that_mean_nothing_are_counted_and_told_once(power_unit: Twin) -> None:
    device, client = os.openpty()
    tty.setraw(client)
    os.set_blocking(device, False)
    source = opened(power_unit, Path(os.ttyname(client)), request=False)
    data = moteus.Controller(id=1).make_position(position=0.25, velocity=0.5, query=False).data
    # The host reads three registers first and then commands, in one message.
    reply = bytes([0x21, 0x00, 10, 0x2C, 0x03, 0x01]) + struct.pack("<3f", 0.125, -2.0, 0.75)
    words = [
        b"rcv 8001 1F01" + data.hex().encode() + b" E B F\r\n", b"\xff\xfe\x00nonsense\r\n", b"rcv zz 00\r\n", b"rcv 0100 123\n",
        b"rcv 01 0100 *00\n", b"rcv FFFFFFFFFFFF 01\n", b"OK\r\n", b"x" * 100_000 + b"\n", b"rcv 8022 1100\n",
        b"rcv 0100 " + reply.hex().encode() + b" E B F\n",
    ]  # fmt: skip
    try:
        for word in words:
            while word:
                try:
                    word = word[os.write(device, word) :]
                except BlockingIOError:
                    time.sleep(0.001)
        arrivals, said = read_until(source, lambda found, _: any("parts.drive.torque" in item.values for item in found))
    finally:
        source.close()
        os.close(device)
        os.close(client)
    told = {name.removeprefix("inputs.drive."): value for name, value in arrivals[0].values.items()}
    assert (told["position"], told["velocity"], told["mode"], told["beat"]) == (0.25, 0.5, 10.0, 1.0)
    assert arrivals[-1].values == {
        "parts.drive.position": 0.125, "parts.drive.velocity": -2.0, "parts.drive.torque": 0.75, "parts.drive.mode": 10.0,
    }  # fmt: skip
    assert len(arrivals) == 2
    assert source.unread >= 6
    assert len([line for line in said if "is no message of a bus" in line]) == 1
    assert len([line for line in said if "others than the drives of the twin" in line]) == 1


def test_a_tap_that_nobody_reads_drops_whole_lines_and_never_waits(tmp_path: Path) -> None:
    tap = Tap(tmp_path / "tap")
    client = os.open(tmp_path / "tap", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    count = 20_000
    for k in range(count):
        tap.tell(Message(0x8001, struct.pack("<I", k)))
        tap.flush()
    lost = tap.lost
    assert 0 < lost < count
    lines = b""

    def drain() -> None:
        nonlocal lines
        while True:
            try:
                lines += os.read(client, 65536)
            except BlockingIOError:
                return

    end = time.monotonic() + PATIENCE
    told = count
    while not lines.endswith(f"{struct.pack('<I', told).hex().upper()} E B F\r\n".encode()):
        assert time.monotonic() < end
        drain()
        told += 1
        tap.tell(Message(0x8001, struct.pack("<I", told)))
        tap.flush()
        drain()
    os.close(client)
    tap.close()
    numbers = [struct.unpack("<I", bytes.fromhex(line.split()[2].decode()))[0] for line in lines.splitlines()]
    assert numbers == sorted(set(numbers))
    assert all(line.startswith(b"rcv 8001 ") for line in lines.splitlines())
    assert len(numbers) == told - count + count - tap.lost  # every one was read or counted


def test_what_cannot_be_listened_to_is_refused(power_unit: Twin, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        opened(power_unit, tmp_path / "nothing")
    with pytest.raises(InputError, match="did you mean 'drive'"):
        opened(power_unit, tmp_path / "nothing", ids={"drives": 1})
    with pytest.raises(InputError, match="no part of kind drive"):
        open_source(didymos.load("quadcopter"), f"moteus:{tmp_path}")
