"""The capture program on the other side of the wire, as on the lab PC of the original: it knows the robot by its topics only.

`capture_peer.py DOMAIN`; prints one JSON object.
"""

import json
import sys
from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from peer import (
    Float64,
    Float64MultiArray,
    Header,
    JointState,
    MultiArrayLayout,
    PoseStamped,
    Stepper,
    Vector3,
    matched,
    stamp,
    until,
)

from didymos.control import Robot
from didymos.control.capture import Capture

PERIOD = 0.01
ROBOT = {  # as the robot's own set of parameters has it
    "m0": 12.0, "i0": 0.1176, "r0x": 0.1425, "r0y": 0.0, "m1": 0.4409, "i1": 0.0068, "l1": 0.269, "r1": 0.101, "m2": 0.1304,
    "i2": 0.010, "l2": 0.15, "r2": 0.143, "m3": 1.0, "i3": 0.007908, "l3": 0.15, "r3": 0.15, "mt": 10.0, "it": 0.15, "dt": 0.15,
    "shoulder_low": -1.33, "shoulder_high": 1.86, "elbow_low": -0.97, "elbow_high": 2.33, "wrist_low": -0.3, "wrist_high": 1.57,
    "shoulder_home": 1.84447, "elbow_home": -0.9542, "wrist_home": -0.2856, "shoulder_start": -1.0472, "elbow_start": 1.8326,
    "wrist_start": 0.7854,
}  # fmt: skip
GAINS = {"path.seconds": 5.0, "contact.creep": 0.002, "contact.dwell": 0.5, "hold.seconds": 1.0, "patience": 5.0}
WORDS = ("release", "softgrip", "hardgrip")


@dataclass
class String(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    data: str


@dataclass
class Wrench(IdlStruct, typename="geometry_msgs.msg.dds_.Wrench_"):
    force: Vector3
    torque: Vector3


@dataclass
class WrenchStamped(IdlStruct, typename="geometry_msgs.msg.dds_.WrenchStamped_"):
    header: Header
    wrench: Wrench


def numbers(values):
    return Float64MultiArray(MultiArrayLayout([], 0), [float(value) for value in values])


def read(measured, name, message):
    """A message into the program's readings."""
    if name in ("base", "tool", "port"):
        place, turn = message.pose.position, message.pose.orientation
        measured |= {f"{name}.position.x": place.x, f"{name}.position.y": place.y}
        measured |= {f"{name}.orientation.w": turn.w, f"{name}.orientation.z": turn.z}
    elif name == "encoders":
        measured |= {f"encoders.{joint}.position": angle for joint, angle in zip(message.name, message.position, strict=True)}
    elif name == "wrench":
        measured["wrench.force.x"] = message.wrench.force.x
    else:
        measured["status.gripper.stage"] = message.data
        return
    measured[f"{name}.stamp"] = stamp(message.header.stamp) * 1e-9


def main(domain):
    peer = Stepper(domain)
    kinds = {
        "base": ("rt/vicon/base", PoseStamped), "tool": ("rt/vicon/end_effector", PoseStamped),
        "port": ("rt/vicon/target", PoseStamped), "encoders": ("rt/joint_states", JointState),
        "wrench": ("rt/wrench", WrenchStamped), "gripper": ("rt/gripper/stage", Float64),
    }  # fmt: skip
    readers = {name: peer.reader(*place) for name, place in kinds.items()}
    torque, thrust = peer.writer("rt/cmd_torque", Float64MultiArray), peer.writer("rt/cmd_thrust", Float64MultiArray)
    gripper = peer.writer("rt/gripper", String)
    matched(torque, thrust, gripper, *readers.values())
    program = Capture(robot=ROBOT)
    program.rate = 1.0 / PERIOD
    for path, value in GAINS.items():
        program.set_gain(path, value)
    program.start(Robot(inputs=(), measured=(), setpoints=("abort",)))
    measured = {name: 0.0 for name, _ in program.read_offsets}
    labels = {item.name: item.labels for item in Capture.reports}

    def in_words(name):
        """What the program tells about itself, in words."""
        reported = dict(zip((item.name for item in Capture.reports), program.reported(), strict=True))
        return labels[name][int(reported[name])]

    heard = dict.fromkeys(readers, 0)

    def arrived(tick):
        for name, reader in readers.items():
            for message in reader.take(100):
                read(measured, name, message)
                heard[name] += 1
        return all(count >= tick for count in heard.values())

    asked, stages, held, widest, tick = "", [], 0, 0.0, peer.start()
    while tick < 1200 and (stages[-1:] != ["hold"] or held < 100):
        tick = peer.step(1)
        until(lambda tick=tick: arrived(tick), "readings of this tick")
        inputs = program.update(tick * PERIOD, measured, {"abort": 0.0})
        torque.write(numbers(inputs[name] for name in ("wheel", "shoulder", "elbow", "wrist")))
        thrust.write(numbers(inputs[name] for name in ("thruster_a", "thruster_b", "thruster_c")))
        if WORDS[int(inputs["gripper"])] != asked:
            asked = WORDS[int(inputs["gripper"])]
            gripper.write(String(asked))
        stage = in_words("stage")
        if not stages or stages[-1] != stage:
            stages.append(stage)
            held = 0
        held += 1
        widest = max(widest, abs(2.0 * measured["base.orientation.z"]))
    reason = in_words("reason")
    return {"tick": tick, "stages": stages, "reason": reason, "gripped": measured["status.gripper.stage"], "base": widest}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
