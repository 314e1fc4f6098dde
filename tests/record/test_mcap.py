"""Recordings open everywhere, and survive a killed run."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.typesys import Stores, get_typestore

from didymos.errors import InputError, RunError
from didymos.record import Kind, Log, McapRecorder, StreamLayout

from .examples import ALL_LAYOUTS, layout_of, rows_of

IMU = StreamLayout("imu", Kind.IMU, ("gyro.x", "gyro.y", "gyro.z"), ("rad/s",) * 3, "imu_link")
SETPOINTS = StreamLayout("setpoints", Kind.SCALARS, ("x", "z"), ("m", "m"))


def record(path: Path, chunks: int = 4, metadata: dict[str, str] | None = None) -> None:
    """Per half second 20 rows of the imu, k + 1 in its k-th row, and 5 of scalars."""
    with McapRecorder(path, [IMU, SETPOINTS], metadata or {}) as recorder:
        for k in range(chunks):
            counter = np.arange(20.0 * k, 20.0 * (k + 1))
            recorder.write(0, counter / 40.0, np.outer(counter + 1.0, [1.0, 2.0, 3.0]))
            slow = np.arange(5.0 * k, 5.0 * (k + 1))
            recorder.write(1, slow / 10.0, np.outer(slow, [1.0, -1.0]))
            recorder.flush()


def test_the_mcap_reader_and_the_ros2_decoder_open_it(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", metadata={"twin": "quadcopter"})
    with (tmp_path / "run.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        header, summary = reader.get_header(), reader.get_summary()
        assert header.profile == "ros2"
        assert summary.statistics.message_count == 80 + 2 * 20
        assert summary.statistics.message_end_time == 1_975_000_000
        assert {channel.topic for channel in summary.channels.values()} == {"/imu", "/setpoints/x", "/setpoints/z"}
        assert all(schema.encoding == "ros2msg" for schema in summary.schemas.values())
        assert next(m.metadata for m in reader.iter_metadata() if m.name == "didymos") == {"twin": "quadcopter"}
        decoded = list(reader.iter_decoded_messages(log_time_order=True))
    times = [message.log_time for _, _, message, _ in decoded]
    assert times == sorted(times)
    imu = [message for _, channel, _, message in decoded if channel.topic == "/imu"]
    assert [message.angular_velocity.y for message in imu] == [2.0 * k for k in range(1, 81)]
    assert imu[41].header.stamp.sec == 1
    assert imu[41].header.stamp.nanosec == 25_000_000
    setpoints = [message.data for _, channel, _, message in decoded if channel.topic == "/setpoints/z"]
    assert setpoints == [-k for k in range(20)]


def test_a_span_of_time_is_found_through_the_index(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        found = make_reader(file).iter_messages(topics=["/imu"], starting_at=750_000_000, ending_before=1_250_000_000)
        times = [message.log_time for _, _, message in found]
    assert times == list(range(750_000_000, 1_250_000_000, 25_000_000))


def test_rosbags_opens_it(tmp_path: Path, full_log: Log) -> None:
    full_log.save(tmp_path / "run.mcap")
    store, reader, counts = get_typestore(Stores.ROS2_JAZZY), McapReader(tmp_path / "run.mcap"), Counter()
    reader.open()
    for connection, _, data in reader.messages(reader.connections):
        store.deserialize_cdr(data, connection.msgtype)
        counts[connection.topic] += 1
    reader.close()
    expected = {topic: len(full_log.rows(i)[0]) for i, layout in enumerate(ALL_LAYOUTS) for topic in layout.topics}
    assert counts == expected


def test_topics_follow_the_conventions_of_ros() -> None:
    topics = {layout_of(kind).kind: layout_of(kind).topics for kind in Kind}
    assert topics[Kind.JOINT_STATES] == ("/joint_states",)
    assert topics[Kind.TF] == ("/tf",)
    assert topics[Kind.TF_STATIC] == ("/tf_static",)
    assert topics[Kind.CLOCK] == ("/clock",)
    assert topics[Kind.IMU] == ("/some/imu",)
    assert topics[Kind.SCALARS] == ("/setpoints/x", "/setpoints/z", "/setpoints/motor1/thrust", "/setpoints/yaw")


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    record(tmp_path / "a.mcap")
    record(tmp_path / "b.mcap")
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


def test_rows_written_in_pieces_share_one_chunk_per_flush(tmp_path: Path) -> None:
    times, values = rows_of(IMU, 30, 40.0, seed=3)
    for name, cuts in (("a", [0, 30]), ("b", [0, 1, 1, 17, 30])):
        with McapRecorder(tmp_path / f"{name}.mcap", [IMU], {}) as recorder:
            for start, end in pairwise(cuts):
                recorder.write(0, times[start:end], values[start:end])
            recorder.flush()
    assert (tmp_path / "a.mcap").read_bytes() == (tmp_path / "b.mcap").read_bytes()


KILLED = """
import os, signal, sys
import numpy as np
from didymos.record import Kind, McapRecorder, StreamLayout
layout = StreamLayout("imu", Kind.IMU, ("gyro.x",), ("rad/s",))
recorder = McapRecorder(sys.argv[1], [layout], {"twin": "killed"})
for k in range(3):
    recorder.write(0, np.arange(10.0 * k, 10.0 * (k + 1)) / 20.0, np.arange(10.0 * k, 10.0 * (k + 1))[:, None])
    if k < 2:
        recorder.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_run_keeps_all_that_was_flushed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    result = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert result.returncode == -signal.SIGKILL
    log = Log.load(path)
    assert list(log["imu.gyro.x"].values) == list(range(20))
    assert log.metadata["twin"] == "killed"
    assert "cut off" in log.metadata["damage"]


def test_a_file_cut_anywhere_gives_its_complete_chunks(tmp_path: Path) -> None:
    path, cut = tmp_path / "run.mcap", tmp_path / "cut.mcap"
    record(path)
    whole = path.read_bytes()
    with path.open("rb") as file:
        indexes = make_reader(file).get_summary().chunk_indexes
    ends = [index.chunk_start_offset + index.chunk_length for index in indexes]
    start = indexes[0].chunk_start_offset
    for size in (*range(start, len(whole), 97), *ends, *(end - 1 for end in ends)):
        cut.write_bytes(whole[:size])
        complete = sum(end <= size for end in ends)
        log = Log.load(cut)
        assert list(log["imu.gyro.x"].values) == list(range(1, 20 * complete + 1)), size
        assert len(log["setpoints.z"].values) == 5 * complete


def test_a_damaged_chunk_ends_the_log_and_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    record(path)
    data = bytearray(path.read_bytes())
    with path.open("rb") as file:
        third = make_reader(file).get_summary().chunk_indexes[2]
    for i in range(60, 90):
        data[third.chunk_start_offset + i] ^= 0x55
    path.write_bytes(data)
    log = Log.load(path)
    assert len(log["imu.gyro.x"].values) == 40
    assert "damaged" in log.metadata["damage"]


@pytest.mark.parametrize("content", [b"", b"not an mcap file at all", b"\x89MCAP0\r\n", b"\x89MCAP0\r\n\x01\xff"])
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mcap").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.mcap: "):
        Log.load(tmp_path / "x.mcap")


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the recording"):
        McapRecorder(tmp_path / "missing" / "run.mcap", [IMU], {})
    with pytest.raises(InputError, match="cannot be read"):
        Log.load(tmp_path / "missing.mcap")


def test_times_before_zero_or_without_number_are_refused(tmp_path: Path) -> None:
    with McapRecorder(tmp_path / "run.mcap", [IMU], {}) as recorder:
        for time in (-0.1, np.nan, np.inf):
            with pytest.raises(InputError, match="between 0 s"):
                recorder.write(0, [time], np.zeros((1, 3)))


def test_rows_after_the_end_are_an_error(tmp_path: Path) -> None:
    recorder = McapRecorder(tmp_path / "run.mcap", [IMU], {})
    recorder.close()
    recorder.close()
    with pytest.raises(RunError, match="was closed"):
        recorder.write(0, [0.0], np.zeros((1, 3)))


def test_an_empty_recording_opens(tmp_path: Path) -> None:
    McapRecorder(tmp_path / "run.mcap", [IMU], {"twin": "idle"}).close()
    log = Log.load(tmp_path / "run.mcap")
    assert len(log["imu.gyro.x"].values) == 0
    assert log.metadata == {"twin": "idle"}


def test_a_recording_of_more_topics_than_a_system_writes_at_once(tmp_path: Path) -> None:
    """Thirty robots have 3,000 topics and more; Linux takes 1,024 pieces in one call."""
    topics = 3000
    wide = StreamLayout("parts", Kind.SCALARS, tuple(f"q{i}.thrust" for i in range(topics)), ("N",) * topics)
    with McapRecorder(tmp_path / "run.mcap", [wide], {}) as recorder:
        recorder.write(0, np.zeros(1), np.arange(topics, dtype=float)[None, :])
    with (tmp_path / "run.mcap").open("rb") as file:
        assert make_reader(file, validate_crcs=True).get_summary().statistics.channel_count == topics
    assert Log.load(tmp_path / "run.mcap")["parts.q2999.thrust"].values == pytest.approx([2999.0])


def test_streams_that_would_mix_on_one_topic_are_refused(tmp_path: Path) -> None:
    part = StreamLayout("imu", Kind.IMU, ("accel.z",), ("m/s^2",))
    with pytest.raises(InputError, match="imu: two streams would mix on the topic /imu"):
        McapRecorder(tmp_path / "run.mcap", [IMU, part], {})


def test_streams_of_several_links_share_the_topic_of_transforms(tmp_path: Path) -> None:
    links = [
        StreamLayout("tf", Kind.TF, (f"{link}.position.x",), ("m",), frame, "", (link,)) for link, frame in ("aw", "bv")
    ]
    log = Log(links)
    for i in range(2):
        log.append(i, [0.5 * i, 1.0], [[1.0], [2.0 + i]])
    assert Log.load(log.save(tmp_path / "run.mcap")).sha256 == log.sha256


def test_a_log_that_starts_late_is_saved_at_once(tmp_path: Path) -> None:
    log = Log([SETPOINTS])
    log.append(0, [1e7, 1e7 + 3600.0], [[1.0, 2.0], [3.0, 4.0]])
    assert Log.load(log.save(tmp_path / "run.mcap")).sha256 == log.sha256


def test_a_length_that_no_memory_holds_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "a.mcap"
    with McapRecorder(file, ALL_LAYOUTS[:1], {}) as recorder:
        recorder.write(0, *rows_of(ALL_LAYOUTS[0], 10, 10.0, seed=1))
    data = file.read_bytes()
    at = data.index(b"\x03\0\0\0lz4") + 7  # where the size of the packed messages stands
    file.write_bytes(data[:at] + b"\xff" * 8 + data[at + 8 :])
    assert Log.load(file).metadata["damage"].startswith("cut off or damaged near byte ")
