"""The control program: one class that runs on the twin and on the real robot.

A program says how often it runs (`rate`), which numbers a user may turn (`Gain`), and what it answers (`update`). It sees the
twin's clock, never the wall's, and what the sensors say, never the truth.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import CFunction
from didymos.control.values import Values
from didymos.errors import InputError, nearest

__all__ = ["CompiledController", "Controller", "Gain", "Robot", "Rotor"]


_PROGRAM = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 7)


class Gain:
    """A number of a control program: a path, a slider and a fit parameter. Reads and writes as a plain float."""

    def __init__(
        self, value: float, *, low: float | None = None, high: float | None = None, unit: str = "1", path: str = "", doc: str = ""
    ) -> None:
        self.value, self.low, self.high, self.unit, self.path, self.doc = float(value), low, high, unit, path, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.path = self.path or name

    def __get__(self, instance: Controller | None, owner: type | None = None) -> Any:
        return self if instance is None else float(instance.gains[instance.gain_places[self]])

    def __set__(self, instance: Controller, value: float) -> None:
        instance.gains[instance.gain_places[self]] = value


@dataclass(frozen=True)
class Rotor:
    """A part that thrusts: where it sits in the root link's frame, along which axis, turning which way."""

    input: str
    position: tuple[float, float, float]
    axis: tuple[float, float, float]
    direction: float


@dataclass(frozen=True)
class Robot:
    """What a program may know before it starts: names and geometry, of the twin as of the real robot."""

    inputs: tuple[str, ...]
    measured: tuple[str, ...]
    setpoints: tuple[str, ...]
    rotors: tuple[Rotor, ...] = ()


class Controller:
    """Base of every control program. Override `update`; `start` and `rate` where needed."""

    rate: float = 100.0
    """Calls per second of the twin's clock [Hz]; infinity for one before every physics step."""
    setpoints: tuple[str, ...] = ()
    """Set-points that the program reads as `setpoints.NAME`; a scenario may leave them at zero."""
    gain_table: ClassVar[tuple[Gain, ...]] = ()
    gain_places: ClassVar[dict[Gain, int]] = {}
    gains: NDArray[np.float64]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found: dict[str, Gain] = {}
        for base in reversed(cls.__mro__):
            found.update({name: item for name, item in vars(base).items() if isinstance(item, Gain)})
        cls.gain_table = tuple(found.values())
        cls.gain_places = {gain: place for place, gain in enumerate(cls.gain_table)}  # of this class: bases have their own

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made.gains = np.array([gain.value for gain in cls.gain_table], dtype=np.float64)
        return made

    def set_gain(self, path: str, value: float) -> None:
        """Set a gain by its path below `control.gains`; out of bounds or unknown is an `InputError`."""
        for gain in self.gain_table:
            if gain.path == path:
                if not np.isfinite(value) or (gain.low is not None and value < gain.low) or (
                    gain.high is not None and value > gain.high
                ):
                    low = "-inf" if gain.low is None else f"{gain.low:g}"
                    high = "inf" if gain.high is None else f"{gain.high:g}"
                    raise InputError(f"found {value:g}, expected a number from {low} to {high}", path=f"control.gains.{path}")
                self.gains[self.gain_places[gain]] = value
                return
        known = [gain.path for gain in self.gain_table]
        raise InputError(
            f"{type(self).__name__} has no such gain{nearest(path, known)} (it has: {', '.join(known) or 'none'})",
            path=f"control.gains.{path}",
        )

    def start(self, robot: Robot) -> None:
        """Called once before the first tick."""

    def stop(self) -> None:
        """Called once when the run is over, however it ended: the place to let go of what `start` took."""

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """Inputs by name at time t [s]; an input that is not named keeps its value."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to control: it needs a method update()")


class CompiledController(Controller):
    """A program whose law is a compiled function; the loop calls it without passing through Python.

    `reads` names the readings it needs in the order in which the function finds them. The function's signature is (clock,
    settings, gains, measured, setpoints, memory, inputs), all pointers to float64: `clock` holds the time [s], the period [s] and
    1 at the first call, `inputs` is in the order of `writes`. What it remembers between calls belongs into `memory`, which
    is saved and restored with the twin; the first words of it that `reports` names, with their units, are recorded as
    `control.NAME`. A report that counts something has `words` for its numbers, which a run prints when it changes. Where the
    program estimates its own motion, `odometry` is the first of 13 words of memory: position.{x,y,z} [m], orientation.{w,x,y,z},
    velocity.{x,y,z} [m/s], angular_velocity.{x,y,z} [rad/s], the last two in the robot's own frame; recorded as `odom`.
    """

    program: ClassVar[CFunction]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    memory_size: int = 0
    reports: tuple[tuple[str, str], ...] = ()
    odometry: int | None = None
    words: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    settings: NDArray[np.float64] = np.zeros(1)

    @classmethod
    def runs_compiled(cls) -> bool:
        """Whether the loop may skip Python: not where a subclass answers by an `update` of its own."""
        return cls.update is CompiledController.update

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """The same law as in the compiled loop, one call from Python."""
        if not hasattr(self, "_memory"):
            self._memory = np.zeros(max(self.memory_size, 1))
            self._first = 1.0
        inputs = np.zeros(len(self.writes))
        arrays = (
            np.array([t, 1.0 / self.rate, self._first]),
            self.settings,
            self.gains,
            np.array([measured[name] for name in self.reads]),
            np.array([setpoints[name] for name in self.setpoints]),
            self._memory,
            inputs,
        )
        self._first = 0.0
        _PROGRAM(self.program.address)(*(array.ctypes.data for array in arrays))
        return dict(zip(self.writes, inputs.tolist(), strict=True))
