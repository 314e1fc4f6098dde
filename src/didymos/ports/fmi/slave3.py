"""A twin behind FMI 3.0: the class that `pythonfmu3`'s library makes for each instance, and calls. See `slave2.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from pythonfmu3 import Fmi3Slave
from pythonfmu3.enums import Fmi3Status
from pythonfmu3.fmi3slave import Fmi3StepResult

from didymos.engine.simulation import Simulation
from didymos.errors import DidymosError
from didymos.fmu.library import end_in_time
from didymos.ports.fmi.description import About, model_description
from didymos.ports.fmi.instance import TwinInstance, state_from_bytes, state_to_bytes

__all__ = ["TwinSlave3"]


class TwinSlave3(Fmi3Slave):
    """One instance of an exported FMU."""

    simulate: ClassVar[Callable[[Path], Simulation]]
    describe: ClassVar[Callable[[Simulation, bool], About]]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        end_in_time(Path(self.resources).parent)
        self.instance = TwinInstance(type(self).simulate(Path(self.resources)))
        self.modelName = type(self).__name__

    def to_xml(self, model_options: Any = None) -> Element:
        """The model description."""
        about = type(self).describe(self.instance.simulation, self.instance.can_serialize)
        return model_description(3, about, self.instance.variables)

    def exit_initialization_mode(self) -> None:
        """From now on time passes."""
        self.instance.begin()

    def do_step(self, current_time: float, step_size: float) -> Fmi3StepResult:
        """Let time [s] pass; the status `error` and a line in the log where that cannot be."""
        try:
            self.instance.step(current_time, step_size)
        except DidymosError as error:
            self.log(str(error), Fmi3Status.error)
            return Fmi3StepResult(status=Fmi3Status.error)
        return Fmi3StepResult(status=Fmi3Status.ok)

    def terminate(self) -> None:
        """Let go of what the run holds."""
        self.instance.close()

    def get_float64(self, vrs: list[int]) -> list[float]:
        """The values of variables."""
        return self.instance.get(vrs)

    def get_int32(self, vrs: list[int]) -> list[int]:
        """The values of variables."""
        return [int(value) for value in self.instance.get(vrs)]

    def set_float64(self, vrs: list[int], values: list[float]) -> None:
        """Give variables values."""
        self.instance.set(vrs, values)

    def set_int32(self, vrs: list[int], values: list[int]) -> None:
        """Give variables values."""
        self.instance.set(vrs, values)

    def _get_fmu_state(self) -> dict[str, Any]:
        return self.instance.save()

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        self.instance.restore(state)

    _fmu_state_to_bytes = staticmethod(state_to_bytes)
    _fmu_state_from_bytes = staticmethod(state_from_bytes)
