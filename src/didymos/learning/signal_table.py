"""The signals of a run by name, and where in memory compiled code finds each: those of its log, and what an episode adds.

    truth.position.z, imu.gyro.x, inputs.motor1, setpoints.vx, parts.motor1.thrust, tf.LINK.position.x     as the log names them
    truth.roll, .pitch, .yaw, .tilt                                                                      of a stream with a pose
    time, progress, action.NAME, previous_action.NAME                                                    of an episode

In a world of several robots names begin with the robot's. What a name leads to is one signal, or all that begin with it.
"""

from __future__ import annotations

import fnmatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.steps import StepBuilder
from didymos.engine.context import Source
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.rotations import ANGLES

__all__ = ["SIGNAL", "SignalTable"]

SIGNAL = np.dtype([
    ("slot", np.int64), ("robot", np.int64), ("source", np.int64), ("index", np.int64), ("factor", np.float64),
])  # fmt: skip
"""A signal to read: into which slot, and from where (`context.Source`) of which robot."""


class SignalTable:
    """Signals of a simulation; those that expressions name are read. `agent` stands before names that begin with no robot's."""

    def __init__(self, simulation: Simulation) -> None:
        self.builder = StepBuilder(self._slots)
        self.agent = ""
        self._known: dict[str, tuple[int, int, int, float]] = {}
        for number, robot in enumerate(simulation.robots.values()):
            before = f"{robot.name}." if robot.name else ""
            for stream in robot.built.streams:
                for name, (source, index, factor) in zip(stream.layout.signals, stream.columns, strict=True):
                    self._known[before + name] = number, source, index, factor
        self._read: dict[str, int] = {}
        self._added: dict[str, int] = {}

    @property
    def rows(self) -> NDArray[Any]:
        """SIGNAL [n], all that is read."""
        return np.array([(slot, *self._known[name]) for name, slot in self._read.items()], dtype=SIGNAL)

    @property
    def places_links(self) -> bool:
        """Whether poses of links are read."""
        return any(self._known[name][1] == Source.LINK_POSES for name in self._read)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all signals."""
        return (*self._known, *self._added)

    @property
    def slots_by_name(self) -> dict[str, int]:
        """The slots of those that are read, and of what the episode adds."""
        return {**self._read, **self._added}

    def add(self, name: str) -> int:
        """A signal that the episode writes into its slot itself."""
        self._added[name] = self.builder.slot()
        return self._added[name]

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The signals of a pattern."""
        found = tuple(fnmatch.filter(self.names, f"{self.agent}{pattern}"))
        if not found:
            raise InputError(f"no signal matches {pattern!r}")
        return found

    def labels(self, path: str) -> tuple[str, ...]:
        """The names of the signals that a name leads to; the name itself where it is an angle."""
        return tuple(self._leads(path)) or (self.agent + path,)

    def _leads(self, path: str) -> list[str]:
        """The agent's own signals of a name; else those of another robot, by their whole names."""
        for whole in dict.fromkeys((self.agent + path, path)):
            found = [name for name in self.names if name == whole or name.startswith(whole + ".")]
            if found:
                return found
        return []

    def _slots(self, path: str) -> list[int]:
        found = self._leads(path)
        if found:
            return [self.slot(name) for name in found]
        stream, _, last = (self.agent + path).rpartition(".")
        if last in ANGLES and f"{stream}.orientation.w" in self._known:
            return [self.builder.angle(last, *(self.slot(f"{stream}.orientation.{axis}") for axis in "wxyz"))]
        own = [name.removeprefix(self.agent) for name in self.names]
        groups = {name.rsplit(".", cut)[0] for name in own for cut in range(3)}
        raise InputError(f"there is no signal {path!r}{nearest(path, sorted({*own, *groups}))}")

    def slot(self, name: str) -> int:
        """The slot of a signal, which is read from now on."""
        if name in self._added:
            return self._added[name]
        if name not in self._read:
            self._read[name] = self.builder.slot()
        return self._read[name]
