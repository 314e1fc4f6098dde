"""A navigation stack in small on the other side of DDS: it drives by TwistStamped, and draws what the lidars see into `odom`.

Its types are written by hand after ROS 2's .msg files; it knows topics and frames, and nothing of Didymos. Started as a process
of its own: `navigation_peer.py DOMAIN WHAT [ARGUMENTS]`; prints one JSON object.
"""

import json
import math
import sys
from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from peer import (
    LASTING,
    Float64,
    Header,
    LaserScan,
    Odometry,
    PoseStamped,
    Stepper,
    TFMessage,
    Time,
    Twist,
    Vector3,
    matched,
    stamp,
    until,
)

TICK = 10_000_000  # [ns]
PAUSE = 100  # ticks in which the base comes to rest
AT_ONCE = 50  # ticks between two looks at what has come


@dataclass
class TwistStamped(IdlStruct, typename="geometry_msgs.msg.dds_.TwistStamped_"):
    header: Header
    twist: Twist


def twist_of(ahead, turn):
    return Twist(Vector3(x=ahead), Vector3(z=turn))


def header_of(nanoseconds, frame="base_link"):
    return Header(Time(nanoseconds // 1_000_000_000, nanoseconds % 1_000_000_000), frame)


class Driver(Stepper):
    """Drives ahead and turns on the spot by stamped twists, on the twin's clock."""

    def __init__(self, domain, topics):
        super().__init__(domain)
        self.command, self.plain = self.writer("rt/cmd_vel", TwistStamped), self.writer("rt/cmd_vel", Twist)
        self.readers = {name: self.reader(name, *kind) for name, kind in topics.items()}
        self.taken = {name: [] for name in topics}
        matched(self.command, self.plain, *self.readers.values())
        self.tick = self.start()

    def collect(self):
        for name, reader in self.readers.items():
            self.taken[name] += [item for item in reader.take(5000) if item.sample_info.valid_data]

    def drive(self, ahead, turn, ticks):
        self.command.write(TwistStamped(header_of(max(1, self.tick * TICK)), twist_of(ahead, turn)))
        for done in range(0, ticks, AT_ONCE):
            self.tick = self.step(min(AT_ONCE, ticks - done))
            self.collect()

    def corner(self, speed, side_ticks, turn_ticks):
        """A side of a square, and a quarter turn to the left."""
        for ahead, turn, ticks in ((speed, 0.0, side_ticks), (0.0, 0.5 * math.pi / (0.01 * turn_ticks), turn_ticks)):
            self.drive(ahead, turn, ticks)
            self.drive(0.0, 0.0, PAUSE)

    def wait_for(self, name, count):
        until(lambda: self.collect() or len(self.taken[name]) >= count, f"{count} of {name}")


def yaw_of(q):
    return 2.0 * math.atan2(q.z, q.w)


def square(domain, speed, side_ticks, turn_ticks):
    """Where the base says that it is after each side and quarter turn, and where it is: x, y [m], yaw [rad]."""
    driver = Driver(domain, {"rt/odom": (Odometry,), "rt/ground_truth/pose": (PoseStamped,)})
    found = {"odometry": [], "truth": []}
    for _ in range(4):
        driver.corner(speed, side_ticks, turn_ticks)
        for name in driver.readers:
            driver.wait_for(name, driver.tick)
        believed, true = driver.taken["rt/odom"][-1].pose.pose, driver.taken["rt/ground_truth/pose"][-1].pose
        for key, pose in (("odometry", believed), ("truth", true)):
            found[key].append([pose.position.x, pose.position.y, yaw_of(pose.orientation)])
    return found


def lookup(tree, frame, base):
    """x, y [m] and yaw [rad] of a frame in the base's, by the tree of transforms, whatever both hang under."""

    def to_root(name):
        x, y, yaw = 0.0, 0.0, 0.0
        while name in tree:
            name, (px, py, turn) = tree[name]
            x, y, yaw = px + math.cos(turn) * x - math.sin(turn) * y, py + math.sin(turn) * x + math.cos(turn) * y, yaw + turn
        return name, x, y, yaw

    (root, x, y, yaw), (other, bx, by, turn) = to_root(frame), to_root(base)
    assert root == other, (root, other)
    c, s = math.cos(turn), math.sin(turn)
    return c * (x - bx) + s * (y - by), c * (y - by) - s * (x - bx), yaw - turn


def walls(domain, speed, side_ticks, turn_ticks):
    """Every point that the two lidars see over a loop, in `odom`: x, y [m]."""
    scans = ("rt/scan", "rt/scan_left")
    topics = dict.fromkeys(scans, (LaserScan,)) | {"rt/odom": (Odometry,), "rt/tf": (TFMessage,)}
    driver = Driver(domain, topics | {"rt/tf_static": (TFMessage, LASTING)})
    for _ in range(4):
        driver.corner(speed, side_ticks, turn_ticks)
    driver.wait_for("rt/odom", driver.tick)
    for name in scans:
        driver.wait_for(name, driver.tick // 2)
    tree = {}
    for message in (*driver.taken["rt/tf_static"], driver.taken["rt/tf"][0]):
        for item in message.transforms:
            place = item.transform.translation
            tree[item.child_frame_id] = item.header.frame_id, (place.x, place.y, yaw_of(item.transform.rotation))
    odometry = [(stamp(item.header.stamp), item.pose.pose) for item in driver.taken["rt/odom"]]
    places = {when: (pose.position.x, pose.position.y, yaw_of(pose.orientation)) for when, pose in odometry}
    base = driver.taken["rt/odom"][0].child_frame_id
    points, missed, frames = [], 0, {driver.taken["rt/odom"][0].header.frame_id, base}
    for name in scans:
        for scan in driver.taken[name]:
            place = places.get(stamp(scan.header.stamp))
            if place is None:
                missed += 1
                continue
            frames.add(scan.header.frame_id)
            mx, my, mounted = lookup(tree, scan.header.frame_id, base)
            x, y, yaw = place
            c, s = math.cos(yaw), math.sin(yaw)
            first = yaw + mounted + scan.angle_min
            for i, distance in enumerate(scan.ranges):
                if scan.range_min <= distance <= scan.range_max:
                    angle = first + i * scan.angle_increment
                    px, py = x + c * mx - s * my, y + s * mx + c * my
                    points.append((round(px + distance * math.cos(angle), 5), round(py + distance * math.sin(angle), 5)))
    return {"points": points, "missed": missed, "frames": sorted(frames), "scans": [len(driver.taken[name]) for name in scans]}


def mixed(domain):
    """What vx holds after each of several twists with and without a header; the first five are to be followed."""
    driver = Driver(domain, {"rt/setpoints/vx": (Float64,)})
    held = []

    def send(writer, message):
        writer.write(message)
        driver.tick = driver.step(100)
        driver.wait_for("rt/setpoints/vx", driver.tick)
        held.append(driver.taken["rt/setpoints/vx"][-1].data)

    def stamped(value, nanoseconds, frame="base_link"):
        send(driver.command, TwistStamped(header_of(nanoseconds, frame), twist_of(value, 0.0)))

    send(driver.plain, twist_of(0.01, 0.0))
    stamped(0.02, driver.tick * TICK)
    stamped(0.03, 0, "")  # nobody says when, nor in which frame
    stamped(0.04, 1_800_000_000_000_000_000)  # a driver on the clock on the wall
    stamped(0.05, driver.tick * TICK - 400_000_000, "teleop_twist_joy")
    stamped(0.06, driver.tick * TICK - 600_000_000)  # stale
    stamped(0.07, driver.tick * TICK, "odom")
    stamped(float("nan"), driver.tick * TICK)
    send(driver.plain, twist_of(0.08, 0.0))
    return {"held": held}


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
