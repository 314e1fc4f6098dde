"""A robot's driver on the other side of DDS, which knows topics only: `foreign_peer.py TWIN TICKS DOMAIN...`; prints JSON.

It drives each of the served runs in turn, a domain each: omni_base by the inverse kinematics of its wheels from the set-points
that the twin publishes, cepheus by damping its joints.
"""

import json
import sys

from peer import Float64, Float64MultiArray, JointState, MultiArrayLayout, Stepper, matched, until

WHEEL, LEVER = 0.1, 0.74  # [m]
TICKS = 5  # between two commands
PATIENCE = 50  # ticks without a sign of life from whoever sets the demands
DEMANDS = ("vx", "vy", "wz", "x", "y", "yaw", "mode", "alive")


def numbers(values):
    return Float64MultiArray(MultiArrayLayout([], 0), [float(value) for value in values])


def omni_base(peer):
    readers = {name: peer.reader(f"rt/setpoints/{name}", Float64) for name in DEMANDS}
    wheels = peer.writer("rt/set/inputs", Float64MultiArray)
    matched(wheels, *readers.values())
    latest, heard = dict.fromkeys(readers, 0.0), dict.fromkeys(readers, 0)
    silence = [0.0, 0]  # the last sign of life, and how many commands ago it came

    def answer():
        for name, reader in readers.items():
            for message in reader.take(1000):
                latest[name] = message.data
                heard[name] += 1
        if not all(heard.values()):
            return False
        silence[:] = [latest["alive"], silence[1] + 1 if latest["alive"] == silence[0] else 0]
        on = 0.0 if silence[0] > 0.0 and silence[1] * TICKS > PATIENCE else 1.0
        vx, vy, turn = on * latest["vx"], on * latest["vy"], on * LEVER * latest["wz"]
        wheels.write(numbers(speed / WHEEL for speed in (vx + vy + turn, vx - vy - turn, vx + vy - turn, vx - vy + turn)))
        return True

    return answer, lambda: sorted(heard)


def cepheus(peer):
    joints, abort = peer.reader("rt/joint_states", JointState), peer.reader("rt/setpoints/abort", Float64)
    torque = peer.writer("rt/cmd_torque", Float64MultiArray)
    matched(torque, joints, abort)
    heard = set()

    def answer():
        heard.update("abort" for _ in abort.take(1000))
        states = joints.take(1000)
        if not states or not heard:
            return False
        torque.write(numbers([0.0, *(-0.05 * speed for speed in states[-1].velocity)]))
        return True

    return answer, lambda: sorted(heard)


def main(twin, ticks, *domains):
    found = []
    for domain in domains:
        peer = Stepper(int(domain))
        answer, heard = globals()[twin](peer)
        tick = peer.start()
        while tick < int(ticks):
            tick = peer.step(min(TICKS, int(ticks) - tick))
            until(answer, "set-points and readings")
        found.append([tick, heard()])
    return {"found": found}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
