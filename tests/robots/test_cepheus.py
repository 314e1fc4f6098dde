"""The space robot: its missions meet what their scenarios expect; momentum stays; faults end in a safe state with a reason."""

from __future__ import annotations

import numpy as np
import pytest

import didymos
from didymos.control.capture_stages import REASONS, STAGES
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


def test_contact_is_held_and_momentum_kept(cepheus: Twin) -> None:
    log = run(cepheus, "contact")
    given = 10.0 * log["joints.target_y.velocity"].values[-1]  # N s: what the target took from the robot
    assert given == pytest.approx(0.03 * 10.0, rel=0.1)
    for axis in ("linear.x", "linear.y", "angular.z"):
        assert np.abs(log[f"momentum.{axis}"].values).max() < 1e-9 * given


@pytest.mark.parametrize("scenario", ["capture", "drifting_target"])
def test_the_target_is_caught_with_real_drives_and_sensors(cepheus: Twin, scenario: str) -> None:
    log = run(cepheus, scenario, seed=1)
    assert set(log["control.stage"].values) == set(range(7))
    assert np.abs(log["parts.gripper.distance"].values[-100:]).max() < 1e-3


@pytest.mark.parametrize("scenario", ["wheel_saturates", "drive_trips", "out_of_reach"])
def test_faults_end_in_a_safe_state(cepheus: Twin, scenario: str) -> None:
    log = run(cepheus, scenario)
    assert STAGES[int(log["control.stage"].values[-1])] == "aborted"


def test_lost_motion_capture_is_noticed(cepheus: Twin) -> None:
    simulation = cepheus.simulate(seed=1, scenario="capture")
    lost = [Intervention(round(t / simulation.period), "set", "sensors.base.drop_out", (v,)) for t, v in ((10, 1.0), (10.5, 0.0))]
    log = simulation.run(16.0, interventions=lost)
    found = [(time, word) for time, what, word in simulation.events(log) if what == "reason"]
    assert [word for _, word in found] == [REASONS[4]]
    assert 10.15 <= found[0][0] <= 10.3  # a reading may have been lost just before
    assert np.abs(log["joints.base_yaw.velocity"].values[-1]) < 0.01


def test_the_operator_can_abort(cepheus: Twin) -> None:
    simulation = cepheus.simulate(scenario="free_space")
    log = simulation.run(3.0, interventions=[Intervention(100, "steer", "wanted.abort", (1.0,))])
    assert [word for _, what, word in simulation.events(log) if what == "reason"] == ["the operator"]


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
