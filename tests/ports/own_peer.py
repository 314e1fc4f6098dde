"""Programs of a robot with message types of their own, on the other side of DDS: `own_peer.py DOMAIN WHAT ...`; prints JSON.

Nothing of Didymos is known here; `my_msgs` and `joint_controller_msgs` are written by hand after their .msg texts.
"""

import json
import sys
import time

from control_peer import DOUBLES, STRINGS, structure
from cyclonedds.idl import types
from peer import Header, PoseStamped, Stepper, Time, matched, stamp, until

Motor = structure("my_msgs.msg.dds_.Motor_", id=types.uint8, current=types.float32, label=str)
Orders = structure(
    "my_msgs.msg.dds_.Orders_", stamp=Time, gait=str, target=types.array[types.float64, 3], motors=types.sequence[Motor]
)
Status = structure(
    "my_msgs.msg.dds_.Status_",
    header=Header, name=STRINGS, position=DOUBLES, motors=types.array[Motor, 2], ticks=types.int16, on=bool,
)  # fmt: skip
JointCommand = structure(
    "joint_controller_msgs.msg.dds_.JointCommand_",
    header=Header, name=STRINGS, desired_position=DOUBLES, desired_velocity=DOUBLES, kp_scale=DOUBLES, kd_scale=DOUBLES,
    feedforward_effort=DOUBLES,
)  # fmt: skip


def both_ways(domain, orders, ticks):
    """Send orders one after the other, and take the status after each."""
    peer = Stepper(domain)
    writer, reader = peer.writer("rt/my/orders", Orders), peer.reader("rt/my/status", Status)
    matched(writer, reader)
    peer.start()
    found, heard = [], []

    def fresh(tick):
        heard.extend(item for item in reader.take(1000) if item.sample_info.valid_data)
        return heard and stamp(heard[-1].header.stamp) >= (tick - 10) * 1_000_000

    for gait, target, motors in orders:
        made = [Motor(id_, current, label) for id_, current, label in motors]
        writer.write(Orders(Time(0, 0), gait, [float(number) for number in target], made))
        tick = peer.step(ticks)
        until(lambda tick=tick: fresh(tick), "status")
        last = heard[-1]
        found.append(
            {
                "stamp": stamp(last.header.stamp), "frame": last.header.frame_id, "name": list(last.name),
                "position": list(last.position),
                "motors": [[item.id, item.current, item.label] for item in last.motors], "ticks": last.ticks, "on": last.on,
            }
        )
    return {"found": found, "stamps": [stamp(item.header.stamp) for item in heard]}


def stand(domain, posture, beats, ticks, scales):
    """Command the joints of a robot on legs, so many times; heights of its trunk [m] meanwhile, and what came of nonsense."""
    peer = Stepper(domain)
    writer, reader = peer.writer("rt/joint_controller/commands", JointCommand), peer.reader("rt/ground_truth/pose", PoseStamped)
    matched(writer, reader)
    peer.start()
    names, zero = list(posture), [0.0] * len(posture)
    header = Header(Time(0, 0), "")
    heights = []
    for _ in range(beats):
        rows = ([value] * len(names) for value in scales)
        writer.write(JointCommand(header, names, list(posture.values()), zero, *rows, zero))
        writer.write(JointCommand(header, names[:1], [float("nan")], [], [], [], []))  # no number; no such name; a short row
        writer.write(JointCommand(header, ["nose"], [0.0], [], [], [], []))
        writer.write(JointCommand(header, names, [0.0], zero, zero, zero, zero))
        peer.step(ticks)
        time.sleep(0.001)
        heights += [item.pose.position.z for item in reader.take(1000) if item.sample_info.valid_data]
    return {"heights": heights}


if __name__ == "__main__":
    domain, what, *arguments = sys.argv[1:]
    print(json.dumps(globals()[what](int(domain), *map(json.loads, arguments))), flush=True)
