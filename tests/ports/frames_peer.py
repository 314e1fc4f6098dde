"""Who comes late to a step-locked run and looks at frames, pictures and clouds: `frames_peer.py DOMAIN WHAT [ARGUMENTS]`.

Types are written by hand after ROS 2's .msg files, as in peer.py; nothing of Didymos is used. Prints one JSON object.
"""

import json
import math
import sys
import time
from dataclasses import dataclass

from cyclonedds.idl import IdlStruct, types
from cyclonedds.qos import Policy, Qos
from peer import CDR, Header, JointState, LaserScan, Odometry, Peer, Stepper, TFMessage, matched, stamp, until

ONE_LASTING = Qos(Policy.Reliability.Reliable(10**8), Policy.History.KeepLast(1), Policy.Durability.TransientLocal, CDR)


@dataclass
class String(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    data: str


@dataclass
class Image(IdlStruct, typename="sensor_msgs.msg.dds_.Image_"):
    header: Header
    height: types.uint32
    width: types.uint32
    encoding: str
    is_bigendian: types.uint8
    step: types.uint32
    data: types.sequence[types.uint8]


@dataclass
class RegionOfInterest(IdlStruct, typename="sensor_msgs.msg.dds_.RegionOfInterest_"):
    x_offset: types.uint32
    y_offset: types.uint32
    height: types.uint32
    width: types.uint32
    do_rectify: bool


@dataclass
class CameraInfo(IdlStruct, typename="sensor_msgs.msg.dds_.CameraInfo_"):
    header: Header
    height: types.uint32
    width: types.uint32
    distortion_model: str
    d: types.sequence[types.float64]
    k: types.array[types.float64, 9]
    r: types.array[types.float64, 9]
    p: types.array[types.float64, 12]
    binning_x: types.uint32
    binning_y: types.uint32
    roi: RegionOfInterest


@dataclass
class PointField(IdlStruct, typename="sensor_msgs.msg.dds_.PointField_"):
    name: str
    offset: types.uint32
    datatype: types.uint8
    count: types.uint32


@dataclass
class PointCloud2(IdlStruct, typename="sensor_msgs.msg.dds_.PointCloud2_"):
    header: Header
    height: types.uint32
    width: types.uint32
    fields: types.sequence[PointField]
    is_bigendian: bool
    point_step: types.uint32
    row_step: types.uint32
    data: types.sequence[types.uint8]
    is_dense: bool


@dataclass
class Range(IdlStruct, typename="sensor_msgs.msg.dds_.Range_"):
    header: Header
    radiation_type: types.uint8
    field_of_view: types.float32
    min_range: types.float32
    max_range: types.float32
    range: types.float32
    variance: types.float32


@dataclass
class BatteryState(IdlStruct, typename="sensor_msgs.msg.dds_.BatteryState_"):
    header: Header
    voltage: types.float32
    temperature: types.float32
    current: types.float32
    charge: types.float32
    capacity: types.float32
    design_capacity: types.float32
    percentage: types.float32
    power_supply_status: types.uint8
    power_supply_health: types.uint8
    power_supply_technology: types.uint8
    present: bool
    cell_voltage: types.sequence[types.float32]
    cell_temperature: types.sequence[types.float32]
    location: str
    serial_number: str


KINDS = {
    "JointState": JointState, "LaserScan": LaserScan, "Odometry": Odometry, "Image": Image, "CameraInfo": CameraInfo,
    "PointCloud2": PointCloud2, "Range": Range, "BatteryState": BatteryState,
}  # fmt: skip


def plain(value):
    """A message as JSON has it; bytes as they are in hexadecimal, what is no number as text."""
    if hasattr(value, "__idl__"):
        return {name: plain(getattr(value, name)) for name in type(value).__annotations__}
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return bytes(value).hex() if isinstance(value, bytes | bytearray) else value


def transform(item):
    move, turn = item.transform.translation, item.transform.rotation
    return [
        stamp(item.header.stamp), item.header.frame_id, item.child_frame_id,
        [move.x, move.y, move.z, turn.w, turn.x, turn.y, turn.z],
    ]  # fmt: skip


def look(domain, before, ticks, descriptions, topics):
    """Let ticks pass unseen; then come as somebody new, who keeps one static message, and look at the frames of more ticks.

    `descriptions` are topics of robot descriptions, `topics` others with their types: the last of one time.
    """
    first = Stepper(domain)
    tick = first.start()
    first.step(before)
    late = Peer(domain)
    statics = late.reader("rt/tf_static", TFMessage, ONE_LASTING)
    texts = {name: late.reader(f"rt{name}", String, ONE_LASTING) for name in descriptions}
    moving = late.reader("rt/tf", TFMessage)
    readers = {name: late.reader(f"rt{name}", KINDS[kind]) for name, kind in topics.items()}
    matched(statics, moving, *texts.values(), *readers.values())
    known = until(lambda: statics.take(10), "static frames")
    described = {name: until(lambda reader=reader: reader.take(10), name)[0].data for name, reader in texts.items()}
    found, heard = [], {name: {} for name in readers}  # messages by their stamps

    def collect():
        found.extend(item for item in moving.take(5000) if item.sample_info.valid_data)
        for name, reader in readers.items():
            for message in reader.take(500):
                if message.sample_info.valid_data:
                    heard[name][stamp(message.header.stamp)] = message
        return all(heard.values()) and found

    # The twin has to know the late one's readers as well: ticks pass until everything comes.
    until(lambda: first.step(1) and collect(), "messages")
    for messages in heard.values():
        messages.clear()
    tick = first.step(ticks)
    until(lambda: collect() and (not heard or set.intersection(*map(set, heard.values()))), "messages at one time")
    for _ in range(40):  # for what is still on its way
        time.sleep(0.01)
        collect()
    together = max(set.intersection(*map(set, heard.values()))) if heard else 0
    latest = {}
    for message in found:
        for item in message.transforms:
            latest.setdefault((stamp(item.header.stamp), item.header.frame_id, item.child_frame_id), transform(item))
    stamps = {}
    for when, *edge in latest:
        stamps.setdefault(tuple(edge), set()).add(when)
    end = max(set.intersection(*stamps.values()))  # the last at which all of them came
    return {
        "tick": tick,
        "statics": [[transform(item) for item in message.transforms] for message in known],
        "parents": sorted({key[1:] for key in latest}),
        "last": [value for key, value in latest.items() if key[0] == end],
        "descriptions": described,
        "topics": {name: plain(messages[together]) for name, messages in heard.items()},
    }


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
