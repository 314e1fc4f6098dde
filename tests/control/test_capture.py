"""The capture program without a simulator: what it watches for, and what it does when it stops."""

from __future__ import annotations

import numpy as np
import pytest

import didymos
from didymos.control import capture_layout as at
from didymos.control import capture_stages as st
from didymos.control.capture import Capture
from didymos.control.capture_act import _brake, _fallback
from didymos.control.capture_observe import fault, feel, has_seen, observe, wake, whereabouts


@pytest.fixture(scope="module")
def settings() -> np.ndarray:
    program = didymos.load("cepheus").make_program()
    assert isinstance(program, Capture)
    return program.settings


def gains(**changed: float) -> np.ndarray:
    found = np.array([gain.value for gain in Capture.gain_table])
    for name, value in changed.items():
        found[Capture.gain_places[getattr(Capture, name)]] = value
    return found


def at_rest(settings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Readings of the robot in its starting posture and a memory that has seen them."""
    measured, m = np.zeros(at.READINGS), np.zeros(at.MEMORY)
    measured[[2, 6, 10]] = 1.0
    measured[at.READ_POSES + 8], measured[at.READ_POSES + 9] = 0.45, 0.2  # the port, within reach
    measured[at.READ_JOINTS : at.READ_JOINTS + 3] = settings[at.S_POSTURE : at.S_POSTURE + 3]
    wake(measured, gains(), settings, m)
    m[at.STAGE] = st.APPROACH
    return measured, m


def test_the_table_of_gains_is_that_of_the_class() -> None:
    assert len(Capture.gain_table) == at.GAINS
    places = {
        at.G_PATH: "path.seconds", at.G_BRAKE: "joints.brake", at.G_TRAVEL: "watch.travel", at.G_THRUST: "thrust.full",
        at.G_UNFOLD: "unfold.seconds", at.G_PD: "pd.use", at.G_PD_TURN_DAMPING: "pd.turn_damping",
    }  # fmt: skip
    assert {place: Capture.gain_table[place].path for place in places} == places


def test_nothing_forbids_to_go_on_at_rest(settings: np.ndarray) -> None:
    measured, m = at_rest(settings)
    assert fault(measured, 0.0, gains(), settings, m) == st.FINE


@pytest.mark.parametrize("joint", [0, 1, 2])
@pytest.mark.parametrize("end", [0, 1])
def test_a_joint_near_the_end_of_its_travel_stops_the_mission(settings: np.ndarray, joint: int, end: int) -> None:
    measured, m = at_rest(settings)
    limit, inward = settings[at.S_TRAVEL + 2 * joint + end], (1.0, -1.0)[end]
    m[at.TRACKS + 18 + 2 * joint] = limit + 0.019 * inward
    assert fault(measured, 0.0, gains(), settings, m) == st.TRAVEL
    m[at.TRACKS + 18 + 2 * joint] = limit + 0.021 * inward
    assert fault(measured, 0.0, gains(), settings, m) != st.TRAVEL
    m[at.STAGE] = st.UNFOLD  # the encoders' posture lies at the ends
    assert fault(measured, 0.0, gains(), settings, m) != st.TRAVEL


def test_encoders_are_set_in_the_known_posture(settings: np.ndarray) -> None:
    measured, m = np.zeros(at.READINGS), np.zeros(at.MEMORY)
    measured[at.READ_JOINTS : at.READ_JOINTS + 3] = 12.5, -3.0, 0.25  # counts begin anywhere
    wake(measured, gains(homed=1.0), settings, m)
    assert [whereabouts(m, 3, i) for i in range(3)] == pytest.approx([1.84447, -0.9542, -0.2856])
    measured[at.READ_JOINTS] += 0.1
    measured[at.READ_STAMPS + 3] = 0.01
    observe(measured, gains(homed=1.0, track_joints=200.0), 0.01, 0.01, m)
    assert m[at.TRACKS + 18] == pytest.approx(1.84447 + 0.1 * (1.0 - np.exp(-4.0)))


def test_the_program_waits_for_its_first_poses(settings: np.ndarray) -> None:
    measured, _ = at_rest(settings)
    assert has_seen(measured)
    measured[10] = 0.0
    assert not has_seen(measured)


def test_a_late_reading_is_carried_to_the_present(settings: np.ndarray) -> None:
    """A base that moves at 0.3 m/s, seen 20 ms late: the track follows the readings, the whereabouts the base."""
    measured, m = at_rest(settings)
    for k in range(1, 400):
        measured[0], measured[at.READ_STAMPS] = 0.3 * (0.01 * k - 0.02), 0.01 * k - 0.02
        observe(measured, gains(), 0.01 * k, 0.01, m)
    assert whereabouts(m, 0, 0) == pytest.approx(0.3 * 3.99, abs=1e-9)


def test_the_oldest_pose_tells_that_motion_capture_is_lost(settings: np.ndarray) -> None:
    measured, m = at_rest(settings)
    measured[at.READ_STAMPS : at.READ_STAMPS + 4] = 5.0, 5.0, 4.79, 5.0
    observe(measured, gains(), 5.0, 0.01, m)
    assert fault(measured, 0.0, gains(), settings, m) == st.MOCAP
    measured[at.READ_STAMPS + 2] = 4.81
    observe(measured, gains(), 5.0, 0.01, m)
    assert fault(measured, 0.0, gains(), settings, m) == st.FINE


def test_the_zero_of_the_force_follows_until_the_arm_reaches_out() -> None:
    m = np.zeros(at.MEMORY)
    m[at.STAGE] = st.APPROACH
    for k in range(3000):
        feel(0.05 + 0.001 * k * 0.01, gains(), 0.01, m)  # a sensor that creeps by 1 mN a second
    assert m[at.FORCE] == pytest.approx(0.001 * 2.0, rel=0.01)  # it is 2 s late
    m[at.STAGE] = st.CONTACT
    zero = m[at.TARE]
    for _ in range(500):
        feel(zero + 0.1, gains(), 0.01, m)
    assert m[at.FORCE] == pytest.approx(0.1)


def test_the_brake_takes_energy_and_is_stable_when_it_is_held_for_a_period() -> None:
    random = np.random.default_rng(3)
    for _ in range(50):
        root = random.normal(size=(6, 6))
        h = root @ root.T + 1e-3 * np.eye(6)
        damping = np.zeros((6, 6))
        for i in range(4):
            zd, tau = np.zeros(6), np.zeros(4)
            zd[2 + i] = 1.0
            _brake(10.0, h, zd, tau)
            damping[2 + i, 2 + i] = -tau[i]
        assert (np.diag(damping)[2:] > 0.0).all()
        decay = np.linalg.eigvals(np.eye(6) - 0.01 * np.linalg.solve(h, damping))
        assert np.abs(decay).max() < 1.0 + 1e-9


def test_the_fallback_pulls_the_end_effector_along_its_error() -> None:
    """Power of the joints' torques is that of the force: J^T makes no other."""
    m, random = np.zeros(at.MEMORY), np.random.default_rng(1)
    m[at.TRACKS + 10] = 0.7  # angle of the end effector
    je = random.normal(size=(3, 6))
    e, v, tau = np.array([0.02, -0.01, 0.03]), np.zeros(3), np.zeros(4)
    _fallback(m, gains(pd_cross=0.0), e, v, je, 0.0, tau)
    cos, sin = np.cos(0.7), np.sin(0.7)
    world = np.array([cos * e[0] - sin * e[1], sin * e[0] + cos * e[1], e[2]])
    force = -np.array([2.0, 2.5, 1.5]) * world
    np.testing.assert_allclose(tau[1:], je[:, 3:].T @ force, rtol=1e-12)
