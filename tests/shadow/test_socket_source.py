"""Any robot by JSON over UDP: what a client without code of ours sends arrives; whatever else comes is survived and told once."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import didymos
from didymos.errors import InputError
from didymos.shadow.source import Arrival
from didymos.shadow.sources import open_source
from didymos.shadow.sources.socket import SocketSource

KNOWN = {"imu.gyro.x": "rad/s", "inputs.motor1": "1", "encoders.elbow.position": "rad"}


@pytest.fixture
def source() -> Iterator[SocketSource]:
    source = SocketSource(KNOWN, 0)
    yield source
    source.close()


def sent(source: SocketSource, *datagrams: bytes) -> list[Arrival]:
    """What arrives of datagrams; a last one of ours says that all are through."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        for datagram in (*datagrams, b'{"stamp": -1, "imu.gyro.x": 7}'):
            line.sendto(datagram, ("127.0.0.1", source.port))
    found: list[Arrival] = []
    while not found or found[-1].stamp != -1.0:
        found += source.read(5.0)
    return found[:-1]


def test_what_a_client_sends_arrives_with_both_clocks(source: SocketSource) -> None:
    before = time.monotonic()
    first, second = sent(
        source,
        b'{"stamp": 12.5, "imu.gyro.x": 0.25, "inputs.motor1": 1}',
        b'{"stamp": 12.6, "imu.gyro.x": null, "inputs.motor1": 0.5}',
    )
    assert (first.stamp, dict(first.values)) == (12.5, {"imu.gyro.x": 0.25, "inputs.motor1": 1.0})
    assert (second.stamp, dict(second.values)) == (12.6, {"inputs.motor1": 0.5})
    assert before <= first.received <= second.received <= time.monotonic()
    assert source.notices() == []


def test_the_client_of_the_docs_speaks_from_a_process_of_its_own(source: SocketSource) -> None:
    code = f"""
import json, socket, time
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(20):
    told = {{"stamp": time.monotonic(), "encoders.elbow.position": 0.1 * i}}
    line.sendto(json.dumps(told).encode(), ("127.0.0.1", {source.port}))
    time.sleep(0.001)
"""
    process = subprocess.Popen([sys.executable, "-c", code])
    found: list[Arrival] = []
    while len(found) < 20:
        found += source.read(5.0)
    assert process.wait() == 0
    assert [item.values["encoders.elbow.position"] for item in found] == [0.1 * i for i in range(20)]
    assert all(item.received >= item.stamp for item in found)  # one machine, one clock


def test_a_name_that_is_not_known_is_told_once_with_the_nearest(source: SocketSource) -> None:
    found = sent(source, *[b'{"stamp": 1, "imu.gyro.X": 1, "inputs.motor1": 2}'] * 5)
    assert [dict(item.values) for item in found] == [{"inputs.motor1": 2.0}] * 5
    said = source.notices()
    assert len(said) == 1
    assert "'imu.gyro.X'" in said[0]
    assert "'imu.gyro.x'" in said[0]
    assert source.notices() == []


def test_without_a_stamp_the_time_of_arrival_stands_for_it(source: SocketSource) -> None:
    (item,) = sent(source, b'{"imu.gyro.x": 3}')
    assert item.stamp == item.received
    assert ["no stamp" in text for text in source.notices()] == [True]


@pytest.mark.parametrize(
    "datagram",
    [b"", b"\xff\xfe\x00", b"[1, 2]", b"7", b'{"stamp": "now", "imu.gyro.x": 1}', b'{"stamp": NaN, "imu.gyro.x": 1}',
     b'{"stamp": true}', b'{"stamp": 1e999, "imu.gyro.x": 1}', b"[" * 60_000, b'{"stamp": 1' + b"0" * 5000 + b"}"],
)  # fmt: skip
def test_bytes_that_mean_nothing_are_counted_and_left_out(source: SocketSource, datagram: bytes) -> None:
    assert sent(source, datagram) == []
    assert source.unread == 1
    assert len(source.notices()) == 1


@pytest.mark.parametrize("value", ["true", '"1"', "[1]", "{}", "NaN", "-Infinity", "1e999", "1" + "0" * 400])
def test_a_value_that_is_no_number_is_left_out(source: SocketSource, value: str) -> None:
    (item,) = sent(source, f'{{"stamp": 1, "imu.gyro.x": {value}, "inputs.motor1": 2}}'.encode())
    assert dict(item.values) == {"inputs.motor1": 2.0}


def test_any_bytes_are_survived_and_little_is_said_of_them(source: SocketSource) -> None:
    draw = random.Random(18)
    good = json.dumps({"stamp": 3.5, "imu.gyro.x": 0.5, "inputs.motor1": 0.1}).encode()
    for _ in range(20):
        batch = []
        for _ in range(100):
            data = bytearray(good if draw.random() < 0.7 else draw.randbytes(draw.randrange(0, 200)))
            for _ in range(draw.randrange(0, 4)):
                if data:
                    data[draw.randrange(len(data))] = draw.randrange(256)
            batch.append(bytes(data))
        for item in sent(source, *batch):
            assert set(item.values) <= set(KNOWN)
    said = source.notices()
    assert source.unread > 100
    assert len(said) < 24  # 16 names, and each way of meaning nothing
    assert all(len(text) < 300 for text in said)


def test_silence_and_its_end_are_told_once_each(source: SocketSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("didymos.shadow.sources.arrivals.SILENCE", 0.02)
    said: list[str] = []
    for _ in range(2):
        while len(said) % 2 == 0:  # until it is told
            source.read(0.01)
            said += source.notices()
        for _ in range(3):
            source.read(0.01)  # nothing more is said of it
        monkeypatch.setattr("didymos.shadow.sources.arrivals.SILENCE", 1e9)
        sent(source, b'{"stamp": 1, "imu.gyro.x": 1}')
        said += source.notices()
        monkeypatch.setattr("didymos.shadow.sources.arrivals.SILENCE", 0.02)
    who = f"the robot on socket:{source.port}"
    assert said[:3] == [f"{who} is not heard yet", f"{who} is heard", f"{who} has been silent for 0.02 s"]
    assert said[3].startswith(f"{who} is heard again after")
    assert len(said) == 4


def test_it_listens_to_all_signals_of_a_twin_on_this_machine_only() -> None:
    twin = didymos.load("power_unit")
    source = open_source(twin, "socket:0")
    assert "parts.drive.position" in source.signals
    assert "truth.position.x" in source.signals  # a camera system may know it
    assert isinstance(source, SocketSource)
    assert source._socket._socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(InputError, match="cannot listen"):
        open_source(twin, f"socket:{source.port}")
    source.close()


@pytest.mark.parametrize("address", ["x", "70000", "-1", "localhost:9000"])
def test_an_address_that_is_no_port_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="socket:PORT"):
        open_source(didymos.load("power_unit"), f"socket:{address}")
