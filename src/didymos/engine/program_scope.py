"""What of a scenario applies where another program than the file's runs, and what is skipped.

A scenario holds numbers of the plant (`set`), gains of a program (`gains`), stimuli and expectations. The set-points are part of
the twin, whoever reads them. A program that takes the place of the file's own (`Twin.replace_program`, `control=`) and is not
derived from it gets all of them, present where nothing moves them: with the value that they have for the file's program then (a
mode, the posture at the start), mostly zero. Gains, stimuli on gains and expectations on what only the file's program tells are
skipped, and listed.
"""

from __future__ import annotations

from dataclasses import dataclass

from didymos.control import Controller, Robot
from didymos.control.compiled_controller import as_compiled
from didymos.control.stimulus import StimulusSpec
from didymos.describe.joint_units import program_setpoints
from didymos.describe.parameters import flatten
from didymos.describe.schema import ExpectationSpec, ScenarioSpec
from didymos.describe.twin import Twin
from didymos.engine.drive import start
from didymos.errors import DidymosError

__all__ = ["ProgramScope", "Skipped", "stimuli_of"]

_TOLD = ("control.", "odom.", "parameters.control.")
"""Beginnings of signals that are there by the grace of a program: what it reports, its odometry, its gains that are moved."""


@dataclass(frozen=True)
class Skipped:
    """Something of a scenario that does not apply to the program that runs: a gain, a stimulus or an expectation, and why."""

    kind: str
    name: str
    why: str


class ProgramScope:
    """Whose program runs in a scenario, and what follows from that; `given` is the one that takes the place of the twin's."""

    def __init__(self, twin: Twin, scenario: str | None, given: Controller | None) -> None:
        self._twin, self._scenario, self._given = twin.as_filed, scenario, given is not None
        self._about = None if scenario is None else twin.scenarios[scenario]
        self.foreign = twin.runs_anothers_program(scenario)
        """Whether the program is neither that of the file nor derived from it."""
        if given is not None:
            own = self._filed().program
            self.foreign = own is None or not isinstance(given, own)

    def _filed(self) -> Twin:
        """The twin with the program that its file has for the scenario."""
        return self._twin if self._scenario is None else self._twin.with_program_of(self._scenario)

    def setpoints(self) -> dict[str, str]:
        """Names and units of all set-points of the twin, for a program that is not the file's; else none are given here.

        They are those of every program of the file and of every scenario, the same names in the same order in each scenario;
        what the file's program for this scenario declares has its unit.
        """
        if not self.foreign:
            return {}
        scenarios = self._twin.file.scenarios.items()
        brought = (self._twin.with_program_of(name) for name, item in scenarios if item.control is not None)
        units: dict[str, str] = {}
        for face in (self._twin, *brought):
            for name, unit in program_setpoints(face.description, face.make_program()).items():
                units.setdefault(name, unit)
        for _, item in scenarios:
            for target in (stimulus.target for stimulus in stimuli_of(item)):
                if target.startswith("setpoints."):
                    units.setdefault(target.removeprefix("setpoints."), "")
        here = self.setpoints_here()
        return {name: here.get(name, unit) for name, unit in units.items()}

    def setpoints_here(self) -> dict[str, str]:
        """Of these, the ones that the file's program for this scenario declares, in its order: they are recorded."""
        filed = self._filed()
        return program_setpoints(filed.description, filed.make_program()) if self.foreign else {}

    def initial(self, robot: Robot) -> dict[str, float]:
        """What set-points are for the file's program while nobody sets them, for a program that is not it; else none.

        Such a program is asked by starting it, which of a compiled one is mere arithmetic; others may open lines and files there,
        and are left alone. One that cannot start says nothing.
        """
        program = as_compiled(self._filed().make_program()) if self.foreign else None
        if program is None:
            return {}
        try:
            start(program, robot)
        except DidymosError:
            return {}
        return program.initial

    def stimuli(self) -> tuple[StimulusSpec, ...]:
        """What the scenario moves, its constant set-points first."""
        return tuple(item for item in stimuli_of(self._about) if not (self.foreign and item.target.startswith("control.")))

    def lacks(self, signal: str) -> bool:
        """Whether a signal or stream that a run does not record is missing because the file's program does not run."""
        return self.foreign and f"{signal}.".startswith(_TOLD)

    def skipped(self, expected: tuple[ExpectationSpec, ...]) -> tuple[Skipped, ...]:
        """All that does not apply; `expected` are the expectations that do not."""
        if self._about is None or not (self.foreign or self._given):
            return ()
        control = self._filed().file.control
        whose = "of the program " + (control.program if control is not None else "of the file")
        gains = whose if self.foreign else "the program was given with gains of its own"
        found = [Skipped("gain", path, gains) for path in flatten(self._about.gains)]
        kept = self.stimuli()
        found += [Skipped("stimulus", item.target, whose) for item in stimuli_of(self._about) if item not in kept]
        missing = ((item, [signal for signal in item.signals if self.lacks(signal)]) for item in expected)
        found += [Skipped("expectation", item.name, f"{signals[0]} is {whose}") for item, signals in missing]
        return tuple(found)


def stimuli_of(scenario: ScenarioSpec | None) -> tuple[StimulusSpec, ...]:
    """What a scenario moves, its constant set-points first."""
    if scenario is None:
        return ()
    constants = (
        StimulusSpec(target=f"setpoints.{name}", kind="constant", value=value) for name, value in scenario.setpoints.items()
    )
    return (*constants, *scenario.stimuli)
