"""Scenarios from a file of their own, beside those of the twin."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import didymos
from didymos.describe.scenario_file import add_scenarios
from didymos.errors import InputError

TWO = """scenarios:
  two:
    seconds: 0.1
    set: {parts.drive.ripple: 0.0}
    stimuli:
      - {target: setpoints.position, kind: sine, amplitude: 0.1, frequency: 1}
      - {target: setpoints.position, kind: sine, amplitude: 0.2, frequency: 2}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "two.yaml"
    made.write_text(TWO)
    return made


def test_a_twin_has_the_scenarios_of_a_file_beside_its_own(file: Path) -> None:
    twin = didymos.load("power_unit")
    own = list(twin.scenarios)
    twin.set("parts.drive.coulomb", 0.05)
    add_scenarios(twin, file)
    assert list(twin.scenarios) == [*own, "two"]
    assert twin.get("parts.drive.coulomb") == 0.05
    log = twin.simulate(scenario="two").run()
    expected = 0.1 * 0.587785 + 0.2 * 0.951057  # sin(36 deg), sin(72 deg)
    assert log["setpoints.position"].values[-1] == pytest.approx(expected, rel=0.06)  # half a tick before the end
    assert list(didymos.load("power_unit").scenarios) == own


def test_a_twin_with_further_scenarios_travels(file: Path) -> None:
    twin = didymos.load("power_unit")
    add_scenarios(twin, file)
    assert "two" in pickle.loads(pickle.dumps(twin)).scenarios


def test_a_replaced_program_drives_in_them_as_well(file: Path) -> None:
    twin = didymos.load("power_unit")
    twin.replace_program("idle")
    add_scenarios(twin, file)
    assert twin.simulate(scenario="two").run()["parts.drive.torque"].values[-1] == 0.0


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("frequency: 2", "frequncy: 2", r"two.yaml:7: scenarios.two.stimuli.1.frequncy: unknown key, did you mean 'frequency'"),
        ("position, kind: sine, amplitude: 0.2", "positon, kind: sine, amplitude: 0.2", r"two.yaml:7: .*set-point 'positon'"),
        ("parts.drive.ripple", "parts.drive.rippl", r"two.yaml:4: scenarios.two.set.parts.drive.rippl: .*did you mean"),
        ("  two:", "  sine:", r"two.yaml:2: scenarios.sine: the twin has a scenario of this name"),
        ("scenarios:", "scenario:", r"two.yaml:1: found the key 'scenario', expected scenarios alone, did you mean 'scenarios'"),
        ("    set:", "    control: {program: 'mine.py:Mine'}\n    set:", r"two.yaml:4: .*names the code 'mine.py:Mine'"),
    ],
)
def test_a_mistake_is_told_with_the_line_of_that_file(file: Path, before: str, after: str, sentence: str) -> None:
    file.write_text(TWO.replace(before, after, 1))
    twin = didymos.load("power_unit")
    with pytest.raises(InputError, match=sentence):
        add_scenarios(twin, file)
    assert "two" not in twin.scenarios


def test_a_file_without_scenarios_is_refused(file: Path) -> None:
    file.write_text("scenarios: {}\n")
    with pytest.raises(InputError, match=r"found no scenarios, expected some by name"):
        add_scenarios(didymos.load("power_unit"), file)
