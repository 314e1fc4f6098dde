"""Many runs while parameters vary."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from didymos.errors import InputError, RunError
from didymos.studies.sampling import sample
from didymos.studies.sweep import sweep
from didymos.studies.sweep_table import plot_sweep, save_sweep
from didymos.studies.trial_runner import TrialRunner

FALLING = """<mujoco><worldbody><body name="stone" pos="0 0 10"><freejoint name="free"/><geom size=".1" mass="1"/></body>
  </worldbody></mujoco>"""
EXPECT = [{"name": "depth", "signal": "tf.stone.position.z", "measure": "final", "low": 4.0}]


@pytest.fixture
def falling(make_twin: Any) -> Any:
    return make_twin(FALLING, scenarios={"fall": {"seconds": 1.0, "expect": EXPECT}})


def test_every_slice_of_a_range_is_used_once() -> None:
    drawn = [values["a"] for values in sample({"a": (2.0, 4.0)}, runs=50, seed=3)]
    assert sorted(int((value - 2.0) / 2.0 * 50) for value in drawn) == list(range(50))


def test_varying_one_more_parameter_changes_no_other() -> None:
    alone = sample({"a": (0.0, 1.0)}, runs=9, seed=1)
    both = sample({"b": (0.0, 1.0), "a": (0.0, 1.0)}, runs=9, seed=1)
    assert [values["a"] for values in alone] == [values["a"] for values in both]
    assert [values["a"] for values in alone] != [values["b"] for values in both]


def test_each_run_has_its_own_value_and_is_judged_by_it(falling: Any) -> None:
    trials = sweep(falling, {"world.gravity": (0.0, 20.0)}, runs=10, scenario="fall")
    for trial in trials:
        # poses are recorded 25 times a second: last at 0.96 s; the sum of n steps of semi-implicit Euler is g h^2 n (n + 1) / 2
        height = 10.0 - trial.values["world.gravity"] * 0.96 * 0.961 / 2.0
        assert trial.verdicts[0].value == pytest.approx(height, abs=1e-9)  # 960 roundings of 1e-15 m, summed twice
        assert trial.ok == (trial.verdicts[0].value >= 4.0)
    assert 0 < sum(trial.ok for trial in trials) < 10


def test_a_trial_is_judged_as_a_whole_log_is(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    stl = {"name": "low", "stl": "always[0:0.2](truth.position.z < 0.5 and imu.gyro.x < 9)"}
    spread = {"name": "near", "signal": "truth.position", "point": [0, 0, 1], "measure": "max", "high": 3.0}
    turned = {"name": "yaw", "signal": "truth.yaw", "measure": "max", "high": 1.0}
    twin.add_scenarios({"rise": {"seconds": 0.3, "setpoints": {"z": 1.0}, "expect": [stl, spread, turned]}})
    whole = twin.simulate(scenario="rise")
    log = whole.run()
    trial = TrialRunner(twin, scenario="rise", keep=["state.velocity.z"])((0, {"world.wind.speed": 1.0}))
    assert trial.verdicts == whole.judge(log)
    assert trial.signals["state.velocity.z"] == tuple(log["state.velocity.z"].values[[0, 40, 80]])
    assert whole.run(0.1, only=whole.judged)["imu.gyro.x"].time[0] > 0.29  # it went on from there
    with pytest.raises(RunError, match="took no rows of 'joints'"):
        whole.run(0.1, only=whole.judged)["joints.motor1_to_axle1.position"]


def test_the_number_of_threads_changes_nothing(falling: Any) -> None:
    one, two = (sweep(falling, {"world.gravity": (1.0, 20.0)}, runs=11, scenario="fall", threads=n) for n in (1, 2))
    assert one == two
    assert [trial.seed for trial in one] == list(range(11))


def test_the_table_holds_every_run_to_the_bit(falling: Any, tmp_path: Any) -> None:
    trials = sweep(falling, {"world.gravity": (1.0, 20.0)}, runs=5, scenario="fall", seed=7)
    save_sweep(trials, tmp_path / "table.csv")
    rows = list(csv.DictReader((tmp_path / "table.csv").open()))
    assert [int(row["seed"]) for row in rows] == [7, 8, 9, 10, 11]
    assert [float(row["world.gravity"]) for row in rows] == [trial.values["world.gravity"] for trial in trials]
    assert [float(row["depth"]) for row in rows] == [trial.verdicts[0].value for trial in trials]
    assert plot_sweep(trials, tmp_path / "table.png").stat().st_size > 5_000


def test_a_range_that_cannot_be_is_refused(falling: Any, make_twin: Any) -> None:
    with pytest.raises(InputError, match="smaller number first"):
        sweep(falling, {"world.gravity": (5.0, 1.0)}, runs=2)
    with pytest.raises(InputError, match="expected a number from"):
        sweep(falling, {"links.stone.mass": (-1.0, 1.0)}, runs=2)
    with pytest.raises(InputError, match="no such parameter"):
        sweep(falling, {"links.stone.mas": (1.0, 2.0)}, runs=2)
    stimuli = [{"target": "world.wind.speed", "kind": "step", "to": 3.0, "at": 1.0}]
    windy = make_twin(FALLING, scenarios={"gust": {"stimuli": stimuli}})
    with pytest.raises(InputError, match="moves this parameter itself"):
        sweep(windy, {"world.wind.speed": (0.0, 1.0)}, runs=2, scenario="gust")
