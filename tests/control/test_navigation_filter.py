"""The navigation filter on flights whose truth is known: its own doubt, GPS lost and found, late and wrong readings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic_flights as sky

from didymos.control import Robot
from didymos.control.filter_align import align, forget
from didymos.control.filter_noise import sensor_noise
from didymos.control.filter_past import look_back
from didymos.control.filter_predict import predict_covariance, predict_state

LATE = {name: {"delay": delay} for name, delay in (("gps", 0.2), ("magnetometer", 0.04), ("barometer", 0.04), ("tube", 0.08))}
WITHOUT_WANDER = {"gps": {"position": {"noise": 0.1}}}


@pytest.fixture(scope="module", params=["plane", "multirotor"])
def flight(request: pytest.FixtureRequest) -> sky.Flight:
    return sky.FLIGHTS[str(request.param)]()


@pytest.fixture(scope="module")
def turning() -> sky.Flight:
    """A plane in turns to either side, for 100 s."""
    return sky.FLIGHTS["plane"]()


@pytest.mark.parametrize("changes", [{}, LATE], ids=["prompt", "late"])
def test_errors_are_as_large_as_the_filter_says(flight: sky.Flight, changes: Any) -> None:
    """Inside the 95 % band for 85 to 99 % of the time. GPS wanders for 100 s: eight flights are eight samples of it."""
    shares = sky.consistency(flight, 8, sky.specs(changes))
    assert 0.85 < shares["attitude"][0] < 0.99, shares
    assert 0.85 < shares["velocity"][0] < 0.99, shares
    assert shares["position"][0] > 0.85, shares


def test_an_outage_of_gps_neither_loses_the_plane_nor_tips_it(turning: sky.Flight) -> None:
    """30 s: below 15 m at the return, and no more than half a degree of tilt beyond what it was."""
    sensors = sky.specs()
    navigation = sky.navigation_of(turning, sensors)
    for seed in range(6):
        flown = sky.fly(turning, sky.readings_of(turning, sensors, seed, (50.0, 80.0)), navigation)
        at = np.searchsorted(flown.time, 79.9)
        assert flown.off[at] < 15.0
        doubt = np.sqrt(np.trace(flown.covariances[:, 6:, 6:], axis1=1, axis2=2))
        assert doubt[at] > 3.0 * doubt[450]  # it knows that it does not know
        assert doubt[at + 10] < 1.5 * doubt[450]  # and a second after the return it does again
        before, after = flown.tilt[200:500].max(), flown.tilt[at:].max()
        assert after < before + 0.0087


def test_a_steep_circle_is_known_from_its_first_second() -> None:
    """69 deg of bank, where the accelerometer shows 2.8 g along the body's z axis: it begins in it, and stays."""
    flight, sensors = sky.FLIGHTS["steep circle"](), sky.specs()
    for seed in range(4):
        flown = sky.fly(flight, sky.readings_of(flight, sensors, seed), sky.navigation_of(flight, sensors))
        assert flown.tilt[10:].max() < 0.15
        assert flown.tilt[300:].max() < 0.0175


def test_a_steep_circle_with_late_readings_is_as_well_known_as_the_filter_says() -> None:
    """It begins 69 deg banked, half a second before its first usable fix: it pushes by 5.5 m/s within their lag.

    Twenty flights, some three independent samples in each of their first ten seconds: the mean of the normalised error is
    3 +- 0.32, the right one 3. Two of these flights went astray by 20 to 40 deg where the tube was believed before the velocity
    across it was known.
    """
    flight, sensors = sky.FLIGHTS["steep circle"](), sky.specs(LATE)
    navigation = sky.navigation_of(flight, sensors)
    flights = [sky.fly(flight, sky.readings_of(flight, sensors, seed), navigation) for seed in range(30, 50)]
    assert max(flown.tilt[20:].max() for flown in flights) < 0.03  # 1.7 deg after two seconds
    for first in (0, 3):
        early = np.mean([flown.nees(first, 0.5) for flown in flights], axis=0)
        assert early[:20].mean() < 4.5
        assert early[:95].mean() < 4.0


def test_what_was_gained_since_a_stamp_turns_with_a_correction_of_the_attitude() -> None:
    """Pushed along z by 2 g for 0.3 s, then found to lean by 0.2 rad: for the past, too, the push was a leaning one."""
    navigation = sky.navigation_of(sky.FLIGHTS["plane"](), sky.specs(LATE))
    settings, memory = np.array([navigation.settings["filter"]])[0], np.zeros(1, dtype=sky.FILTER_MEMORY)[0]
    imu = np.zeros(1, dtype=sky.FILTER_READINGS["imu"])[0]
    force, lag, lean = 2.0 * sky.GRAVITY, 0.15, 0.2
    forget(memory)
    memory["accel"][2] = imu["accel"][2] = force
    for tick in range(1, 31):
        imu["stamp"] = 0.01 * tick
        predict_state(settings, imu, memory)
    memory["nominal"]["orientation"][:2] = np.cos(0.5 * lean), np.sin(0.5 * lean)  # about world x
    assert look_back(settings, 0.3 - lag, memory)
    push = force * np.array([0.0, -np.sin(lean), np.cos(lean)])
    acceleration = push - sky.UP
    np.testing.assert_allclose(memory["past"]["push"], lag * push, atol=1e-12)
    np.testing.assert_allclose(memory["past"]["gained"], lag * acceleration, atol=1e-12)
    np.testing.assert_allclose(memory["past"]["moved"], 0.5 * lag**2 * acceleration, atol=0.01**2 * force / 8.0)


def test_what_the_imu_does_between_its_readings_is_doubted() -> None:
    """By c^2 dt^2 / 24 of an accelerometer, / 80 of a gyro, c by which a reading leaves the line through the two before.

    Held against a random walk and its integral, seen at the ends and in the middle of 200 steps.
    """
    walk = np.cumsum(np.random.default_rng(4).standard_normal((20_000, 201)), axis=1)
    turn = np.cumsum(walk, axis=1)
    for signal, share in ((walk, 24.0), (turn, 80.0)):
        missed = 0.01 * (signal[:, 101:200].sum(axis=1) + 0.5 * signal[:, 100] + 0.5 * signal[:, 200])
        missed -= 0.5 * (signal[:, 100] + signal[:, 200])
        bent = signal[:, 0] - 2.0 * signal[:, 100] + signal[:, 200]
        assert missed.var() == pytest.approx((bent**2).mean() / share, rel=0.06)  # 4 sqrt(2 / 20000) twice, 1 % of 100 steps
    navigation = sky.navigation_of(sky.FLIGHTS["plane"](), sky.specs())
    settings = np.array([navigation.settings["filter"]])[0]
    gains = sky.FixedWing(sensor="state").gains.view(sky.FixedWing.gain_layout)[0]
    half_turn = np.sqrt(0.5)
    covariances = []
    for bend in (0.0, 0.3):
        memory, imu = np.zeros(1, dtype=sky.FILTER_MEMORY)[0], np.zeros(1, dtype=sky.FILTER_READINGS["imu"])[0]
        forget(memory)
        memory["nominal"]["orientation"] = half_turn, 0.0, 0.0, half_turn  # x of the body toward y of the world
        for tick in range(5):
            imu["stamp"] = 0.01 * (tick + 1)
            imu["gyro"][0] = imu["accel"][0] = 0.1 * tick + bend * (tick == 4)  # a straight line but for the last reading
            predict_state(settings, imu, memory)
        memory["nominal"]["orientation"] = half_turn, 0.0, 0.0, half_turn
        memory["pending_push"] = 0.0
        predict_covariance(settings, gains, memory)
        covariances.append(memory["covariance"][:6, :6].copy())
    grown = covariances[1] - covariances[0]
    right = np.zeros((6, 6))
    right[1, 1], right[4, 4] = 0.3**2 * 0.01**2 / 80.0, 0.3**2 * 0.01**2 / 24.0
    np.testing.assert_allclose(grown, right, rtol=1e-6, atol=1e-15)


def test_calm_air_adds_no_noise_to_that_of_the_imu() -> None:
    """White readings: what is taken for motion between them, and the rest of their noise, are the sensor's own density."""
    navigation = sky.navigation_of(sky.FLIGHTS["multirotor"](), sky.specs())
    settings = np.array([navigation.settings["filter"]])[0]
    gains = sky.FixedWing(sensor="state").gains.view(sky.FixedWing.gain_layout)[0]
    memory, imu = np.zeros(1, dtype=sky.FILTER_MEMORY)[0], np.zeros(1, dtype=sky.FILTER_READINGS["imu"])[0]
    random, count = np.random.default_rng(6), 4000
    forget(memory)
    for tick in range(1, count + 1):
        imu["stamp"] = tick / sky.RATE
        imu["gyro"] = settings["gyro_density"] * np.sqrt(sky.RATE) * random.standard_normal(3)
        imu["accel"] = settings["accel_density"] * np.sqrt(sky.RATE) * random.standard_normal(3)
        predict_state(settings, imu, memory)
    seconds = count / sky.RATE
    turn, push = memory["pending_turn_variance"].mean(), memory["pending_push_variance"].mean()
    memory["pending_push"] = 0.0
    predict_covariance(settings, gains, memory)
    attitude, velocity = np.diag(memory["covariance"])[:3].mean(), np.diag(memory["covariance"])[3:6].mean()
    # squares of second differences vary by sqrt(2), neighbours share 2/3 and 1/6: 4 sqrt(2 (1 + 2 (4/9 + 1/36)) / 12000) = 0.07
    assert turn == pytest.approx(settings["gyro_density"] ** 2 * seconds * 6.0 / 80.0, rel=0.07)
    assert push == pytest.approx(settings["accel_density"] ** 2 * seconds * 6.0 / 24.0, rel=0.07)
    assert attitude == pytest.approx(settings["gyro_density"] ** 2 * seconds, rel=0.01)
    assert velocity == pytest.approx(settings["accel_density"] ** 2 * seconds, rel=0.02)


def test_the_dip_of_the_field_binds_the_tilt_about_magnetic_east() -> None:
    """GPS lost for 30 s, heading kept: the gyro alone lets both level axes drift alike, the dip stops one of the two.

    Rotation about the field itself stays unseen; its share in the tilt about north is the cosine of the dip.
    """
    flight = sky.FLIGHTS["multirotor"]()
    sensors = sky.specs()
    flown = sky.fly(flight, sky.readings_of(flight, sensors, 3, (60.0, 90.0)), sky.navigation_of(flight, sensors))
    north = sky.FIELD[:2] / np.linalg.norm(sky.FIELD[:2])
    east = np.array([north[1], -north[0]])
    position = flown.covariances[np.searchsorted(flown.time, 89.9)][6:8, 6:8]
    assert np.sqrt(north @ position @ north) < 2.0  # 6.8 m without the dip
    assert np.sqrt(east @ position @ east) > 3.0
    dip = np.arctan2(-sky.FIELD[2], np.linalg.norm(sky.FIELD[:2]))
    assert flown.memory["nominal"]["field_dip"][0] == pytest.approx(dip, abs=0.02)  # 4 of 0.003 rad of tilt and 0.004 of bias


@pytest.mark.parametrize("accel", [(-9.18, 1.0, 5.88), (2.4, -7.0, 8.2), (-0.3, -1.5, -8.9)])
def test_a_gust_at_the_start_is_not_taken_for_a_tilt(accel: tuple[float, float, float]) -> None:
    """First readings of planes in level flight, hit from behind, the side and above: nearly 1 g, 57, 40 and 170 degrees off."""
    navigation = sky.navigation_of(sky.FLIGHTS["plane"](), sky.specs())
    settings = np.array([navigation.settings["filter"]])[0]
    memory, measured = np.zeros(1, dtype=sky.FILTER_MEMORY)[0], np.zeros(1, dtype=sky.FILTER_READINGS)[0]
    measured["imu"]["accel"], measured["magnetometer"]["field"], measured["tube"]["airspeed"] = accel, sky.FIELD, 15.0
    forget(memory)
    align(settings, measured, memory)
    assert np.hypot(*memory["nominal"]["orientation"][1:3]) < 1e-9  # level
    assert np.sqrt(memory["covariance"][0, 0]) > 0.3  # and in doubt


def test_late_readings_belong_to_their_stamps(turning: sky.Flight) -> None:
    """At 18 m/s a fix of 0.2 s ago lies 3.6 m back; taken for one of now, it would be an error of that size."""
    sensors = sky.specs({**LATE, "gps": {**LATE["gps"], **WITHOUT_WANDER["gps"]}})
    flown = sky.fly(turning, sky.readings_of(turning, sensors, 3), sky.navigation_of(turning, sensors))
    assert flown.off[100:].max() < 0.5
    assert np.linalg.norm(flown.errors[100:, 3:6], axis=1).max() < 0.25


def test_a_reading_that_repeats_its_value_is_used() -> None:
    """An accelerometer 0.03 m/s^2 off, a barometer that always reads the same, no GPS after 5 s: unused, 1350 m after 300 s."""
    sensors = sky.specs({name: {"errors": 0.0} for name in sky.SENSORS})
    n = 30_000
    nothing, force, place = np.zeros((n, 3)), np.tile([0.0, 0.0, sky.GRAVITY], (n, 1)), np.tile([0.0, 0.0, 50.0], (n, 1))
    attitude = np.tile(np.eye(3), (n, 1, 1))
    rest = sky.Flight(np.arange(n) / sky.RATE, attitude, nothing, force, nothing, place, np.zeros(n), tube=False)
    exact = {name: {key: value for key, value in raw.items() if not isinstance(value, dict)} for name, raw in sky.SENSORS.items()}
    seen = sky.readings_of(rest, {name: sky.KINDS[raw["kind"]].spec(**raw) for name, raw in exact.items()}, 0, (5.0, 1e9))
    seen["imu"]["accel"][:, 2] += 0.03
    assert np.ptp(seen["barometer"]["pressure"]) == 0.0
    flown = sky.fly(rest, seen, sky.navigation_of(rest, sensors), every=100)
    assert abs(flown.errors[-1, 8]) < 0.3


def test_a_wrong_fix_is_rejected_and_a_lasting_one_believed(turning: sky.Flight) -> None:
    """100 m aside for 2 s: nothing moves. For good: after five seconds of doubt the position follows, and the tilt does not."""
    sensors = sky.specs()
    navigation = sky.navigation_of(turning, sensors)
    plain = sky.fly(turning, sky.readings_of(turning, sensors, 1), navigation)
    for until, ends in ((52.0, 0.0), (1e9, 100.0)):
        seen = sky.readings_of(turning, sensors, 1)
        aside = (turning.time >= 50.0) & (turning.time < until)
        seen["gps"]["position"][aside, 0] += 100.0
        flown = sky.fly(turning, seen, navigation)
        moved = plain.errors[:, 6] - flown.errors[:, 6]
        assert np.abs(moved[(flown.time > 50.0) & (flown.time < 54.0)]).max() < 1.0
        assert moved[-1] == pytest.approx(ends, abs=1.0)
        assert flown.tilt[500:].max() < plain.tilt[500:].max() + 0.005


@pytest.mark.parametrize("lost", [None, (20.0, 90.0)])
def test_the_covariance_stays_symmetric_and_positive(turning: sky.Flight, lost: tuple[float, float] | None) -> None:
    """Symmetric to the bit; eigenvalues of the correlation matrix above rounding."""
    sensors = sky.specs()
    flown = sky.fly(turning, sky.readings_of(turning, sensors, 0, lost), sky.navigation_of(turning, sensors))
    covariance = flown.memory["covariance"]
    assert (covariance == covariance.T).all()
    scale = 1.0 / np.sqrt(np.diag(covariance))
    assert np.linalg.eigvalsh(covariance * scale[:, None] * scale).min() > 1e-9


def test_noise_comes_from_the_sensors_of_the_twin() -> None:
    names = {"imu": "imu", "gps": "gps", "magnetometer": "magnetometer", "barometer": "barometer", "airspeed": "tube"}
    fix = {"velocity": {"noise": 0.3, "resolution": 0.1}, "position": sky.SENSORS["gps"]["position"]}
    changes: Any = {"imu": {"gyro": {"noise": 0.02}}, "gps": fix, "tube": {"errors": 0.0}}
    noise = sensor_noise(Robot((), (), (), sensors=sky.specs(changes)), names, 101_325.0, 288.15)
    assert noise["gyro_density"] == pytest.approx(np.hypot(0.02 / np.sqrt(100.0), 1e-4))  # 2e-3 rad/s/sqrt(Hz), and the floor
    assert noise["gps_velocity"] == pytest.approx(np.sqrt(0.3**2 + 0.1**2 / 12.0 + 0.02**2))
    assert noise["height"] == pytest.approx(np.hypot(2.0 / 12.013, 0.05), rel=1e-3)  # rho g = 1.225 kg/m^3 9.80665 m/s^2
    assert noise["gps_bias"] == (0.5, 0.0, 100.0)
    assert noise["airspeed"] == pytest.approx(0.05)  # switched off: the floor
