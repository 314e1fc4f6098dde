"""Messages of a bus of moteus controllers -> what the drives were told and what they said, in the words of the twin's log.

What a command means is known from the port (`ports/moteus/`): each drive has a controller of its own here, to which the host's
messages go as they go to the real one, and whose commands to its drive are the inputs: set-points held to limits and bounds,
scales, mode, torque limit, watchdog. `beat` counts them. The controllers' clock stands: a watchdog runs out in the twin's own
drive; where a drive says that its own ran out, or that it has a fault, commands mean nothing to it until a stop, here as well.

What a drive says are the registers of its replies: position [rev], velocity [rev/s], torque [N m] and mode, with the
resolution of the type that the host asked for. Positions count from where the drive does, also after a `set output` that was
heard.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from didymos.parts.drive import Drive
from didymos.parts.drive_modes import STOPPED, TIMED_OUT
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.bus import ALL, Bus
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.host import command, registers
from didymos.ports.moteus.line import Message
from didymos.ports.moteus.registers import COMMANDS, MEASURED
from didymos.ports.moteus.values import decode

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["QUESTION", "HeardBus"]

QUESTION = bytes([0x11, 0x00, 0x1F, 0x01, 0x1C, 0x08, 0x20])
"""Reads int8 0x000 and floats 0x001 to 0x003 and 0x020 to 0x027: mode, what is measured, what is commanded. Writes nothing."""

_MODE, _FAULT = 0x000, 0x00F
_MEASURED = (0x001, 0x002, 0x003)
_COMMANDED = tuple(range(0x020, 0x028))
_BEFORE_WORK = (1.0, 2.0, 3.0, 4.0)  # fault, enabling, calibrating, calibrated: the drive gives no torque
_INPUTS = tuple(item.name for item in Drive.inputs if item.name != "beat")


class HeardDrive:
    """A drive of the robot, as far as it was heard (see `Drive` of `ports/moteus/command.py`)."""

    def __init__(self, twin: Twin, name: str, say: Callable[[str], None]) -> None:
        self.commands: list[dict[str, float]] = []
        self.mode = STOPPED
        self._twin, self._name, self._say = twin, name, say
        self._set: dict[str, float] = {}
        self._known = {"position": 0.0, "velocity": 0.0, "torque": 0.0, "mode": STOPPED, "heat": 0.0}
        self._beat = 0.0

    @property
    def time(self) -> float:
        """Stands, but is beyond any watchdog where the drive says that its own ran out [s]."""
        return math.inf if self.mode == TIMED_OUT else 0.0

    @property
    def readouts(self) -> Mapping[str, float]:
        """What the drive said last."""
        return self._known

    def parameter(self, name: str) -> float:
        """A number of the twin's drive, or what its host has set it to."""
        return self._set[name] if name in self._set else self._twin.parameters[f"parts.{self._name}.{name}"].value

    def set_parameter(self, name: str, value: float) -> None:
        """The host changes a number of the drive; the twin keeps its own."""
        self._set[name] = value
        self._say(f"{self._name} was given {name} = {value:g} by its host; the twin keeps its own")

    def command(self, values: tuple[float, ...]) -> None:
        """What the drive is told."""
        self._beat += 1.0
        told = dict(zip(_INPUTS, values, strict=True)) | {"beat": self._beat}
        self.commands.append({f"inputs.{self._name}.{name}": value for name, value in told.items()})

    def say(self, values: Mapping[str, float]) -> dict[str, float]:
        """What the drive has said, by readout; the signals."""
        self._known |= values
        return {f"parts.{self._name}.{name}": value for name, value in values.items()}


class HeardBus:
    """The drives of a twin on a bus; `say` takes a sentence that is worth saying once."""

    def __init__(self, twin: Twin, numbers: Mapping[str, int], say: Callable[[str], None]) -> None:
        self._drives = {number: HeardDrive(twin, name, say) for name, number in numbers.items()}
        self._controllers = {
            number: Controller(self._drives[number], Board(twin.name, name, number), say) for name, number in numbers.items()
        }
        self._bus = Bus(list(self._controllers.values()))
        self._commanded: dict[int, tuple[float, ...]] = {}

    @staticmethod
    def signals_of(drive: str) -> tuple[str, ...]:
        """All signals of a drive."""
        said = [*(MEASURED[register][0] for register in _MEASURED), "mode"]
        return (*(f"inputs.{drive}.{item.name}" for item in Drive.inputs), *(f"parts.{drive}.{name}" for name in said))

    @property
    def moving(self) -> bool:
        """Whether time moves a set-point."""
        return any(controller.moving for controller in self._controllers.values())

    def is_reply(self, message: Message) -> bool:
        """Whether a drive said it, and not a host."""
        return message.source in self._drives and not message.wants_reply

    def knows(self, message: Message) -> bool:
        """Whether it has to do with a drive of the twin."""
        ours = message.destination in (*self._drives, ALL) or self.is_reply(message)
        return message.prefix == 0 and ours

    def hear(self, message: Message, *, asked: bool) -> list[dict[str, float]]:
        """Signals that a message tells of; where it was `asked` for here, also what it says that the drive was commanded."""
        if not self.is_reply(message):
            self._bus.overhear(message)
            return self._taken()
        number, values = message.source, registers(message.data)
        found = self._said(number, values)
        if asked:
            self._follow(number, values)
        return [*self._taken(), *([found] if found else [])]

    def advance(self, seconds: float) -> list[dict[str, float]]:
        """Let set-points that are moving move on."""
        self._bus.advance(seconds)
        return self._taken()

    def _taken(self) -> list[dict[str, float]]:
        found = []
        for drive in self._drives.values():
            found += drive.commands
            drive.commands = []
        return found

    def _said(self, number: int, values: Mapping[int, tuple[float, int]]) -> dict[str, float]:
        drive, controller, said = self._drives[number], self._controllers[number], dict[str, float]()
        for register in _MEASURED:
            if register in values:
                name, quantity = MEASURED[register]
                value = decode(*values[register], quantity) - (controller.offset if name == "position" else 0.0)
                if math.isfinite(value):
                    said[name] = value
        if _MODE in values:
            drive.mode = values[_MODE][0]
            controller.fault = (int(values[_FAULT][0]) if _FAULT in values else 0) or 1 if drive.mode == 1.0 else 0
            said["mode"] = float(STOPPED if drive.mode in _BEFORE_WORK else drive.mode)
        return drive.say(said)

    def _follow(self, number: int, values: Mapping[int, tuple[float, int]]) -> None:
        """Give the controller here the command that the one on the bus says it has, where it is another than before."""
        if _MODE not in values or any(register not in values for register in _COMMANDED):
            return
        mode = values[_MODE][0]
        told = (STOPPED if mode == 1.0 else mode, *(decode(*values[register], COMMANDS[register][1]) for register in _COMMANDED))
        if mode in _BEFORE_WORK[1:] or repr(told) == repr(self._commanded.get(number)):
            return  # NaN is equal to itself here
        self._commanded[number] = told
        data = command(int(told[0]), told[1:]) if told[0] != STOPPED else command(int(STOPPED))
        self._bus.overhear(Message(number, data))
