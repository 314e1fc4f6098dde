"""What a shadow costs: latency from the arrival of a measurement to its innovation, CPU, and what it takes of the robot's rate.

The latency has in it the 2 ms for which an update waits for other sensors of the same time. Beside it stands how late a process
is that does nothing but wake up every 5 ms: what the machine itself, with all that others do on it, takes of any process.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from shadowing.bench import Served, Shadow, cpu_of, go_first, served

__all__ = ["cost"]

DOMAIN = 91
_WAKE = 0.005  # [s]


class Machine:
    """How late this process wakes up meanwhile [s]."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._over = Event()
        self._thread = Thread(target=self._wake, daemon=True)
        self._thread.start()

    def _wake(self) -> None:
        while not self._over.is_set():
            due = time.monotonic() + _WAKE
            time.sleep(_WAKE)
            self.late.append(time.monotonic() - due)

    def end(self) -> np.ndarray[Any, Any]:
        """Median and 99 % of it."""
        self._over.set()
        self._thread.join()
        return np.quantile(self.late, [0.5, 0.99])


def cost(folder: Path, seconds: float, rate: float, *, first: bool) -> bool:
    """A quadcopter on ROS 2 whose program and sensors run at a rate [Hz], without and with a shadow, for so long [s] each.

    `first`: both go before all other processes once they run.
    """
    rates = {"control": rate, "sensors.state": rate, "sensors.imu": min(rate, 200.0)}
    words = ["--scenario", "hover", *(word for name, value in rates.items() for word in ("--set", f"{name}.rate={value:g}"))]
    robots: dict[str, Served] = {}
    for who in ("alone", "shadowed"):
        with served("quadcopter", "ros2", folder / f"{who}.mcap", "--domain", str(DOMAIN), *words) as robots[who]:
            if first:
                go_first(robots[who].process.pid)
            if who == "alone":
                time.sleep(seconds)
                continue
            shadow = Shadow("quadcopter", "--robot", f"ros2:{DOMAIN}", *words, "--record", str(folder / "both.mcap"))
            if first:
                go_first(shadow.process.pid)
            machine, begun, started = Machine(), time.monotonic(), cpu_of(shadow.process.pid)
            time.sleep(seconds)
            share = (cpu_of(shadow.process.pid) - started) / (time.monotonic() - begun)
            late, load = machine.end(), os.getloadavg()[0]
            summary = shadow.end()
    how = ", robot and shadow before all others" if first else ""
    print(f"cost, beside a {rate:g} Hz robot for {seconds:g} s (load of the machine {load:.1f}{how}):")
    print(f"    latency p50 {1e3 * summary['latency_p50']:.2f} ms, p99 {1e3 * summary['latency_p99']:.2f} ms, "
          f"{summary['updates'] / max(summary['seconds'], 1e-9):.0f} updates a second")  # fmt: skip
    print(f"    a process that only wakes up is late by p50 {1e3 * late[0]:.2f} ms, p99 {1e3 * late[1]:.2f} ms")
    for line in shadow.lines:
        if line["event"] in ("alarm", "notice"):
            print(f"    {line['event']}: {line['text']}")
    print(f"    CPU {100 * share:.0f} % of a core, {100 * summary['cpu']:.0f} % with finding the robot")
    for who, robot in robots.items():
        pace = robot.facts["seconds"] / robot.wall
        print(f"    the robot {who}: {pace:.4f} s of its clock in a second, {robot.facts['overruns']} overruns")
    return True
