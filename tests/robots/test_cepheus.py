"""The space robot: its missions meet what their scenarios expect; momentum stays; faults end in a safe state with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import didymos
from didymos.control import capture_stages as st
from didymos.describe.twin import Twin
from didymos.engine.intervention import Intervention
from didymos.record.log import Log


@pytest.fixture(scope="module")
def cepheus() -> Twin:
    return didymos.load("cepheus")


def run(twin: Twin, scenario: str, seed: int = 0, seconds: float | None = None) -> Log:
    simulation = twin.simulate(seed=seed, scenario=scenario)
    log = simulation.run(seconds)
    missed = [verdict for verdict in simulation.judge(log) if verdict.ok is False]
    assert not missed
    return log


def test_free_space_needs_the_torques_of_the_reference_run(cepheus: Twin) -> None:
    """An independent simulation of 0.2 m in 50 s found 3.5e-4, 2.6e-4 and 1.1e-4 N m at base, shoulder and elbow."""
    log = run(cepheus, "free_space")
    for drive, torque in (("wheel", 3.5e-4), ("shoulder", 2.6e-4), ("elbow", 1.1e-4)):
        assert np.abs(log[f"inputs.{drive}"].values).max() == pytest.approx(torque, rel=0.05)


def test_contact_is_held(cepheus: Twin) -> None:
    log = run(cepheus, "contact")
    given = 10.0 * log["joints.target_y.velocity"].values[-1]  # N s: what the target took from the robot
    assert given == pytest.approx(0.03 * log["control.touching"].values[-1], rel=0.1)


def test_momentum_stays_over_a_whole_mission(cepheus: Twin) -> None:
    """1e-9 of what robot and target exchange, and of what the wheel stores; all began at rest."""
    log = run(cepheus, "momentum", seed=2)
    given = 10.0 * np.hypot(log["joints.target_x.velocity"].values, log["joints.target_y.velocity"].values).max()
    stored = 0.001973 * np.abs(log["joints.wheel.velocity"].values).max()
    assert given > 0.1
    assert stored > 0.05
    for axis in ("linear.x", "linear.y"):
        assert np.abs(log[f"momentum.{axis}"].values).max() < 1e-9 * given
    assert np.abs(log["momentum.angular.z"].values).max() < 1e-9 * stored
    assert set(log["control.stage"].values) == {st.WAITING, *range(st.APPROACH, st.ABORTED)}


@pytest.mark.parametrize("scenario", ["capture", "drifting_target"])
def test_the_target_is_caught_with_real_drives_and_sensors(cepheus: Twin, scenario: str) -> None:
    log = run(cepheus, scenario, seed=1)
    assert set(log["control.stage"].values) == {st.WAITING, *range(st.APPROACH, st.ABORTED)}
    assert np.abs(log["parts.gripper.distance"].values[-100:]).max() < 1e-3


@pytest.mark.parametrize("scenario", ["wheel_saturates", "drive_trips", "mocap_lost", "out_of_reach", "abort"])
def test_faults_end_in_a_safe_state(cepheus: Twin, scenario: str) -> None:
    log = run(cepheus, scenario)
    assert log["control.stage"].values[-1] == st.ABORTED
    for joint in ("base_yaw", "shoulder", "wrist"):
        assert abs(log[f"joints.{joint}.velocity"].values[-1]) < 0.01


@pytest.mark.parametrize("stage", range(st.APPROACH, st.DONE))
def test_the_operator_can_abort_from_every_stage(cepheus: Twin, stage: int) -> None:
    """What moves at that moment comes to rest; a target that is held stays held, one that is not is let go."""
    simulation = cepheus.simulate(seed=1, scenario="capture")
    log = simulation.run(42.0)
    began = log["control.stage"].time[np.flatnonzero(log["control.stage"].values == stage)[0]]
    simulation.reset()
    deed = Intervention(round((began + 0.3) / simulation.period), "steer", "setpoints.abort", (1.0,))
    log = simulation.run(began + 12.0, interventions=[deed])
    assert [(what, word) for _, what, word in simulation.events(log)][-2:] == [("reason", "the operator"), ("stage", "aborted")]
    held = stage >= st.HOLD
    assert bool(log["parts.gripper.stage"].values[-1] == 2.0) is held
    rest = 0.005 if held else 0.002
    for joint in ("base_yaw", "shoulder", "elbow", "wrist"):
        assert abs(log[f"joints.{joint}.velocity"].values[-1]) < rest


def test_lost_motion_capture_is_noticed_in_time(cepheus: Twin) -> None:
    simulation = cepheus.simulate(seed=1, scenario="mocap_lost")
    log = simulation.run()
    ((when, _, why),) = [event for event in simulation.events(log) if event[1] == "reason"]
    assert why == "motion capture is lost"
    assert 10.15 <= when <= 10.25  # 0.2 s after the last reading, which came 10 ms late and may have been lost


def test_encoders_that_begin_anywhere_are_set_before_the_arm_unfolds(cepheus: Twin) -> None:
    log = run(cepheus, "homing", seed=2)
    wrong = log["encoders.elbow.position"].values[0] - (-0.9542)
    assert abs(wrong) > 0.05
    assert st.UNFOLD in log["control.stage"].values


def test_the_fallback_approaches_without_a_model(cepheus: Twin) -> None:
    run(cepheus, "pd")


@pytest.mark.parametrize(
    ("variant", "scenario"),
    [
        ("hardware", "drive_trips"), ("thesis", "drifting_target"), ("gazebo", "capture"), ("matlab", "capture"),
        ("pelekoudas", "capture"), ("alex", "capture"), ("paper", "free_space"), ("base_torque", "capture"),
        ("gazebo+base_torque", "contact"),
    ],
)  # fmt: skip
def test_every_parameter_set_flies(variant: str, scenario: str) -> None:
    run(didymos.load("cepheus", variant=variant), scenario, seed=1)


def test_a_plain_torque_on_the_base_comes_from_outside(cepheus: Twin) -> None:
    """With the wheel the angular momentum stays, with the original's torque it does not."""
    log = run(didymos.load("cepheus", variant="base_torque"), "free_space")
    assert np.abs(log["joints.wheel.velocity"].values).max() < 1e-3
    assert np.abs(log["momentum.angular.z"].values).max() > 1e-4
    assert np.abs(run(cepheus, "free_space")["momentum.angular.z"].values).max() < 1e-11


def test_a_saved_mission_goes_on_to_the_bit(cepheus: Twin) -> None:
    simulation = cepheus.simulate(seed=3, scenario="drifting_target")
    simulation.run(16.0)
    state = simulation.save()
    first = simulation.run(4.0).sha256
    simulation.restore(state)
    assert simulation.run(4.0).sha256 == first


def test_thrusters_bring_the_base_back_and_use_gas(cepheus: Twin) -> None:
    twin = cepheus.copy()
    twin.set("control.gains.thrust.kp", 10.0)
    twin.set("control.gains.thrust.kd", 30.0)
    twin.set("control.gains.thrust.full", 0.3)
    drifted = cepheus.simulate(scenario="free_space").run(50.0)
    steered = twin.simulate(scenario="free_space").run(50.0)
    y = "joints.base_y.position"
    assert abs(drifted[y].values[-1]) > 0.02
    assert abs(steered[y].values[-1]) < 0.5 * abs(drifted[y].values[-1])
    used = sum(0.05 - steered[f"parts.thruster_{name}.gas"].values[-1] for name in "abc")
    impulse = sum(np.abs(steered[f"parts.thruster_{name}.force"].values).sum() * 0.01 for name in "abc")
    assert used == pytest.approx(impulse / 400.0, rel=0.02)
