"""One run after the other on a simulation that is kept: the same bytes as fresh ones give."""

from __future__ import annotations

from typing import Any

import pytest

import didymos
from didymos.describe.bundled import bundled, bundled_worlds
from didymos.engine.rerun import Reruns
from didymos.engine.world_simulation import simulation_of
from didymos.errors import RunError
from didymos.record.log import Log

SECONDS = 0.05


def log_of(simulation: Any, seconds: float = SECONDS) -> Log:
    try:
        return simulation.run(seconds)
    except RunError as error:
        return error.log


def fresh(twin: Any, scenario: str | None, seed: int, values: dict[str, float]) -> Log:
    changed = twin.copy()
    changed.set_all(values)
    return log_of(simulation_of(changed, seed=seed, scenario=scenario))


def some_values(twin: Any) -> list[dict[str, float]]:
    """Three sets of values of what most twins have: a mass, a friction, a wind, a number of a part."""
    found = {}
    for pattern in ("links.", "parts.", "world.wind.speed", "world.air.temperature"):
        live = [p for p, item in twin.parameters.items() if pattern in p and item.live and item.value > 0.0]
        found |= {path: twin.get(path) for path in live[:1]}
    return [{path: value * (1.0 + 0.01 * k) for path, value in found.items()} for k in (1, 2, 3)]


@pytest.mark.parametrize("name", [name for name in (*bundled(), "formation", "landing") if name != "meldog"])
def test_every_scenario_runs_again_as_a_fresh_one_does(name: str) -> None:
    twin: Any = didymos.load_world(name) if name in bundled_worlds() else didymos.load(name)
    for scenario in twin.scenarios:
        reruns, values = Reruns(twin, scenario), some_values(twin)
        for seed, given in enumerate(values):
            again = log_of(reruns.begin(seed, given)).sha256
        assert again == fresh(twin, scenario, len(values) - 1, values[-1]).sha256, scenario
        assert reruns.builds <= len(values)


def test_a_walking_robot_runs_again_as_a_fresh_one_does() -> None:
    twin = didymos.load("meldog")
    scenario, values = "trot" if "trot" in twin.scenarios else next(iter(twin.scenarios)), some_values(twin)
    reruns = Reruns(twin, scenario)
    for seed, given in enumerate(values):
        again = log_of(reruns.begin(seed, given)).sha256
    assert again == fresh(twin, scenario, 2, values[-1]).sha256


def test_after_a_first_comparison_nothing_is_built_any_more(quadcopter: Any) -> None:
    reruns, mass = Reruns(quadcopter, "gusts"), quadcopter.get("links.body_FLU.mass")
    for seed in range(5):
        values = {"links.body_FLU.mass": mass * (1.0 + 0.01 * seed), "control.gains.position.kp": 0.7 + 0.01 * seed}
        log_of(reruns.begin(seed, values))
    assert reruns.builds == 2  # the first, and the one that the second was compared with


def test_of_patterns_that_overlap_the_last_one_counts_in_every_run(quadcopter: Any) -> None:
    area = "parts.motor1.disc_area"
    reruns = Reruns(quadcopter, "hover")
    for seed, (all_of_them, one) in enumerate([(0.016, 0.02), (0.0165, 0.021), (0.017, 0.021), (0.0175, 0.021)]):
        simulation = reruns.begin(seed, {"parts.motor?.disc_area": all_of_them, area: one})
        assert (simulation.get(area), simulation.get("parts.motor2.disc_area")) == (one, all_of_them)
    assert reruns.builds == 2


def test_what_a_program_is_told_when_it_is_built_is_built_anew(quadcopter: Any) -> None:
    reruns = Reruns(quadcopter, "gusts")  # its estimator believes in the gravity of the twin
    for seed, gravity in enumerate((9.7, 9.75, 9.8)):
        again = log_of(reruns.begin(seed, {"world.gravity": gravity})).sha256
        assert again == fresh(quadcopter, "gusts", seed, {"world.gravity": gravity}).sha256
    assert reruns.builds == 3


def test_where_a_robot_begins_can_vary(quadcopter: Any) -> None:
    reruns = Reruns(quadcopter, "hover")
    for seed, height in enumerate((0.5, 0.6, 0.7)):
        simulation = reruns.begin(seed, {"start.position.z": height})
        assert simulation.data.qpos[2] == height
        assert log_of(simulation).sha256 == fresh(quadcopter, "hover", seed, {"start.position.z": height}).sha256


def test_what_a_stimulus_moved_is_put_back(make_twin: Any) -> None:
    stimuli = [{"target": "parts.drag.area_x", "kind": "step", "at": 0.02, "to": 3.0}]
    parts = {"drag": {"kind": "body_drag", "link": "body", "area_x": 0.1, "area_y": 0.1, "area_z": 0.1}}
    world = {"wind": {"speed": 5.0}}
    twin = make_twin(parts=parts, world=world, scenarios={"open": {"stimuli": stimuli, "seconds": 0.1}})
    reruns = Reruns(twin, "open")
    logs = [log_of(reruns.begin(seed, {"links.body.mass": 1.0 + 0.1 * seed}), 0.05) for seed in range(4)]
    assert reruns.builds == 2
    assert logs[-1].sha256 == fresh(twin, "open", 3, {"links.body.mass": 1.3}).sha256


def test_a_scenario_that_moves_a_mass_gets_a_new_build_each_time(make_twin: Any) -> None:
    stimuli = [{"target": "links.body.mass", "kind": "step", "from": 1.5, "at": 0.02, "to": 3.0}]
    twin = make_twin(scenarios={"load": {"stimuli": stimuli, "seconds": 0.1}})
    reruns = Reruns(twin, "load")
    for seed, gravity in enumerate((9.0, 9.5, 10.0)):
        again = log_of(reruns.begin(seed, {"world.gravity": gravity})).sha256
        assert again == fresh(twin, "load", seed, {"world.gravity": gravity}).sha256
    assert reruns.builds == 3
