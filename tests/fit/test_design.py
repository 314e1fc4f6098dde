"""A designed experiment tells more than the present one, keeps its limits, and is the same on any number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.describe.scenario_file import add_scenarios
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Channel, Column, Design, Recording, design, fit
from didymos.fitting.bursts import Bursts
from didymos.fitting.chain import Chain
from didymos.fitting.design_picture import plot_design
from didymos.fitting.design_scenario import plain_scenario, save_scenario
from didymos.fitting.excitation import Moved, values_of
from didymos.fitting.excited_runs import ExcitedRuns, Trial

POSITION, VELOCITY = "parts.drive.output_position", "parts.drive.output_velocity"
NOISE = {POSITION: 0.002, VELOCITY: 0.03}
LIMITS = {"setpoints.position": (-1.0, 1.0), VELOCITY: (-20.0, 20.0), "parts.drive.torque": (-2.0, 2.0)}
PARAMETERS = {"parts.drive.coulomb": (0.03, 0.15), "parts.drive.rotor_inertia": (1e-4, 6e-4), "parts.drive.kd": (0.02, 0.1)}


def run(bench: Twin, **options: Any) -> Design:
    about: dict[str, Any] = {"seconds": 1.0, "noise": NOISE, "limits": LIMITS, "evaluations": 120, "threads": 2}
    return design(bench, PARAMETERS, **(about | options))


@pytest.fixture(scope="module")
def designed(bench: Twin) -> Design:
    return run(bench)


def test_it_tells_more_than_the_present_scenario(designed: Design) -> None:
    assert designed.gain < 0.8
    assert all(0.0 < item.ratio < math.inf for item in designed.parameters)


def test_it_keeps_its_limits_in_a_run_of_its_scenario(bench: Twin, designed: Design) -> None:
    twin = bench.copy()
    twin.add_scenarios({"designed": designed.plain})
    for coulomb in (None, 0.03, 0.15):
        if coulomb is not None:
            twin.set("parts.drive.coulomb", coulomb)
        simulation = twin.simulate(scenario="designed", seed=7)  # type: ignore[attr-defined]
        verdicts = simulation.judge(simulation.run())
        assert len(verdicts) == 2 * len(LIMITS)
        assert all(verdict.ok for verdict in verdicts)
    for kept in designed.limits:
        assert kept.limit.low <= kept.least <= kept.most <= kept.limit.high


def test_the_limit_holds_it_back(bench: Twin, designed: Design) -> None:
    narrow = run(bench, limits=LIMITS | {VELOCITY: (-0.6, 0.6)}, evaluations=120)
    reached = {item.limit.signal: max(-item.least, item.most) for item in narrow.limits}
    assert reached[VELOCITY] <= 0.6
    assert max(-min(designed.samples[VELOCITY][1]), max(designed.samples[VELOCITY][1])) > 0.6


def test_the_number_of_threads_does_not_change_a_bit(bench: Twin) -> None:
    one, three = (run(bench, threads=count, evaluations=40) for count in (1, 3))
    assert one.stimuli == three.stimuli
    assert one.parameters == three.parameters


def test_another_seed_searches_elsewhere(bench: Twin) -> None:
    one, other = (run(bench, seed=seed, evaluations=30) for seed in (0, 1))
    assert one.stimuli != other.stimuli


def test_a_fit_to_a_recording_of_it_has_the_predicted_intervals(bench: Twin, designed: Design) -> None:
    twin = bench.copy()
    twin.add_scenarios({"designed": designed.plain})
    log = twin.simulate(scenario="designed").run()  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    channels = tuple(
        Channel(Column(name, name, weight=size**-2, sd=size), log[name].time,
                log[name].values + size * rng.standard_normal(len(log[name].time)))
        for name, size in NOISE.items()
    )  # fmt: skip
    twin.set("parts.drive.coulomb", 0.075)
    found = fit(twin, [Recording(Path("designed"), "designed", channels)], PARAMETERS)
    for parameter, predicted in zip(found.parameters, designed.parameters, strict=True):
        assert parameter.interval is not None
        half = 0.5 * (parameter.interval[1] - parameter.interval[0])
        assert half == pytest.approx(predicted.half_width, rel=0.35)  # the noise that is left has its own size
        assert abs(parameter.after - predicted.value) < 4.0 / 1.96 * predicted.half_width


def test_its_file_and_its_picture_are_kept(bench: Twin, designed: Design, tmp_path: Path) -> None:
    file = save_scenario(designed, "best", tmp_path / "best.yaml")
    twin = bench.copy()
    add_scenarios(twin, file)
    log = twin.simulate(scenario="best").run()  # type: ignore[attr-defined]
    assert log[POSITION].values == pytest.approx(designed.samples[POSITION][1][: len(log[POSITION].values)], abs=1e-9)
    assert plot_design(designed, tmp_path / "best.png").stat().st_size > 10_000


def test_relative_variances_and_the_worst_interval_are_criteria_too(bench: Twin, designed: Design) -> None:
    sums = {}
    for kind in ("A", "worst"):
        found = run(bench, criterion=kind)
        sums[kind] = sum((item.half_width / item.value) ** 2 for item in found.parameters)
        if kind == "worst":
            assert max(item.ratio for item in found.parameters) < 1.0
    assert sums["A"] < 1.5 * sum((item.half_width / item.value) ** 2 for item in designed.parameters)


def test_draws_make_it_good_elsewhere_too(bench: Twin) -> None:
    found = run(bench, draws=2, evaluations=30)
    assert found.runs > run(bench, evaluations=30).runs


def of_power_unit(**options: Any) -> Design:
    twin = didymos.load("power_unit")
    paths = [f"parts.drive.{name}" for name in ("rotor_inertia", "coulomb", "stribeck")]
    return design(
        twin, {path: twin.file.fit.parameters[path] for path in paths}, scenario="chirp",
        limits={"setpoints.position": (-1.0, 1.0)}, noise={POSITION: 6e-5, VELOCITY: 0.01}, **options,
    )  # fmt: skip


def test_power_unit_learns_more_than_from_its_chirp() -> None:
    assert of_power_unit(seconds=2.0, evaluations=120, criterion="D").gain < 0.5


def test_a_fit_that_begins_a_tenth_off_finds_what_a_proposal_tells() -> None:
    """By slopes alone the search proposed motions that stop and break away so often that no fit found its way."""
    found = of_power_unit(seconds=5.0, evaluations=100)
    twin = didymos.load("power_unit")
    twin.add_scenarios({"designed": found.plain})
    log, rng = twin.simulate(scenario="designed").run(5.0), np.random.default_rng(0)
    channels = tuple(
        Channel(Column(name, name, weight=size**-2, sd=size), log[name].time,
                log[name].values + size * rng.standard_normal(len(log[name].time)))
        for name, size in ((POSITION, 6e-5), (VELOCITY, 0.01))
    )  # fmt: skip
    free = {item.path: twin.file.fit.parameters[item.path] for item in found.parameters}
    for path in free:
        twin.set(path, 1.1 * twin.get(path))
    done = fit(twin, [Recording(Path("designed"), "designed", channels)], free)
    count = sum(len(channel.time) for channel in channels)
    assert done.loss_after / count < 1.0 + 5.0 * math.sqrt(2.0 / count)  # chi-square of the noise alone, five deviations
    assert found.gain < 1.0


def test_what_a_search_tries_is_what_was_proposed_times_and_all(bench: Twin) -> None:
    """The times of a stimulus were those of the scenario that the search began with, whatever it proposed."""
    moved = (Moved("setpoints.position", "rev", 0.0, -1.0, 1.0),)
    chain, twin = Chain(Bursts(moved, 0.25, 10.0, 0.005, 3), 4), bench.copy()
    first, other = (chain.stimuli(np.random.default_rng(seed).uniform(size=chain.size)) for seed in (0, 1))
    twin.add_scenarios({"first": plain_scenario(twin, "sine", 1.0, moved, first)})
    runs = ExcitedRuns(twin, "first", ["setpoints.position"], 1.0, threads=1)
    try:
        done = [item.samples for item in runs.run([Trial(other), Trial(first)])]
    finally:
        runs.close()
    for samples, stimuli in zip(done, (other, first), strict=True):
        assert samples is not None
        times, values = samples["setpoints.position"]
        assert values == pytest.approx(values_of(stimuli, "setpoints.position", times), abs=1e-12)


def test_a_motion_that_tells_nothing_is_refused(bench: Twin) -> None:
    with pytest.raises(InputError, match=r"move: no excitation that was tried tells anything of links.arm.mass; move or record"):
        design(bench, {"links.arm.mass": (0.05, 0.2)}, seconds=0.5, noise=NOISE, limits=LIMITS, evaluations=4)


SLEDGE = """<mujoco><worldbody><body name="sledge"><joint name="way" type="slide" axis="1 0 0" damping="4"/>
  <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>
  <actuator><motor name="force" joint="way"/></actuator></mujoco>"""


def test_a_lag_is_moved_near_its_own_frequency(make_twin: Callable[..., Twin]) -> None:
    """The best wave of force F is at w = c/m, where the slope of the velocity by the mass has the amplitude F / (2 c m).

    A piece of the chain, a fifth of the experiment, is as long as such a wave.
    """
    wave = {"target": "inputs.force", "kind": "sine", "amplitude": 3.0, "frequency": 2.0}
    twin = make_twin(
        SLEDGE, world={"step": 0.005, "integrator": "rk4"}, record={"rate": 100},
        scenarios={"push": {"seconds": 18.0, "stimuli": [wave]}},
        recordings={"columns": {"v": {"signal": "joints.way.velocity", "sd": 0.01}}},
    )  # fmt: skip
    found = design(twin, {"links.sledge.mass": (1.0, 4.0)}, seconds=18.0, evaluations=300)
    best_wave = 1.96 * 0.01 / (3.0 / (2 * 4 * 2) * math.sqrt(1800 / 2))
    assert found.parameters[0].half_width < 1.1 * best_wave
    assert max(abs(item.low) for item in found.moved) == pytest.approx(3.0, rel=0.01)  # as far as the scenario pushes


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": "E"}, r"criterion: found 'E', expected one of worst, D, A"),
        ({"scenario": "sin"}, r"no scenario 'sin', did you mean 'sine'"),
        ({"scenario": "step"}, r"move: the scenario 'step' moves nothing; say what to move"),
        ({"move": ["setpoints.positon"]}, r"move: there is no set-point or input 'setpoints.positon', did you mean"),
        ({"move": ["setpoints.velocity"]}, r"limits: nothing says how far setpoints.velocity may move; say"),
        ({"noise": {}}, r"nothing says how noisy parts.drive.output_position is: give its column an sd"),
        ({"noise": {"parts.drive.torq": 0.1}}, r"noise: there is no column or signal 'parts.drive.torq'"),
        ({"noise": NOISE | {"pos": 0.0}}, r"noise: found 0 for pos, expected a standard deviation above 0"),
        ({"limits": {"parts.drive.torqe": (-1.0, 1.0)}}, r"limits: no run records 'parts.drive.torqe', did you mean"),
        ({"limits": {VELOCITY: (1.0, -1.0)}}, r"limits: found .*=1:-1, expected the lower one first"),
        ({"limits": {"setpoints.position": (0.1, 1.0)}}, r"limits: setpoints.position begins at 0 rev, outside of 0.1:1"),
        ({"seconds": 0.0}, r"seconds: found 0, expected a time of more than a tick"),
        ({"evaluations": 0}, r"evaluations: found 0, expected a number above 0"),
    ],
)
def test_what_cannot_be_designed_is_refused(bench: Twin, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        run(bench, **options)


def test_limits_that_are_exceeded_at_rest_are_told(bench: Twin) -> None:
    with pytest.raises(InputError, match=r"limits: while nothing is moved yet, .*output_position reaches 0, beyond 1 \(given\)"):
        run(bench, limits={POSITION: (1.0, 2.0), "setpoints.position": (-1.0, 1.0)}, evaluations=10)
