"""The mecanum base: three models of one robot, its real counterpart's square, and what its drives and program refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import didymos
from didymos import Log, Twin

R, LEVER = 0.1, 0.74  # [m], as the matrix of the source has them
FORWARD = R / 4 * np.array([[1, 1, 1, 1], [1, -1, 1, -1], np.array([1, -1, -1, 1]) / LEVER])
MOTIONS = {"forward": "velocity.x", "sideways": "velocity.y", "turn": "angular_velocity.z", "circle": "angular_velocity.z"}


@pytest.fixture(scope="module")
def fast() -> Twin:
    return didymos.load("omni_base")


@pytest.fixture(scope="module")
def square(fast: Twin) -> Log:
    return fast.simulate(scenario="square").run()


def _track(log: Log, stream: str, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """x and y of a stream at some times [m], shape [n, 2]."""
    prefix = "truth.position" if stream == "truth" else stream
    return np.column_stack([np.interp(times, log[f"{prefix}.{a}"].time, log[f"{prefix}.{a}"].values) for a in "xy"])


def _rms(distance: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(np.sum(distance**2, axis=1))))


def _recording(folder: Path) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Times, track by laser and track by odometry of the real base; the file has x right, y forward."""
    rows = np.genfromtxt(folder / "omni_base" / "square.csv", delimiter=",", names=True)
    laser, odometry = (np.column_stack([rows[f"REAL_{name}_y"], -rows[f"REAL_{name}_x"]]) for name in ("laser", "odom"))
    return rows["t_s"], laser, odometry


@pytest.mark.parametrize("speeds", [(1, 1, 1, 1), (1, 0, 1, 0), (1, -1, 1, -1), (1, -1, -1, 1), (-2, 1, 0, -3)])
def test_the_kinematic_model_lands_on_the_exact_path(speeds: tuple[float, ...]) -> None:
    twin = didymos.load("omni_base", variant="kinematic")
    simulation = twin.simulate(control=_Constant(speeds))
    log = simulation.run(10.0)
    vx, vy, wz = FORWARD @ np.array(speeds, dtype=float)
    t = log["truth.position.x"].time
    if wz == 0.0:
        x, y = vx * t, vy * t
    else:
        x = (vx * np.sin(wz * t) - vy * (1 - np.cos(wz * t))) / wz
        y = (vx * (1 - np.cos(wz * t)) + vy * np.sin(wz * t)) / wz
    assert np.abs(_track(log, "truth", t) - np.column_stack([x, y])).max() < 1e-9
    yaw = np.unwrap(2 * np.arctan2(log["truth.orientation.z"].values, log["truth.orientation.w"].values))
    assert np.abs(yaw - wz * t).max() < 1e-9
    for wheel, speed in enumerate(speeds, start=1):
        assert log[f"joints.drive_{wheel}.position"].values[-1] == pytest.approx(speed * t[-1], abs=1e-8)


class _Constant(didymos.Controller):
    """Sets the four wheel speeds [rad/s] once and for all."""

    rate = 100

    def __init__(self, speeds: tuple[float, ...]) -> None:
        self.speeds = speeds

    def update(self, t, measured, setpoints):  # type: ignore[no-untyped-def]
        return {f"drive_{i}": speed for i, speed in enumerate(self.speeds, start=1)}


@pytest.mark.parametrize("scenario", [*MOTIONS, "oblique"])
def test_one_contact_per_wheel_keeps_to_the_matrix_within_two_per_cent(fast: Twin, scenario: str) -> None:
    simulation = fast.simulate(scenario=scenario)
    verdicts = simulation.judge(simulation.run(6.0))
    assert verdicts
    assert all(verdict.ok for verdict in verdicts), verdicts


@pytest.mark.parametrize("scenario", ["sideways", "turn"])
def test_rolling_on_rollers_is_smooth_and_keeps_to_the_matrix_within_two_per_cent(scenario: str) -> None:
    simulation = didymos.load("omni_base", variant="rollers").simulate(scenario=scenario)
    log = simulation.run(3.5)
    assert all(verdict.ok for verdict in simulation.judge(log))
    height = log["truth.position.z"]
    assert np.ptp(height.values[height.time > 1.0]) < 2e-4  # [m]: the envelope itself is round to 0.6e-4


def test_the_twin_follows_the_real_square(square: Log, shared_data: Path) -> None:
    times, laser, _ = _recording(shared_data)
    distance = np.linalg.norm(_track(square, "truth", times) - laser, axis=1)
    assert np.sqrt(np.mean(distance**2)) < 0.006
    assert distance.max() < 0.013


def test_odometry_errs_as_the_real_one_does(square: Log, shared_data: Path) -> None:
    times, laser, real = _recording(shared_data)
    ours, theirs = _track(square, "control", times) - _track(square, "truth", times), real - laser
    assert 0.5 < _rms(ours) / _rms(theirs) < 1.5
    both = np.sum(ours * theirs) / np.sqrt(np.sum(ours**2) * np.sum(theirs**2))
    assert both > 0.8  # the same direction: it believes in more sideways and in less forward motion than there was


def test_the_slip_indicator_shows_wheels_that_fight(fast: Twin) -> None:
    rolling, fighting = (fast.simulate(scenario=name).run(4.0)["control.slip"].values[-100:] for name in ("forward", "circle"))
    assert np.abs(rolling).max() < 0.05
    assert fighting.mean() == pytest.approx(-2 + 1 - 0 + 3, abs=0.4)


def test_swapped_wheels_can_no_longer_hold_the_heading(fast: Twin) -> None:
    wrong = didymos.load("omni_base", variant="wrong_wheels")
    left = {}
    for twin in (fast, wrong):
        simulation = twin.simulate()
        simulation.run(0.5)
        simulation.data.qvel[5] = 0.5  # [rad/s]: a push
        simulation.run(0.1)
        left[twin] = simulation.data.qvel[5]
    assert abs(left[fast]) < 0.05  # a lever of 0.74 m stops it
    assert left[wrong] > 0.2  # one of 0.02 m does not
    sideways = wrong.simulate(scenario="sideways").run(4.0)
    assert sideways["truth.velocity.y"].values[-50:].mean() == pytest.approx(-0.1, rel=0.05)  # to the right instead


def test_changes_in_mid_run_act_at_once_are_recorded_and_repeat_to_the_byte(fast: Twin) -> None:
    runs = [fast.simulate(scenario="changes") for _ in range(2)]
    logs = [simulation.run(5.5) for simulation in runs]
    assert logs[0].sha256 == logs[1].sha256
    mass = logs[0]["parameters.links.base_link.mass"]
    assert (mass.values == np.where(mass.time >= 5.0 - 1e-9, 100.0, 60.0)).all()
    friction = logs[0]["parameters.world.ground.friction"]
    assert (friction.values == np.where(friction.time >= 3.0 - 1e-9, 0.1, 1.0)).all()
    model = runs[0].model
    carried = [name for name in runs[0].links.bodies["base_link"] if name != "base_link"]  # part of its body
    assert model.body("base_link").mass[0] == pytest.approx(100.0 + sum(fast.get(f"links.{name}.mass") for name in carried))
    assert model.pair("didymos_wheel_1_didymos_ground").friction[0] == pytest.approx(0.092)


def test_a_heavier_base_presses_its_wheels_down_from_the_next_tick(fast: Twin) -> None:
    twin = didymos.load("omni_base", variant="rough")
    simulation = twin.simulate()
    simulation.run(1.0)
    before = _load(simulation.run(0.1))
    simulation.set("links.base_link.mass", 100.0)
    log = simulation.run(1.0)
    assert before == pytest.approx(83.7 * 9.81, rel=0.02)
    assert _load(log) == pytest.approx(123.7 * 9.81, rel=0.02)


def _load(log: Log) -> float:
    """What the floor carries at the end [N]."""
    return float(sum(log[f"load_{i}.force.z"].values[-5:].mean() for i in range(1, 5)))


@pytest.mark.parametrize("scenario", ["refused", "silence", "pose"])
def test_drives_and_program_refuse_stop_and_arrive(fast: Twin, scenario: str) -> None:
    simulation = fast.simulate(scenario=scenario)
    verdicts = simulation.judge(simulation.run())
    assert verdicts
    assert all(verdict.ok for verdict in verdicts), verdicts


def test_it_stops_before_a_wall_that_the_lidars_see() -> None:
    simulation = didymos.load("omni_base", variant="walled").simulate(scenario="stop")
    log = simulation.run()
    assert all(verdict.ok for verdict in simulation.judge(log)), simulation.judge(log)
    assert log["control.room"].values[-1] == pytest.approx(0.3, abs=0.05)


def test_the_hinge_keeps_all_wheels_on_a_rough_floor() -> None:
    lightest = {}
    for variant in ("rough", "rough+rigid"):
        log = didymos.load("omni_base", variant=variant).simulate(scenario="rough").run(4.0)
        loads = np.array([log[f"load_{i}.force.z"].values for i in range(1, 5)])
        resting = log["load_1.force.z"].time > 1.0
        lightest[variant] = np.median(np.sort(loads[:, resting].min(axis=0))[:20])
    assert lightest["rough"] > lightest["rough+rigid"] + 20.0  # [N]
