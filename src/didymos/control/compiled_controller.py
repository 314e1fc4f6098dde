"""A control program whose law is a compiled function: the loop calls it without passing through Python.

    class Hold(CompiledController):
        kp = Gain(0.4, low=0, high=10, unit="1/m")
        z = setpoint(unit="m")
        height = measurement(unit="m")
        integral = memory(unit="m s")
        throttle = command(count=16)
        rotors = setting()

        @program
        def step(clock, settings, gains, measured, setpoints, memory, inputs):
            error = setpoints.z - measured.height
            memory.integral += error * clock.period
            for i in range(int(settings.rotors)):
                inputs.throttle[i] = gains.kp * error

        def start(self, robot):
            self.reads = {"height": ["state.position.z"]}
            self.writes = {"throttle": [rotor.input for rotor in robot.rotors]}
            self.settings["rotors"] = len(robot.rotors)

The seven arguments are records, read and written by name: `clock` has `time` [s], `period` [s] and `first` (1 at the first call);
`settings`, `gains`, `measured`, `setpoints`, `memory` and `inputs` have what is declared as `setting`, `Gain`, `measurement`,
`setpoint`, `memory` and `report`, and `command`. What it remembers is saved and restored with the twin. `reads` and `writes`
say, before the first tick, which reading and which input of the robot each number is; a measurement that nothing is read into
stays zero, and an empty name leaves a number out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numba import types
from numpy.typing import NDArray

from didymos.compiled import CFunction
from didymos.contract import Declaration, declared, layout_of, offset_of, record_type
from didymos.control.controller import Controller
from didymos.control.values import Values

__all__ = ["CLOCK", "CompiledController", "as_compiled", "program"]

CLOCK = np.dtype([("time", np.float64), ("period", np.float64), ("first", np.float64)])
"""Memory layout of the clock: time [s], time between two calls [s], 1 at the first call."""

_FUNCTION = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 7)


class _Marked:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        if function.__code__.co_argcount != 7:
            raise TypeError(
                f"{function.__qualname__} has {function.__code__.co_argcount} arguments, a program has these:"
                " (clock, settings, gains, measured, setpoints, memory, inputs)"
            )


def program(function: Callable[..., Any]) -> Any:
    """The law of a compiled program: (clock, settings, gains, measured, setpoints, memory, inputs)."""
    return _Marked(function)


class CompiledController(Controller):
    """Base of compiled programs; see the module."""

    program: ClassVar[CFunction]
    setting_layout: ClassVar[np.dtype[Any]]
    gain_layout: ClassVar[np.dtype[Any]]
    measurement_layout: ClassVar[np.dtype[Any]]
    setpoint_layout: ClassVar[np.dtype[Any]]
    memory_layout: ClassVar[np.dtype[Any]]
    command_layout: ClassVar[np.dtype[Any]]
    odometry: ClassVar[str | None] = None
    """The name of the program's own odometry in its memory, where it declares one."""
    settings: NDArray[Any]
    reads: Mapping[str, Sequence[str]]
    writes: Mapping[str, Sequence[str]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.setting_layout = layout_of(declared(cls, "setting"))
        cls.gain_layout = layout_of(Declaration("gain", gain.name) for gain in cls.gain_table)
        cls.measurement_layout = layout_of(declared(cls, "measurement"))
        cls.setpoint_layout = layout_of(cls.declared_setpoints)
        cls.memory_layout = layout_of(declared(cls, "report", "memory", "odometry"))
        cls.command_layout = layout_of(declared(cls, "command"))
        cls.odometry = next((item.name for item in declared(cls, "odometry")), None)
        marked = next((item for base in cls.__mro__ for item in vars(base).values() if isinstance(item, _Marked)), None)
        if marked is not None:
            layouts = (
                CLOCK, cls.setting_layout, cls.gain_layout, cls.measurement_layout, cls.setpoint_layout, cls.memory_layout,
                cls.command_layout,
            )  # fmt: skip
            cls.program = CFunction(types.void(*(record_type(layout) for layout in layouts)), marked.function)

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls, *arguments, **options)
        made.settings = np.zeros((), dtype=cls.setting_layout)
        made.reads, made.writes = {}, {}
        return made

    @classmethod
    def incomplete(cls) -> str:
        """What the class lacks before it can control, in a few words; empty where nothing is."""
        return "" if hasattr(cls, "program") or not cls.runs_compiled() else "has no compiled function: one marked with @program"

    @classmethod
    def runs_compiled(cls) -> bool:
        """Whether the loop may skip Python: not where a subclass answers by an `update` of its own."""
        return cls.update is CompiledController.update

    @staticmethod
    def _numbered(layout: np.dtype[Any], names: Mapping[str, Sequence[str]]) -> tuple[tuple[str, int], ...]:
        return tuple(
            (name, offset_of(layout, declaration) + i)
            for declaration, each in names.items()
            for i, name in enumerate(each)
            if name
        )

    @property
    def read_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each reading that the program needs, and where in its measurements it belongs, in float64 words."""
        return self._numbered(self.measurement_layout, self.reads)

    @property
    def write_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each input that the program sets, and where in its commands it stands."""
        return self._numbered(self.command_layout, self.writes)

    @property
    def setpoint_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each set-point, and where in the record of set-points it belongs."""
        names = {declaration.replace(".", "_"): each for declaration, each in self.setpoint_names.items()}
        return self._numbered(self.setpoint_layout, names)

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """The same law as in the compiled loop, one call from Python."""
        if not hasattr(self, "_memory"):
            self._memory = np.zeros((), dtype=self.memory_layout)
            self._first = 1.0
        readings, asked = np.zeros(self.measurement_layout.itemsize // 8), np.zeros(self.setpoint_layout.itemsize // 8)
        for name, offset in self.read_offsets:
            readings[offset] = measured[name]
        for name, offset in self.setpoint_offsets:
            asked[offset] = setpoints[name]
        inputs = np.zeros(self.command_layout.itemsize // 8)
        gains = self.gains if len(self.gains) else np.zeros(1)
        arrays = (np.array([t, 1.0 / self.rate, self._first]), self.settings, gains, readings, asked, self._memory, inputs)
        self._first = 0.0
        _FUNCTION(self.program.address)(*(array.ctypes.data for array in arrays))
        return {name: float(inputs[offset]) for name, offset in self.write_offsets}

    def reported(self) -> NDArray[np.float64]:
        """What the program tells about itself now, in the order of `reports`."""
        if not hasattr(self, "_memory"):
            return np.zeros(sum(item.size for item in self.reports))
        rows = [np.atleast_1d(self._memory[item.name.replace(".", "_")])[: item.size] for item in self.reports]
        return np.concatenate(rows) if rows else np.zeros(0)


def as_compiled(program: Controller | None) -> CompiledController | None:
    """The program where the loop can call its compiled function, None where it has to be asked in Python."""
    return program if isinstance(program, CompiledController) and program.runs_compiled() else None
