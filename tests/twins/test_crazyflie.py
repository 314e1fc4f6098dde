"""The Crazyflie: it flies its scenarios, plain physics under its own program, and predicts real flights from their commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos import Twin
from didymos.fitting import read_recordings, validate

TRIMMED = np.array([0.80, 0.88, 0.86, 0.84])  # commands of rotors 1 to 4 that hold a robot whose weight is not in the middle
FLIGHT = "B3_figure8_medium_rep1.csv"
GOALS = {"position": (1.2, 0.0029), "velocity": (7.8, 0.056), "attitude": (3.4, 0.027), "rate": (17.5, 0.34)}
"""Sum of errors over 50 samples, and error after 0.1 s."""


@pytest.fixture(scope="module")
def twin() -> Twin:
    return didymos.load("crazyflie")


@pytest.mark.parametrize("scenario", ["hover", "circle", "figure8", "climb", "draught"])
def test_it_flies_its_scenarios(twin: Twin, scenario: str) -> None:
    simulation = twin.simulate(scenario=scenario, seed=3)
    log = simulation.run()
    verdicts = simulation.judge(log)
    assert verdicts
    assert all(verdict.ok for verdict in verdicts), verdicts
    for axis in "xyz":
        assert not log[f"parts.balance.torque.{axis}"].values.any()  # disturbances are those of recordings alone


def test_what_balances_recordings_has_the_rotors_of_the_twin(twin: Twin) -> None:
    rotor, balance = twin.file.parts["motor1"], twin.file.parts["balance"]
    shared = (
        "thrust_coefficient", "torque_coefficient", "speed_per_input", "speed_at_zero", "rated_voltage", "voltage_exponent",
    )  # fmt: skip
    assert {name: getattr(balance, name) for name in shared} == {name: getattr(rotor, name) for name in shared}
    for rotor_of, sides in zip(twin.simulate().robot.rotors, ((1, -1), (-1, -1), (-1, 1), (1, 1)), strict=True):
        np.testing.assert_allclose(rotor_of.position[:2], np.array(sides) * [balance.arm_x, balance.arm_y], atol=1e-9)


def _standing(file: Path, voltage: float, commands: np.ndarray) -> str:
    """A recording of a robot that stands still in the air, 1 m above the ground, level as its markers see it."""
    count = 120
    names = ["t", "px", "py", "pz", "vx", "vy", "vz", "qx", "qy", "qz", "qw"]
    names += [*(f"imu_gyro_{a}" for a in "xyz"), *(f"motor_motor_m{i}" for i in range(1, 5)), "pwr_pm_vbat"]
    pose = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    rows = [[0.01 * i, *pose, 0.0, 0.0, 0.0, *(65535 * commands), voltage] for i in range(count)]
    table = np.array(rows)
    table[:, 1:4] += 1e-5 * np.sin(np.arange(count))[:, None]  # no sensor hangs
    np.savetxt(file, table, delimiter=",", header=",".join(names), comments="")
    return str(file)


def test_a_robot_that_uneven_commands_hold_stays_level(twin: Twin, tmp_path: Path) -> None:
    """Against a disturbance that nobody recorded; without the balance such commands would turn it by radians within 0.5 s."""
    recordings = read_recordings(twin, [_standing(tmp_path / "held.csv", 3.5, TRIMMED)])
    held = validate(twin, recordings, window=0.5).windows["attitude"].errors
    assert held.max() < 0.01
    told = {target: table for target, table in recordings[0].fed.items() if "balance" not in target}
    loose = validate(twin, [replace(recordings[0], fed=told)], window=0.5).windows["attitude"].errors
    assert loose[-1] > 0.5


def _speed_in_hover(twin: Twin) -> float:
    """[rad/s] at which the rotors bear the weight in air as dense as the bench's, as the twin's is on the ground."""
    rotor = twin.file.parts["motor1"]
    return float(np.sqrt(twin.summary().mass * twin.file.world.gravity / 4 / rotor.thrust_coefficient))


def test_the_voltage_that_was_recorded_lifts(twin: Twin, tmp_path: Path) -> None:
    """From a robot that hovers at 3.5 V: a tenth of the voltage more or less moves the speed, and thrust is its square."""
    rotor, speed = twin.file.parts["motor1"], _speed_in_hover(twin)
    hover = (speed - rotor.speed_at_zero) / rotor.speed_per_input
    climbed = []
    for voltage in (3.15, 3.5, 3.85):
        recording = read_recordings(twin, [_standing(tmp_path / f"at_{100 * voltage:.0f}.csv", voltage, np.full(4, hover))])
        climbed.append(validate(twin, recording, window=0.5).windows_as_filed["position"].errors[-1])
    aside = climbed[1]  # what is left in hover: the twin file has the markers askew by a mean that this robot has not
    tilt = np.linalg.norm(twin.file.recordings.columns["attitude"].alignment)
    assert aside == pytest.approx(twin.file.world.gravity * tilt * 0.5**2 / 2, rel=0.1)  # less drag: 0.4 /s of 0.5 s, by 3
    for voltage, moved in ((3.15, climbed[0]), (3.85, climbed[2])):
        there = rotor.speed_per_input * hover * (voltage / 3.5) ** rotor.voltage_exponent + rotor.speed_at_zero
        expected = abs((there / speed) ** 2 - 1.0) * twin.file.world.gravity * 0.5**2 / 2
        assert np.sqrt(moved**2 - aside**2) == pytest.approx(expected, rel=0.1)  # drag along the axis: 0.3 T v / v_h, 2 % of T


def test_the_thrust_that_a_flight_has_for_itself_is_found(twin: Twin, tmp_path: Path) -> None:
    """A robot that hovers at less than the twin's input has the speed per input that bears its weight."""
    command = 0.82
    found = validate(twin, read_recordings(twin, [_standing(tmp_path / "a.csv", 3.5, np.full(4, command))]), window=0.5)
    (own,) = found.own.values()
    bears = (_speed_in_hover(twin) - twin.file.parts["motor1"].speed_at_zero) / command
    assert own["parts.motor*.speed_per_input"] == pytest.approx(bears, rel=1e-3)
    assert found.windows["position"].errors[-1] < 0.1 * found.windows_as_filed["position"].errors[-1]


def test_a_real_flight_is_predicted_well_within_the_goals(shared_data: Path, twin: Twin) -> None:
    """Half a second from the measured state, by the recorded PWM: sums over 50 samples, and the error after 0.1 s."""
    recordings = read_recordings(twin, [str(shared_data / "crazyflie" / FLIGHT)])
    windows = validate(twin, recordings, window=0.5).windows
    for name, (total, short) in GOALS.items():
        facts = windows[name].facts()
        assert facts["sum"] < 0.6 * total, name
        assert facts["h10"] < 0.75 * short, name


def test_samples_that_were_drawn_and_not_measured_are_left_out(shared_data: Path, twin: Twin) -> None:
    """From 31.2 s on, all that the robot told of itself is a line: no window may touch it."""
    recording = read_recordings(twin, [str(shared_data / "crazyflie" / "B2_circle_medium_rep3.csv")])[0]
    assert any("lie on a line drawn over missing ones" in text for text in recording.findings)
    begin, end = recording.masked[-1]
    assert begin < 31.3
    assert end > 42.0
