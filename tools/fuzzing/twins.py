"""Twin files: the small twin of the tests with one of everything, and the bundled ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import didymos
from didymos.describe.bundled import ROBOTS, bundled
from didymos.describe.yaml_file import read_yaml
from fuzzing.mutators import as_yaml, edit_bytes, edit_data, edit_yaml
from fuzzing.target import Case, Target

__all__ = ["SMALL", "Twins", "run_three_ticks"]

SMALL = Path(__file__).parents[2] / "tests" / "describe" / "small_twin"
_BUNDLED = 0.02  # share of cases that begin with a bundled twin: they are ten times as long
_FULL = 0.125  # share that is also made ready and run, where it can be


class Twins(Target):
    """`twin.yaml` with other data, other YAML or other bytes, read as `didymos check` does; some are run for three ticks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        shutil.copytree(SMALL, folder / "small", dirs_exist_ok=True)
        self._texts = {"small": (SMALL / "twin.yaml").read_bytes()}
        for name in bundled():
            self._texts[name] = (ROBOTS / name / "twin.yaml").read_bytes()
        self._data = {"small": read_yaml(SMALL / "twin.yaml")[0]}
        run_three_ticks(didymos.load(folder / "small", run_code=False))  # what compiles here is no hang of a case

    def case(self, dice: Random) -> Case:
        name = "small" if dice.random() >= _BUNDLED else dice.choice([name for name in self._texts if name != "small"])
        how = dice.random()
        if how < 0.7:
            if name not in self._data:
                self._data[name] = read_yaml(ROBOTS / name / "twin.yaml")[0]
            text = as_yaml(edit_data(self._data[name], dice))
        else:
            text = (edit_yaml if how < 0.87 else edit_bytes)(self._texts[name], dice)
        return Case(name, text, full=name == "small" and dice.random() < _FULL)

    def attempt(self, case: Case) -> object:
        folder = self.folder / case.kind
        if not folder.exists():
            shutil.copytree(ROBOTS / case.kind, folder)
        (folder / "twin.yaml").write_bytes(case.data)
        twin = didymos.load(folder, run_code=False)
        return run_three_ticks(twin) if case.full else twin


def run_three_ticks(twin: didymos.Twin) -> didymos.Log:
    """A very short run, where the twin can be simulated."""
    simulation = twin.simulate(scenario=next(iter(twin.scenarios), None))
    try:
        return simulation.run(3 * simulation.period)
    finally:
        simulation.close()
