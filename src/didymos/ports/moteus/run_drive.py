"""A drive of a run, as its controller sees it: commands are interventions, so that the recording holds them."""

from __future__ import annotations

from collections.abc import Mapping

from didymos.engine.run import Run
from didymos.parts.drive import Drive

__all__ = ["RunDrive"]


class RunDrive:
    """The drive of a robot; `robot` is empty for a twin alone."""

    def __init__(self, run: Run, robot: str, name: str) -> None:
        self._run, self._name, self._beat = run, name, 0.0
        self._robot, self._prefix = run.simulation.robots[robot], f"{robot}." if robot else ""
        self._view = self._robot.readouts(name)
        self._outputs = [output.name for output in Drive.outputs]
        self._known, self._known_at = dict[str, float](), -1  # a message asks for many of them, a tick changes them

    @property
    def time(self) -> float:
        """The run's clock [s]."""
        return self._run.simulation.time

    @property
    def readouts(self) -> Mapping[str, float]:
        """What the drive said in its last tick, by name."""
        tick = self._run.simulation.tick
        if tick != self._known_at:
            self._known, self._known_at = dict(zip(self._outputs, self._view.tolist(), strict=True)), tick
        return self._known

    def parameter(self, name: str) -> float:
        """A parameter of the drive."""
        return self._robot.twin.parameters[f"parts.{self._name}.{name}"].value

    def set_parameter(self, name: str, value: float) -> None:
        """Change a parameter of the drive."""
        self._run.intervene("set", f"{self._prefix}parts.{self._name}.{name}", value)

    def command(self, values: tuple[float, ...]) -> None:
        """Hand all inputs of the drive over but for its beat, which counts commands."""
        self._beat += 1.0
        self._run.intervene("steer", f"{self._prefix}inputs.{self._name}", *values[:6], self._beat, *values[6:])
