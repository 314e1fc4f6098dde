"""The peer of ros2_timing.py, in a process of its own: types of its own after ROS 2's .msg files, and nothing of Didymos.

`ros2_timing_peer.py DOMAIN RATE` listens from the first message until three seconds after the last; prints JSON.
"""

import json
import os
import sys
import time
from dataclasses import dataclass

os.environ["CYCLONEDDS_URI"] = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces><AllowMulticast>false'
    "</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)

import numpy as np
from cyclonedds.core import InstanceState, ReadCondition, SampleState, ViewState, WaitSet
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct, types
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: types.int32
    nanosec: types.uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: types.float64
    y: types.float64
    z: types.float64


@dataclass
class Quaternion(IdlStruct, typename="geometry_msgs.msg.dds_.Quaternion_"):
    x: types.float64
    y: types.float64
    z: types.float64
    w: types.float64


@dataclass
class Imu(IdlStruct, typename="sensor_msgs.msg.dds_.Imu_"):
    header: Header
    orientation: Quaternion
    orientation_covariance: types.array[types.float64, 9]
    angular_velocity: Vector3
    angular_velocity_covariance: types.array[types.float64, 9]
    linear_acceleration: Vector3
    linear_acceleration_covariance: types.array[types.float64, 9]


@dataclass
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header
    name: types.sequence[str]
    position: types.sequence[types.float64]
    velocity: types.sequence[types.float64]
    effort: types.sequence[types.float64]


@dataclass
class Clock(IdlStruct, typename="rosgraph_msgs.msg.dds_.Clock_"):
    clock: Time


def listen(domain: int, rate: float) -> dict[str, dict[str, float]]:
    """Statistics of each topic."""
    participant = DomainParticipant(domain)
    quality = {
        reliable: Qos(
            Policy.Reliability.Reliable(100_000_000) if reliable else Policy.Reliability.BestEffort,
            Policy.History.KeepLast(1000),
            Policy.Durability.Volatile,
            Policy.DataRepresentation(use_cdrv0_representation=True),
        )
        for reliable in (True, False)
    }
    kinds = {"imu": Imu, "joint_states": JointState, "clock": Clock}
    readers = {}
    waitset = WaitSet(participant)
    for name, kind in kinds.items():
        readers[name] = DataReader(participant, Topic(participant, f"rt/{name}", kind), qos=quality[name != "clock"])
        waitset.attach(ReadCondition(readers[name], ViewState.Any | InstanceState.Any | SampleState.Any))
    arrivals: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    deadline = time.monotonic() + 120.0
    last = None
    while time.monotonic() < deadline:
        if last is not None and time.monotonic() - last > 3.0:
            break  # the twin has ended
        waitset.wait(200_000_000)
        for name, reader in readers.items():
            for message in reader.take(1000):
                if not message.sample_info.valid_data:
                    continue
                came = time.perf_counter()
                stamp = message.clock if name == "clock" else message.header.stamp
                arrivals[name].append((stamp.sec + 1e-9 * stamp.nanosec, came))
                last = time.monotonic()
        if last is not None:
            deadline = max(deadline, last + 10.0)
    return {name: _statistics(pairs, rate) for name, pairs in arrivals.items()}


def _statistics(pairs: list[tuple[float, float]], rate: float) -> dict[str, float]:
    """Of stamps [s] and arrivals [s]: ages and spacings [ms], and messages that are missing between the first and the last."""
    if len(pairs) < 2:
        return {"messages": len(pairs)}
    stamps, came = np.array(pairs).T
    late = came - stamps
    ages, spacing = 1e3 * (late - late.min()), 1e3 * np.diff(came)
    expected = round((stamps[-1] - stamps[0]) * rate) + 1
    return {
        "messages": len(pairs),
        "lost": int(expected - len(np.unique(np.rint(stamps * rate)))),
        **{f"age_p{p}_ms": round(float(np.percentile(ages, p)), 2) for p in (50, 99)},
        "age_max_ms": round(float(ages.max()), 2),
        **{f"spacing_p{p}_ms": round(float(np.percentile(spacing, p)), 2) for p in (50, 99)},
        "spacing_max_ms": round(float(spacing.max()), 2),
    }


if __name__ == "__main__":
    print(json.dumps(listen(int(sys.argv[1]), float(sys.argv[2]))))
