"""An autopilot that speaks ArduPilot's JSON link as its readme has it; written from that text, without Didymos.

    python ardupilot_peer.py --port 9002 --report file.json [--vehicle copter|plane] [--rate 400] [--fault FAULT --at FRAME]

It sends a frame of servos, waits for the line of JSON that answers it, and flies by what it says: as SIM_JSON.cpp does, it looks
for keys by their text, takes its clock from `timestamp`, and sends the same frame again where nothing came for a while; an answer
that it has had already is that to a frame that it sent again, and is passed over. `copter`
is a quad in H (like X, rotors the other way): PD on attitude, PID on height, hold of a place; up to 2 m, then at 20 s to 5 m and
3 m north, 2 m east, then at 40 s back. `plane` holds 50 m, and turns right to the south at 20 s. When it is told to end it writes
what it saw to the report.
"""

import argparse
import json
import math
import os
import signal
import socket
import struct
import sys

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, default=9002)
options.add_argument("--report", default="")
options.add_argument("--vehicle", default="copter")
options.add_argument("--rate", type=int, default=400)
options.add_argument("--fault", default="none")
options.add_argument("--at", type=int, default=-1)
options.add_argument("--patience", type=float, default=1e6)  # [s] before a frame is sent again; ArduPilot has 1 s
options.add_argument("--channels", type=int, default=16)
args = options.parse_args()


def open_line():
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    line.settimeout(args.patience)
    return line


def frame(count, pulses):
    magic = 18458 if args.channels == 16 else 29569
    pulses = list(pulses) + [0] * (args.channels - len(pulses))
    return struct.pack(f"<HHI{args.channels}H", magic, args.rate, count, *pulses)


def field(text, section, key):
    """The text behind a key, found as SIM_JSON.cpp finds it."""
    start = text.index(section) + len(section) + 1 if section else 1
    return text[text.index(key, start) + len(key) + 2 :]


def vector(text, section, key, size=3):
    rest = field(text, section, key)
    assert rest[0] == "[", rest[:20]
    return [float(word) for word in rest[1 : rest.index("]")].split(",")[:size]]


def parse(datagram):
    """The last line between two newlines."""
    assert datagram[:1] + datagram[-1:] == b"\n\n", datagram[:20]
    text = datagram.split(b"\n")[-2].decode("ascii")
    w, x, y, z = vector(text, "", "quaternion", 4)
    angles = vector(text, "", "attitude")
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    assert abs(math.remainder(yaw - angles[2], 2 * math.pi)) < 1e-6, "the two attitudes differ"
    found = {
        "time": float(field(text, "", "timestamp").split(",")[0]),
        "gyro": vector(text, "imu", "gyro"), "force": vector(text, "imu", "accel_body"),
        "position": vector(text, "", "position"), "velocity": vector(text, "", "velocity"), "attitude": angles,
    }  # fmt: skip
    if "airspeed" in text:
        found["airspeed"] = float(field(text, "", "airspeed").rstrip("}"))
    return found


def limit(value, low, high):
    return min(max(value, low), high)


class Copter:
    """Motors 1 front right, 2 rear left, 3 front left, 4 rear right; 1 and 2 turn clockwise."""

    def __init__(self):
        self.integral = 0.0

    def target(self, t):
        return (3.0, 2.0, -5.0) if 20.0 <= t < 40.0 else (0.0, 0.0, -2.0)

    def fly(self, s, dt):
        roll, pitch, yaw = s["attitude"]
        p, q, r = s["gyro"]
        want = self.target(s["time"])
        error = [a - b for a, b in zip(want, s["position"], strict=True)]
        speed = s["velocity"]
        north, east = (limit(0.5 * error[i], -1.5, 1.5) - speed[i] for i in (0, 1))
        ahead, right = north * math.cos(yaw) + east * math.sin(yaw), east * math.cos(yaw) - north * math.sin(yaw)
        up = limit(-error[2], -1.5, 1.5)
        self.integral = limit(self.integral + 0.05 * up * dt, -0.2, 0.2)
        throttle = 0.468 + 0.3 * up + 0.26 * speed[2] + self.integral
        turn = [
            0.09 * (limit(0.15 * right, -0.3, 0.3) - roll) - 0.02 * p,
            0.09 * (limit(-0.15 * ahead, -0.3, 0.3) - pitch) - 0.02 * q,
            0.11 * math.remainder(HEADING - yaw, 2 * math.pi) - 0.1 * r,
        ]
        x, y, z = (limit(value, -0.2, 0.2) for value in turn)
        motors = (throttle - x + y - z, throttle + x - y - z, throttle + x + y + z, throttle - x - y + z)
        return [round(1000 + 1000 * limit(motor, 0, 1)) for motor in motors]


class Plane:
    """Aileron, elevator, throttle, rudder at 1 to 4; above 1500 us they roll right, pitch up, yaw right."""

    def __init__(self):
        self.climb = self.power = 0.0

    def fly(self, s, dt):
        roll, pitch, yaw = s["attitude"]
        p, q, r = s["gyro"]
        course = math.pi if s["time"] >= 20.0 else HEADING
        bank = limit(1.2 * math.remainder(course - yaw, 2 * math.pi), -0.5, 0.5)
        error = limit(50.3 + s["position"][2], -10, 10)
        self.climb = limit(self.climb + 0.004 * error * dt, -0.2, 0.2)
        nose = limit(0.03 * error + 0.03 * s["velocity"][2] + self.climb, -0.3, 0.3)
        slow = 15.0 - s["airspeed"]
        self.power = limit(self.power + 0.02 * slow * dt, -0.5, 0.5)
        throttle = limit(0.53 + 0.03 * slow + self.power, 0, 1)
        aileron, elevator, rudder = 1.5 * (bank - roll) - 0.1 * p, -0.19 + 3.0 * (nose - pitch) - 0.2 * q, -0.2 * r
        return [*(round(1500 + 500 * limit(value, -1, 1)) for value in (aileron, elevator)), round(1000 + 1000 * throttle),
                round(1500 + 500 * limit(rudder, -1, 1))]  # fmt: skip


HEADING = math.pi / 2  # the twin starts with its nose to the east
told = {"frames": 0, "answers": 0, "again": 0, "stale": 0, "clock": 0.0, "first": None, "steps": [9.9, 0.0], "states": []}
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
line, there = open_line(), ("127.0.0.1", args.port)
vehicle = {"copter": Copter, "plane": Plane}[args.vehicle]()
pulses, count, last = [0] * 4, 0, None
print("ready", flush=True)
try:
    while True:
        if count == args.at:
            if args.fault == "dies":
                print("out of memory, alas", flush=True)
                os._exit(7)
            if args.fault == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if args.fault == "garbage":
                for rubbish in (b"", b"\x1a", os.urandom(40), bytes(40), frame(count, pulses)[:-1], frame(count, pulses) + b"\0",
                                struct.pack("<HHI16H", 18458, 0, count, *[1500] * 16), os.urandom(1400)):  # fmt: skip
                    line.sendto(rubbish, there)
                stranger = open_line()
                stranger.sendto(frame(count + 5, [2000] * 4), there)
            if args.fault == "twice":
                line.sendto(frame(count, pulses), there)
            if args.fault == "skips":
                count += 3
            if args.fault == "restarts":
                line.close()
                line, count, last = open_line(), 0, None
                args.at = -1
        line.sendto(frame(count, pulses), there)
        told["frames"] += 1
        deaf = args.fault == "deaf" and count == args.at
        while True:
            try:
                datagram = line.recv(65536)
                if deaf:  # as if the answer had been lost on its way
                    deaf = False
                    continue
                state = parse(datagram)
                if state["time"] != last:
                    break
                told["stale"] += 1
            except TimeoutError:
                line.sendto(frame(count, pulses), there)
                told["again"] += 1
        told["answers"] += 1
        told["first"] = state["time"] if told["first"] is None else told["first"]
        dt = 0.0 if last is None else state["time"] - last
        if last is not None:
            told["steps"] = [min(told["steps"][0], dt), max(told["steps"][1], dt)]
        told["clock"], last = state["time"], state["time"]
        if told["answers"] % 400 == 1:
            told["states"].append(state)
        pulses = vehicle.fly(state, dt)
        count += 1
finally:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if args.report:
        with open(args.report, "w") as file:
            json.dump(told, file)
