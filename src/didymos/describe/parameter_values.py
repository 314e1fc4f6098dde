"""The numbers of a twin by their paths: looked up, checked against their bounds, set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from didymos.describe.parameters import Parameter
from didymos.describe.path_patterns import is_pattern, spread, unknown_path
from didymos.describe.scenario_parameters import SCENARIOS, scenario_parameters
from didymos.describe.schema import TwinFile
from didymos.describe.set_value import with_value
from didymos.errors import InputError

__all__ = ["ParameterValues"]


class ParameterValues:
    """What can be set in a twin: every number of its files and of its links and joints."""

    file: TwinFile
    parameters: dict[str, Parameter]

    def __init__(self) -> None:
        self._bodies: dict[str, float] = {}  # numbers of links and joints that were set since the files were read
        self._values: dict[str, float] = {}  # all others that were
        self._gains: dict[str, float] = {}  # gains that were, which only programs of scenarios have
        self._program_by_hand = False

    def get(self, path: str) -> float:
        """The value of a parameter; an unknown path is an `InputError`."""
        return self._gains[path] if path in self._gains else self._parameter(path).value

    def gains_of_scenarios(self) -> Mapping[str, Parameter]:
        """The gains, by path, of programs that scenarios bring and that the twin's own program does not have."""
        return {}

    def every_parameter(self) -> Mapping[str, Parameter]:
        """The twin's own parameters, then the gains of programs that only scenarios bring, with the values that were set."""
        others = self.gains_of_scenarios().items()
        return self.parameters | {path: replace(item, value=self._gains.get(path, item.value)) for path, item in others}

    def set(self, path: str, value: float) -> None:
        """Set a parameter by its path, or all that a pattern matches; the twin stays as it was if the value does not fit."""
        self.set_all({path: value})

    def set_all(self, values: Mapping[str, float]) -> None:
        """Set many parameters at once: all of them, or none if one does not fit. Where patterns overlap the last one counts.

        A gain that only the program of a scenario has is kept for the runs of that scenario.
        """
        of_programs = any(path.startswith("control.") and is_pattern(path) for path in values)
        known = self.every_parameter() if of_programs else self.parameters
        given = {path: self._fitting(path, value) for path, value in spread(values, known).items()}
        checked = {path: value for path, value in given.items() if path in self.parameters or path.startswith(SCENARIOS)}
        bodies = {path: value for path, value in checked.items() if path.startswith(("links.", "joints."))}
        others = {path: value for path, value in checked.items() if path not in bodies}
        file = self.file
        for path, value in others.items():
            try:
                file = with_value(file, self._parameter(path).place or path.split("."), value)
            except InputError as error:
                raise InputError(error.message, path=path) from None
        self.file = file
        self._values |= others
        self._bodies |= bodies
        self._gains |= {path: value for path, value in given.items() if path not in checked}
        for path, value in checked.items():
            if path in self.parameters:
                self.parameters[path] = replace(self.parameters[path], value=value)

    def fill(self, values: Mapping[str, float]) -> None:
        """Give parameters values that nobody gave: as if the files had them, and not set by hand."""
        for path, value in values.items():
            self.file = with_value(self.file, self.parameters[path].place or path.split("."), self._fitting(path, value))
            self.parameters[path] = replace(self.parameters[path], value=value)

    def _fitting(self, path: str, value: float) -> float:
        """The value as a float, if it is a number within the parameter's bounds."""
        parameter = self._parameter(path)
        unit = f" [{parameter.unit}]" if parameter.unit else ""
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise InputError(f"found {value!r}, expected a number{unit}", path=path) from None
        except OverflowError:
            raise InputError(f"found a number beyond 1.8e308, expected a number{unit}", path=path) from None
        if not math.isfinite(value):
            raise InputError(f"found {value!r}, expected a finite number{unit}", path=path)
        if (parameter.low is not None and value < parameter.low) or (parameter.high is not None and value > parameter.high):
            low = "-inf" if parameter.low is None else f"{parameter.low:g}"
            high = "inf" if parameter.high is None else f"{parameter.high:g}"
            raise InputError(f"found {value:g}, expected a number from {low} to {high}{unit}", path=path)
        return value

    @property
    def set_by_hand(self) -> frozenset[str]:
        """Paths of the values that were set since the files were read."""
        control = {"control"} if self._program_by_hand else set()
        return frozenset(self._values) | frozenset(self._bodies) | frozenset(self._gains) | control

    def body_values(self) -> Mapping[str, float]:
        """The numbers of links and joints that were set, by path; all others are as described."""
        return dict(self._bodies)

    def _parameter(self, path: str) -> Parameter:
        if path in self.parameters:
            return self.parameters[path]
        others = self.gains_of_scenarios() if path.startswith("control.gains.") else {}
        if path.startswith(SCENARIOS):
            others = scenario_parameters(self.file.scenarios)
        if path not in others:
            raise InputError(unknown_path(path, (*self.parameters, *others)), path=path)
        return others[path]
