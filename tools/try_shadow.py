"""What becomes of a shadow when things go wrong, and what it costs: `python tools/try_shadow.py [CASE ...] [--seconds S]`.

A robot is another process: a served twin over DDS, or a twin that tells of itself by UDP through a relay that can be cut. Cases:

    killed      the robot is killed and started anew: its clock begins again
    cut         the line is cut for 5 s, the robot goes on
    garbage     bytes that mean nothing come between the robot's
    jump        the robot's clock jumps by a minute, forward and back
    kill9       the shadow is killed: its log of both sides is whole but for the last second
    silent      a shadow without a robot
    cost        latency from arrival to innovation, CPU, and the robot's own rate without and with a shadow

Each case prints what the shadow said and what is in the logs; the exit status is 1 if something is not as it should be.
The robot's own recording tells whether it was commanded.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import didymos

DOMAIN = 91
DIDYMOS = [sys.executable, "-m", "didymos.cli.main"]
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


class Shadow:
    """`didymos shadow` as a process of its own, and the lines that it printed."""

    def __init__(self, *words: str) -> None:
        self.lines: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            [*DIDYMOS, "shadow", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._readers = [Thread(target=self._read, args=item, daemon=True) for item in (
            (self.process.stdout, lambda line: self.lines.append(json.loads(line))), (self.process.stderr, self.errors.append)
        )]  # fmt: skip
        for reader in self._readers:
            reader.start()
        _until(lambda: any("beside" in line for line in self.errors) or self.process.poll() is not None)

    def _read(self, stream: Any, take: Callable[[str], None]) -> None:
        for line in stream:
            take(line)

    def notices(self) -> list[str]:
        return [line["text"] for line in self.lines if line["event"] == "notice"]

    def end(self) -> dict[str, Any]:
        """Ctrl-C; the summary."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        for reader in self._readers:
            reader.join()
        return next((line for line in self.lines if line["event"] == "summary"), {})


def _until(found: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not found():
        if time.monotonic() > end:
            raise SystemExit("try_shadow: waited in vain")
        time.sleep(0.02)


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


@contextmanager
def served(folder: Path, name: str = "robot.mcap", facts: dict[str, Any] | None = None) -> Iterator[tuple[Any, Path]]:
    """A quadcopter on ROS 2, and its own recording; at the end its facts."""
    record = folder / name
    words = [*DIDYMOS, "serve", "quadcopter", "--port", "ros2", "--domain", str(DOMAIN), "--scenario", "hover"]
    process = subprocess.Popen(
        [*words, "--record", str(record), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    process.stderr.readline()
    try:
        yield process, record
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        if facts is not None:
            facts |= json.loads(out)


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as item:
        item.bind(("127.0.0.1", 0))
        port: int = item.getsockname()[1]
    return port


def report(case: str, shadow: Shadow, summary: dict[str, Any], checks: dict[str, bool]) -> bool:
    print(f"{case}:")
    for text in shadow.notices():
        print(f"    said: {text}")
    alarms = len(summary.get("alarms", ()))
    print(f"    {summary.get('seconds', 0.0):.1f} s, {summary.get('updates', 0)} updates, {alarms} alarms")
    for what, ok in checks.items():
        print(f"    {'ok  ' if ok else 'FAIL'} {what}")
    return all(checks.values())


def killed(folder: Path) -> bool:
    """A served robot is killed -9 and started anew."""
    both = folder / "both.mcap"
    with served(folder, "first.mcap") as (robot, first):
        shadow = Shadow("quadcopter", "--robot", f"ros2:{DOMAIN}", "--scenario", "hover", "--record", str(both))
        time.sleep(6.0)
        robot.kill()
        robot.wait()
    _until(lambda: any("silent" in text for text in shadow.notices()))
    with served(folder, "second.mcap") as (_, second):
        time.sleep(8.0)
        summary = shadow.end()
    log, own = didymos.Log.load(both), didymos.Log.load(second)
    heard = log["imu.gyro.x"].values
    kept = own["imu.gyro.x"].values
    begins = next(i for i, value in enumerate(heard) if value in set(kept[:200]))
    return report("killed", shadow, summary, {
        "it says that the robot is silent, once": sum("silent" in text for text in shadow.notices()) == 1,
        "and that it is heard again": any("heard again" in text for text in shadow.notices()),
        "all that the second robot told is in the log of both": _same_run(heard[begins:], kept),
        "the twin goes on with it": log["twin.imu.gyro.x.innovation"].time[-1] > log["imu.gyro.x"].time[begins] + 1.0,
        "nobody commanded either robot": not _commanded(first) and not _commanded(second),
    })  # fmt: skip


def _same_run(part: Any, whole: Any) -> bool:
    """Whether values follow each other without a gap in a recording."""
    at = np.flatnonzero(whole == part[0])
    return any(np.array_equal(whole[i : i + len(part)], part[: len(whole) - i]) for i in at)


def _commanded(record: Path) -> bool:
    """Whether a served robot's own recording knows of somebody's interventions."""
    return any(key.startswith("didymos.interventions") and "seconds" not in key for key in didymos.Log.load(record).metadata)


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
        "it says that the line is silent, once, and that it is heard again": [
            sum(word in text for text in shadow.notices()) for word in ("has been silent", "heard again")
        ] == [1, 1],
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
    with served(folder) as (_, record):
        shadow = Shadow("quadcopter", "--robot", f"ros2:{DOMAIN}", "--scenario", "hover", "--record", str(both))
        time.sleep(8.0)
        shadow.process.kill()
        at = time.monotonic()
        shadow.process.wait()
        time.sleep(1.0)
        robot_went_on = time.monotonic() - at
    log, own = didymos.Log.load(both), didymos.Log.load(record)
    end = own["imu.gyro.x"].time[-1] - robot_went_on
    missing = end - log["imu.gyro.x"].time[-1]
    return report("kill9", shadow, {}, {
        f"the log of both is whole but for the last {missing:.2f} s of the robot": missing < 1.0,
        "and so is what the twin made of it": end - log["twin.imu.gyro.x.innovation"].time[-1] < 1.0,
        "the robot goes on, and nobody commanded it": own["imu.gyro.x"].time[-1] > end + 0.5 and not _commanded(record),
    })  # fmt: skip


def silent(folder: Path) -> bool:
    """No robot at all."""
    shadow = Shadow("quadcopter", "--robot", f"socket:{free_port()}", "--record", str(folder / "both.mcap"))
    time.sleep(3.0)
    summary = shadow.end()
    return report("silent", shadow, summary, {
        "it says that the robot is not heard": any("not heard yet" in text for text in shadow.notices()),
        "and ends well": shadow.process.returncode == 0,
    })  # fmt: skip


def cost(folder: Path, seconds: float) -> bool:
    """Latency, CPU, and the robot's rate."""
    facts: dict[str, dict[str, Any]] = {"alone": {}, "shadowed": {}}
    wall = {}
    for who in ("alone", "shadowed"):
        with served(folder, f"{who}.mcap", facts[who]):
            wall[who] = -time.monotonic()
            time.sleep(2.0)
            if who == "alone":
                time.sleep(seconds)
            else:
                words = ("quadcopter", "--robot", f"ros2:{DOMAIN}", "--scenario", "hover", "--record", str(folder / "b.mcap"))
                shadow = Shadow(*words)
                begun = time.monotonic()
                time.sleep(seconds)
                busy = _cpu(shadow.process.pid)
                summary = shadow.end()
                share = busy / (time.monotonic() - begun)
            wall[who] += time.monotonic()
    load = os.getloadavg()[0]
    print(f"cost, beside a 400 Hz robot for {seconds:g} s (load of the machine {load:.1f}):")
    print(f"    latency p50 {1e3 * summary['latency_p50']:.2f} ms, p99 {1e3 * summary['latency_p99']:.2f} ms")
    print(f"    CPU {100 * summary['cpu']:.0f} % of a core by its own count, {100 * share:.0f} % with its start")
    for who, item in facts.items():
        print(f"    the robot {who}: {item['seconds'] / wall[who]:.4f} s of its clock in a second, {item['overruns']} overruns")
    return True


def _cpu(pid: int) -> float:
    """CPU time [s] of a process until now."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = {"killed": killed, "cut": cut, "garbage": garbage, "jump": jump, "kill9": kill9, "silent": silent, "cost": cost}
    parser.add_argument("case", nargs="*", choices=[*cases, []], default=list(cases))
    parser.add_argument("--seconds", type=float, default=30.0, help="of the case cost")
    options = parser.parse_args()
    good = True
    for name in options.case:
        with tempfile.TemporaryDirectory() as folder:
            good &= cost(Path(folder), options.seconds) if name == "cost" else cases[name](Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
