"""Drives on a moteus bus with a host of their own, the public client, to which things happen.

The shadow listens at a second adapter (`--tap`). Drives tell no clock on their bus, stamps are times of arrival: a clock that
jumps cannot be tried here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np

import didymos
from didymos.ports.moteus.terminal import Terminal
from shadowing.bench import Served, Shadow, commanded, cpu_of, go_first, report, served, until

__all__ = ["asked", "cut", "garbage", "kill9", "killed", "twelve", "unplugged"]

HOST = """
import asyncio, math, sys, time
import moteus

async def main(path, count, rate, seconds):
    transport = moteus.Fdcanusb(path, command_timeout=100.0, response_timeout=100.0)
    drives = [moteus.Controller(id=1 + i, transport=transport) for i in range(count)]
    await transport.cycle([drive.make_stop() for drive in drives])
    print("drives", flush=True)
    begun, rounds, late = time.monotonic(), 0, 0
    due = begun
    while (now := time.monotonic() - begun) < seconds:
        where = 0.1 * math.sin(2.0 * math.pi * 0.5 * now)
        said = {"position": where, "velocity": math.nan, "watchdog_timeout": math.nan, "query": True}
        await transport.cycle([drive.make_position(**said) for drive in drives])
        rounds, due = rounds + 1, max(due + 1.0 / rate, time.monotonic() - 1.0 / rate)
        left = due - time.monotonic()
        late += left < 0.0
        if rounds % round(rate) == 0:
            print(rounds, time.monotonic(), late, flush=True)
        await asyncio.sleep(max(left, 0.0))

asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])))
"""


@contextmanager
def host(folder: Path, drives: int = 1, rate: float = 200.0, seconds: float = 120.0) -> Iterator[Any]:
    """The robot's own program, once it commands."""
    words = [sys.executable, "-c", HOST, str(folder / "bus"), str(drives), str(rate), str(seconds)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def drives(folder: Path, name: str, twin: str = "power_unit", *words: str) -> Iterator[Served]:
    """Drives on folder/bus, heard at folder/tap."""
    links = ("--link", str(folder / "bus"), "--tap", str(folder / "tap"))
    with served(twin, "moteus", folder / name, *links, *words) as robot:
        yield robot
    for link in links[1::2]:
        Path(link).unlink(missing_ok=True)  # of drives that were killed: their terminals may be others' by now


class Adapter:
    """A second adapter that can be cut and unplugged: what comes from a tap goes to the terminal of another name."""

    def __init__(self, tap: Path, name: Path) -> None:
        self._tap, self._name = os.open(tap, os.O_RDWR | os.O_NOCTTY), name
        tty.setraw(self._tap)
        self._lock = Lock()
        self._out: Terminal | None = Terminal(name)
        self.cut = False
        Thread(target=self._carry, daemon=True).start()

    def _carry(self) -> None:
        while True:
            try:
                data = os.read(self._tap, 4096)
            except OSError:
                return  # the robot is gone
            self.put(b"" if self.cut else data)

    def put(self, data: bytes) -> None:
        """Bytes for whoever reads here."""
        with self._lock:
            if self._out is not None:
                self._out.send(data)
                self._out.flush()
                self._out.take()

    def unplug(self) -> None:
        """The terminal and its name are gone."""
        with self._lock:
            assert self._out is not None
            self._out.close()
            self._out = None

    def plug(self) -> None:
        """A new one has the name."""
        with self._lock:
            self._out = Terminal(self._name)


def beside(path: Path, both: Path, twin: str = "power_unit", *words: str) -> Shadow:
    """A shadow at an adapter."""
    return Shadow(twin, "--robot", f"moteus:{path}", "--record", str(both), *words)


def _whole(log: Any, since: float = -np.inf) -> bool:
    """Whether commands that were heard follow each other without a gap: each counts one more."""
    beat = log["inputs.drive.beat"]
    return bool((np.diff(beat.values[beat.time >= since]) == 1.0).all())


def killed(folder: Path) -> bool:
    """The drives are killed -9 and started anew, with their host."""
    both = folder / "both.mcap"
    with drives(folder, "first.mcap") as first, host(folder):
        shadow = beside(folder / "tap", both)
        time.sleep(6.0)
        first.kill()
    until(lambda: shadow.said("is gone") > 0)
    with drives(folder, "second.mcap"), host(folder):
        time.sleep(6.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    times = log["parts.drive.position"].time
    begins = times[int(np.argmax(np.diff(times))) + 1]
    return report("moteus killed", shadow, summary, {
        "it says that the adapter is gone, once": shadow.said("is gone") == 1,
        "and that it is heard again, once": shadow.said("heard again") == 1,
        "the twin goes on with it": log["twin.parts.drive.position.innovation"].time[-1] > begins + 2.0,
        "no command of the second host is missing": _whole(log, begins + 0.1),
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def cut(folder: Path) -> bool:
    """The line to the second adapter is cut for 5 s while drives and host go on."""
    return _interrupted("moteus cut", folder, "has been silent", lambda one: setattr(one, "cut", True),
                        lambda one: setattr(one, "cut", False))  # fmt: skip


def unplugged(folder: Path) -> bool:
    """The second adapter is unplugged for 5 s."""
    return _interrupted("moteus unplugged", folder, "is gone", Adapter.unplug, Adapter.plug)


def _interrupted(case: str, folder: Path, said: str, take: Any, give: Any) -> bool:
    both = folder / "both.mcap"
    with drives(folder, "robot.mcap"), host(folder):
        adapter = Adapter(folder / "tap", folder / "heard")
        shadow = beside(folder / "heard", both)
        time.sleep(6.0)
        take(adapter)
        time.sleep(5.0)
        give(adapter)
        time.sleep(6.0)
        summary = shadow.end()
    log = didymos.Log.load(both)
    times = log["parts.drive.position"].time
    gaps = np.diff(times)
    again = times[int(np.argmax(gaps)) + 1]
    return report(case, shadow, summary, {
        "one gap of 5 s in what came": int((gaps > 1.0).sum()) == 1 and abs(gaps.max() - 5.0) < 0.5,
        f"it says that it {said}, once": shadow.said(said) == 1,
        "and that it is heard again, once": shadow.said("heard again") == 1,
        "the twin goes on": log["twin.parts.drive.position.innovation"].time[-1] > again + 3.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def garbage(folder: Path) -> bool:
    """20 000 lines of nonsense between those of the bus: bytes, and messages that are damaged."""
    both = folder / "both.mcap"
    draw = np.random.default_rng(0)
    with drives(folder, "robot.mcap"), host(folder):
        adapter = Adapter(folder / "tap", folder / "heard")
        shadow = beside(folder / "heard", both)
        time.sleep(5.0)
        for i in range(20_000):
            noise = draw.bytes(int(draw.integers(0, 60)))
            adapter.put((b"rcv 8001 " + noise.hex().encode() + b"zz" if i % 2 else noise) + b"\n")
            if i % 20 == 0:
                time.sleep(0.005)
        time.sleep(4.0)
        summary = shadow.end()
    return report("moteus garbage", shadow, summary, {
        "it says so in a few sentences, each once": len(set(shadow.notices())) == len(shadow.notices()) <= 3,
        "one of them of lines that are no message": shadow.said("no message") == 1,
        "it goes on to the end": summary["seconds"] > 8.0,
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def kill9(folder: Path) -> bool:
    """The shadow is killed -9; its log is read up to its end, the robot's as well."""
    both = folder / "both.mcap"
    with drives(folder, "robot.mcap") as robot, host(folder):
        shadow = beside(folder / "tap", both)
        time.sleep(8.0)
        shadow.process.kill()
        at = time.monotonic()
        shadow.process.wait()
        time.sleep(1.0)
    log, own = didymos.Log.load(both), didymos.Log.load(robot.record)
    missing = at - log["parts.drive.position"].time[-1]
    return report("moteus kill9", shadow, {}, {
        f"the log of both is whole but for its last {missing:.2f} s": missing < 1.0 and _whole(log),
        "and so is what the twin made of it": at - log["twin.parts.drive.position.innovation"].time[-1] < 1.0,
        "the drive goes on": bool(np.ptp(own["parts.drive.position"].values[-50:]) > 1e-3),
    })  # fmt: skip


def asked(folder: Path) -> bool:
    """No host: the shadow itself is at the bus, where it may write, and asks; the drives are not commanded."""
    with drives(folder, "robot.mcap") as robot:
        shadow = beside(folder / "bus", folder / "both.mcap")
        time.sleep(6.0)
        summary = shadow.end()
    return report("moteus asked", shadow, summary, {
        "the drive answers": summary["readings"] > 0 and robot.facts["replies"] > 100,
        "nobody commanded it": not commanded(robot.record),
        "no alarm": not summary["alarms"],
    })  # fmt: skip


def twelve(folder: Path, seconds: float, rate: float, *, first: bool) -> bool:
    """Twelve drives of a legged robot that hangs, on one bus, commanded and asked in so many rounds a second [Hz].

    `first`: host, drives and shadow go before all other processes once they run.
    """
    both, variant = folder / f"both{rate:g}.mcap", ("--variant", "hung")
    with drives(folder, f"robot{rate:g}.mcap", "meldog", *variant) as robot, host(folder, 12, rate) as own:
        shadow = beside(folder / "tap", both, "meldog", *variant)
        if first:
            for process in (robot.process, own, shadow.process):
                go_first(process.pid)
        begun, started = time.monotonic(), cpu_of(shadow.process.pid)
        time.sleep(seconds)
        share = (cpu_of(shadow.process.pid) - started) / (time.monotonic() - begun)
        summary = shadow.end()
        own.kill()
        said = np.array([[float(word) for word in line.split()] for line in own.stdout if line.count(" ") == 2])
    load, said = os.getloadavg()[0], said[said[:, 1] > begun]
    held, late = np.diff(said[[0, -1], :2], axis=0)[0], said[-1, 2] - said[0, 2]
    log = didymos.Log.load(both)
    heard, beat = log["parts.LFT.position"].time, log["inputs.LFT.beat"].values
    heard = heard[heard > heard[-1] - 8.0]
    return report(f"moteus twelve at {rate:g} Hz (load {load:.1f})", shadow, summary, {
        f"the host keeps {held[0] / held[1]:.0f} rounds a second, {late:.0f} of {held[0]:.0f} late": True,
        f"each drive is heard {(len(heard) - 1) / (heard[-1] - heard[0]):.0f} times a second": True,
        f"of commands to the first {int((np.diff(beat) - 1.0).sum())} of {len(beat)} were not heard": True,
        f"latency p50 {1e3 * summary['latency_p50']:.1f} ms, p99 {1e3 * summary['latency_p99']:.1f} ms": True,
        f"CPU {100.0 * share:.0f} % of a core; the drives had {robot.facts.get('overruns')} overruns": True,
        "no alarm": not summary["alarms"],
    })  # fmt: skip
