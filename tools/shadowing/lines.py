"""A quadcopter on ROS 2, or one that tells of itself by UDP, to which things happen."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import didymos
from shadowing.bench import Served, Shadow, commanded, free_port, report, same_run, served, until

__all__ = ["Relay", "cut", "garbage", "jump", "kill9", "killed", "silent"]

DOMAIN = 91
ROBOT = """
import json, socket, sys, time
import didymos
port, offset, seconds = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
twin = didymos.load("quadcopter")
log = twin.simulate(scenario="hover", seed=int(sys.argv[4])).run(seconds)
rows = []
for index, layout in enumerate(log.layouts):
    if layout.name in ("imu", "gps", "compass", "baro", "inputs"):
        times, values = log.rows(index)
        rows += [(t, dict(zip(layout.signals, row, strict=True))) for t, row in zip(times.tolist(), values.tolist(), strict=True)]
rows.sort(key=lambda row: row[0])
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("tells", flush=True)
begun = time.monotonic()
jumps = json.loads(sys.argv[5])
for stamp, values in rows:
    wait = begun + stamp - time.monotonic()
    if wait > 0.0:
        time.sleep(wait)
    here = stamp + offset + sum(size for at, size in jumps if stamp >= at)
    line.sendto(json.dumps({"stamp": here, **values}).encode(), ("127.0.0.1", port))
"""


class Relay:
    """UDP datagrams from a port to another, until it is cut."""

    def __init__(self, to: int) -> None:
        self._in = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._in.bind(("127.0.0.1", 0))
        self.port, self.to, self.cut = self._in.getsockname()[1], to, False
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        Thread(target=self._carry, daemon=True).start()

    def _carry(self) -> None:
        while True:
            data = self._in.recv(65536)
            if not self.cut:
                self.out.sendto(data, ("127.0.0.1", self.to))

    def garbage(self, count: int, seed: int = 0) -> None:
        draw = np.random.default_rng(seed)
        for _ in range(count):
            self.out.sendto(draw.bytes(int(draw.integers(0, 300))), ("127.0.0.1", self.to))
        for text in ('{"stamp": NaN, "imu.gyro.x": 1}', '{"imu.gyro.x": "much"}', "[]", '{"stamp": 1e300, "imu.gyro.x": 0.0}'):
            self.out.sendto(text.encode(), ("127.0.0.1", self.to))


@contextmanager
def teller(port: int, *, offset: float = 0.0, seconds: float = 60.0, seed: int = 1, jumps: str = "[]") -> Iterator[Any]:
    """A robot that tells of itself by UDP, once it does."""
    words = [sys.executable, "-c", ROBOT, str(port), str(offset), str(seconds), str(seed), jumps]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def quadcopter(record: Path) -> AbstractContextManager[Served]:
    """A quadcopter on ROS 2."""
    return served("quadcopter", "ros2", record, "--domain", str(DOMAIN), "--scenario", "hover")


def killed(folder: Path) -> bool:
    """A served robot is killed -9 and started anew."""
    both = folder / "both.mcap"
    with quadcopter(folder / "first.mcap") as first:
        shadow = Shadow("quadcopter", "--robot", f"ros2:{DOMAIN}", "--scenario", "hover", "--record", str(both))
        time.sleep(6.0)
        first.kill()
    until(lambda: shadow.said("silent") > 0)
    with quadcopter(folder / "second.mcap") as second:
        time.sleep(8.0)
        summary = shadow.end()
    log, own = didymos.Log.load(both), didymos.Log.load(second.record)
    heard = log["imu.gyro.x"].values
    kept = own["imu.gyro.x"].values
    begins = next(i for i, value in enumerate(heard) if value in set(kept[:200]))
    return report("killed", shadow, summary, {
        "it says that the robot is silent, once": shadow.said("silent") == 1,
        "and that it is heard again": shadow.said("heard again") > 0,
        "all that the second robot told is in the log of both": same_run(heard[begins:], kept),
        "the twin goes on with it": log["twin.imu.gyro.x.innovation"].time[-1] > log["imu.gyro.x"].time[begins] + 1.0,
        "nobody commanded either robot": not commanded(first.record) and not commanded(second.record),
    })  # fmt: skip


def cut(folder: Path) -> bool:
    """The line is cut for 5 s while the robot goes on."""
    port, both = free_port(), folder / "both.mcap"
    shadow = Shadow("quadcopter", "--robot", f"socket:{port}", "--scenario", "hover", "--record", str(both))
    relay = Relay(port)
    with teller(relay.port):
        time.sleep(6.0)
        relay.cut = True
        time.sleep(5.0)
        relay.cut = False
        time.sleep(6.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    gaps = np.diff(log["imu.gyro.x"].time)
    innovation = log["twin.imu.gyro.x.innovation"].time
    return report("cut", shadow, summary, {
        "one gap of 5 s in what came": int((gaps > 1.0).sum()) == 1 and abs(gaps.max() - 5.0) < 0.5,
        "it says that the line is silent, once": shadow.said("has been silent") == 1,
        "and that it is heard again, once": shadow.said("heard again") == 1,
        "the twin goes on": innovation[-1] > log["imu.gyro.x"].time[np.argmax(gaps) + 1] + 3.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def garbage(folder: Path) -> bool:
    """20 000 datagrams of nonsense between those of the robot."""
    port, both = free_port(), folder / "both.mcap"
    shadow = Shadow("quadcopter", "--robot", f"socket:{port}", "--scenario", "hover", "--record", str(both))
    relay = Relay(port)
    with teller(relay.port):
        time.sleep(5.0)
        for i in range(20):
            relay.garbage(1000, i)
            time.sleep(0.05)
        time.sleep(4.0)
        summary = shadow.end()
    return report("garbage", shadow, summary, {
        "it says so once for each kind of nonsense": len(set(shadow.notices())) == len(shadow.notices()) > 2,
        "it goes on to the end": summary["seconds"] > 8.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def jump(folder: Path) -> bool:
    """The robot's clock jumps by a minute, forward after 5 s and back after 10 s."""
    port, both = free_port(), folder / "both.mcap"
    shadow = Shadow("quadcopter", "--robot", f"socket:{port}", "--scenario", "hover", "--record", str(both))
    with teller(port, jumps="[[5.0, 60.0], [10.0, -60.0]]"):
        time.sleep(15.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    told = [text for text in shadow.notices() if "clock jumped" in text]
    return report("jump", shadow, summary, {
        "it says so once for each": len(told) == 2 and "forward" in told[0] and "back" in told[1],
        "the log of both goes on in time": bool((np.diff(log["imu.gyro.x"].time) >= 0.0).all()),
        "and holds all readings": len(log["imu.gyro.x"].time) > 1300,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def kill9(folder: Path) -> bool:
    """The shadow is killed -9; both logs are read up to their end."""
    both = folder / "both.mcap"
    with quadcopter(folder / "robot.mcap") as robot:
        shadow = Shadow("quadcopter", "--robot", f"ros2:{DOMAIN}", "--scenario", "hover", "--record", str(both))
        time.sleep(8.0)
        shadow.process.kill()
        at = time.monotonic()
        shadow.process.wait()
        time.sleep(1.0)
        robot_went_on = time.monotonic() - at
    log, own = didymos.Log.load(both), didymos.Log.load(robot.record)
    end = own["imu.gyro.x"].time[-1] - robot_went_on
    missing = end - log["imu.gyro.x"].time[-1]
    return report("kill9", shadow, {}, {
        f"the log of both is whole but for the last {missing:.2f} s of the robot": missing < 1.0,
        "and so is what the twin made of it": end - log["twin.imu.gyro.x.innovation"].time[-1] < 1.0,
        "the robot goes on, and nobody commanded it": own["imu.gyro.x"].time[-1] > end + 0.5 and not commanded(robot.record),
    })  # fmt: skip


def silent(folder: Path) -> bool:
    """No robot at all."""
    shadow = Shadow("quadcopter", "--robot", f"socket:{free_port()}", "--record", str(folder / "both.mcap"))
    time.sleep(3.0)
    summary = shadow.end()
    return report("silent", shadow, summary, {
        "it says that the robot is not heard": shadow.said("not heard yet") > 0,
        "and ends well": shadow.process.returncode == 0,
    })  # fmt: skip
