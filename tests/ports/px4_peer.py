"""An autopilot that speaks PX4's simulator link by pymavlink, from MAVLink's definitions and PX4's text; without Didymos.

    python px4_peer.py --port 4560 --report file.json [--boot N] [--fault FAULT --at STEP]

It connects, says HEARTBEAT, asks for HIL_STATE_QUATERNION, and answers each HIL_SENSOR with HIL_ACTUATOR_CONTROLS that bears
its time, which is its clock. It flies by its own filter of gyro, accelerometer, compass, barometer and GPS alone: a quad in X
whose rotors turn the other way; the truth only goes into the report. It stands and aligns for 2 s, arms, goes up to 2 m, at 20 s
of its clock to 5 m and 3 m north, 2 m east, and at 40 s back. `--boot N` leaves the first N questions open, as PX4 does while
it starts.
"""

import argparse
import json
import math
import os
import signal
import socket
import time

from pymavlink.dialects.v20 import common as mavlink

options = argparse.ArgumentParser()
options.add_argument("--port", type=int, default=4560)
options.add_argument("--report", default="")
options.add_argument("--boot", type=int, default=0)
options.add_argument("--hover", type=float, default=0.468)
options.add_argument("--fault", default="none")
options.add_argument("--at", type=int, default=-1)
args = options.parse_args()
DECLINATION = math.radians(5.04)  # of Athens, which an autopilot looks up


def limit(value, low, high):
    return min(max(value, low), high)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turn(q, v):
    """A vector of the body in the world."""
    w, u = q[0], q[1:]
    t = [2.0 * value for value in cross(u, v)]
    s = cross(u, t)
    return [v[i] + w * t[i] + s[i] for i in range(3)]


def angles(q):
    w, x, y, z = q
    roll, yaw = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return roll, math.asin(limit(2 * (w * y - x * z), -1, 1)), yaw


class Filter:
    """Attitude by the gyro, held by gravity and compass; place and velocity by the accelerometer, held by GPS and barometer."""

    def __init__(self):
        self.q, self.bias, self.p, self.v = None, [0.0] * 3, [0.0] * 3, [0.0] * 3
        self.home = self.ground = None

    def inertial(self, m, dt):
        force, rate = [m.xacc, m.yacc, m.zacc], [m.xgyro, m.ygyro, m.zgyro]
        if m.fields_updated & 0x1C0 == 0x1C0:
            self.field = [m.xmag, m.ymag, m.zmag]
        if self.q is None:  # level as gravity has it, heading as the compass has it
            roll, pitch = math.atan2(-force[1], -force[2]), math.atan2(force[0], math.hypot(force[1], force[2]))
            cr, sr, cp, sp = (f(0.5 * a) for a in (roll, pitch) for f in (math.cos, math.sin))
            level = [cr * cp, sr * cp, cr * sp, -sr * sp]
            field = turn(level, self.field)
            half = 0.5 * (DECLINATION - math.atan2(field[1], field[0]))
            c, s = math.cos(half), math.sin(half)
            w, x, y, z = level
            self.q = [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w]
        up = turn([self.q[0], *(-part for part in self.q[1:])], [0.0, 0.0, -1.0])  # what the accelerometer shows at rest
        size = math.sqrt(sum(part * part for part in force))
        wrong = cross([part / size for part in force], up) if abs(size - 9.81) < 1.0 else [0.0] * 3
        if m.fields_updated & 0x1C0 == 0x1C0:
            field = turn(self.q, self.field)
            off = math.remainder(DECLINATION - math.atan2(field[1], field[0]), 2 * math.pi)
            down = turn([self.q[0], *(-part for part in self.q[1:])], [0.0, 0.0, 1.0])
            wrong = [wrong[i] + 8.0 * off * down[i] for i in range(3)]  # one reading in eight steps
        self.bias = [limit(self.bias[i] - 0.01 * wrong[i] * dt, -0.02, 0.02) for i in range(3)]
        self.rate = [rate[i] - self.bias[i] for i in range(3)]
        w, x, y, z = self.q
        a, b, c = (0.5 * dt * (self.rate[i] + 0.2 * wrong[i]) for i in range(3))
        q = [w - a * x - b * y - c * z, x + a * w + c * y - b * z, y + b * w - c * x + a * z, z + c * w + b * x - a * y]
        size = math.sqrt(sum(part * part for part in q))
        self.q = [part / size for part in q]
        gain = turn(self.q, force)
        gain[2] += 9.81
        for i in range(3):
            self.v[i] += gain[i] * dt
            self.p[i] += self.v[i] * dt
        if m.fields_updated & 0x200:
            self.ground = m.pressure_alt if self.ground is None else self.ground
            off = self.ground - m.pressure_alt - self.p[2]
            self.p[2] += 0.1 * off
            self.v[2] += 0.05 * off

    def gps(self, m):
        self.home = self.home or (m.lat, m.lon)
        north = math.radians((m.lat - self.home[0]) * 1e-7) * 6_371_000.0
        east = math.radians((m.lon - self.home[1]) * 1e-7) * 6_371_000.0 * math.cos(math.radians(m.lat * 1e-7))
        for i, (place, speed) in enumerate(((north, m.vn), (east, m.ve))):
            self.p[i] += 0.2 * (place - self.p[i])
            self.v[i] += 0.5 * (0.01 * speed - self.v[i])
        self.v[2] += 0.5 * (0.01 * m.vd - self.v[2])


integral = 0.0


def fly(f, t, dt):
    """Motors 1 front right, 2 rear left, 3 front left, 4 rear right; 1 and 2 turn clockwise."""
    global integral
    roll, pitch, yaw = angles(f.q)
    want = (3.0, 2.0, -5.0) if 20.0 <= t < 40.0 else (0.0, 0.0, -2.0)
    error = [want[i] - f.p[i] for i in range(3)]
    north, east = (limit(0.4 * error[i], -1.0, 1.0) - f.v[i] for i in (0, 1))
    ahead, right = north * math.cos(yaw) + east * math.sin(yaw), east * math.cos(yaw) - north * math.sin(yaw)
    up = limit(-error[2], -1.0, 1.0)
    integral = limit(integral + 0.05 * up * dt, -0.2, 0.2)
    throttle = args.hover + 0.2 * up + 0.2 * f.v[2] + integral
    x = limit(0.09 * (limit(0.12 * right, -0.25, 0.25) - roll) - 0.02 * f.rate[0], -0.2, 0.2)
    y = limit(0.09 * (limit(-0.12 * ahead, -0.25, 0.25) - pitch) - 0.02 * f.rate[1], -0.2, 0.2)
    z = limit(0.11 * math.remainder(0.5 * math.pi - yaw, 2 * math.pi) - 0.1 * f.rate[2], -0.2, 0.2)
    motors = (throttle - x + y - z, throttle + x - y - z, throttle + x + y + z, throttle - x - y + z)
    return [limit(motor, 0.0, 1.0) for motor in motors]


told = {"questions": 0, "answers": 0, "clock": 0.0, "first": None, "steps": [9e9, 0], "gps": 0, "truths": 0, "field": 0,
        "baro": 0, "attitude": 0.0, "last": {}}  # fmt: skip
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the end of the line is its end; a report begun is finished
begin = time.monotonic()
while True:
    try:
        line = socket.create_connection(("127.0.0.1", args.port))
        break
    except ConnectionRefusedError:
        if time.monotonic() - begin > 60:
            raise
        time.sleep(0.01)
line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
mav = mavlink.MAVLink(line.makefile("wb", buffering=0), 1, 1)
mav.heartbeat_send(0, mavlink.MAV_AUTOPILOT_PX4, 0, 0, 0)
mav.command_long_send(0, 0, mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, 0, 115, 5000, 0, 0, 0, 0, 0)
own, truth, last = Filter(), None, None
try:
    while True:
        data = line.recv(65536)
        if not data:
            break
        for m in mav.parse_buffer(data) or ():
            kind = m.get_type()
            assert kind != "BAD_DATA", m
            told["last"][kind] = m.to_dict()
            if kind == "HIL_GPS":
                told["gps"] += 1
                own.gps(m)
            if kind == "HIL_STATE_QUATERNION":
                told["truths"] += 1
                truth = m
            if kind != "HIL_SENSOR":
                continue
            told["questions"] += 1
            assert m.fields_updated & 0x3F == 0x3F
            told["field"] += m.fields_updated & 0x1C0 == 0x1C0
            told["baro"] += m.fields_updated & 0x1A00 == 0x1A00
            dt = 0.0 if last is None else 1e-6 * (m.time_usec - last)
            if last is not None:
                told["steps"] = [min(told["steps"][0], m.time_usec - last), max(told["steps"][1], m.time_usec - last)]
            last, told["clock"] = m.time_usec, m.time_usec
            told["first"] = m.time_usec if told["first"] is None else told["first"]
            own.inertial(m, dt)
            t = 1e-6 * m.time_usec
            if truth is not None and t > 2.0:
                dot = abs(sum(a * b for a, b in zip(own.q, truth.attitude_quaternion, strict=True)))
                told["attitude"] = max(told["attitude"], 2 * math.acos(min(dot, 1.0)))
            if told["questions"] <= args.boot:
                continue
            armed = t > 2.0
            motors = fly(own, t, dt) if armed else [0.0] * 4
            if not armed:
                own.v, own.p = [0.0] * 3, [0.0] * 3
            if t < 1.0:
                own.q, own.bias = None, [0.0] * 3
            if told["answers"] == args.at:
                if args.fault == "dies":
                    print("segmentation fault, alas", flush=True)
                    os._exit(3)
                if args.fault == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                if args.fault == "garbage":
                    line.sendall(b"GET / HTTP/1.1\r\n\r\n" + b"\xfd\x10\xfd\xfd" + bytes(range(256)))
            controls = [*motors, *[math.nan] * 4, *[0.0] * 8]
            mav.hil_actuator_controls_send(m.time_usec, controls, (128 if armed else 0) | 1, 1)
            if args.fault == "twice" and told["answers"] == args.at:
                mav.hil_actuator_controls_send(m.time_usec, [0.0] * 16, 128 | 1, 1)
            told["answers"] += 1
finally:
    if args.report:
        with open(args.report, "w") as file:
            json.dump(told, file)
