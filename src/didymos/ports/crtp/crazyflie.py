"""A Crazyflie: all services of one vehicle behind one link. Packets in, packets out; it knows no socket.

Commands count before the next slice of ticks, and reach the twin as interventions. A restart, by the power switch of a client, is
one of the firmware, not of the twin: blocks, set-points and the supervisor begin anew, parameters get their stored values.
"""

from __future__ import annotations

from collections.abc import Iterator

from didymos.ports.crtp.commander import Commander
from didymos.ports.crtp.high_level import HighLevel
from didymos.ports.crtp.localization import Localization
from didymos.ports.crtp.log_blocks import LogBlocks
from didymos.ports.crtp.log_variables import log_variables
from didymos.ports.crtp.memories import Memories
from didymos.ports.crtp.packet import MOST_DATA, NULL, Packet, PacketPort
from didymos.ports.crtp.parameter_table import DECK, Settings, parameter_table
from didymos.ports.crtp.parameters import ParameterService
from didymos.ports.crtp.platform import Power, answer_link, answer_platform, answer_supervisor, power_command
from didymos.ports.crtp.roll_pitch_thrust import RollPitchThrust
from didymos.ports.crtp.supervisor import Supervisor
from didymos.ports.crtp.trajectory_memory import TrajectoryMemory
from didymos.ports.crtp.vehicle import Vehicle

__all__ = ["Counters", "Crazyflie"]

_BOOT = (
    "SYS: ----------------------------\n",
    "SYS: Crazyflie 2.1 is up and running!\n",
    "SYS: It is a digital twin\n",
    "SYS: Self test passed!\n",
)


class Counters:
    """Packets that came and went, in all and in the last second of the twin's clock."""

    def __init__(self) -> None:
        self.received = self.sent = self.refused = 0
        self._since = 0.0
        self._before = {"received": 0, "sent": 0}
        self._rates = {"received": 0.0, "sent": 0.0}

    def look(self, now: float) -> None:
        """Count anew each second [s]."""
        if now - self._since >= 1.0:
            for name in self._rates:
                count = getattr(self, name)
                self._rates[name] = (count - self._before[name]) / (now - self._since)
                self._before[name] = count
            self._since = now

    def rate(self, name: str) -> float:
        """[1/s] of `received` or `sent`."""
        return self._rates[name]


class Crazyflie:
    """A vehicle as a Crazyflie; `number` tells several of them apart."""

    def __init__(self, vehicle: Vehicle, number: int = 0) -> None:
        self.vehicle = vehicle
        self.counters = Counters()
        self._settings, self._powered = Settings(), True
        self._trajectories = TrajectoryMemory()
        self.memories = Memories(self._trajectories, DECK, number)
        self._boot()
        self.blocks = LogBlocks(log_variables(self))
        self._parameters = ParameterService(parameter_table(self, self._settings))

    def _boot(self) -> None:
        """What a restart begins anew."""
        settings, vehicle = self._settings, self.vehicle
        self.high_level = HighLevel(vehicle, self._trajectories, settings.group("hlCommander"))
        self.supervisor = Supervisor(vehicle, self.high_level, settings.group("stabilizer", "supervisor"))
        self.localization = Localization(self.supervisor)
        sticks = RollPitchThrust(settings.group("flightmode"))
        self.commander = Commander(vehicle, self.high_level, self.supervisor, sticks)
        self._console = list(_BOOT)

    def receive(self, packet: Packet) -> Iterator[Packet]:
        """The answers to a packet."""
        self.counters.received += 1
        power = power_command(packet)
        if power is not None:
            yield NULL  # first of all: its client does not wait for long
            self._switch(power)
        elif not self._powered:
            if packet == NULL:
                yield NULL  # the radio's processor is there as long as the platform has power
        else:
            yield from self._answers(packet)

    def update(self) -> None:
        """Before a tick: bring what is asked for to the twin."""
        self.counters.look(self.vehicle.time)
        if self._powered:
            self.commander.update()
            self._console += self.supervisor.said
            self.supervisor.said.clear()

    def due(self) -> Iterator[Packet]:
        """After a tick: what goes to the client unasked."""
        if self._powered:
            yield from self.blocks.due(self.vehicle.time)
            for text in self._console:
                for at in range(0, len(text), MOST_DATA):
                    yield Packet(PacketPort.CONSOLE, 0, text[at : at + MOST_DATA].encode("ascii"))
            self._console.clear()

    def leave(self) -> None:
        """The client is gone: nothing more is sent to it. What it asked of the robot is the supervisor's business."""
        self.blocks.clear()

    @property
    def refused(self) -> int:
        """Packets that meant nothing, and parameters that did not fit."""
        return self.counters.refused + self._parameters.refused

    def _answers(self, packet: Packet) -> Iterator[Packet]:
        port, answer = packet.port, None
        if port == PacketPort.PARAMETERS:
            yield from self._parameters.handle(packet)
        elif port == PacketPort.LOG:
            answer = self.blocks.handle(packet, self.vehicle.time)
        elif port == PacketPort.MEMORY:
            answer = self.memories.handle(packet)
        elif port == PacketPort.LINK:
            answer = answer_link(packet)
        elif port == PacketPort.PLATFORM:
            answer = answer_platform(packet, self.supervisor)
        elif port == PacketPort.SUPERVISOR:
            answer = answer_supervisor(packet, self.supervisor)
        elif port == PacketPort.LOCALIZATION:
            answer = self.localization.handle(packet)
        elif port == PacketPort.HIGH_LEVEL and packet.data:
            self.commander.release()
            error = self.high_level.command(packet.data)
            self.counters.refused += error != 0
            answer = packet.answer(packet.data[:3].ljust(3, b"\0") + bytes([error]))
        elif not self._command(packet):
            self.counters.refused += 1
        if answer is not None:
            yield answer

    def _command(self, packet: Packet) -> bool:
        """A set-point; whether it is one."""
        if packet.port == PacketPort.COMMANDER and packet.channel == 0:
            return self.commander.take_sticks(packet.data)
        if packet.port == PacketPort.GENERIC_COMMANDER:
            return self.commander.take_generic(packet.channel, packet.data)
        return False

    def _switch(self, power: Power) -> None:
        """Switch the firmware off, on, or off and on."""
        if power is not Power.ON and self._powered:
            self.supervisor.stop()
            self.commander.update()
            self.blocks.clear()
            self._powered = False
        if power is not Power.OFF and not self._powered:
            self._powered = True
            self._boot()
            self.blocks = LogBlocks(log_variables(self))
            self._parameters.restore()
