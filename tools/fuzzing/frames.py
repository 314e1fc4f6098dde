"""Wire frames of all ports, each through the code that reads it in a served or driven twin."""

from __future__ import annotations

from pathlib import Path
from random import Random

from fuzzing.autopilot_wires import ArduPilotWire, Px4Wire
from fuzzing.local_wires import BetaflightWire, FirmwareWire, MessageWire, PadWire, RequestWire, SticksWire
from fuzzing.moteus_wire import HostWire, MoteusWire, TerminalWire
from fuzzing.ros2_control_wire import Ros2ControlWire
from fuzzing.ros2_wire import Ros2Wire
from fuzzing.target import Case, Target
from fuzzing.wire import Wire

__all__ = ["SHARES", "Frames"]

SHARES = {
    "ros2": 0.15, "ros2 control": 0.1, "moteus": 0.2, "moteus terminal": 0.01, "moteus host": 0.01,
    "ardupilot": 0.05, "px4": 0.05, "gamepad": 0.15, "firmware": 0.13, "betaflight": 0.05,
    "sticks": 0.05, "page message": 0.05, "page request": 0.05,
}  # fmt: skip
"""What part of the frames goes to which wire."""


class Frames(Target):
    """One frame per case."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._wires: dict[str, Wire] = {
            "ros2": Ros2Wire(), "ros2 control": Ros2ControlWire(), "moteus": MoteusWire(), "moteus terminal": TerminalWire(),
            "moteus host": HostWire(), "ardupilot": ArduPilotWire(), "px4": Px4Wire(),
            "gamepad": PadWire(folder), "firmware": FirmwareWire(), "betaflight": BetaflightWire(), "sticks": SticksWire(),
            "page message": MessageWire(), "page request": RequestWire(),
        }  # fmt: skip

    def case(self, dice: Random) -> Case:
        (kind,) = dice.choices(list(SHARES), list(SHARES.values()))
        return Case(kind, self._wires[kind].frame(dice))

    def attempt(self, case: Case) -> object:
        return self._wires[case.kind].send(case.data)

    def close(self) -> None:
        for wire in self._wires.values():
            wire.close()
