"""The error model of a sensor, by its statistics: bounds follow from the number of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos import InputError

SIGMA = 5.0
STILL = """<mujoco><worldbody><body name="body" pos="1 -2 3"><geom size=".1" mass="1"/>
  <site name="tilted" euler="10 20 30"/></body></worldbody></mujoco>"""


def _run(make_twin: Any, seconds: float, seed: int = 1, model: str = STILL, **sensor: Any) -> Any:
    """Log of one sensor at rest in a world without forces of its own; the true position is (1, -2, 3) m."""
    about = {"kind": "odometry", "link": "body", "rate": 100} | sensor
    twin = make_twin(model, world={"step": 0.001}, sensors={"pose": about}, record={"rate": 1, "tf_rate": 1})
    return twin.simulate(seed=seed).run(seconds)


def _assert_deviation(samples: np.ndarray, expected: float) -> None:
    """The sample variance of n normal numbers has the relative standard error sqrt(2 / n)."""
    n = samples.size
    assert abs(samples.var() / expected**2 - 1) < SIGMA * np.sqrt(2 / n), (samples.std(), expected)
    assert abs(samples.mean()) < SIGMA * expected / np.sqrt(n)


@pytest.mark.parametrize("rate", [50, 200])
def test_white_noise_adds_its_deviation_and_its_density_at_the_sensors_rate(make_twin: Any, rate: int) -> None:
    log = _run(make_twin, 4000 / rate, rate=rate, position={"noise": 0.03, "noise_density": 0.004})
    expected = np.sqrt(0.03**2 + 0.004**2 * rate)
    axes = np.column_stack([log[f"pose.position.{axis}"].values for axis in "xyz"]) - [1, -2, 3]
    assert axes.shape == (4000, 3)
    _assert_deviation(axes, expected)
    correlation = np.corrcoef(axes.T) - np.eye(3)
    assert np.abs(correlation).max() < SIGMA / np.sqrt(4000)
    memory = (axes[1:] * axes[:-1]).mean() / expected**2  # zero; products of independent numbers have deviation 1
    assert abs(memory) < SIGMA / np.sqrt(3999 * 3)


def test_quantities_without_errors_are_exact(make_twin: Any) -> None:
    log = _run(make_twin, 0.1, position={"noise": 0.03})
    assert (log["pose.velocity.x"].values == 0.0).all()
    assert (log["pose.orientation.w"].values == 1.0).all()


def test_the_bias_at_switch_on_is_drawn_once_per_run(make_twin: Any) -> None:
    twin = make_twin(
        STILL, sensors={"pose": {"kind": "odometry", "link": "body", "rate": 100, "position": {"bias": 0.2}}}
    )
    found = []
    for seed in range(400):
        values = twin.simulate(seed=seed).run(0.03)["pose.position.y"].values
        assert len(values) == 3
        assert np.ptp(values) == 0.0
        found.append(values[0] + 2)
    _assert_deviation(np.array(found), 0.2)


def test_a_walking_bias_spreads_with_the_square_root_of_time(make_twin: Any) -> None:
    """Increments over a time t have the variance walk^2 t, whatever the rate."""
    walk = 0.05
    for rate in (50, 200):
        log = _run(make_twin, 100.0, rate=rate, position={"bias_walk": walk})
        for axis in "xyz":
            values = log[f"pose.position.{axis}"].values
            for seconds in (1 / rate, 0.5, 2.0):
                jumps = np.diff(values[:: round(seconds * rate)])  # apart: independent
                _assert_deviation(jumps, walk * np.sqrt(seconds))


def test_readings_come_in_steps_of_the_resolution(make_twin: Any) -> None:
    log = _run(make_twin, 20.0, position={"noise": 1.0, "resolution": 0.25})
    values = np.concatenate([log[f"pose.position.{axis}"].values for axis in "xyz"])
    np.testing.assert_array_equal(values, np.round(values * 4) / 4)
    exact = _run(make_twin, 20.0, position={"noise": 1.0})
    fine = np.concatenate([exact[f"pose.position.{axis}"].values for axis in "xyz"])
    assert np.abs(values - fine).max() <= 0.125
    # a step much smaller than the noise adds an error that is uniform: q^2 / 12
    assert (values - fine).var() == pytest.approx(0.25**2 / 12, rel=SIGMA * np.sqrt(0.8 / 6000))


def test_readings_stop_at_the_limit(make_twin: Any) -> None:
    log = _run(make_twin, 0.05, position={"limit": 1.5})
    assert [log[f"pose.position.{axis}"].values[-1] for axis in "xyz"] == [1.0, -1.5, 1.5]


def test_scale_and_misalignment_act_on_the_true_vector(make_twin: Any) -> None:
    small = np.array([0.01, -0.02, 0.015])
    turned = {f"misalignment_{axis}": value for axis, value in zip("xyz", small, strict=True)}
    log = _run(make_twin, 0.05, position={"scale": 1.02, **turned})
    found = np.array([log[f"pose.position.{axis}"].values[-1] for axis in "xyz"])
    true = np.array([1.0, -2.0, 3.0])
    # to first order a rotation is x + m x x: the model's own definition, so exact but for roundings
    np.testing.assert_allclose(found, 1.02 * (true + np.cross(small, true)), rtol=1e-14)
    angle = np.linalg.norm(small)
    exact = true + np.sin(angle) / angle * np.cross(small, true)
    exact += (1 - np.cos(angle)) / angle**2 * np.cross(small, np.cross(small, true))
    assert np.linalg.norm(found / 1.02 - exact) < 0.51 * angle**2 * np.linalg.norm(true)  # and second order beyond


def test_readings_are_lost_as_often_as_asked(make_twin: Any) -> None:
    log = _run(make_twin, 50.0, drop_out=0.3)
    stamps = log["pose.position.x"].time
    kept = len(stamps) / 5000
    assert abs(kept - 0.7) < SIGMA * np.sqrt(0.7 * 0.3 / 5000)
    gaps = np.round(np.diff(stamps) * 100).astype(int)
    # losses are independent: the chance that the next comes right away is 0.7 whatever happened before
    assert abs((gaps == 1).mean() - 0.7) < SIGMA * np.sqrt(0.7 * 0.3 / len(gaps))
    assert abs((gaps == 2).mean() - 0.21) < SIGMA * np.sqrt(0.21 * 0.79 / len(gaps))


def test_noise_of_an_orientation_is_a_small_rotation_in_its_own_frame(make_twin: Any) -> None:
    deviation = 0.02
    log = _run(make_twin, 30.0, link="tilted", orientation={"noise": deviation})
    read = np.column_stack([log[f"pose.orientation.{axis}"].values for axis in "wxyz"])
    np.testing.assert_allclose(np.linalg.norm(read, axis=1), 1.0, atol=4e-16)
    clean = _run(make_twin, 0.02, link="tilted")
    w, x, y, z = (clean[f"pose.orientation.{axis}"].values[0] for axis in "wxyz")
    inverse = np.array([[w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])  # conj(true) times a quaternion
    error = read @ inverse.T
    vector = 2 * np.arctan2(np.linalg.norm(error[:, 1:], axis=1), error[:, 0])[:, None] * (
        error[:, 1:] / np.linalg.norm(error[:, 1:], axis=1)[:, None]
    )
    for axis in range(3):
        _assert_deviation(vector[:, axis], deviation)


def test_errors_can_be_switched_off_as_a_whole(make_twin: Any) -> None:
    log = _run(make_twin, 0.1, errors=0, position={"noise": 1.0, "bias": 1.0, "scale": 2.0})
    assert (log["pose.position.z"].values == 3.0).all()


def test_encoders_of_three_joints_are_not_mixed_by_a_misalignment(make_twin: Any) -> None:
    joints = "".join(f'<body pos="{i} 0 0"><joint name="j{i}"/><geom size=".1" mass="1"/></body>' for i in range(3))
    model = f"<mujoco><worldbody><body name='base'><geom size='.1' mass='1'/>{joints}</body></worldbody></mujoco>"
    sensor = {"kind": "joints", "rate": 100, "position": {"misalignment_x": 0.1, "misalignment_y": 0.2, "misalignment_z": 0.3}}
    twin = make_twin(model, world={"gravity": 0.0}, sensors={"encoders": sensor}, start={"joints": {"j0": 1.0, "j1": 0.5}})
    log = twin.simulate().run(0.05)
    assert [log[f"encoders.j{i}.position"].values[-1] for i in range(3)] == [1.0, 0.5, 0.0]


@pytest.mark.parametrize(("key", "value"), [("scale", 1.1), ("resolution", 0.1), ("limit", 1.0)])
def test_an_error_that_an_orientation_cannot_have_is_refused(make_twin: Any, key: str, value: float) -> None:
    with pytest.raises(InputError, match=f"sensors.pose.orientation.{key}: means nothing for an orientation"):
        _run(make_twin, 0.1, orientation={key: value})


def test_the_bias_at_switch_on_cannot_change_after_it(make_twin: Any) -> None:
    twin = make_twin(STILL, sensors={"pose": {"kind": "odometry", "link": "body", "rate": 100}})
    simulation = twin.simulate()
    with pytest.raises(InputError, match="cannot change during a run"):
        simulation.set("sensors.pose.position.bias", 0.1)
