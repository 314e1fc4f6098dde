"""A driver of one robot of a world, which knows the robot's namespace and nothing else of the world, of DDS nor of Didymos.

Started as a process of its own: `world_peer.py DOMAIN WHAT [ARGUMENTS]`; prints one JSON object.
"""

import json
import sys
import time

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from peer import (
    BEST_EFFORT,
    LASTING,
    Clock,
    Float64MultiArray,
    Imu,
    JointState,
    MultiArrayLayout,
    Odometry,
    ParticipantEntitiesInfo,
    Peer,
    Stepper,
    TFMessage,
    UInt64,
    matched,
    stamp,
    until,
)

GAIN = 2.0  # [1/s] of the way that is left
TICK = 10_000_000  # [ns]


def numbers(values):
    return Float64MultiArray(MultiArrayLayout([], 0), [float(value) for value in values])


class Driver(Stepper):
    """Drives a carriage to a place by the speeds of its two drives."""

    def __init__(self, domain, robot):
        super().__init__(domain)
        self.robot = robot
        kinds = {"joint_states": JointState, "imu": Imu, "odom": Odometry}
        self.readers = {name: self.reader(f"rt/{robot}/{name}", kind) for name, kind in kinds.items()}
        self.readers["tf"] = self.reader("rt/tf", TFMessage)
        self.readers["tf_static"] = self.reader("rt/tf_static", TFMessage, LASTING)
        self.readers["clock"] = self.reader("rt/clock", Clock, BEST_EFFORT)
        self.wheels = self.writer(f"rt/{robot}/wheels", Float64MultiArray)
        self.taken = {name: [] for name in self.readers}
        self.sent = []
        matched(self.wheels, *self.readers.values())

    def start(self):
        topics = (f"rt/{self.robot}/step", f"rt/{self.robot}/stepped")
        self.step_writer, self.stepped = self.writer(topics[0], UInt64), self.reader(topics[1], UInt64)
        matched(self.step_writer, self.stepped)

        def answered():
            self.step_writer.write(UInt64(0))
            time.sleep(0.05)
            return self.stepped.take(100)

        self.tick = until(answered, "answer to the first step")[-1].data
        return self.tick

    def collect(self):
        for name, reader in self.readers.items():
            self.taken[name] += [item for item in reader.take(5000) if item.sample_info.valid_data]
        return self.taken["joint_states"]

    def place(self):
        """Where it is, by its latest reading."""
        x, y, _ = self.taken["joint_states"][-1].position
        return x, y

    def steer(self, target):
        """Command speeds towards a place; how far it is away."""
        away = [goal - here for goal, here in zip(target, self.place(), strict=True)]
        self.sent.append([GAIN * way for way in away])
        self.wheels.write(numbers(self.sent[-1]))
        return max(map(abs, away))

    def found(self):
        joints, taken = self.taken["joint_states"], self.taken
        frames = {item.header.frame_id for item in taken["imu"]}
        return {
            "place": self.place(),
            "sent": self.sent,
            "joints": joints[0].name,
            "stamps": [stamp(item.header.stamp) for item in joints],
            "positions": [list(item.position) for item in joints],
            "imu": sorted(frames),
            "odom": sorted({f"{item.header.frame_id} {item.child_frame_id}" for item in taken["odom"]}),
            "covariance": taken["imu"][0].linear_acceleration_covariance[0],
            "tf": sorted({f"{i.header.frame_id} {i.child_frame_id}" for item in taken["tf"] for i in item.transforms}),
            "static": sorted({f"{i.header.frame_id} {i.child_frame_id}" for m in taken["tf_static"] for i in m.transforms}),
            "clocks": len(taken["clock"]),
        }


def stepped(domain, robot, target, rounds, ticks, late=0.0, leave=False):
    """Drive in lock-step: so many rounds of so many ticks each. `late` [s]: begin so much later than one could.

    Who wants to `leave` lets the others go on.
    """
    driver = Driver(domain, robot)
    time.sleep(late)
    tick = driver.start()
    for _ in range(rounds):
        tick = driver.step(ticks)
        last = (tick - 1) * TICK
        until(lambda last=last: driver.collect() and stamp(driver.taken["joint_states"][-1].header.stamp) >= last, "reading")
        driver.steer(target)
    tick = driver.step(1)  # during which the last command holds
    until(lambda: driver.collect() and len(driver.taken["joint_states"]) >= tick, "all readings")
    if leave:
        driver.step_writer.write(UInt64(2**40))  # as far as the others like
        driver.step_writer.write(UInt64(0))
        until(lambda: driver.stepped.take(100), "answer to the last step")
    return {"tick": tick, **driver.found()}


def real_time(domain, robot, target, near):
    """Drive until it is near enough."""
    driver = Driver(domain, robot)
    print("driving", flush=True)
    while True:
        count = len(driver.taken["joint_states"])
        until(lambda count=count: len(driver.collect()) > count, "reading")
        if driver.steer(target) < near:
            break
    driver.sent.append([0.0, 0.0])
    driver.wheels.write(numbers(driver.sent[-1]))
    time.sleep(0.2)  # for what is on its way
    driver.collect()
    return driver.found()


def nonsense(domain, robot, arrays):
    """Send what must be refused, also to robots that are not there, then stand still for ten ticks."""
    driver = Driver(domain, robot)
    strangers = [driver.writer(name, Float64MultiArray) for name in ("rt/wheels", "rt/nobody/wheels")]
    driver.start()
    for values in arrays:
        driver.wheels.write(numbers(values))
    for stranger in strangers:
        stranger.write(numbers([1.0, 1.0]))
    driver.step(10)
    until(lambda: driver.collect() and len(driver.taken["joint_states"]) >= 10, "all readings")
    heard = [bool(stranger.get_matched_subscriptions()) for stranger in strangers]
    return {"place": driver.place(), "heard": heard}


def nodes(domain):
    """Nodes as `ros2 node list` shows them, each with the topics that it says are its own and that DDS knows."""
    peer = Peer(domain)
    reader = peer.reader("ros_discovery_info", ParticipantEntitiesInfo, LASTING)
    (info,) = until(lambda: reader.take(1), "node")
    builtin = {
        "writers": BuiltinDataReader(peer.participant, BuiltinTopicDcpsPublication),
        "readers": BuiltinDataReader(peer.participant, BuiltinTopicDcpsSubscription),
    }
    known = {name: {} for name in builtin}
    own = {
        (node.node_namespace, node.node_name): {
            "writers": [bytes(gid.data) for gid in node.writer_gid_seq],
            "readers": [bytes(gid.data) for gid in node.reader_gid_seq],
        }
        for node in info.node_entities_info_seq
    }

    def complete():
        for name, items in builtin.items():
            known[name] |= {item.key.bytes: item.topic_name for item in items.take(500) if item.sample_info.valid_data}
        return all(gid in known[name] for ends in own.values() for name, gids in ends.items() for gid in gids)

    until(complete, "all writers and readers")
    return {
        "nodes": [
            [*node, {name: sorted(known[name][gid] for gid in gids) for name, gids in ends.items()}] for node, ends in own.items()
        ]
    }


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
