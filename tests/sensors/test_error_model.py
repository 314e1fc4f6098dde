"""The error model of a sensor, by its statistics: bounds follow from the number of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from didymos import InputError
from didymos.sensors.error import ErrorSpec

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


@pytest.mark.parametrize("size", [0.027, 0.4, 2.0])
def test_a_misaligned_sensor_reads_vectors_and_orientations_in_the_same_turned_axes(make_twin: Any, size: float) -> None:
    """Axes turned by the rotation vector m: a vector is read as exp(-[m]) x, an orientation as that of the turned axes."""
    vector = size * np.array([1.0, -2.0, 1.5]) / np.linalg.norm([1.0, -2.0, 1.5])
    turned = {f"misalignment_{axis}": float(value) for axis, value in zip("xyz", vector, strict=True)}
    log = _run(make_twin, 0.05, position={"scale": 1.02, **turned}, orientation=turned)
    axes = Rotation.from_rotvec(vector)  # scipy's: shares no code with ours
    found = np.array([log[f"pose.position.{axis}"].values[-1] for axis in "xyz"])
    np.testing.assert_allclose(found, 1.02 * axes.inv().apply([1.0, -2.0, 3.0]), rtol=1e-13)
    w, x, y, z = (log[f"pose.orientation.{axis}"].values[-1] for axis in "wxyz")
    np.testing.assert_allclose(Rotation.from_quat([x, y, z, w]).as_matrix(), axes.as_matrix(), atol=1e-14)


def test_each_axis_may_have_errors_of_its_own(make_twin: Any) -> None:
    """A GPS is worse in height; noise and steps in the axes of the reading."""
    log = _run(make_twin, 40.0, position={"noise": [0.3, 0.1, 0.9], "scale": [1.0, 2.0, 0.5], "limit": [0.0, 0.0, 100.0]})
    for axis, deviation, mean in zip("xyz", (0.3, 0.1, 0.9), (1.0, -4.0, 1.5), strict=True):
        _assert_deviation(log[f"pose.position.{axis}"].values - mean, deviation)


def test_three_equal_numbers_are_one_number_to_the_bit(make_twin: Any) -> None:
    one = {"noise": 0.1, "bias": 0.2, "bias_walk": 0.01, "bias_time": 3.0, "resolution": 0.01}
    three = {key: [value] * 3 if key != "bias_time" else value for key, value in one.items()}
    logs = [_run(make_twin, 1.0, position=errors) for errors in (one, three)]
    for axis in "xyz":
        np.testing.assert_array_equal(*(log[f"pose.position.{axis}"].values for log in logs))


def test_an_axis_has_a_path_of_its_own(make_twin: Any) -> None:
    twin = make_twin(
        STILL, sensors={"pose": {"kind": "odometry", "link": "body", "rate": 100, "position": {"noise": [0, 0, 0.5]}}}
    )
    assert twin.parameters["sensors.pose.position.noise.z"].unit == "m"
    assert "sensors.pose.position.noise" not in twin.parameters
    simulation = twin.simulate()
    simulation.set("sensors.pose.position.noise.z", 0.0)
    simulation.advance(20)
    assert simulation.reading("pose", "position").tolist() == [1.0, -2.0, 3.0]  # no errors are left: read as it is
    simulation.set("sensors.pose.position.noise.x", 0.5)
    simulation.advance(20)
    x, y, z = simulation.reading("pose", "position")
    assert x != 1.0
    assert (y, z) == (-2.0, 3.0)


@pytest.mark.parametrize(
    ("errors", "complaint"),
    [
        ({"noise": [1.0, 2.0]}, "found 2 numbers, expected 3"),
        ({"noise": [1.0, 2.0, -3.0]}, "expected a number of at least 0"),
        ({"noise": -1.0}, "found -1.0, expected a number of at least 0"),
        ({"noise": "much"}, "found 'much', expected a number"),
        ({"noise": [1.0, 2.0, "much"]}, "expected a number"),
    ],
)
def test_numbers_of_axes_that_cannot_be_are_refused(make_twin: Any, errors: Any, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        _run(make_twin, 0.1, position=errors)


def test_axes_are_refused_where_there_are_none(make_twin: Any) -> None:
    sensor = {"kind": "barometer", "link": "body", "rate": 100, "pressure": {"noise": [1.0, 2.0, 3.0]}}
    with pytest.raises(InputError, match=r"sensors.baro.pressure.noise: found three numbers, expected one"):
        make_twin(STILL, sensors={"baro": sensor})


def test_a_turn_on_bias_stands_beside_one_that_wanders(make_twin: Any) -> None:
    """Over the runs, the mean over a run has the variance of the constant one and of the mean of the other.

    The mean of a Gauss-Markov process of sd s and time tau over T has the variance 2 s^2 (tau/T)^2 (T/tau - 1 + exp(-T/tau)).
    """
    constant, wander, tau, seconds = 0.5, 0.3, 0.2, 4.0
    errors = {"turn_on_bias": constant, "bias": wander, "bias_time": tau}
    sensor = {"kind": "odometry", "link": "body", "rate": 25, "position": errors}
    twin = make_twin(STILL, world={"step": 0.01}, sensors={"pose": sensor}, record={"rate": 1, "tf_rate": 1})
    means, inside = [], []
    for seed in range(150):
        log = twin.simulate(seed=seed).run(seconds)
        values = np.column_stack([log[f"pose.position.{axis}"].values for axis in "xyz"]) - [1, -2, 3]
        means.append(values.mean(axis=0))
        inside.append(values - means[-1])
    share = 2.0 * (tau / seconds) ** 2 * (seconds / tau - 1.0 + np.exp(-seconds / tau))
    _assert_deviation(np.array(means), np.sqrt(constant**2 + wander**2 * share))
    # within a run only the wandering one is left; 150 runs of 3 axes of 20 correlation times
    assert np.array(inside).var() == pytest.approx(wander**2 * (1.0 - share), rel=5 * np.sqrt(2.0 / (450 * 10)))


def test_a_warm_sensor_has_another_bias_and_another_scale(make_twin: Any) -> None:
    errors = {"bias_slope": [0.01, 0.0, -0.02], "scale_slope": [0.0, 0.001, 0.0]}
    log = _run(make_twin, 0.05, temperature_rise=30.0, position=errors)
    assert [log[f"pose.position.{axis}"].values[-1] for axis in "xyz"] == pytest.approx([1.3, -2.06, 2.4], rel=1e-14)
    twin = make_twin(STILL, sensors={"pose": {"kind": "odometry", "link": "body", "rate": 100, "position": errors}})
    simulation = twin.simulate()
    simulation.advance(20)
    assert simulation.reading("pose", "position").tolist() == [1.0, -2.0, 3.0]
    simulation.set("sensors.pose.temperature_rise", -10.0)
    simulation.advance(20)
    assert simulation.reading("pose", "position").tolist() == pytest.approx([0.9, -1.98, 3.2], rel=1e-14)


def test_the_variance_of_a_reading_follows_from_its_errors(make_twin: Any) -> None:
    """By the statistics of many runs, each read once."""
    errors = {"noise": [0.1, 0.2, 0.3], "noise_density": 0.02, "bias": 0.3, "turn_on_bias": 0.2, "resolution": 0.25}
    sensor = {"kind": "odometry", "link": "body", "rate": 100, "position": errors}
    twin = make_twin(STILL, world={"step": 0.01}, sensors={"pose": sensor})
    found = []
    for seed in range(400):
        simulation = twin.simulate(seed=seed)
        simulation.advance(1)
        found.append(simulation.reading("pose", "position") - [1.0, -2.0, 3.0])
    expected = twin.file.sensors["pose"].position.variances(100.0)
    np.testing.assert_allclose(np.var(found, axis=0), expected, rtol=SIGMA * np.sqrt(2 / 400))


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


def test_whoever_knows_no_axes_takes_the_worst_of_them() -> None:
    errors = ErrorSpec(noise=[0.1, 0.4, 0.2], scale=[1.01, 0.97, 1.0], bias_time=5.0, bias_slope=[0.1, -0.3, 0.2], limit=2.0)
    found = errors.of_worst_axis()
    assert {key: found[key] for key in ("noise", "scale", "bias_time", "bias_slope", "limit", "bias")} == {
        "noise": 0.4, "scale": 0.97, "bias_time": 5.0, "bias_slope": -0.3, "limit": 2.0, "bias": 0.0,
    }  # fmt: skip
