"""A twin behind FMI 2.0: the class that `pythonfmu`'s library makes for each instance, and calls.

A class in the FMU's own script derives from it and says how its run is made (`simulate`) and what it is (`about`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element

from pythonfmu import Fmi2Slave
from pythonfmu.enums import Fmi2Status

from didymos.engine.simulation import Simulation
from didymos.errors import DidymosError
from didymos.fmu.library import end_in_time
from didymos.ports.fmi.description import About, model_description
from didymos.ports.fmi.instance import TwinInstance, state_from_bytes, state_to_bytes

__all__ = ["TwinSlave2", "keep"]

_KEPT: list[dict[str, Any]] = []


def keep(names: dict[str, Any]) -> None:
    """Hold the names of a script once more.

    The library of `pythonfmu` 0.7 runs the script again for each instance and then lets go of its names, which it never held:
    after a few instances they would be gone and the process with them. The script calls this whenever it runs, so the sum is
    right.
    """
    _KEPT.append(names)


def _say(error: DidymosError) -> None:
    """Say what went wrong to a person as well: the library shows nothing of its log to a tool that asked for no debugging."""
    print(f"didymos: {error}", file=sys.stderr)


class TwinSlave2(Fmi2Slave):
    """One instance of an exported FMU."""

    simulate: ClassVar[Callable[[Path], Simulation]]
    describe: ClassVar[Callable[[Simulation, bool], About]]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        end_in_time(Path(self.resources).parent)
        try:
            self.instance = TwinInstance(type(self).simulate(Path(self.resources)))
        except DidymosError as error:
            _say(error)
            raise
        self.modelName = type(self).__name__

    def to_xml(self, model_options: Any = None) -> Element:
        """The model description."""
        about = type(self).describe(self.instance.simulation, self.instance.can_serialize)
        return model_description(2, about, self.instance.variables)

    def exit_initialization_mode(self) -> None:
        """From now on time passes."""
        self.instance.begin()

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Let time [s] pass; False, which the library tells as `fmi2Discard`, and a line in the log where that cannot be."""
        try:
            self.instance.step(current_time, step_size)
        except DidymosError as error:
            _say(error)
            self.log(str(error), Fmi2Status.error)
            return False
        return True

    def terminate(self) -> None:
        """Let go of what the run holds."""
        self.instance.close()

    def get_real(self, vrs: list[int]) -> list[float]:
        """The values of variables."""
        return self.instance.get(vrs)

    def get_integer(self, vrs: list[int]) -> list[int]:
        """The values of variables."""
        return [int(value) for value in self.instance.get(vrs)]

    def set_real(self, vrs: list[int], values: list[float]) -> None:
        """Give variables values."""
        self.instance.set(vrs, values)

    def set_integer(self, vrs: list[int], values: list[int]) -> None:
        """Give variables values."""
        self.instance.set(vrs, values)

    def _get_fmu_state(self) -> dict[str, Any]:
        return self.instance.save()

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        self.instance.restore(state)

    _fmu_state_to_bytes = staticmethod(state_to_bytes)
    _fmu_state_from_bytes = staticmethod(state_from_bytes)
