"""Logs of other programs, byte by byte: a ULog, bags of ROS 1 and ROS 2, a blackbox of Betaflight, the card of a Crazyflie."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

__all__ = ["seeds"]

_ROWS = 12


def seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Name of the file and content of one log of each kind."""
    return [
        ("log.ulg", _ulog()), ("log.bag", _ros1_bag(folder)), ("log.db3", _ros2_bag(folder)), ("log.bbl", _blackbox()),
        ("log.bin", _card()),
    ]  # fmt: skip


def _ulog() -> bytes:
    def message(kind: bytes, body: bytes) -> bytes:
        return struct.pack("<H", len(body)) + kind + body

    data = b"ULog\x01\x12\x35\x01" + struct.pack("<Q", 1000) + message(b"B", bytes(40))
    data += message(b"F", b"gyro:uint64_t timestamp;float[3] rate;leg[2] legs;char[4] name;uint8_t[1] _padding0;")
    data += message(b"F", b"leg:int16_t angle;bool on;") + message(b"I", b"\x10char[3] sys_namePX4")
    data += message(b"A", struct.pack("<BH", 0, 3) + b"gyro")
    for k in range(_ROWS):
        row = struct.pack("<HQ3f", 3, 5000 + 1000 * k, 0.5, -1.0, 0.25 * k) + struct.pack("<hBhB", k, 1, -k, 0) + b"abcd"
        data += message(b"D", row)
    return data + message(b"O", struct.pack("<H", 20))


def _messages(store: Any, seq: bool) -> list[tuple[str, Any, int]]:
    kinds, found = store.types, []
    for k in range(_ROWS):
        now = 1_700_000_000 * 10**9 + k * 10**8
        header = kinds["std_msgs/msg/Header"](
            *((k,) if seq else ()), kinds["builtin_interfaces/msg/Time"](now // 10**9, now % 10**9), "map"
        )
        point = kinds["geometry_msgs/msg/Point"](1.0 * k, 2.0, 3.0)
        found.append(("/where", kinds["geometry_msgs/msg/PointStamped"](header, point), now))
        found.append(("/volts", kinds["std_msgs/msg/Float64"](12.0 - k), now))
    return found


def _ros1_bag(folder: Path) -> bytes:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store, file, known = get_typestore(Stores.ROS1_NOETIC), folder / "seed.bag", {}
    with Writer(file) as writer:
        for topic, message, time in _messages(store, seq=True):
            if topic not in known:
                known[topic] = writer.add_connection(topic, message.__msgtype__, typestore=store)
            writer.write(known[topic], time, store.serialize_ros1(message, message.__msgtype__))
    return file.read_bytes()


def _ros2_bag(folder: Path) -> bytes:
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store, known = get_typestore(Stores.ROS2_HUMBLE), {}
    with Writer(folder / "seed_bag", version=9) as writer:
        for topic, message, time in _messages(store, seq=False):
            if topic not in known:
                known[topic] = writer.add_connection(topic, message.__msgtype__, typestore=store)
            writer.write(known[topic], time, bytes(store.serialize_cdr(message, message.__msgtype__)))
    return (folder / "seed_bag" / "seed_bag.db3").read_bytes()


def _blackbox() -> bytes:
    head = b"""H Product:Blackbox flight data recorder by Nicholas Sherlock
H Data version:2
H Field I name:loopIteration,time,axisI[0],axisI[1],axisI[2],rcCommand[0],rcCommand[1],rcCommand[2],rcCommand[3],motor[0],motor[1]
H Field I signed:0,0,1,1,1,1,1,1,0,0,0
H Field I predictor:0,0,0,0,0,0,0,0,0,11,5
H Field I encoding:1,1,0,0,0,0,0,0,1,1,0
H Field P predictor:6,2,1,1,1,1,1,1,1,3,3
H Field P encoding:9,0,7,7,7,8,8,8,8,6,6
H Field S name:flightModeFlags,stateFlags,failsafePhase
H Field S signed:0,0,0
H Field S predictor:0,0,0
H Field S encoding:7,7,7
H I interval:32
H P interval:1/1
H motorOutput:158,2047
H gyro_scale:0x3f800000
"""
    frames = b"I\x00\x80\x10\x00\x02\x04\x06\x08\x0a\xe8\x07\x32\x05" + b"S\x15" + b"P\xc8\x03\x15\x00\x03\x02\x04"
    frames += b"".join(bytes([80, 0, 0x40 | k, 0x21, 0x55, 0x12, 0x34, 0x01, 2 * k]) for k in range(_ROWS))
    return head + frames + b"E\xffEnd of log\0"


def _card() -> bytes:
    data = struct.pack("<BHHH", 0xBC, 2, 2, 0) + b"fixedFrequency\0" + struct.pack("<H", 2) + b"gyro.x(f)\0motor.m1(H)\0"
    data += struct.pack("<H", 9) + b"est\0" + struct.pack("<H", 1) + b"z(d)\0"
    for k in range(_ROWS):
        data += struct.pack("<HQfH", 0, 1000 * k, 0.1 * k, 100 * k) + struct.pack("<HQd", 9, 1000 * k, 1.0)
    return data + struct.pack("<I", zlib.crc32(data))
