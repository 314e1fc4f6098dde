"""The real drives of a twin on their bus: what a run on the real robot reads and commands.

A reading is one query to every drive, a command one message to each whose `beat` changed, as the twin's own drive understands it.
A fault, a watchdog that ran out, a drive that stops by itself or does not answer end the run. Should this program die, the
watchdog of each controller brings its motor to rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError
from didymos.parts.drive import STOPPED, TIMED_OUT, Drive
from didymos.ports.moteus.host import QUERY, Host, command, registers
from didymos.ports.moteus.numbers import bus_numbers
from didymos.ports.moteus.registers import MEASURED
from didymos.ports.moteus.values import decode

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["MoteusRobot", "connect"]

REPORTS = (
    ("position", "rev"), ("velocity", "rev/s"), ("torque", "N m"), ("output_position", "rad"), ("output_velocity", "rad/s"),
    ("mode", "1"), ("voltage", "V"), ("temperature", "degC"), ("fault", "1"),
)  # fmt: skip
"""What a drive says, and units; under the names that the twin's drive has for it, where it has one."""

_MODE, _FAULT, _SET_OUTPUT, _WATCHDOG = 0x000, 0x00F, 0x131, 0x027
_MEASURED = (0x001, 0x002, 0x003, 0x00D, 0x00E)
_PATIENCE = 1.0  # [s] to wait for an answer
_REPEAT = 0.05  # [s] between two tries to stop
_NEAR = 0.1  # [rev] that a drive may stand from where a scenario begins
_TURN = 2.0 * math.pi
_FAULTS = {
    32: "calibration", 33: "motor driver", 34: "over voltage", 35: "encoder", 36: "motor not configured", 37: "cycle overrun",
    38: "over temperature", 39: "outside of its position limits", 40: "under voltage", 41: "configuration changed",
    42: "no valid commutation", 43: "no valid position", 44: "driver not enabled", 46: "timing violation", 48: "invalid limits",
}  # fmt: skip


def connect(simulation: Simulation, address: str, ids: Mapping[str, int], zero: bool) -> MoteusRobot:
    """The drives of a simulated twin, for real, behind the fdcanusb at a path."""
    return MoteusRobot(simulation, Path(address), bus_numbers(simulation.twin, ids), zero=zero)


class MoteusRobot:
    """The drives on one bus (see `Hardware`)."""

    def __init__(self, simulation: Simulation, path: Path, numbers: Mapping[str, int], *, zero: bool) -> None:
        twin = simulation.twin
        self.reports = tuple((f"{drive}.{name}", unit) for drive in numbers for name, unit in REPORTS)
        self._numbers, self._zero = dict(numbers), zero
        self._ratio = {drive: twin.get(f"parts.{drive}.ratio") for drive in numbers}
        self._start = {drive: _start(simulation, drive) for drive in numbers}
        self._beats = dict.fromkeys(numbers, 0.0)
        self._works: set[str] = set()  # drives whose reports show that they do what they are commanded
        self._host = Host(path)

    def begin(self) -> None:
        """Find every drive, stopped and where the scenario begins."""
        self._host.forget()
        for drive, number in self._numbers.items():
            self._host.send(number, command(int(STOPPED)), reply=False)
            if self._zero:
                self._host.send(number, command(int(STOPPED), (), {_SET_OUTPUT: self._start[drive]}), reply=False)
        values = self._report(self._query())
        for i, drive in enumerate(self._numbers):
            position, start = float(values[i * len(REPORTS)]), self._start[drive]
            if not abs(position - start) <= _NEAR:
                raise InputError(
                    f"{self._who(drive)} stands at {position:.4g} rev, expected {start:.4g} rev, where the scenario begins;"
                    " bring it there, or call it so with `zero`",
                    option="robot",
                )

    def read(self) -> NDArray[np.float64]:
        """What every drive says now, in the order of `reports`."""
        return self._report(self._query())

    def write(self, inputs: Mapping[str, float]) -> None:
        """Send a command to every drive whose `beat` changed; all inputs by name."""
        for drive, number in self._numbers.items():
            said = {item.name: inputs[f"{drive}.{item.name}"] for item in Drive.inputs}
            if said["beat"] == self._beats[drive]:
                continue
            self._beats[drive] = said["beat"]
            mode, limit, watchdog = int(said["mode"]), said["torque_limit"], said["watchdog"]
            if mode == STOPPED:
                self._works.discard(drive)
                self._host.send(number, command(mode), reply=False)
                continue
            values = [said[name] for name in ("position", "velocity", "feedforward", "kp_scale", "kd_scale")]
            extra = {_WATCHDOG: math.nan if watchdog < 0.0 else watchdog} if watchdog != 0.0 else {}
            self._host.send(number, command(mode, (*values, *((limit,) if limit > 0.0 else ())), extra), reply=False)

    def stop(self) -> tuple[str, ...]:
        """Stop every motor; those that did not confirm it."""
        left, until = dict(self._numbers), monotonic() + _PATIENCE
        while left and monotonic() < until:
            for number in left.values():
                self._host.send(number, command(int(STOPPED)) + QUERY, reply=True)
            answers = self._collect(left.values(), monotonic() + _REPEAT)
            modes = {number: values[_MODE][0] for number, values in answers.items() if _MODE in values}
            left = {drive: number for drive, number in left.items() if modes.get(number) not in (0.0, 1.0)}
        return tuple(map(self._who, left))

    def close(self) -> None:
        """Let go of the wire."""
        self._host.close()

    def _query(self) -> dict[str, dict[int, tuple[float, int]]]:
        """The registers of every drive."""
        for number in self._numbers.values():
            self._host.send(number, QUERY, reply=True)
        answers = self._collect(self._numbers.values(), monotonic() + _PATIENCE)
        for drive, number in self._numbers.items():
            if number not in answers:
                raise RunError(f"{self._who(drive)} did not answer within {_PATIENCE:g} s")
            missing = [register for register in (_MODE, _FAULT, *_MEASURED) if register not in answers[number]]
            if missing:
                raise RunError(f"{self._who(drive)} did not say what is in its register 0x{missing[0]:03x}")
        return {drive: answers[number] for drive, number in self._numbers.items()}

    def _collect(self, numbers: Iterable[int], until: float) -> dict[int, dict[int, tuple[float, int]]]:
        """Answers by number, until all have come or a time [s] is over."""
        queried, answers = set(numbers), dict[int, dict[int, tuple[float, int]]]()
        while queried - answers.keys():
            messages = self._host.receive(until)
            for message in messages:
                if message.prefix == 0 and message.source in queried:
                    answers[message.source] = registers(message.data)
            if not messages and monotonic() >= until:
                break
        return answers

    def _report(self, answers: Mapping[str, Mapping[int, tuple[float, int]]]) -> NDArray[np.float64]:
        row: list[float] = []
        for drive, values in answers.items():
            position, velocity, torque, voltage, temperature = (decode(*values[r], MEASURED[r][1]) for r in _MEASURED)
            mode, fault = values[_MODE][0], values[_FAULT][0]
            self._check(drive, mode, int(fault))
            outside = _TURN / self._ratio[drive]
            row += [position, velocity, torque, position * outside, velocity * outside, mode, voltage, temperature, fault]
        return np.array(row)

    def _check(self, drive: str, mode: float, fault: int) -> None:
        if fault or mode == 1.0:
            raise RunError(f"{self._who(drive)} reports fault {fault}{f' ({_FAULTS[fault]})' if fault in _FAULTS else ''}")
        if mode == TIMED_OUT:
            raise RunError(f"{self._who(drive)} timed out: no command came within its watchdog")
        if mode == STOPPED and drive in self._works:
            raise RunError(f"{self._who(drive)} was stopped by another")
        if mode != STOPPED and self._beats[drive]:
            self._works.add(drive)

    def _who(self, drive: str) -> str:
        return f"{drive} (number {self._numbers[drive]} on the bus)"


def _start(simulation: Simulation, drive: str) -> float:
    """Where the scenario has the motor at its beginning [rev]."""
    twin = simulation.twin
    joint = twin.file.parts[drive].joint
    assert joint is not None  # a drive has one
    angle = simulation.data.joint(twin.description.joints[joint].engine_joints[0]).qpos
    return float(angle[0]) * twin.get(f"parts.{drive}.ratio") / _TURN

