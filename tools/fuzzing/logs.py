"""Logs: MCAP and CSV, ours and those of others, and all other formats; loaded, examined, held against the log they came from."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import didymos
from didymos.record.mcap_file import McapRecorder
from didymos.record.messages import TABLE, fields_of
from didymos.record.stream import Kind, StreamLayout
from fuzzing.foreign_logs import seeds
from fuzzing.mcap_records import edit_mcap, split
from fuzzing.mutators import edit_bytes, edit_frame
from fuzzing.target import Case, Target

__all__ = ["Logs", "edit_table", "example_log", "foreign_mcap"]

_LABELS = {Kind.JOINT_STATES: ("hip", "knee"), Kind.TF: ("body", "foot"), Kind.LASER_SCAN: ("0", "1", "2")}
_NAMES = {Kind.JOINT_STATES: "joints", Kind.TF: "tf", Kind.CLOCK: "clock"}
_KINDS = (Kind.IMU, Kind.ODOMETRY, Kind.JOINT_STATES, Kind.TF, Kind.CLOCK, Kind.NAVSAT, Kind.LASER_SCAN, Kind.PRESSURE)
_ROWS = 12
_CELLS = ("", "nan", "inf", "-1e400", "abc", "1,5", "1e-320", "0x10", "'1'", '"', "é", "1_000", " 7 ", "2001-01-01", "9" * 400)
_LINES = ("", "# comment", "# didymos {", "# didymos [1]", "# didymos " + "[" * 2000, ",,,,", ";", "\t\t", "time", "a,b", '"open')
_DEFINITION = """std_msgs/Header header
float64[3] force
uint8 STATE=3
string name
Inner[] inner
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: test_msgs/Inner
float32 x
bool on
"""


def _layout(kind: Kind) -> StreamLayout:
    labels = _LABELS.get(kind, ())
    fields = list(fields_of(kind, labels))
    child = "body" if TABLE[kind].child_frame else ""
    columns, units = tuple(field[0] for field in fields), tuple(field[2] for field in fields)
    return StreamLayout(_NAMES.get(kind, kind.value), kind, columns, units, "map", child, labels)


def example_log() -> didymos.Log:
    """A few rows of many kinds of streams."""
    layouts = [*map(_layout, _KINDS), StreamLayout("setpoints", Kind.SCALARS, ("x", "yaw"), ("m", "rad"))]
    log = didymos.Log(layouts, {"twin": "quadcopter", "scenario": "", "seed": "0"})
    noise = np.random.default_rng(3)
    for i, layout in enumerate(layouts):
        log.append(i, 0.25 * np.arange(_ROWS), noise.normal(size=(_ROWS, len(layout.columns))))
    return log


def recorded_mcap(file: Path) -> bytes:
    """The example as the recorder writes it, with interventions."""
    log = example_log()
    with McapRecorder(file, log.layouts, log.metadata) as recorder:
        for i in range(len(log.layouts)):
            recorder.write(i, *log.rows(i))
        recorder.note("didymos.interventions", {"000000000": '{"tick":1,"kind":"steer","path":"setpoints.z","value":[1.0]}'})
        recorder.note("didymos.interventions", {"seconds": "3.0"})
    return file.read_bytes()


def foreign_mcap(file: Path, packing: str) -> bytes:
    """Messages of another recorder: a known type, one that only its definition explains, one in JSON, wall-clock stamps."""
    from mcap.writer import CompressionType, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    kinds: Any = store.types
    writer = Writer(str(file), chunk_size=1500, compression=CompressionType[packing], use_chunking=packing != "NONE")
    writer.start("ros2", "test")
    text, _ = store.generate_msgdef("geometry_msgs/msg/PointStamped", ros_version=2)
    known = writer.register_schema("geometry_msgs/msg/PointStamped", "ros2msg", text.encode())
    point = writer.register_channel("/where", "cdr", known)
    own = writer.register_channel("/own", "cdr", writer.register_schema("test_msgs/msg/Outer", "ros2msg", _DEFINITION.encode()))
    other = writer.register_channel("/json", "json", writer.register_schema("json", "jsonschema", b"{}"))
    for i in range(8):
        now = 1_700_000_000 * 10**9 + i * 10**8
        stamp = kinds["builtin_interfaces/msg/Time"](now // 10**9, now % 10**9)
        header = kinds["std_msgs/msg/Header"](stamp, "map")
        message = kinds["geometry_msgs/msg/PointStamped"](header, kinds["geometry_msgs/msg/Point"](1.0 * i, 2.0, 3.0))
        data = bytes(store.serialize_cdr(message, "geometry_msgs/msg/PointStamped"))
        writer.add_message(point, now, data, now)
        # header, force, name "ab" and two inner elements, by hand
        tail = np.array([1.0, 2.0, 3.0]).tobytes() + b"\x03\0\0\0ab\0\0\x02\0\0\0" + b"\0\0\x80\x3f\x01\0\0\0\0\0\0\x40\x01"
        writer.add_message(own, now, data[:20] + bytes(4) + tail, now)
        writer.add_message(other, now, b'{"a": 1}', now)
    writer.finish()
    return file.read_bytes()


def edit_table(text: bytes, dice: Random) -> bytes:
    """A table with other cells, lines, separators or bytes."""
    if dice.random() < 0.3:
        return edit_bytes(text, dice)
    lines = text.decode().split("\n")
    for _ in range(dice.randint(1, 3)):
        at, how = dice.randrange(len(lines)), dice.randrange(6)
        if how < 2:
            cells = lines[at].split(",")
            cells[dice.randrange(len(cells))] = dice.choice(_CELLS)
            lines[at] = ",".join(cells)
        elif how == 2:
            lines.insert(at, dice.choice(_LINES))
        elif how == 3:
            lines.insert(dice.randrange(len(lines)), lines.pop(at))
        elif how == 4:
            lines[at] = lines[at].replace(",", dice.choice((";", "\t", "", ",,")))
        else:
            lines.insert(at, lines[at])
    return dice.choice(("\n", "\r\n", "\n", "\r")).join(lines).encode()


class Logs(Target):
    """A mutated log, loaded, summed up, and compared with the sound one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._whole = example_log()
        self._files = [split(recorded_mcap(folder / "seed.mcap"))]
        self._files += [split(foreign_mcap(folder / "seed.mcap", packing)) for packing in ("LZ4", "NONE")]
        self._whole.save(folder / "seed.csv")
        self._tables = [
            (folder / "seed.csv").read_bytes(),
            b"time_ms,baro_height [m],state\n1500.0,0.011,1\n1510.0,0.012,\n1520,0.013,2\n",
            b"stamp;a [rad];b\n1700000000.0;1;2\n1700000001.0;3;4\n",
            b"0.0  1 2\n0.1  3 -4\n0.2  5 6\n",
        ]
        self._others = seeds(folder)
        for name, data in self._others:  # what they import and compile is no growth of memory
            (folder / name).write_bytes(data)
            didymos.examine(didymos.Log.load(folder / name))

    def case(self, dice: Random) -> Case:
        if dice.random() < 0.4:
            name, data = dice.choice(self._others)
            return Case(name, edit_bytes(data, dice) if dice.random() < 0.9 else edit_frame(data, dice))
        if dice.random() < 0.5:
            return Case("log.mcap", edit_mcap(dice.choice(self._files), dice))
        return Case("log.csv", edit_table(dice.choice(self._tables), dice))

    def attempt(self, case: Case) -> object:
        file = self.folder / case.kind
        file.write_bytes(case.data)
        log = didymos.Log.load(file)
        text = repr(log), didymos.examine(log)
        if len(case.data) % 4 == 0:
            didymos.compare(self._whole, log)
        return text, log.sha256
