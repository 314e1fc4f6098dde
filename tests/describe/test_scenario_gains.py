"""A scenario's gains: apart from the plant, of whichever program it has, set from everywhere."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.errors import InputError

ARM = """<mujoco><option gravity="0 0 0"/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/><geom size=".1" mass="1"/>
  </body></worldbody><actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
PROGRAMS = """
from didymos import Controller, Gain

class Push(Controller):
    force = Gain(1.0, low=0, high=10, unit="N m")
    share = Gain(1.0)

    def update(self, t, measured, setpoints):
        return {"motor": self.force * self.share}

class Pull(Controller):
    pull = Gain(2.0, low=0, high=10, unit="N m")
    share = Gain(1.0)

    def update(self, t, measured, setpoints):
        return {"motor": -self.pull * self.share}
"""
SCENARIOS = {
    "own": {"seconds": 0.1, "gains": {"force": 3.0}},
    "none": {"seconds": 0.1},
    "pulled": {"seconds": 0.1, "control": {"program": "mine.py:Pull", "gains": {"share": 0.5}}, "gains": {"pull": 4.0}},
}


@pytest.fixture
def twin() -> Any:
    content = {"description": {"file": "arm.xml"}, "control": {"program": "mine.py:Push"}, "scenarios": SCENARIOS}
    return didymos.Twin.from_dict(content, {"arm.xml": ARM, "mine.py": PROGRAMS})


def torque(twin: Any, scenario: str | None) -> float:
    return float(twin.simulate(scenario=scenario).run(0.1)["inputs.motor"].values[-1])


def test_a_scenario_sets_gains_of_the_twins_program_and_of_its_own(twin: Any) -> None:
    assert [torque(twin, name) for name in (None, "none", "own", "pulled")] == [1.0, 1.0, 3.0, -2.0]


def test_what_is_set_by_hand_wins_over_the_scenario(twin: Any) -> None:
    twin.set("control.gains.force", 5.0)
    assert [torque(twin, name) for name in (None, "none", "own")] == [5.0, 5.0, 5.0]


def test_gains_of_a_scenarios_own_program_can_be_set(twin: Any) -> None:
    assert twin.get("control.gains.pull") == 2.0
    twin.set("control.gains.pull", 6.0)
    assert twin.get("control.gains.pull") == 6.0
    assert torque(twin, "pulled") == -3.0
    assert torque(pickle.loads(pickle.dumps(twin)), "pulled") == -3.0
    with pytest.raises(InputError, match="found 11, expected a number from 0 to 10"):
        twin.set("control.gains.pull", 11.0)
    with pytest.raises(InputError, match=r"did you mean 'control\.gains\.pull'"):
        twin.set("control.gains.pul", 1.0)


def test_a_gain_that_the_program_of_the_run_has_not_is_refused(twin: Any) -> None:
    twin.set("control.gains.pull", 6.0)
    for scenario, whose in ((None, "the twin's program"), ("own", "the program of the scenario 'own'")):
        with pytest.raises(InputError, match=f"^control.gains.pull: {whose} has no such gain"):
            twin.simulate(scenario=scenario)
    other = twin.copy()
    other.set("control.gains.force", 5.0)
    with pytest.raises(InputError, match=r"^control\.gains\.force: the program of the scenario 'pulled' has no such gain"):
        other.simulate(scenario="pulled")


def test_a_gain_that_both_programs_have_reaches_both(twin: Any) -> None:
    twin.set("control.gains.share", 2.0)
    assert (torque(twin, "none"), torque(twin, "pulled")) == (2.0, -8.0)
    twin.set("control.gains.s*", 3.0)
    assert (torque(twin, "none"), torque(twin, "pulled")) == (3.0, -12.0)


def test_a_sweep_varies_gains_of_a_scenarios_own_program(twin: Any) -> None:
    from didymos.studies.sweep import sweep

    trials = sweep(twin, {"control.gains.pull": (1.0, 9.0)}, runs=2, scenario="pulled", threads=1)
    assert [trial.error for trial in trials] == [None, None]
    assert len({trial.values["control.gains.pull"] for trial in trials}) == 2


def test_the_command_line_sets_them_and_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "quadcopter", "--scenario", "gusts", "--seconds", "0.1", "--json"]
    assert main(words) == 0
    before = json.loads(capsys.readouterr().out)["log_sha256"]
    assert main([*words, "--set", "control.gains.height.ki=0.9"]) == 0
    assert json.loads(capsys.readouterr().out)["log_sha256"] != before
    assert main(["run", "quadcopter", "--scenario", "hover", "--seconds", "0.1", "--set", "control.gains.position.kp=0.5"]) == 2
    assert "the program of the scenario 'hover' has no such gain" in capsys.readouterr().err
    assert main(["show", "quadcopter", "control.gains.position", "--scenario", "gusts", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["parameters"]
    assert set(shown) == {"control.gains.position.kp", "control.gains.position.limit"}
