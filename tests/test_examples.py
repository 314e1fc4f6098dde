"""Every example runs, and what it shows is true."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("[0-9]*.py"))
Run = Callable[..., Any]

MASS, EXTRA, GRAVITY = 1.0128, 0.1, 9.81  # [kg], [kg], [m/s^2]
FULL_THRUST = 4 * 0.5 * 1.225 * 0.017 * 0.17 * 80.0**2  # [N] of all engines in still air at sea level
HEIGHT_KP = 0.3  # [1/m]


def hover_input(mass: float) -> float:
    """Input at which the thrust carries a mass [kg]."""
    return math.sqrt(mass * GRAVITY / FULL_THRUST)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the `main` of the example with a number, with its files in an empty folder."""

    def start(number: int, *arguments: Any) -> Any:
        (file,) = [file for file in EXAMPLES if file.name.startswith(f"{number:02d}_")]
        return runpy.run_path(str(file))["main"](tmp_path, *arguments)

    return start


def is_picture(file: Path) -> bool:
    return file.read_bytes().startswith(b"\x89PNG") and file.stat().st_size > 5000


def test_the_examples_are_numbered_from_one_and_say_what_they_show() -> None:
    assert [int(file.name[:2]) for file in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
    for file in EXAMPLES:
        text = file.read_text(encoding="utf-8")
        assert text.startswith('"""')
        assert f"python examples/{file.name} [FOLDER]" in text
        assert file.name.removesuffix(".py") in (file.parents[1] / "docs" / "README.md").read_text(encoding="utf-8")


def test_01_the_hover_meets_all_expectations(run: Run, tmp_path: Path) -> None:
    assert run(1) is True
    assert is_picture(tmp_path / "hover.png")


def test_02_the_heavier_one_hangs_lower_by_what_the_gain_says(run: Run, tmp_path: Path) -> None:
    error = run(2).signals["truth.position.z"].error[-1]
    sag = (hover_input(MASS + EXTRA) - hover_input(MASS)) / HEIGHT_KP
    assert error == pytest.approx(-sag, rel=0.02)  # the air at 10 m is 0.1 % thinner, and the wind takes a little thrust
    assert is_picture(tmp_path / "heavier.png")


def test_03_the_position_is_held_where_the_twins_own_program_drifts(run: Run) -> None:
    ends = run(3, 12.0)
    assert ends["drifts"] > 3.0
    assert abs(ends["holds"]) < 0.1


def test_04_the_integral_removes_the_error_of_a_wrong_feed_forward(run: Run) -> None:
    without = (hover_input(MASS) - 0.4) / HEIGHT_KP
    assert without > 0.2
    assert abs(run(4)) < 1e-3


def test_05_each_seed_has_its_own_bias_and_the_same_bytes_alone(run: Run) -> None:
    heights, digests = run(5, 6)
    assert len(set(digests)) == 6
    assert 0.005 < np.std(heights) < 0.04  # six draws with a deviation of 0.02 m: inside with probability 0.995
    twin = didymos.load("quadcopter")
    twin.set("sensors.state.position.noise", 0.05)
    twin.set("sensors.state.position.bias", 0.02)
    assert twin.simulate(seed=4, scenario="hover").run(12.0).sha256 == digests[4]


def test_06_the_pendulum_swings_with_its_known_period(run: Run) -> None:
    measured, expected = run(6)
    assert measured == pytest.approx(expected * (1 + 0.02**2 / 16), rel=5e-6)  # period at an amplitude of 0.02 rad


def test_07_what_is_read_is_what_was_recorded(run: Run, tmp_path: Path) -> None:
    recorded, log = run(7)
    assert log.sha256 == recorded.sha256
    assert len(log["imu.gyro.x"].time) == 14 * 100
    assert len(log["tf.propeller1.position.x"].time) == 14 * 25
    table = didymos.Log.load(tmp_path / "steps.csv")
    assert np.array_equal(table["state.position.z"].values, log["state.position.z"].values)


def test_08_the_mass_of_the_recording_has_the_smallest_error(run: Run) -> None:
    errors = run(8)
    assert min(errors, key=errors.__getitem__) == 0.65
    assert errors[0.65] < 1e-9
    assert errors[0.70] > 0.02


def test_09_more_wind_drifts_further_and_a_branch_repeats_to_the_bit(run: Run) -> None:
    drift, again = run(9)
    assert again is True
    assert 0 > drift[1.0] > drift[5.0] > drift[10.0]
    assert 3.0 < drift[10.0] / drift[5.0] < 4.0  # drag grows with the square of the wind, less where the body moves along


def test_10_a_process_of_its_own_holds_the_height(run: Run) -> None:
    assert abs(run(10)) < 0.02


def test_11_the_tool_gives_way_as_its_stiffness_says(run: Run, tmp_path: Path) -> None:
    gave_way, expected = run(11)
    assert gave_way == pytest.approx(expected, rel=1e-4)  # what is left of the swing after 2.5 s: exp(-2.5 * 10) and less
    assert is_picture(tmp_path / "pushed.png")


def test_12_joints_follow_their_way_points_and_the_tool_reaches_its_pose(run: Run) -> None:
    errors, tool = run(12)
    assert max(errors.values()) < 5e-3  # rad, asked of arms in docs/arms.md
    assert tool == pytest.approx([0.4, 0.1, 0.35], abs=1e-3)


def test_13_the_designed_motion_tells_more_than_the_chirp_and_a_fit_to_it_finds_the_arm(run: Run, tmp_path: Path) -> None:
    designed, found = run(13)
    assert all(told.ratio < 1.0 for told in designed.parameters)
    for told, item in zip(designed.parameters, found.parameters, strict=True):
        assert abs(item.after - told.value) < 4.0 / 1.96 * told.half_width  # four standard deviations
    assert "designed:" in (tmp_path / "designed.yaml").read_text()


def test_14_the_lift_carries_the_parcel_and_the_ball_lands_where_galileo_says(run: Run, tmp_path: Path) -> None:
    slip, landings = run(14)
    assert abs(slip) < 1e-3  # what soft friction gives way at 1.5 m/s, see tests/engine/test_moving_objects.py
    time = (3.0 + math.sqrt(9.0 + 2.0 * 9.80665 * 0.95)) / 9.80665  # from 1 m to the radius, 3 m/s upward
    for speed, place in zip((2.0, 3.0, 4.0), landings, strict=True):
        assert place == pytest.approx(-3.0 + speed * time, abs=speed * 1e-3)  # the step of the integrator
    assert is_picture(tmp_path / "lift.png")


def test_15_the_phugoid_slows_down_with_airspeed(run: Run, tmp_path: Path) -> None:
    """Lanchester: its frequency falls as sqrt(2) g / V; drag and thrust take some of it away."""
    points = run(15).points
    phugoids = {point.trim.airspeed: mode.frequency for point in points for mode in point.modes if mode.name == "phugoid"}
    for speed, frequency in phugoids.items():
        assert frequency == pytest.approx(2.0**0.5 * 9.81 / speed, rel=0.05)
    assert list(phugoids) == [20.0, 25.0, 30.0]
    assert is_picture(tmp_path / "trim.png")


def test_17_a_resonance_of_gain_and_inertia_breaks_the_formula(run: Run, tmp_path: Path) -> None:
    """The unit swings where the frequency is that of its stiffness and inertia, 2 pi f = sqrt(kp / (2 pi J)), and kd is small."""
    found = run(17)
    assert found.found
    values = {**found.nominal, **found.smallest.values}
    own = math.sqrt(values["parts.drive.kp"] / (2.0 * math.pi * values["parts.drive.rotor_inertia"])) / (2.0 * math.pi)
    assert values["scenarios.shake.stimuli.0.frequency"] == pytest.approx(own, rel=0.2)  # the arm and damping take some away
    assert values["parts.drive.kd"] < 0.03
    assert is_picture(tmp_path / "counter_example.png")


def test_16_a_gain_on_the_error_beats_none(run: Run) -> None:
    without, best = run(16)
    assert best > without
