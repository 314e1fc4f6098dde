"""An independent ROS 2 participant: types written by hand after ROS 2's .msg files, DDS, and nothing of Didymos.

Started as a process of its own: `peer.py DOMAIN WHAT [ARGUMENTS]`; prints one JSON object.
"""

import json
import os
import sys
import time
from dataclasses import dataclass

LOOPBACK = (
    '<CycloneDDS><Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>'
    "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    '<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>'
)
os.environ["CYCLONEDDS_URI"] = LOOPBACK

from cyclonedds.builtin import (  # noqa: E402
    BuiltinDataReader,
    BuiltinTopicDcpsParticipant,
    BuiltinTopicDcpsPublication,
    BuiltinTopicDcpsSubscription,
)
from cyclonedds.domain import DomainParticipant  # noqa: E402
from cyclonedds.idl import IdlStruct, types  # noqa: E402
from cyclonedds.pub import DataWriter  # noqa: E402
from cyclonedds.qos import Policy, Qos  # noqa: E402
from cyclonedds.sub import DataReader  # noqa: E402
from cyclonedds.topic import Topic  # noqa: E402

LOOKS = 8000  # until a peer gives up: a machine with much else to do takes longer for each


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: types.int32
    nanosec: types.uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class Clock(IdlStruct, typename="rosgraph_msgs.msg.dds_.Clock_"):
    clock: Time


@dataclass
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header
    name: types.sequence[str]
    position: types.sequence[types.float64]
    velocity: types.sequence[types.float64]
    effort: types.sequence[types.float64]


@dataclass
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    x: types.float64 = 0.0
    y: types.float64 = 0.0
    z: types.float64 = 0.0


@dataclass
class Point(IdlStruct, typename="geometry_msgs.msg.dds_.Point_"):
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
class Twist(IdlStruct, typename="geometry_msgs.msg.dds_.Twist_"):
    linear: Vector3
    angular: Vector3


@dataclass
class Pose(IdlStruct, typename="geometry_msgs.msg.dds_.Pose_"):
    position: Point
    orientation: Quaternion


@dataclass
class PoseWithCovariance(IdlStruct, typename="geometry_msgs.msg.dds_.PoseWithCovariance_"):
    pose: Pose
    covariance: types.array[types.float64, 36]


@dataclass
class TwistWithCovariance(IdlStruct, typename="geometry_msgs.msg.dds_.TwistWithCovariance_"):
    twist: Twist
    covariance: types.array[types.float64, 36]


@dataclass
class Odometry(IdlStruct, typename="nav_msgs.msg.dds_.Odometry_"):
    header: Header
    child_frame_id: str
    pose: PoseWithCovariance
    twist: TwistWithCovariance


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
class LaserScan(IdlStruct, typename="sensor_msgs.msg.dds_.LaserScan_"):
    header: Header
    angle_min: types.float32
    angle_max: types.float32
    angle_increment: types.float32
    time_increment: types.float32
    scan_time: types.float32
    range_min: types.float32
    range_max: types.float32
    ranges: types.sequence[types.float32]
    intensities: types.sequence[types.float32]


@dataclass
class PoseStamped(IdlStruct, typename="geometry_msgs.msg.dds_.PoseStamped_"):
    header: Header
    pose: Pose


@dataclass
class Transform(IdlStruct, typename="geometry_msgs.msg.dds_.Transform_"):
    translation: Vector3
    rotation: Quaternion


@dataclass
class TransformStamped(IdlStruct, typename="geometry_msgs.msg.dds_.TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Transform


@dataclass
class TFMessage(IdlStruct, typename="tf2_msgs.msg.dds_.TFMessage_"):
    transforms: types.sequence[TransformStamped]


@dataclass
class Float64(IdlStruct, typename="std_msgs.msg.dds_.Float64_"):
    data: types.float64


@dataclass
class UInt64(IdlStruct, typename="std_msgs.msg.dds_.UInt64_"):
    data: types.uint64


@dataclass
class MultiArrayDimension(IdlStruct, typename="std_msgs.msg.dds_.MultiArrayDimension_"):
    label: str
    size: types.uint32
    stride: types.uint32


@dataclass
class MultiArrayLayout(IdlStruct, typename="std_msgs.msg.dds_.MultiArrayLayout_"):
    dim: types.sequence[MultiArrayDimension]
    data_offset: types.uint32


@dataclass
class Float64MultiArray(IdlStruct, typename="std_msgs.msg.dds_.Float64MultiArray_"):
    layout: MultiArrayLayout
    data: types.sequence[types.float64]


@dataclass
class ParameterValue(IdlStruct, typename="rcl_interfaces.msg.dds_.ParameterValue_"):
    type: types.uint8
    bool_value: bool
    integer_value: types.int64
    double_value: types.float64
    string_value: str
    byte_array_value: types.sequence[types.uint8]
    bool_array_value: types.sequence[bool]
    integer_array_value: types.sequence[types.int64]
    double_array_value: types.sequence[types.float64]
    string_array_value: types.sequence[str]


@dataclass
class Parameter(IdlStruct, typename="rcl_interfaces.msg.dds_.Parameter_"):
    name: str
    value: ParameterValue


@dataclass
class SetParametersResult(IdlStruct, typename="rcl_interfaces.msg.dds_.SetParametersResult_"):
    successful: bool
    reason: str


@dataclass
class ListParametersResult(IdlStruct, typename="rcl_interfaces.msg.dds_.ListParametersResult_"):
    names: types.sequence[str]
    prefixes: types.sequence[str]


@dataclass
class Gid(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    data: types.array[types.uint8, 16]


@dataclass
class NodeEntitiesInfo(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: str
    node_name: str
    reader_gid_seq: types.sequence[Gid]
    writer_gid_seq: types.sequence[Gid]


@dataclass
class ParticipantEntitiesInfo(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid
    node_entities_info_seq: types.sequence[NodeEntitiesInfo]


# Services carry the header of rmw_cyclonedds: the client's identity and the number of the request.
@dataclass
class SetRequest(IdlStruct, typename="rcl_interfaces.srv.dds_.SetParameters_Request_"):
    client: types.uint64
    number: types.int64
    parameters: types.sequence[Parameter]


@dataclass
class SetReply(IdlStruct, typename="rcl_interfaces.srv.dds_.SetParameters_Response_"):
    client: types.uint64
    number: types.int64
    results: types.sequence[SetParametersResult]


@dataclass
class GetRequest(IdlStruct, typename="rcl_interfaces.srv.dds_.GetParameters_Request_"):
    client: types.uint64
    number: types.int64
    names: types.sequence[str]


@dataclass
class GetReply(IdlStruct, typename="rcl_interfaces.srv.dds_.GetParameters_Response_"):
    client: types.uint64
    number: types.int64
    values: types.sequence[ParameterValue]


@dataclass
class ListRequest(IdlStruct, typename="rcl_interfaces.srv.dds_.ListParameters_Request_"):
    client: types.uint64
    number: types.int64
    prefixes: types.sequence[str]
    depth: types.uint64


@dataclass
class ListReply(IdlStruct, typename="rcl_interfaces.srv.dds_.ListParameters_Response_"):
    client: types.uint64
    number: types.int64
    result: ListParametersResult


CDR = Policy.DataRepresentation(use_cdrv0_representation=True)
RELIABLE = Qos(Policy.Reliability.Reliable(10**8), Policy.History.KeepLast(5000), CDR)
BEST_EFFORT = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5000), CDR)
LASTING = Qos(Policy.Reliability.Reliable(10**8), Policy.History.KeepLast(100), Policy.Durability.TransientLocal, CDR)


class Peer:
    def __init__(self, domain):
        self.participant = DomainParticipant(domain)

    def reader(self, name, kind, qos=RELIABLE):
        return DataReader(self.participant, Topic(self.participant, name, kind), qos=qos)

    def writer(self, name, kind, qos=RELIABLE):
        return DataWriter(self.participant, Topic(self.participant, name, kind), qos=qos)


def until(found, what):
    """Call until something is found."""
    for _ in range(LOOKS):
        result = found()
        if result:
            return result
        time.sleep(0.005)
    raise SystemExit(f"peer: no {what} after {LOOKS} looks")


def matched(*ends):
    for end in ends:
        until(lambda end=end: end.matched_pub if isinstance(end, DataReader) else end.matched_sub, end.topic.name)


def stamp(time_):
    return time_.sec * 1_000_000_000 + time_.nanosec


class Stepper(Peer):
    """Drives a step-locked twin: everything written before a step holds during it.

    Discovery goes in the order in which writers and readers are made: once the last ones, those of `start`, are known to
    the twin, so are all others.
    """

    def start(self):
        self.step_writer, self.stepped = self.writer("rt/step", UInt64), self.reader("rt/stepped", UInt64)
        matched(self.step_writer, self.stepped)

        def answered():
            self.step_writer.write(UInt64(0))
            time.sleep(0.05)
            return self.stepped.take(100)

        self.tick = until(answered, "answer to the first step")[-1].data
        return self.tick

    def step(self, ticks):
        """Let ticks pass, at least one; answers to questions that `start` repeated may come late, and say an older tick."""
        self.step_writer.write(UInt64(ticks))
        answers = until(lambda: [item.data for item in self.stepped.take(100) if item.data > self.tick], "answer to a step")
        self.tick = answers[-1]
        return self.tick


def graph(domain, least):
    """Everything that is published and subscribed to, with its type and quality of service."""
    peer = Peer(domain)
    sources = {"published": BuiltinTopicDcpsPublication, "subscribed": BuiltinTopicDcpsSubscription}
    readers = {name: BuiltinDataReader(peer.participant, topic) for name, topic in sources.items()}
    found = {name: {} for name in sources}

    def complete():
        for name, reader in readers.items():
            for item in reader.take(100):
                if item.sample_info.valid_data and item.topic_name[:3] in ("rt/", "rq/", "rr/"):
                    qos = item.qos
                    types = {item.type_name, *found[name].get(item.topic_name, {"types": ()})["types"]}
                    found[name][item.topic_name] = {
                        "types": sorted(types),
                        "reliable": isinstance(qos[Policy.Reliability], Policy.Reliability.Reliable),
                        "lasting": qos[Policy.Durability] == Policy.Durability.TransientLocal,
                        "about": qos[Policy.Userdata].data.decode() if Policy.Userdata in qos else "",
                    }
        return sum(len(item["types"]) for items in found.values() for item in items.values()) >= least

    until(complete, f"{least} topics ({found})")
    return found


def nodes(domain):
    """As `ros2 node list` does: nodes by the writers and readers that they say are theirs, which DDS must know as well."""
    peer = Peer(domain)
    reader = peer.reader("ros_discovery_info", ParticipantEntitiesInfo, LASTING)
    (info,) = until(lambda: reader.take(1), "node")
    kinds = {"writers": BuiltinTopicDcpsPublication, "readers": BuiltinTopicDcpsSubscription}
    readers = {name: BuiltinDataReader(peer.participant, topic) for name, topic in kinds.items()}
    known = {name: {} for name in kinds}
    (node,) = info.node_entities_info_seq
    told = {"writers": node.writer_gid_seq, "readers": node.reader_gid_seq}
    ids = {name: {bytes(gid.data) for gid in gids} for name, gids in told.items()}

    def complete():
        for name, builtin in readers.items():
            known[name] |= {item.key.bytes: item.topic_name for item in builtin.take(200) if item.sample_info.valid_data}
        return all(ids[name] <= set(known[name]) for name in kinds)

    until(complete, f"all of {ids}")
    people = BuiltinDataReader(peer.participant, BuiltinTopicDcpsParticipant)
    own = next(person for person in people.take(100) if person.key.bytes == bytes(info.gid.data))
    return {
        "name": node.node_namespace + node.node_name,
        "enclave": own.qos[Policy.Userdata].data.decode(),
        **{name: sorted(known[name][raw] for raw in ids[name]) for name in kinds},
    }


def square(domain, speed, leg_ticks, pause_ticks):
    """Drive a square by /cmd_vel, one side after the other, without turning; listen to everything meanwhile."""
    peer = Stepper(domain)
    kinds = {
        "rt/joint_states": JointState, "rt/encoders": JointState, "rt/odom": Odometry, "rt/imu": Imu,
        "rt/ground_truth/odom": Odometry,
        "rt/tf": TFMessage, "rt/setpoints/vx": Float64, "rt/setpoints/vy": Float64, "rt/inputs/drive_x": Float64,
    }  # fmt: skip
    readers = {name: peer.reader(name, kind) for name, kind in kinds.items()}
    readers["rt/clock"] = peer.reader("rt/clock", Clock, BEST_EFFORT)
    readers["rt/tf_static"] = peer.reader("rt/tf_static", TFMessage, LASTING)
    command = peer.writer("rt/cmd_vel", Twist)
    matched(command, *readers.values())
    taken = {name: [] for name in readers}

    def collect():
        for name, reader in readers.items():
            taken[name] += [item for item in reader.take(5000) if item.sample_info.valid_data]

    corners, tick = [], peer.start()
    for x, y in ((speed, 0.0), (0.0, speed), (-speed, 0.0), (0.0, -speed)):
        for twist, ticks in ((Vector3(x, y), leg_ticks), (Vector3(), pause_ticks)):
            command.write(Twist(twist, Vector3()))
            tick += ticks
            assert peer.step(ticks) == tick
        last = (tick - 1) * 10_000_000
        until(lambda last=last: collect() or (taken["rt/odom"] and stamp(taken["rt/odom"][-1].header.stamp) >= last), "odometry")
        place = taken["rt/odom"][-1].pose.pose.position
        corners.append((place.x, place.y))
    every = [name for name in readers if name not in ("rt/clock", "rt/tf_static")]
    until(lambda: collect() or (all(len(taken[name]) >= tick for name in every) and taken["rt/tf_static"]), "all messages")
    time.sleep(0.2)  # for what should not come
    collect()
    joints, first = taken["rt/joint_states"], taken["rt/odom"][0]
    return {
        "tick": tick,
        "corners": corners,
        "counts": {name: len(items) for name, items in taken.items()},
        "joints": joints[0].name,
        "stamps": [stamp(item.header.stamp) for item in joints],
        "positions": [item.position for item in joints],
        "odometry": [[*vars(item.pose.pose.position).values()][:2] for item in taken["rt/odom"]],
        "frames": [first.header.frame_id, first.child_frame_id],
        "static": [
            [item.header.frame_id, item.child_frame_id, item.transform.translation.z]
            for message in taken["rt/tf_static"]
            for item in message.transforms
        ],
        "gravity": taken["rt/imu"][-1].linear_acceleration.z,
    }


def drive(domain, twist, ticks):
    """Ask for a velocity (vx, vy, wz) so many ticks long: where the robot truly is then, and what its wheels were given last."""
    peer = Stepper(domain)
    true = peer.reader("rt/ground_truth/pose", PoseStamped)
    given = [peer.reader(f"rt/inputs/drive_{i}", Float64) for i in range(1, 5)]
    command = peer.writer("rt/cmd_vel", Twist)
    matched(command, true, *given)
    taken, last = {reader: [] for reader in (true, *given)}, (peer.start() + ticks - 1) * 10_000_000

    def collect():
        for reader, items in taken.items():
            items += [item for item in reader.take(5000) if item.sample_info.valid_data]
        return all(taken.values()) and stamp(taken[true][-1].header.stamp) >= last

    command.write(Twist(Vector3(*twist[:2]), Vector3(0.0, 0.0, twist[2])))
    peer.step(ticks)
    until(collect, "pose")
    place = taken[true][-1].pose.position
    return {"place": (place.x, place.y), "wheels": [taken[reader][-1].data for reader in given]}


def roll(domain, speed, leg_ticks, pause_ticks, slower):
    """Drive the mecanum base along a square, half of each side by /cmd_vel, half by its wheels; hear every topic that it has.

    `slower` are the rates [Hz] of topics that come less than once per tick of 100 Hz.
    """
    peer = Stepper(domain)
    kinds = {
        "rt/joint_states": JointState, "rt/encoders": JointState, "rt/odom": Odometry, "rt/imu": Imu,
        "rt/ground_truth/odom": Odometry,
        "rt/tf": TFMessage, "rt/scan": LaserScan, "rt/scan_left": LaserScan, "rt/ground_truth/pose": PoseStamped,
    }  # fmt: skip
    scalars = [f"rt/setpoints/{name}" for name in ("vx", "vy", "wz", "x", "y", "yaw", "mode", "alive")]
    scalars += [f"rt/control/{name}" for name in ("x", "y", "yaw", "slip", "late", "room")]
    scalars += [f"rt/inputs/drive_{i}" for i in range(1, 5)]
    readers = {name: peer.reader(name, kind) for name, kind in kinds.items()}
    readers |= {name: peer.reader(name, Float64) for name in scalars}
    readers["rt/clock"] = peer.reader("rt/clock", Clock, BEST_EFFORT)
    command, wheels = peer.writer("rt/cmd_vel", Twist), peer.writer("rt/set/inputs", Float64MultiArray)
    matched(command, wheels, *readers.values())
    taken = {name: [] for name in readers}

    def collect():
        for name, reader in readers.items():
            taken[name] += [item for item in reader.take(5000) if item.sample_info.valid_data]

    corners, tick = [], peer.start()
    nothing, array = Twist(Vector3(), Vector3()), MultiArrayLayout([], 0)
    for x, y in ((speed, 0.0), (0.0, speed), (-speed, 0.0), (0.0, -speed)):
        turning = [(x + y) / 0.1, (x - y) / 0.1, (x + y) / 0.1, (x - y) / 0.1]  # [rad/s] of wheels of 0.1 m
        for twist, speeds, ticks in (
            (Twist(Vector3(x, y), Vector3()), [0.0] * 4, leg_ticks // 2),
            (nothing, turning, leg_ticks // 2),
            (nothing, [0.0] * 4, pause_ticks),
        ):
            command.write(twist)
            wheels.write(Float64MultiArray(array, speeds))
            tick += ticks
            assert peer.step(ticks) == tick
        last = (tick - 1) * 10_000_000
        true = taken["rt/ground_truth/pose"]
        until(lambda last=last, true=true: collect() or (true and stamp(true[-1].header.stamp) >= last), "pose")
        place = true[-1].pose.position
        corners.append((place.x, place.y))
    every = {name: tick for name in readers if name != "rt/clock"} | {name: tick * rate // 100 for name, rate in slower.items()}
    until(lambda: collect() or all(len(taken[name]) >= count for name, count in every.items()), "all messages")
    time.sleep(0.5)  # for what should not come
    collect()
    scan, odometry, imu = taken["rt/scan"][-1], taken["rt/odom"][-1], taken["rt/imu"][-1]
    return {
        "tick": tick,
        "corners": corners,
        "counts": {name: len(items) for name, items in taken.items()},
        "joints": taken["rt/joint_states"][0].name,
        "encoders": [list(item.position) for item in taken["rt/encoders"]],
        "scan": [scan.header.frame_id, scan.angle_min, scan.angle_max, scan.range_min, scan.range_max, len(scan.ranges)],
        "ranges": list(scan.ranges),
        "odometry": [odometry.header.frame_id, odometry.child_frame_id],
        "place": [odometry.pose.pose.position.x, odometry.pose.pose.position.y],
        "gravity": imu.linear_acceleration.z,
        "frames": sorted({item.child_frame_id for message in taken["rt/tf"] for item in message.transforms}),
    }


def number(value):
    return ParameterValue(3, False, 0, value, "", [], [], [], [], [])


def parameters(domain, node, settings):
    """Set parameters through ROS 2's service, then get and list them."""
    peer, me = Peer(domain), 0x1234567890ABCDEF
    answers = {}
    requests = {
        "set": (SetRequest, SetReply, [[Parameter(name, number(value)) for name, value in settings.items()]]),
        "get": (GetRequest, GetReply, [[*settings]]),
        "list": (ListRequest, ListReply, [["world.air"], 1]),
    }
    for count, (verb, (asked, answered, fields)) in enumerate(requests.items(), start=41):
        writer = peer.writer(f"rq/{node}/{verb}_parametersRequest", asked)
        reader = peer.reader(f"rr/{node}/{verb}_parametersReply", answered)
        matched(writer, reader)
        writer.write(asked(me, count, *fields))
        answers[verb] = until(lambda reader=reader: reader.take(1), f"answer to {verb}_parameters")[0]
        assert (answers[verb].client, answers[verb].number) == (me, count)
    return {
        "set": [[result.successful, result.reason] for result in answers["set"].results],
        "get": [[value.type, value.double_value] for value in answers["get"].values],
        "list": answers["list"].result.names,
    }


def set_points(domain, single, group, nonsense):
    """Set one set-point, a group, and send what must be refused; the set-points in the end."""
    peer = Stepper(domain)
    one, many = peer.writer(f"rt/set/{single[0]}", Float64), peer.writer(f"rt/set/{group[0]}", Float64MultiArray)
    heard = {name: peer.reader(f"rt/setpoints/{name}", Float64) for name in ("vx", "vy", "wz")}
    matched(one, many, *heard.values())
    peer.start()
    setpoints = []

    def both(reader):
        """What holds in the two ticks of a step."""
        found = []
        until(lambda: found.extend(item.data for item in reader.take(100)) or len(found) == 2, "set-point of each tick")
        return found

    def send(writer, message):
        writer.write(message)
        peer.step(2)
        setpoints.append([both(reader)[-1] for reader in heard.values()])

    array = MultiArrayLayout([], 0)
    send(one, Float64(single[1]))
    send(many, Float64MultiArray(array, group[1]))
    for value in nonsense:
        send(many, Float64MultiArray(array, value))
    send(one, Float64(float("nan")))
    return {"setpoints": setpoints}


def listen(domain, count):
    """Stamps [ns] of so many messages of /joint_states, in the order in which they came; the first line says that one came."""
    peer = Peer(domain)
    reader = peer.reader("rt/joint_states", JointState)
    found = []
    until(lambda: found.extend(reader.take(1)) or found, "joint state")
    print("listening", flush=True)
    while len(found) < count:
        until(lambda: found.extend(reader.take(5000)) or True, "joint states")
        time.sleep(0.005)
    return {"stamps": [stamp(item.header.stamp) for item in found]}


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    result = globals()[what](int(domain), *map(json.loads, arguments))
    print(json.dumps(result), flush=True)
