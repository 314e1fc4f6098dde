"""Files that were cut off, garbled, or never were a log: refused in one sentence, or read as far as they are whole, and told."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Log, mcap_format
from didymos.record.formats import FORMATS

from .blackbox_writer import MARKER, blackbox
from .log_writers import GYRO, N, write_card, write_ros1, write_ros2, write_ulog
from .test_log_formats import blackbox_rows


def a_blackbox(path: Path) -> Path:
    path.write_bytes(blackbox(blackbox_rows(200), gps=True))
    return path


def a_database(path: Path) -> Path:
    return write_ros2(path.with_suffix("")) / f"{path.stem}.db3"


def a_bag_of_mcap(path: Path) -> Path:
    return write_ros2(path.with_suffix(""), "MCAP") / f"{path.stem}.mcap"


WRITERS: dict[str, tuple[Callable[[Path], Path], str, str]] = {  # writer, ending, a signal that is GYRO[:, 0]
    "ros1": (write_ros1, ".bag", "imu.data.gyro.x"),
    "db3": (a_database, ".db3", "imu.data.gyro.x"),
    "mcap": (a_bag_of_mcap, ".mcap", "imu.data.gyro.x"),
    "ulog": (write_ulog, ".ulg", "sensor.rate.0"),
    "card": (write_card, ".bin", "gyro.x"),
    "blackbox": (a_blackbox, ".bbl", ""),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    return {name: writer(folder / f"log_{name}{ending}").read_bytes() for name, (writer, ending, _) in WRITERS.items()}


def load(tmp_path: Path, name: str, data: bytes) -> Log | str:
    """The log, or the sentence with which it was refused."""
    file = tmp_path / f"damaged{WRITERS[name][1]}"
    file.write_bytes(data)
    try:
        return Log.load(file)
    except InputError as error:
        said = str(error)
        assert said.startswith(str(file))
        assert len(said) < 1000
        assert said.isprintable()
        return said


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_is_cut_off_keeps_what_is_whole_and_says_so(tmp_path: Path, files: dict[str, bytes], name: str) -> None:
    data, signal = files[name], WRITERS[name][2]
    kept = []
    for share in (0.0, 0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
        log = load(tmp_path, name, data[: int(share * len(data))])
        if isinstance(log, str):
            kept.append(0)
            continue
        whole = signal in log and len(log[signal].values) == N  # cut in what follows the last message
        assert log.metadata.get("damage") or (whole and name == "mcap"), share
        if signal in log:
            values = log[signal].values
            np.testing.assert_array_equal(values, GYRO[: len(values), 0])  # the first of them, unchanged
            kept.append(len(values))
        else:
            kept.append(len(log["main.motor.0"].values) if name == "blackbox" else 0)
    if name != "db3":  # whose pages need not be in the order of the messages
        assert kept == sorted(kept)
        assert kept[-1] > 0.8 * N
    assert kept[0] == 0


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("seed", range(25))
def test_flipped_bytes_give_a_log_or_one_sentence(tmp_path: Path, files: dict[str, bytes], name: str, seed: int) -> None:
    rng, data = np.random.default_rng(seed), bytearray(files[name])
    last = 400 if seed % 2 else len(data)  # headers are read with more trust than what follows
    for place in rng.integers(0, min(last, len(data)), 1 + seed % 6):
        data[place] = rng.integers(256)
    log = load(tmp_path, name, bytes(data))
    assert isinstance(log, str) or log.signals


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("seed", range(5))
def test_chance_is_refused_in_one_sentence(tmp_path: Path, files: dict[str, bytes], name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 256, 3000, np.uint8).tobytes()
    assert isinstance(load(tmp_path, name, noise), str)
    after = load(tmp_path, name, files[name][:24] + noise)  # what it begins with is right
    assert isinstance(after, str) or after.metadata["damage"]


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_refused(tmp_path: Path, name: str) -> None:
    assert isinstance(load(tmp_path, name, b""), str)
    assert isinstance(load(tmp_path, name, b"\0" * 5000), str)


@pytest.mark.parametrize("ending", sorted({ending for kind in FORMATS for ending in kind.endings}))
def test_a_picture_is_no_log_whatever_it_is_called(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"flight{ending}"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    with pytest.raises(InputError) as refusal:
        Log.load(file)
    assert str(refusal.value).startswith(str(file))


def test_folders_are_bags_or_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder, expected a log"):
        Log.load(tmp_path)
    about = tmp_path / "metadata.yaml"
    for text, said in [
        ("", "is not the metadata of a bag"),
        ("a: [", "is not the metadata of a bag"),
        ("!!python/object/apply:os.system ['true']", "is not the metadata of a bag"),
        ("rosbag2_bagfile_information: {relative_file_paths: [x.db3]}", "names the file 'x.db3', which is not in the folder"),
        ("rosbag2_bagfile_information: {relative_file_paths: ['../../etc/passwd']}", "names the file 'passwd', which is not in"),
    ]:
        about.write_text(text)
        with pytest.raises(InputError, match=said):
            Log.load(tmp_path)


def test_a_database_that_is_no_bag_is_refused(tmp_path: Path) -> None:
    import sqlite3

    file = tmp_path / "x.db3"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE messages (id, topic_id, timestamp, data)")
        database.execute("CREATE VIEW topics AS SELECT 1 AS id, 'a' AS name, 'b' AS type, 'cdr' AS serialization_format")
    database.close()
    with pytest.raises(InputError, match="without the tables topics and messages"):
        Log.load(file)


def test_a_chunk_that_unpacks_to_more_than_it_says_is_not_unpacked(tmp_path: Path) -> None:
    import bz2

    def fields(**named: bytes) -> bytes:
        parts = [name.encode() + b"=" + value for name, value in named.items()]
        body = b"".join(struct.pack("<I", len(part)) + part for part in parts)
        return struct.pack("<I", len(body)) + body

    bomb = bz2.compress(b"\0" * 50_000_000)
    chunk = fields(op=b"\x05", compression=b"bz2", size=struct.pack("<I", 1000)) + struct.pack("<I", len(bomb)) + bomb
    (tmp_path / "x.bag").write_bytes(b"#ROSBAG V2.0\n" + chunk)
    with pytest.raises(InputError, match="a chunk unpacks to another size than it says"):
        Log.load(tmp_path / "x.bag")


def test_types_of_a_ulog_that_contain_themselves_end(tmp_path: Path) -> None:
    def message(kind: bytes, body: bytes) -> bytes:
        return struct.pack("<H", len(body)) + kind + body

    data = b"ULog\x01\x12\x35\x01" + struct.pack("<Q", 0)
    data += message(b"F", b"a:uint64_t timestamp;b[60000] x;") + message(b"F", b"b:a[60000] y;float z;")
    data += message(b"A", struct.pack("<BH", 0, 0) + b"a") + message(b"D", struct.pack("<HQ", 0, 5))
    (tmp_path / "x.ulg").write_bytes(data)
    with pytest.raises(InputError, match="no signal could be read: some of its messages are damaged"):
        Log.load(tmp_path / "x.ulg")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (b"", "the header does not say what the frames I and P hold"),
        (b"H Field I name:a\nH Field I predictor:0\nH Field I encoding:x\n", "'Field I encoding' holds something that is no"),
        (b"H Field I name:a\nH Field I predictor:0\nH Field I encoding:4\n", "have the encoding 4, which is not read"),
        (b"H Field I name:a,b\nH Field I predictor:0\nH Field I encoding:0\n", "names 2 fields of frame I and gives 1 of"),
    ],
)
def test_headers_of_a_blackbox_that_say_nothing_are_refused(tmp_path: Path, header: bytes, said: str) -> None:
    (tmp_path / "x.bbl").write_bytes(MARKER + header + b"I" * 1000)
    with pytest.raises(InputError, match=said):
        Log.load(tmp_path / "x.bbl")


def test_a_garbled_index_of_messages_costs_none_of_them(tmp_path: Path, files: dict[str, bytes]) -> None:
    """It stands behind each chunk, for those who jump in a file; chunks have all that it says, and a checksum."""
    data, place, found = bytearray(files["mcap"]), 8, 0
    while place < len(data) - 8:
        opcode, length = struct.unpack_from("<BQ", data, place)
        place += 9
        if opcode == 7:
            data[place : place + length] = b"\xff" * length
            found += 1
        place += length
    assert found
    log = load(tmp_path, "mcap", bytes(data))
    assert isinstance(log, Log)
    assert "damage" not in log.metadata
    np.testing.assert_array_equal(log["imu.data.gyro.x"].values, GYRO[:, 0])


def test_a_chunk_that_says_that_it_is_huge_is_not_unpacked() -> None:
    packed = b"\x28\xb5\x2f\xfd"
    chunk = struct.pack("<QQQI", 0, 0, 2**40, 0) + mcap_format.text("zstd") + struct.pack("<Q", len(packed)) + packed
    with pytest.raises(ValueError, match="unpacks to 1099511627776 bytes"):
        mcap_format.unpack_chunk(chunk)
