"""A MAVLink system without a socket and without a wall clock: messages go in as frames, time passes when it is told to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pymavlink.dialects.v20 import common as mavlink

import didymos
from didymos.describe.kindred_program import take_kindred_program
from didymos.engine.run import Run
from didymos.ports.mavlink.dialect import messages
from didymos.ports.mavlink.system import System
from didymos.ports.mavlink.vehicles import make_flight

SLICE = 0.005  # [s]
STATION = (255, 190)


class Bench:
    """A multirotor on its feet, or with no `height` a twin where its scenario puts it; `heard` are all messages of it, the last
    of a kind by `last`."""

    def __init__(
        self,
        twin: str = "quadcopter",
        height: float | None = 0.011,
        number: int = 1,
        scenario: str | None = None,
        **values: float,
    ) -> None:
        model = didymos.load(twin)
        if height is not None:
            take_kindred_program(model, "multirotor_commander")
            model.set("start.position.z", height)
        for name in model.file.sensors:
            model.set(f"sensors.{name}.errors", 0.0)
        for path, value in values.items():
            model.set(path.replace("__", "."), value)
        self.run = Run(model.simulate(scenario=scenario), keep=True)
        self.system = System(make_flight(self.run, self.run.simulation.robots[""]), number)
        self.heard: list[Any] = []
        self._packer = mavlink.MAVLink(None, *STATION)
        self._reader = mavlink.MAVLink(None)
        self._reader.robust_parsing = True

    def send(self, message: Any) -> None:
        """A message of the ground station, through its bytes."""
        frame = message.pack(self._packer)
        self._packer.seq = (self._packer.seq + 1) % 256
        (found,) = messages(bytes(frame))
        self.system.receive(found)
        self._listen()

    def command(self, number: int, *parameters: float) -> int:
        """The result of a command."""
        given = [*parameters, *([0.0] * (7 - len(parameters)))]
        self.send(mavlink.MAVLink_command_long_message(self.system.number, 1, number, 0, *given))
        answer = self.last("COMMAND_ACK")
        assert (answer.command, answer.target_system, answer.target_component) == (number, *STATION)
        return int(answer.result)

    def fly(self, seconds: float, each: Callable[[], None] | None = None) -> None:
        """Let time pass; `each` is called every 0.1 s of it."""
        simulation = self.run.simulation
        ticks = max(1, round(SLICE / simulation.period))
        end, again = simulation.time + seconds, simulation.time
        while simulation.time < end - 1e-9:
            if each is not None and simulation.time >= again - 1e-9:
                again += 0.1
                each()
            self.system.tell()
            self._listen()
            self.system.update()
            self.run.advance(ticks)

    def last(self, kind: str) -> Any:
        """The last message of a kind."""
        return next(message for message in reversed(self.heard) if message.get_type() == kind)

    def all(self, kind: str) -> list[Any]:
        """All messages of a kind."""
        return [message for message in self.heard if message.get_type() == kind]

    @property
    def texts(self) -> list[str]:
        """What it said."""
        return [message.text for message in self.all("STATUSTEXT")]

    @property
    def mode(self) -> tuple[int, int]:
        """PX4's main and sub mode, of the last heartbeat."""
        custom = self.last("HEARTBEAT").custom_mode
        return custom >> 16 & 0xFF, custom >> 24

    @property
    def armed(self) -> bool:
        """Of the last heartbeat."""
        return bool(self.last("HEARTBEAT").base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)

    def truth(self, name: str) -> float:
        """A signal of the recording, now."""
        return float(self.run.log[f"truth.{name}"].values[-1])

    def take_off(self, height: float = 2.0) -> None:
        """Arm, climb to a height above home, hold."""
        self.fly(1.5)
        assert self.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == 0
        assert self.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, self.truth("position.z") + height) == 0
        self.fly(5.0)

    def close(self) -> None:
        """End the run."""
        self.run.close()

    def _listen(self) -> None:
        for frame in self.system.take():
            self.heard += self._reader.parse_buffer(frame) or ()
