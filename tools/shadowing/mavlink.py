"""A quadcopter that flies on MAVLink, with a pilot of its own, to which things happen."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
from pymavlink import mavutil
from pymavlink.dialects.v20 import common as mavlink

import didymos
from shadowing.bench import Served, Shadow, free_port, report, served, until

__all__ = ["cut", "garbage", "jump", "kill9", "killed"]

HEIGHT = 5.0  # [m]
TICK = 1.0 / 400.0  # [s] of the quadcopter's program
STAMPS = {"time_boot_ms": 1e3, "time_usec": 1e6}


class Pilot:
    """A ground station that lets the vehicle take off, and says from then on that it is there."""

    def __init__(self, port: int) -> None:
        self._link: Any = mavutil.mavlink_connection(f"udpin:127.0.0.1:{port}", source_system=250, dialect="common")
        self._over = Event()
        self._link.wait_heartbeat()
        self._thread = Thread(target=self._beat, daemon=True)
        self._thread.start()
        self._insist(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0)
        self._insist(mavlink.MAV_CMD_NAV_TAKEOFF, *[0.0] * 6, HEIGHT)
        self._up()

    def _insist(self, number: int, *parameters: float) -> None:
        """Command until the vehicle does it: it arms once it knows where it is."""
        while True:
            self._link.mav.command_long_send(1, 1, number, 0, *parameters, *[0.0] * (7 - len(parameters)))
            answer = self._link.recv_match(type="COMMAND_ACK", blocking=True, timeout=5.0)
            if answer is not None and answer.command == number and answer.result == 0:
                return
            time.sleep(0.2)

    def _up(self) -> None:
        while -self._link.recv_match(type="LOCAL_POSITION_NED", blocking=True, timeout=10.0).z < 0.9 * HEIGHT:
            pass

    def _beat(self) -> None:
        while not self._over.wait(0.5):
            self._link.mav.heartbeat_send(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0)

    def close(self) -> None:
        """Leave it hovering."""
        self._over.set()
        self._thread.join()
        self._link.close()


class Relay:
    """Datagrams from a vehicle to a port and back, until it is cut; stamps may be moved by a `shift` [s]."""

    def __init__(self, to: int) -> None:
        self._vehicle, self._shadow = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        for item in (self._vehicle, self._shadow):
            item.bind(("127.0.0.1", 0))
        self.port, self._to = self._vehicle.getsockname()[1], ("127.0.0.1", to)
        self._from: Any = None
        self.cut, self.shift = False, 0.0
        self._reader: Any = mavlink.MAVLink(None)
        self._writer: Any = mavlink.MAVLink(None, srcSystem=1, srcComponent=1)
        for work in (self._carry, self._carry_back):
            Thread(target=work, daemon=True).start()

    def _carry(self) -> None:
        while True:
            data, self._from = self._vehicle.recvfrom(65536)
            if not self.cut:
                self._shadow.sendto(self._moved(data), self._to)

    def _carry_back(self) -> None:
        while True:
            data = self._shadow.recv(65536)
            if not self.cut and self._from is not None:
                self._vehicle.sendto(data, self._from)

    def _moved(self, data: bytes) -> bytes:
        """A datagram whose stamps are those of a clock that has jumped."""
        made = b""
        for message in self._reader.parse_buffer(data) or ():
            for name, unit in STAMPS.items():
                if hasattr(message, name):
                    setattr(message, name, round(getattr(message, name) + self.shift * unit))
            made += bytes(message.pack(self._writer))
            self._writer.seq = (self._writer.seq + 1) % 256
        return made

    def garbage(self, count: int, seed: int) -> None:
        """Datagrams of nonsense, half of them with the first byte of a frame."""
        draw = np.random.default_rng(seed)
        for i in range(count):
            head = b"\xfd" if i % 2 else b""
            self._shadow.sendto(head + draw.bytes(int(draw.integers(0, 300))), self._to)


@contextmanager
def flying(record: Path, line: int) -> Iterator[Served]:
    """A quadcopter that hovers by itself, and is heard at a port."""
    own = free_port()
    with served("quadcopter", "mavlink", record, "--udp", "0", "--send-to", str(own), "--send-to", str(line)) as robot:
        pilot = Pilot(own)
        try:
            yield robot
        finally:
            pilot.close()


def beside(port: int, both: Path) -> Shadow:
    """A shadow of it."""
    return Shadow("quadcopter", "--robot", f"mavlink:udp:{port}", "--record", str(both))


def commanded_last(record: Path) -> float:
    """When [s] a vehicle was commanded last, by its own recording, in which a command stands with its tick."""
    about = didymos.Log.load(record).metadata
    kept = [json.loads(str(text)) for key, text in about.items() if key.startswith("didymos.interventions.0")]
    return TICK * max(item["tick"] for item in kept)


def killed(folder: Path) -> bool:
    """The vehicle is killed -9 and started anew."""
    port, both = free_port(), folder / "both.mcap"
    with flying(folder / "first.mcap", port) as first:
        shadow = beside(port, both)
        time.sleep(6.0)
        first.kill()
    until(lambda: shadow.said("silent") > 0)
    with flying(folder / "second.mcap", port):
        time.sleep(6.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    again = log["imu.gyro.x"].time
    begins = again[int(np.argmax(np.diff(again))) + 1]
    return report("mavlink killed", shadow, summary, {
        "it says that the vehicle is silent, once": shadow.said("has been silent") == 1,
        "and that it is heard again, once": shadow.said("heard again") == 1,
        "and that its clock went back": shadow.said("back") > 0,
        "the twin goes on with it": log["twin.imu.gyro.x.innovation"].time[-1] > begins + 3.0,
        "telemetry was asked for anew: it comes at 100 Hz": _rate(again[again > again[-1] - 4.0]) > 90.0,
    })  # fmt: skip


def _rate(times: Any) -> float:
    return float((len(times) - 1) / (times[-1] - times[0]))


def cut(folder: Path) -> bool:
    """The line is cut for 5 s while the vehicle goes on."""
    port, both = free_port(), folder / "both.mcap"
    relay = Relay(port)
    with flying(folder / "robot.mcap", relay.port):
        shadow = beside(port, both)
        time.sleep(6.0)
        relay.cut = True
        time.sleep(5.0)
        relay.cut = False
        time.sleep(6.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    gaps = np.diff(log["imu.gyro.x"].time)
    return report("mavlink cut", shadow, summary, {
        "one gap of 5 s in what came": int((gaps > 1.0).sum()) == 1 and abs(gaps.max() - 5.0) < 0.5,
        "it says that the line is silent, once": shadow.said("has been silent") == 1,
        "and that it is heard again, once": shadow.said("heard again") == 1,
        "the twin goes on": log["twin.imu.gyro.x.innovation"].time[-1] > log["imu.gyro.x"].time[np.argmax(gaps) + 1] + 3.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def garbage(folder: Path) -> bool:
    """20 000 datagrams of nonsense between those of the vehicle."""
    port, both = free_port(), folder / "both.mcap"
    relay = Relay(port)
    with flying(folder / "robot.mcap", relay.port):
        shadow = beside(port, both)
        time.sleep(5.0)
        for i in range(20):
            relay.garbage(1000, i)
            time.sleep(0.05)
        time.sleep(4.0)
        summary = shadow.end()
    return report("mavlink garbage", shadow, summary, {
        "it says so once": shadow.said("no frame") == 1,
        "it goes on to the end": summary["seconds"] > 8.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def jump(folder: Path) -> bool:
    """The vehicle's clock jumps by a minute, forward and back."""
    port, both = free_port(), folder / "both.mcap"
    relay = Relay(port)
    with flying(folder / "robot.mcap", relay.port):
        shadow = beside(port, both)
        for shift in (0.0, 60.0, 0.0):
            relay.shift = shift
            time.sleep(5.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    told = [text for text in shadow.notices() if "clock jumped" in text]
    return report("mavlink jump", shadow, summary, {
        "it says so once for each": len(told) == 2 and "forward" in told[0] and "back" in told[1],
        "the log of both goes on in time": bool((np.diff(log["imu.gyro.x"].time) >= 0.0).all()),
        "and holds all readings": len(log["imu.gyro.x"].time) > 1200,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def kill9(folder: Path) -> bool:
    """The shadow is killed -9; both logs are read up to their end."""
    port, both = free_port(), folder / "both.mcap"
    with flying(folder / "robot.mcap", port) as robot:
        shadow = beside(port, both)
        time.sleep(8.0)
        shadow.process.kill()
        at = time.monotonic()
        shadow.process.wait()
        time.sleep(1.0)
        robot_went_on = time.monotonic() - at
    log, own = didymos.Log.load(both), didymos.Log.load(robot.record)
    end = own["imu.gyro.x"].time[-1] - robot_went_on
    missing = end - log["imu.gyro.x"].time[-1]
    return report("mavlink kill9", shadow, {}, {
        f"the log of both is whole but for the last {missing:.2f} s of the vehicle": missing < 1.0,
        "and so is what the twin made of it": end - log["twin.imu.gyro.x.innovation"].time[-1] < 1.0,
        "the vehicle flies on": own["truth.position.z"].values[-1] > 0.8 * HEIGHT,
        "nobody but its pilot, before the shadow came, commanded it": commanded_last(robot.record) < log["imu.gyro.x"].time[0],
    })  # fmt: skip
