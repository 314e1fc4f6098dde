"""A robot of somebody else's on ROS 2: types written by hand after its .msg files, DDS, and nothing of Didymos.

`ros2_robot.py DOMAIN COUNT`: waits until it is listened to, publishes COUNT readings of an IMU (best effort, as drivers do),
motor commands by name (JointState) and positions of its satellite receiver (DynamicJointState) with bytes between them that
mean nothing, and ends on a line on its input. Values are whole numbers that follow from the number of the reading.
"""

import os
import sys
import time
from dataclasses import dataclass

os.environ["CYCLONEDDS_URI"] = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)

from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct, types
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.topic import Topic

CDR = Policy.DataRepresentation(use_cdrv0_representation=True)
RELIABLE = Qos(Policy.Reliability.Reliable(10**9), Policy.History.KeepAll, CDR)
BEST_EFFORT = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(1000), CDR)


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
class InterfaceValue(IdlStruct, typename="control_msgs.msg.dds_.InterfaceValue_"):
    interface_names: types.sequence[str]
    values: types.sequence[types.float64]


@dataclass
class DynamicJointState(IdlStruct, typename="control_msgs.msg.dds_.DynamicJointState_"):
    header: Header
    joint_names: types.sequence[str]
    interface_values: types.sequence[InterfaceValue]

    def serialize(self, **how):
        return super().serialize(**how).replace(b"no text", b"\xff" * 7)


def main(domain, count):
    participant = DomainParticipant(domain)
    imu, motors, fixes = (
        DataWriter(participant, Topic(participant, f"rt{name}", kind), qos=qos)
        for name, kind, qos in (
            ("/driver/imu", Imu, BEST_EFFORT), ("/motors", JointState, RELIABLE), ("/gps", DynamicJointState, RELIABLE),
        )
    )  # fmt: skip
    for _ in range(6000):
        if all(writer.get_publication_matched_status().current_count for writer in (imu, motors, fixes)):
            break
        time.sleep(0.01)
    else:
        raise SystemExit("nobody listens")
    print("heard", flush=True)
    zeros, nothing = [0.0] * 9, Header(Time(0, 0), "")
    for k in range(count):
        header = Header(Time(k // 100, k % 100 * 10_000_000), "imu_link")
        unknown = [-1.0, *zeros[1:]]
        imu.write(Imu(header, Quaternion(0, 0, 0, 1), unknown, Vector3(k, -k, 2 * k), zeros, Vector3(3 * k, 0, 10), zeros))
        motors.write(JointState(header, ["motor4", "motor1", "wiper"], [], [4.0 * k, 1.0 * k, 7.0], []))
        fixes.write(DynamicJointState(header, ["position", "velocity"], [
            InterfaceValue(["z", "x"], [5.0 * k, 6.0 * k]), InterfaceValue(["x"], [float("nan")]),
        ]))  # fmt: skip
        fixes.write(DynamicJointState(nothing, ["no text"], [InterfaceValue(["no text"], [1.0])]))
        time.sleep(0.002)
    sys.stdin.readline()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
