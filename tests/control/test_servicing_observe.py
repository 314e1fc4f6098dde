"""What the servicing program knows of a tumbling client: exact where readings are, smooth where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from servicing_robot import OPTIONS, blank, gains

from didymos.control.servicing import Servicing
from didymos.control.servicing_observe import client_at, handle_at, is_seen, see
from didymos.control.tumbling import shape_of, tumble
from didymos.rotations import matrix_to_quaternion, quaternion_to_matrix, rotation_error, rpy_to_matrix

Array = NDArray[np.float64]
GRASP, TURN = np.array(OPTIONS["client"]["grasp_position"]), rpy_to_matrix(np.array(OPTIONS["client"]["grasp_orientation"]))


@pytest.fixture
def known() -> Any:
    record = blank(Servicing.setting_layout["client"])
    record["mass"], record["inertia"] = 80.0, OPTIONS["client"]["inertia"]
    record["grasp_position"], record["grasp_orientation"] = GRASP, matrix_to_quaternion(TURN)
    return record


class Client:
    """A client that drifts and tumbles, as it is."""

    def __init__(self, known: Any, seed: int) -> None:
        rng = np.random.default_rng(seed)
        attitude, rate = rng.normal(size=4), rng.normal(size=3)
        self.known, self.inertia = known, np.array(known["inertia"])
        self.attitude, self.rate = attitude / np.linalg.norm(attitude), 0.08 * rate / np.linalg.norm(rate)
        self.place, self.drift = rng.normal(size=3), 0.003 * rng.normal(size=3)

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Centre of mass, attitude, rate."""
        if time == 0.0:
            return self.place, self.attitude, self.rate
        q, w = tumble(shape_of(self.inertia), tuple(self.attitude), tuple(self.rate), time, 0.02)
        return self.place + time * self.drift, np.array(q), np.array(w)

    def seen(self, time: float, base: Array, turned: Array) -> tuple[Array, Array]:
        """Position and rotation of the handle from a base."""
        place, attitude, _ = self.at(time)
        body = quaternion_to_matrix(attitude)
        return turned.T @ (place + body @ GRASP - base), turned.T @ body @ TURN


def _look(client: Client, memory: Any, seconds: float, *, lag: float = 0.0, noise: Any = None, **changed: float) -> None:
    """Readings at 10 Hz, each `lag` old when it comes, from a base that flies and turns."""
    speed, rate = np.array([0.02, -0.01, 0.03]), np.array([0.02, 0.01, -0.03])  # of the base, its rate along its own axes
    target, q, v = blank(Servicing.measurement_layout["target"]), np.zeros(7), np.zeros(6)
    for k in range(int(seconds * 10)):
        stamp = 0.1 * k
        angle = np.linalg.norm(rate) * np.array([stamp, stamp + lag])
        poses = []
        for turned, time in zip(angle, (stamp, stamp + lag), strict=True):
            half = 0.5 * turned
            poses.append((speed * time, np.concatenate([[np.cos(half)], np.sin(half) * rate / np.linalg.norm(rate)])))
        position, rotation = client.seen(stamp, poses[0][0], quaternion_to_matrix(poses[0][1]))
        if noise is not None:
            position = position + 0.002 * noise.normal(size=3)
            vector = 0.003 * noise.normal(size=3)
            rotation = rotation @ quaternion_to_matrix(np.concatenate([[1.0], 0.5 * vector]))
        target["position"], target["orientation"], target["stamp"] = position, matrix_to_quaternion(rotation), stamp
        q[:3], q[3:], v[:3], v[3:] = *poses[1], speed, rate
        see(target, q, v, stamp + lag, gains(**changed), client.known, memory["client"])


def _memory() -> Any:
    memory = blank(Servicing.memory_layout)
    memory["client"]["stamp"] = -1.0
    return memory


@pytest.mark.parametrize("lag", [0.0, 0.15])
def test_exact_readings_lead_to_the_exact_motion_however_late_they_come(known: Any, lag: float) -> None:
    """Moments of inertia are right here, and stay so: what is left after 80 s are two poles at 0.3 rad/s, (1 + 24) e^-24."""
    client, memory = Client(known, 1), _memory()
    _look(client, memory, 80.0, lag=lag, observe_shape=0.0)
    place, attitude, rate = client_at(memory["client"], 90.0)
    truth = client.at(90.0)
    np.testing.assert_allclose(place, truth[0], atol=1e-7)
    np.testing.assert_allclose(rate, truth[2], atol=1e-7)
    assert np.abs(rotation_error(np.array([attitude]), truth[1][None])).max() < 1e-6


def test_the_handle_is_predicted_where_it_will_be(known: Any) -> None:
    client, memory = Client(known, 2), _memory()
    _look(client, memory, 80.0, observe_shape=0.0)
    handle, held = handle_at(known, memory["client"], 120.0)
    position, rotation = client.seen(120.0, np.zeros(3), np.eye(3))
    np.testing.assert_allclose(handle, position, atol=1e-6)
    np.testing.assert_allclose(quaternion_to_matrix(np.array(held)), rotation, atol=1e-5)


def test_noise_is_averaged_as_the_bandwidth_says(known: Any) -> None:
    """Of a noise s in the attitude an alpha-beta filter leaves 2 b^2 / (T^2 a (4 - 2 a - b)) s^2 as the variance of the rate
    (Kalata 1984), a = 1 - p^2 and b = (1 - p)^2 its gains."""
    pole = np.exp(-0.03)
    a, b = 1.0 - pole**2, (1.0 - pole) ** 2
    expected = np.sqrt(2.0 * b * b / (0.01 * a * (4.0 - 2.0 * a - b))) * 0.003
    errors = []
    for seed in range(40):
        client, memory = Client(known, seed), _memory()
        _look(client, memory, 60.0, noise=np.random.default_rng(1000 + seed), observe_shape=0.0)
        errors.append(client_at(memory["client"], 60.0)[2] - client.at(60.0)[2])
    found = np.sqrt(np.mean(np.square(errors)))
    assert 0.8 * expected < found < 1.25 * expected  # 120 numbers: a standard deviation to 6.5 %, and tumbling couples the axes


def test_before_anything_came_nothing_is_seen(known: Any) -> None:
    target = blank(Servicing.measurement_layout["target"])
    target["stamp"] = -1.0
    assert not is_seen(target)
    memory = _memory()
    see(target, np.zeros(7), np.zeros(6), 1.0, gains(), known, memory["client"])
    assert memory["client"]["stamp"] == -1.0


def test_a_reading_that_came_before_is_taken_once(known: Any) -> None:
    client, memory = Client(known, 3), _memory()
    _look(client, memory, 5.0)
    before = memory["client"].copy()
    target = blank(Servicing.measurement_layout["target"])
    target["orientation"], target["stamp"] = (1.0, 0.0, 0.0, 0.0), float(before["stamp"])
    see(target, np.array([0, 0, 0, 1.0, 0, 0, 0]), np.zeros(6), 6.0, gains(), known, memory["client"])
    assert memory["client"] == before


def test_moments_of_inertia_that_are_wrong_by_a_tenth_are_found_from_the_motion(known: Any) -> None:
    """From 10 % off to within a fifth of that in 300 s, and the handle a minute ahead within 0.1 rad instead of more."""
    errors: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(6):
        for learns in (True, False):
            client, memory = Client(known, seed), _memory()
            client.inertia = client.inertia * (1.1, 0.95, 0.93)
            _look(client, memory, 300.0, noise=np.random.default_rng(seed), observe_shape=0.15 if learns else 0.0)
            attitude, truth = client_at(memory["client"], 360.0)[1], client.at(360.0)[1]
            errors[learns].append(float(np.linalg.norm(rotation_error(np.array([attitude]), truth[None]))))
    assert np.median(errors[True]) < 0.1
    assert np.median(errors[False]) > 3.0 * np.median(errors[True])
