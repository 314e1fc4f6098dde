"""A robot on ROS 2, heard over DDS: what arrives is what the robot recorded, and nothing that happens to the line ends it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hearing import read_until
from rosbags.typesys import Stores, get_typestore

import didymos
from didymos import Log
from didymos.errors import InputError
from didymos.record.cdr import CdrError
from didymos.record.stream import Kind, StreamLayout
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.sources.ros2 import Ros2Source, open_ros2
from didymos.shadow.sources.ros2_message import JOINT_STATE, MessageReader
from didymos.twin import Twin

SRC = Path(didymos.__file__).parent.parent
ROBOT = Path(__file__).with_name("ros2_robot.py")


@pytest.fixture(scope="module")
def quadcopter() -> Twin:
    return didymos.load("quadcopter")


@pytest.fixture
def domain() -> Iterator[int]:
    """A domain that nobody else on this machine uses, marked as the tests of the port ros2 mark theirs."""
    for domain in range(1, 101):
        first = 7400 + 250 * domain
        with contextlib.ExitStack() as held:
            try:
                for port, kind in ((first + 249, socket.SOCK_STREAM), (first + 10, socket.SOCK_DGRAM)):
                    item = held.enter_context(socket.socket(socket.AF_INET, kind))
                    item.bind(("127.0.0.1", port))
            except OSError:
                continue
            item.close()
            yield domain
            return
    raise AssertionError("all domains from 1 to 100 are in use")


@contextlib.contextmanager
def served(domain: int, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A served quadcopter in a process of its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CYCLONEDDS", "ROS_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", "serve", "quadcopter", "--port", "ros2", "--domain", str(domain), "--json",
         *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment | {"PYTHONPATH": str(SRC)},
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def by_signal(arrivals: list[Arrival]) -> dict[str, dict[float, float]]:
    """Values by stamp, by signal; no stamp twice."""
    found: dict[str, dict[float, float]] = {}
    for arrival in arrivals:
        for name, value in arrival.values.items():
            assert arrival.stamp not in found.setdefault(name, {})
            found[name][arrival.stamp] = value
    return found


def test_what_arrives_is_what_the_robot_recorded_sample_by_sample(quadcopter: Twin, domain: int, tmp_path: Path) -> None:
    record = tmp_path / "robot.mcap"
    words = ("--scenario", "hover", "--seconds", "4", "--set", "links.body_FLU.mass=0.7", "--record", str(record))
    source = open_source(quadcopter, f"ros2:{domain}")
    assert isinstance(source, Ros2Source)
    try:
        with served(domain, *words) as process:
            arrivals, said = read_until(source, lambda found, _: process.poll() is not None)
            assert process.returncode == 0
            assert process.stdout is not None
            facts = json.loads(process.stdout.read())
            arrivals += source.read(0.0)
    finally:
        source.close()
    log, heard = Log.load(record), by_signal(arrivals)
    assert set(heard) == set(source.signals)
    assert {"inputs.motor1", "inputs.motor4", "gps.velocity.z", "state.position.x", "imu.accel.z", "baro.pressure"} <= set(heard)
    for name, values in heard.items():
        first, last = min(values), max(values)
        kept = log[name]
        inside = (kept.time >= first) & (kept.time <= last)
        assert dict(zip(kept.time[inside].tolist(), kept.values[inside].tolist(), strict=True)) == values, name
    inputs = np.array(sorted(heard["inputs.motor1"]))
    assert len(inputs) > 400
    np.testing.assert_allclose(np.diff(inputs), 1 / 400, atol=1e-9)  # every tick of the program, which runs at 400 Hz
    stamps = [arrival.stamp for arrival in arrivals if "inputs.motor1" in arrival.values]
    assert stamps == sorted(stamps)
    assert all(later.received >= earlier.received for earlier, later in pairwise(arrivals))
    assert (source.lost, source.unread) == (0, 0)
    assert not [line for line in said if "silent" not in line and "heard" not in line]
    # Nothing was sent that commands: no message came in, no service was called, nothing was done to the run.
    assert (facts["received"], facts["refused"], facts["resets"]) == (0, 0, 0)
    assert not [key for key in log.metadata if "interventions" in key]


def test_a_robot_that_is_killed_and_started_anew_is_heard_again_with_a_sentence_for_each(quadcopter: Twin, domain: int) -> None:
    source = open_ros2(quadcopter, str(domain), SourceOptions(signals=("imu", "inputs")))
    silent = [f"the robot on ROS 2 domain {domain} has been silent for 1 s"]
    try:
        with served(domain) as first:
            read_until(source, lambda found, _: bool(found) and found[-1].stamp > 1.0)
            first.send_signal(signal.SIGKILL)
            _, said = read_until(source, lambda _, said: any("silent" in line for line in said))
            assert [line for line in said if "heard" not in line] == silent
        with served(domain):
            arrivals, said = read_until(source, lambda found, _: any(item.stamp < 0.9 for item in found) and len(found) > 100)
    finally:
        source.close()
    assert len([line for line in said if "is heard again after" in line]) == 1
    assert len([line for line in said if "it was started anew" in line]) == 1
    assert set(by_signal([item for item in arrivals if item.stamp < 0.9])) == set(source.signals)


def test_a_robot_of_somebody_elses_is_heard_on_its_own_topics_types_and_qualities(quadcopter: Twin, domain: int) -> None:
    count = 200
    topics = {"imu": "/driver/imu", "inputs": "/motors"}
    source = open_ros2(quadcopter, str(domain), SourceOptions(signals=("imu", "inputs", "gps"), topics=topics))
    robot = subprocess.Popen(
        [sys.executable, str(ROBOT), str(domain), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    last, random = (count - 1) / 100, np.random.default_rng(1)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
            for port in range(7410 + 250 * domain, 7416 + 250 * domain):  # those of the first participants
                for head in (b"", b"RTPS\x02\x01\x01\x10"):
                    noise.sendto(head + random.bytes(200), ("127.0.0.1", port))
        arrivals, said = read_until(
            source, lambda found, _: sum(item.stamp == last for item in found) == 3 and source.unread == count
        )
    finally:
        assert robot.stdin is not None
        robot.stdin.close()
        robot.wait()
        source.close()
    heard = by_signal(arrivals)
    imu = {f"imu.{what}.{axis}" for what in ("gyro", "accel") for axis in "xyz"}
    assert set(heard) == imu | {"inputs.motor1", "inputs.motor4", "gps.position.x", "gps.position.z"}
    factors = {"imu.gyro.y": -1, "imu.accel.x": 3, "inputs.motor4": 4, "gps.position.z": 5, "gps.position.x": 6}
    for name, factor in factors.items():
        assert heard[name] == {k / 100: float(factor * k) for k in range(count)}, name
    assert len([line for line in said if line.startswith("/gps: a message tells of gps.")]) == 1  # what means nothing, told once
    assert [line for line in said if "wiper" in line] == ["/motors tells of inputs.wiper as well, which the twin does not have"]


@pytest.mark.parametrize("little", [True, False])
def test_messages_of_either_byte_order_and_of_changing_length_are_read(little: bool) -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    header = store.types["std_msgs/msg/Header"]
    stamp = store.types["builtin_interfaces/msg/Time"]
    joints = store.types["sensor_msgs/msg/JointState"]
    columns = tuple(f"{joint}.{what}" for joint in ("hip", "knee") for what in ("position", "velocity"))
    layout = StreamLayout("encoders", Kind.JOINT_STATES, columns, ("rad", "rad/s") * 2, labels=("hip", "knee"))
    reader = MessageReader(layout, JOINT_STATE, set(layout.signals))

    def message(second: int, names: list[str], positions: list[float], velocities: list[float]) -> bytes:
        made = joints(header(stamp(second, 500_000_001), "x"), names, np.array(positions), np.array(velocities), np.zeros(0))
        return bytes(store.serialize_cdr(made, "sensor_msgs/msg/JointState", little_endian=little))

    values = {"hip.position": 2.0, "knee.position": 1.0, "hip.velocity": -4.0, "knee.velocity": 3.0}
    whole = {f"encoders.{name}": value for name, value in values.items()}
    messages: list[tuple[bytes, Any]] = [
        (message(1, ["knee", "hip"], [1.0, 2.0], [3.0, -4.0]), (1.500000001, whole)),
        (message(2, ["hip"], [5.0], []), (2.500000001, {"encoders.hip.position": 5.0})),
        (message(3, ["hipp"], [5.0], []), (3.500000001, {})),
        (message(4, ["knee", "hip"], [1.0, 2.0], [3.0, -4.0]), (4.500000001, whole)),
    ]
    for data, expected in messages * 2:  # the second time from what was learned
        assert reader.read(data) == expected
    assert reader.unknown == {"encoders.hipp"}
    with pytest.raises(CdrError):
        reader.read(messages[0][0][:-9])


@pytest.mark.parametrize(
    ("address", "topics", "said"),
    [
        ("500", {}, "expected a ROS 2 domain"),
        ("1/no space", {}, "expected DOMAIN/NAMESPACE such as 0/no_space"),
        ("", {"imuu": "/imu"}, "did you mean 'imu'"),
        ("", {"imu": "imu raw"}, "expected a topic such as /imu_raw"),
    ],
)
def test_what_cannot_be_listened_to_is_refused(quadcopter: Twin, address: str, topics: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_ros2(quadcopter, address, SourceOptions(topics=topics))
