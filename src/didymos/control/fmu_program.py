"""FMU: a control program by somebody else, for co-simulation.

At each of its calls, T apart, its inputs are set from readings and set-points, it takes one step of T, and what its outputs say
then is commanded until the next call: a controller that answers within its period. Its parameters are gains. A kind is made for
each FMU from its model description (`fmu_program`).

    options:
      inputs: {z: state.position.z, z_ref: setpoints.z, mode: 2}     input of the FMU: a reading, a set-point, or a number
      outputs: {motor1: u, motor2: u}                                input of the robot: an output of the FMU

Whatever has the same name on both sides need not be listed: an input `imu.gyro.x`, an output `motor1`. An input that is connected
to nothing is a mistake; a number leaves it alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from didymos.contract import setpoint
from didymos.control.controller import Controller, Gain, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError, nearest
from didymos.fmu.description import FmuDescription, FmuVariable
from didymos.fmu.instance import FmuInstance, FmuState
from didymos.parts.fmu_part import plain_names

__all__ = ["FmuProgram", "fmu_program"]

_SETPOINTS = "setpoints."
_MOST = 1000


class FmuProgram(Controller):
    """A program that is an FMU."""

    fmu: ClassVar[FmuDescription]
    runs: ClassVar[bool] = True
    own_gains: ClassVar[tuple[tuple[str, FmuVariable], ...]] = ()
    held_beside = ("_instance",)
    asked = setpoint(count=_MOST)

    def __init__(self, inputs: dict[str, str | float] | None = None, outputs: dict[str, str] | None = None) -> None:
        self._sources: dict[str, str | float] = dict(inputs or {})
        self._targets: dict[str, str] = dict(outputs or {})
        for name in self._sources:
            self._checked(name, "input", "inputs")
        for name in self._targets.values():
            self._checked(name, "output", "outputs")
        for item in self.fmu.of("input"):
            if item.name.startswith(_SETPOINTS):
                self._sources.setdefault(item.name, item.name)
        asked = [source for source in self._sources.values() if isinstance(source, str) and source.startswith(_SETPOINTS)]
        self.name_setpoints("asked", list(dict.fromkeys(source.removeprefix(_SETPOINTS) for source in asked)))
        self._told: dict[FmuVariable, float] = {}
        self._begun = False
        self._instance: FmuInstance | None = None

    def _checked(self, name: str, causality: str, option: str) -> None:
        try:
            self.fmu.variable(name, causality)
        except InputError as error:
            raise InputError(error.message, path=f"control.options.{option}") from None

    def start(self, robot: Robot) -> None:
        """Connect it to the robot, and start it."""
        read = {item: self._source(item, robot) for item in self.fmu.of("input")}
        self._constants = {item: float(source) for item, source in read.items() if not isinstance(source, str)}
        self._read = {item: source for item, source in read.items() if isinstance(source, str)}
        outputs = {item.name: item for item in self.fmu.of("output")}
        for name in self._targets:
            if name not in robot.inputs:
                raise InputError(f"there is no input {name!r}{nearest(name, robot.inputs)}", path="control.options.outputs")
        same = {name: name for name in robot.inputs if name in outputs and name not in self._targets}
        self._commands = {name: outputs[own] for name, own in (self._targets | same).items()}
        if not self._commands:
            has, takes = ", ".join(outputs) or "none", ", ".join(robot.inputs)
            what = f"connects no output of {self.fmu.file.name} (it has: {has}) to an input of the robot ({takes})"
            raise InputError(what, path="control.options.outputs")
        if self.runs:
            self._instance = FmuInstance(self.fmu, "the control program", 1.0 / robot.rate)

    def _source(self, item: FmuVariable, robot: Robot) -> str | float:
        """What an input of the FMU reads."""
        source = self._sources.get(item.name, item.name)
        known = (*robot.measured, *(_SETPOINTS + name for name in robot.setpoints))
        if not isinstance(source, str) or source in known:
            return source
        if item.name not in self._sources:
            what = f"the input {item.name!r} of {self.fmu.file.name} is connected to nothing; give it a reading or a number"
            raise InputError(what, path="control.options.inputs")
        raise InputError(f"there is no reading {source!r}{nearest(source, known)}", path=f"control.options.inputs.{item.name}")

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """One step of the FMU."""
        instance = self._instance
        if instance is None:
            return {}
        given = self._constants | {
            item: float(setpoints[source.removeprefix(_SETPOINTS)] if source.startswith(_SETPOINTS) else measured[source])
            for item, source in self._read.items()
        }
        gains = self._gains()
        try:
            if not self._begun:
                instance.begin({**gains, **given})
                self._begun = True
            else:
                changed = {item: value for item, value in gains.items() if self._told.get(item) != value}
                for item in changed:
                    if not item.is_tunable and item in self._told:
                        raise RunError(f"{self.fmu.file.name} takes {item.name} at its start only")
                instance.set({**{item: value for item, value in changed.items() if item.is_tunable}, **given})
            self._told = gains
            instance.step()
            said = instance.get(list(self._commands.values()))
        except RunError as error:
            raise RunError(error.message, time=t) from None
        return dict(zip(self._commands, said, strict=True))

    def _gains(self) -> dict[FmuVariable, float]:
        """Its parameters as they are now."""
        return {item: float(self.gains[i]) for i, (_, item) in enumerate(self.own_gains)}

    def remember(self) -> FmuState | None:
        """The FMU's own state."""
        return None if self._instance is None or not self._begun else self._instance.save()

    def recall(self, memory: Any) -> None:
        """Go on from the FMU's own state; without one it begins at its next call."""
        if isinstance(memory, FmuState) and self._instance is not None:
            self._instance.restore(memory, self._gains())
            self._told = {}

    def stop(self) -> None:
        """Let it go."""
        if self._instance is not None:
            self._instance.close()


def fmu_program(about: FmuDescription, *, runs: bool) -> type[FmuProgram]:
    """The kind of program that an FMU is; one that may not `run` stands still."""
    parameters = tuple(item for item in about.of("parameter") if item.start is not None)
    named = tuple(zip(plain_names(parameters), parameters, strict=True))
    namespace: dict[str, Any] = {
        "__module__": __name__, "__doc__": f"The FMU {about.file.name}.", "fmu": about, "runs": runs, "own_gains": named,
    }  # fmt: skip
    for name, item in named:
        gain = Gain(item.start or 0.0, low=item.low, high=item.high, unit=item.unit or "1", path=name, doc=item.doc)
        namespace[f"gain_{name}"] = gain
    return type("Fmu_" + re.sub(r"\W", "_", about.identifier), (FmuProgram,), namespace)
