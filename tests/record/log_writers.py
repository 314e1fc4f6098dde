"""One recording, written by the library of each format: what is read back has to be the same arrays."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

N = 120
PERIOD = 10_000_000  # [ns]
EPOCH = 1_700_000_000 * 10**9 + 123_456_789
STAMPS = [EPOCH + k * PERIOD for k in range(N)]
TIME = np.arange(N) * PERIOD / 1e9  # [s] from the first
_rng = np.random.default_rng(11)
GYRO = _rng.standard_normal((N, 3)).astype(np.float32).astype(np.float64)
VOLTS = (12.0 - 0.01 * np.arange(N)).astype(np.float32).astype(np.float64)

OWN = "std_msgs/Header header\nfloat32[3] rate\nuint16[] counts\nstring note\n"
Stores2, Store1 = get_typestore(Stores.ROS2_HUMBLE), get_typestore(Stores.ROS1_NOETIC)
for _store in (Stores2, Store1):
    _store.register(get_types_from_msg(OWN, "robot_msgs/msg/Own"))


def messages(store: Any, seq: bool) -> list[tuple[str, Any, int]]:
    """Topic, message and time [ns] at which it was logged: known types, one of the robot's own, one without numbers."""
    kinds = store.types
    found = []
    for k, stamp in enumerate(STAMPS):
        when = kinds["builtin_interfaces/msg/Time"](stamp // 10**9, stamp % 10**9)
        head = kinds["std_msgs/msg/Header"](*((k,) if seq else ()), when, "imu_link")
        quaternion, none = kinds["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.6, 0.8), np.zeros(9)
        rate = kinds["geometry_msgs/msg/Vector3"](*GYRO[k].tolist())
        force = kinds["geometry_msgs/msg/Vector3"](0.0, 0.0, 9.81)
        imu = kinds["sensor_msgs/msg/Imu"](head, quaternion, none, rate, none, force, none)
        found.append(("/imu/data", imu, stamp + 5_000_000))
        found.append(("/battery", kinds["std_msgs/msg/Float32"](float(VOLTS[k])), stamp))
        own = kinds["robot_msgs/msg/Own"](head, GYRO[k].astype(np.float32), np.arange(k % 3, dtype=np.uint16), "x" * (k % 4))
        found.append(("/own", own, stamp))
        if k % 10 == 0:
            found.append(("/chat", kinds["std_msgs/msg/String"]("hello"), stamp))
    return found


def write_ros1(path: Path, compression: str = "") -> Path:
    writer = Writer1(path)
    if compression:
        writer.set_compression(getattr(Writer1.CompressionFormat, compression))
    writer.chunk_threshold = 4000
    with writer:
        connections: dict[str, Any] = {}
        for topic, message, time in messages(Store1, seq=True):
            kind = message.__msgtype__
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=Store1)
            writer.write(connections[topic], time, Store1.serialize_ros1(message, kind))
    return path


def write_ros2(path: Path, storage: str = "SQLITE3", mode: str = "NONE") -> Path:
    writer = Writer2(path, version=9, storage_plugin=StoragePlugin[storage])
    if mode != "NONE":
        writer.set_compression(CompressionMode[mode], CompressionFormat.ZSTD)
    with writer:
        connections: dict[str, Any] = {}
        for topic, message, time in messages(Stores2, seq=False):
            kind = message.__msgtype__
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=Stores2)
            writer.write(connections[topic], time, bytes(Stores2.serialize_cdr(message, kind)))
    return path


def write_ulog(path: Path) -> Path:
    """Two instances of a topic, nested and repeated fields, texts, a parameter, a dropout."""
    from pyulog.core import ULog

    formats = {
        "sensor": b"sensor:uint64_t timestamp;float[3] rate;float voltage_v;inner[2] legs;char[4] name;uint8_t[2] _padding0;",
        "inner": b"inner:int16_t angle;bool on;",
    }
    ulog = ULog(None)
    ulog._message_formats = {name: ULog.MessageFormat(text, None) for name, text in formats.items()}
    ulog._msg_info_dict, ulog._msg_info_dict_types = {"sys_name": "PX4"}, {"sys_name": "char[3]"}
    ulog._initial_parameters = {"MC_ROLL_P": 6.5}
    for instance in (0, 1):
        topic = ULog._MessageAddLogged(struct.pack("<BH", instance, instance) + b"sensor", None, ulog._message_formats)
        rows = np.zeros(N, topic.dtype)
        rows["timestamp"] = np.arange(N) * 10_000 + 5_000_000  # [us] since it was switched on
        for i in range(3):
            rows[f"rate[{i}]"] = GYRO[:, i] * (1 - 2 * instance)
        rows["voltage_v"], rows["legs[1].angle"], rows["legs[0].on"] = VOLTS, np.arange(N) - 60, np.arange(N) % 2
        topic.buffer = bytearray(rows.tobytes())
        ulog._data_list.append(ULog.Data(topic))
    ulog._dropouts = [ULog.MessageDropout(struct.pack("<H", 40), None, 5_500_000)]
    ulog.write_ulog(str(path))
    return path


def write_card(path: Path, version: int = 2, times: Sequence[int] | None = None) -> Path:
    """The card of a Crazyflie, with variables at a fixed rate and an event of its own."""
    unit = 1000 if version == 2 else 1
    data = struct.pack("<BHH", 0xBC, version, 2)
    names = ["gyro.x(f)", "gyro.y(f)", "gyro.z(f)", "pm.vbat(f)", "motor.m1(H)"]
    data += struct.pack("<H", 0) + b"fixedFrequency\0" + struct.pack("<H", len(names))
    data += b"".join(name.encode() + b"\0" for name in names)
    data += struct.pack("<H", 7) + b"estTDOA\0" + struct.pack("<H", 1) + b"distanceDiff(d)\0"
    for k in range(N):
        stamp = (10 * k if times is None else times[k]) * unit
        data += struct.pack("<HQ" if version == 2 else "<HI", 0, stamp)
        data += struct.pack("<4fH", *GYRO[k], VOLTS[k], 500 * k)
        if k % 4 == 0:
            data += struct.pack("<HQ" if version == 2 else "<HI", 7, stamp) + struct.pack("<d", 0.125 * k)
    path.write_bytes(data + struct.pack("<I", zlib.crc32(data)))
    return path
