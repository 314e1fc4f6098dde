"""What an experiment would tell: against closed forms of a lag, of intervals, and of numbers that only a recording has."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.control.stimulus import StimulusSpec
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.excited_runs import ExcitedRuns
from didymos.fitting.information import criterion, predict, reported_slopes, shared_information
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.recording import Channel, Column, Recording

MASS, DRAG, FORCE, SECONDS, NOISE = 2.0, 4.0, 3.0, 8.0, 0.01
SLEDGE = f"""<mujoco><worldbody><body name="sledge"><joint name="way" type="slide" axis="1 0 0" damping="{DRAG}"/>
  <inertial pos="0 0 0" mass="{MASS}" diaginertia="1 1 1"/></body></worldbody>
  <actuator><motor name="force" joint="way"/></actuator></mujoco>"""
LAG = MASS / DRAG  # [s]: m dv/dt + c v = F


@pytest.fixture(scope="module")
def sledge(make_twin: Callable[..., Twin]) -> Twin:
    """A sledge on a viscous way, pushed by a force: its velocity is a first-order lag."""
    wave = {"target": "inputs.force", "kind": "sine", "amplitude": FORCE, "frequency": 0.5}
    return make_twin(
        SLEDGE, world={"step": 0.002, "integrator": "rk4"}, record={"rate": 100},
        scenarios={"push": {"seconds": SECONDS, "stimuli": [wave]}},
        recordings={"columns": {"v": {"signal": "joints.way.velocity", "sd": NOISE}}},
    )  # fmt: skip


def informed(twin: Twin, spec: dict[str, FreeSpec]) -> ExcitedInformation:
    """Information of pushes about parameters of the sledge."""
    time = np.arange(0.0, SECONDS + 1e-9, 0.01)
    channel = Channel(Column("v", "joints.way.velocity"), time, np.zeros(len(time)))
    parameters = Parameterization(free_groups(twin, spec, [Recording(Path("none"), "push", (channel,))]), 1)
    runs = ExcitedRuns(twin, "push", ("joints.way.velocity",), SECONDS, threads=1)
    return ExcitedInformation(runs, parameters, [channel], [NOISE], (), frozenset())


def wave(frequency: float) -> tuple[StimulusSpec, ...]:
    return (StimulusSpec(target="inputs.force", kind="sine", amplitude=FORCE, frequency=frequency, phase=0.0),)


def sensitivity(frequency: float, time: np.ndarray) -> np.ndarray:
    """dv/dm of a sledge at rest that is pushed by F sin(w t), from the solution of m dv/dt + c v = F sin(w t), by m."""

    def velocity(mass: float) -> np.ndarray:
        lag, w = mass / DRAG, 2.0 * math.pi * frequency
        size = FORCE / DRAG / (1.0 + (w * lag) ** 2)
        return size * (np.sin(w * time) - w * lag * np.cos(w * time) + w * lag * np.exp(-time / lag))

    return (velocity(MASS * (1 + 1e-5)) - velocity(MASS * (1 - 1e-5))) / (2e-5 * MASS)


@pytest.mark.parametrize("frequency", [0.125, 1.0 / (2.0 * math.pi * LAG), 1.0])
def test_information_about_a_mass_is_that_of_the_closed_form(sledge: Twin, frequency: float) -> None:
    ask = informed(sledge, {"links.sledge.mass": FreeSpec(bounds=(1.0, 4.0))})
    found = ask.of_one(wave(frequency), ask.parameters.start, 1e-3)
    ask.runs.close()
    time = np.arange(0.0, SECONDS + 1e-9, 0.01)
    expected = float(np.sum((sensitivity(frequency, time) / NOISE) ** 2)) * 3.0**2  # the bounds are 3 kg apart
    assert found[0, 0] == pytest.approx(expected, rel=5e-3)


def test_a_lag_is_known_best_by_a_wave_of_its_own_frequency(sledge: Twin) -> None:
    ask = informed(sledge, {"links.sledge.mass": FreeSpec(bounds=(1.0, 4.0))})
    orders = np.arange(1, 9)  # waves in the experiment; w tau = 1 at 2.55 of them
    found = [information for _, information in ask.of_many([wave(k / SECONDS) for k in orders], ask.parameters.start, (1e-3,))]
    ask.runs.close()
    sizes = [float(information[0, 0]) for information in found if information is not None]
    assert int(orders[int(np.argmax(sizes))]) == round(SECONDS / (2.0 * math.pi * LAG))


def test_predicted_intervals_are_those_of_the_inverse() -> None:
    information = np.array([[4.0e4, 1.0e4], [1.0e4, 9.0e4]])
    slopes = np.diag([2.0, 0.5])
    covariance = slopes @ np.linalg.inv(information) @ slopes
    predicted = predict(information, slopes)
    assert predicted.half_width == pytest.approx(1.959964 * np.sqrt(np.diag(covariance)))
    assert predicted.correlation[0, 1] == pytest.approx(covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1]))


def test_a_direction_of_which_nothing_is_told_has_no_interval() -> None:
    jacobian = np.column_stack([np.arange(5.0), 2.0 * np.arange(5.0), np.ones(5)])  # the first two do the same
    predicted = predict(jacobian.T @ jacobian, np.eye(3))
    assert np.isinf(predicted.half_width[:2]).all()
    assert np.isfinite(predicted.half_width[2])


def test_the_criteria_are_volume_and_sum_of_relative_variances() -> None:
    information, slopes, scales = np.diag([1e6, 1e8]), np.eye(2), np.array([0.5, 0.1])
    assert criterion("D", information, slopes, scales) == pytest.approx(-math.log(1e14), rel=1e-5)
    assert criterion("A", information, slopes, scales) == pytest.approx(1e-6 / 0.25 + 1e-8 / 0.01, rel=1e-4)


def test_what_one_recording_has_for_itself_costs_information(sledge: Twin) -> None:
    specs = {"links.sledge.mass": FreeSpec(bounds=(1.0, 4.0))}
    bias = {"recording.bias.v": FreeSpec(bounds=(-1.0, 1.0), per_recording=True)}
    alone, beside = informed(sledge, specs), informed(sledge, specs | bias)
    time = np.arange(0.0, SECONDS + 1e-9, 0.01)
    push = (StimulusSpec(target="inputs.force", kind="sine", amplitude=0.0, frequency=1.0, offset=FORCE),)
    one, other = (ask.of_one(push, ask.parameters.start, 1e-3) for ask in (alone, beside))
    alone.runs.close()
    beside.runs.close()
    assert other.shape == (1, 1)
    # a constant push: v = F/c (1 - exp(-t/tau)); a bias takes the mean of its slope away
    slope = -FORCE * time / MASS**2 * np.exp(-time / LAG)
    assert one[0, 0] == pytest.approx(9.0 * np.sum((slope / NOISE) ** 2), rel=5e-3)
    assert other[0, 0] == pytest.approx(9.0 * np.sum(((slope - slope.mean()) / NOISE) ** 2), rel=5e-3)


def test_numbers_of_no_interest_are_taken_out_by_schurs_complement() -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((6, 3))
    whole = root.T @ root
    assert shared_information(whole, 2) == pytest.approx(np.linalg.inv(np.linalg.inv(whole)[:2, :2]))


def test_what_is_told_changes_with_the_bounds_as_unit(sledge: Twin) -> None:
    ask = informed(sledge, {"links.sledge.mass": FreeSpec(bounds=(1.0, 4.0))})
    assert reported_slopes(ask.parameters, ask.parameters.start) == pytest.approx(np.array([[3.0]]))
    ask.runs.close()
