"""Expectations in signal temporal logic, judged in runs of bodies whose motion is known."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import didymos
from didymos.control import Controller
from didymos.errors import InputError

pytest.importorskip("rtamt")

FALL = {"world": {"gravity": 10.0, "step": 0.001, "ground": None}, "start": {"position": [0, 0, 20]}}


def falling(make_twin: Any, *expect: Any, **keys: Any) -> Any:
    """A body that falls from 20 m at 10 m/s^2 for a second."""
    return make_twin(**FALL, scenarios={"fall": {"seconds": 1.0, "expect": list(expect)}}, **keys)


def judged(twin: Any, **options: Any) -> Any:
    simulation = twin.simulate(scenario="fall")
    return simulation.judge(simulation.run(**options))


def test_the_robustness_of_a_fall_is_that_of_its_closed_form(make_twin: Any) -> None:
    formulas = ["always[0:0.5](truth.position.z > 18)", "eventually(truth.velocity.z < -12)"]
    verdicts = judged(falling(make_twin, {"stl": formulas[0]}, {"name": "fast", "stl": formulas[1]}))
    step = 0.01 + 1e-9  # [s] between samples; within it z changes by at most 5 m/s, its velocity by 10 m/s^2
    assert [verdict.name for verdict in verdicts] == [formulas[0], "fast"]
    assert verdicts[0].value == pytest.approx(20 - 5 * 0.5**2 - 18, abs=5 * step)
    assert verdicts[1].value == pytest.approx(10 - 12, abs=10 * step)
    assert [(verdict.ok, verdict.low, verdict.high, verdict.unit) for verdict in verdicts] == [
        (True, 0.0, None, "m"), (False, 0.0, None, "m/s"),
    ]  # fmt: skip


def test_a_run_that_ends_early_has_no_verdict(make_twin: Any) -> None:
    (verdict,) = judged(falling(make_twin, {"stl": "always[0.6:0.9](truth.position.z > 0)"}), seconds=0.5)
    assert (verdict.value, verdict.ok) == (None, None)


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"stl": "always(truth.positon.z > 1)"}, "no run records 'truth.positon.z', did you mean 'truth.position.z'"),
        ({"stl": "always(truth.position.z > "}, "expect.0.stl: the formula ends too early"),
        ({"stl": "always[0:2](truth.position.z > 1)"}, "reaches to 2 s, expected within the scenario's 1 s"),
        ({"stl": "always(truth.position.z > 1)", "high": 3}, "a formula does not use the key 'high'"),
        ({"stl": "a.b > 1", "signal": "truth.tilt"}, "exactly one of the keys 'signal', 'figure' and 'stl'"),
        ({"stl": 3}, "expected a text"),
    ],
)
def test_a_mistake_names_file_line_and_place(make_twin: Any, about: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        falling(make_twin, about).simulate(scenario="fall")
    assert "twin.yaml:1: scenarios.fall.expect.0" in str(error.value)


class Idle(Controller):
    """A program that does nothing."""

    def update(self, measured: Any, setpoints: Any) -> dict[str, float]:
        return {}


def test_a_formula_on_what_another_program_reports_is_skipped() -> None:
    twin = didymos.load("omni_base")
    scenario = next(name for name, item in twin.scenarios.items() if any("control." in s for e in item.expect for s in e.signals))
    plain = twin.plain_scenario(scenario)
    signal = next(s for e in twin.scenarios[scenario].expect for s in e.signals if s.startswith("control."))
    plain["expect"] = [{"name": "own", "stl": f"always({signal} > -1000)"}, {"name": "all", "stl": "always(truth.tilt < 3)"}]
    twin.add_scenarios({"formulas": plain})
    simulation = twin.simulate(scenario="formulas", control=Idle())
    assert [item.name for item in simulation.expected] == ["all"]
    assert ("expectation", "own") in [(item.kind, item.name) for item in simulation.skipped]
    assert any(item.why.startswith(f"{signal} is of the program") for item in simulation.skipped)


WORLD = """
robots:
  one: {twin: ./body, scenario: fall}
  two: {twin: ./body, start: {position: [5, 0, 30]}}
scenarios:
  both: {seconds: 1.0, expect: [{stl: "%s"}]}
"""
BODY = '<mujoco><worldbody><body name="body"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>'
OWN = {**FALL, "scenarios": {"fall": {"seconds": 1.0, "expect": [{"name": "high", "stl": "always(truth.position.z > 14)"}]}}}


def test_formulas_relate_robots_of_a_world(make_world: Any) -> None:
    world = make_world(WORLD % "always(two.truth.position.z - one.truth.position.z > 9)", body=(BODY, OWN))
    simulation = world.simulate(scenario="both")
    (verdict,) = simulation.judge(simulation.run())
    assert verdict.value == pytest.approx(1.0, abs=1e-6)
    alone = world.simulate()
    (own,) = alone.judge(alone.run(1.0))
    assert (own.name, own.value) == ("one: high", pytest.approx(1.0, abs=0.11))


def test_a_misspelt_signal_of_a_world_is_named(make_world: Any) -> None:
    world = make_world(WORLD % "always(two.truth.positon.z > 9)", body=(BODY, OWN))
    with pytest.raises(InputError, match=r"world.yaml:6: scenarios.both.expect.0.stl: no run records 'two.truth.positon.z', did"):
        world.simulate(scenario="both")


def test_numbers_of_stimuli_and_setpoints_are_set_by_path() -> None:
    twin = didymos.load("quadcopter")
    twin.set_all({"scenarios.climb.stimuli.0.to": 2.0, "scenarios.climb.stimuli.0.from": 0.5, "scenarios.hover.setpoints.z": 3.0})
    for again in (twin, twin.copy(), pickle.loads(pickle.dumps(twin))):
        assert (again.scenarios["climb"].stimuli[0].to, again.scenarios["climb"].stimuli[0].before) == (2.0, 0.5)
        assert again.simulate(scenario="hover").stimuli[0].value == 3.0
    assert twin.get("scenarios.climb.stimuli.0.end") == 6.0
    assert twin.plain_scenario("climb")["stimuli"][0]["to"] == 2.0
    assert didymos.load("quadcopter").get("scenarios.climb.stimuli.0.to") == 10.0
    with pytest.raises(InputError, match="expected it after start"):
        twin.set("scenarios.climb.stimuli.0.end", 0.0)
    with pytest.raises(InputError, match=r"no such parameter, did you mean 'scenarios.climb.stimuli.0.to'"):
        twin.set("scenarios.climb.stimuli.0.too", 0.0)


def test_a_number_of_a_stimulus_reaches_a_scenario_that_brings_its_program() -> None:
    twin = didymos.load("quadcopter")
    twin.set("scenarios.gusts.setpoints.z", 12.0)
    assert twin.simulate(scenario="gusts").stimuli[0].value == 12.0
