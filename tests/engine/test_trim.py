"""Trim against closed forms; phugoid and short period of the linearised twin against a log of the simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares

from didymos.control import Controller
from didymos.control.sticks import Sticks
from didymos.engine.trim import Trim, find_trim, longitudinal
from didymos.errors import RunError
from didymos.twin import Twin, load

SKYWALKER = {"pitch": ("airfoil1.y",), "throttle": ("motor1",)}
AIRSPEED, HEIGHT = 15.0, 50.0


@pytest.fixture(scope="module")
def trim() -> Trim:
    return find_trim(load("skywalker_2013"), airspeed=AIRSPEED, height=HEIGHT, **SKYWALKER)


def test_longitudinal_trim_is_that_of_the_closed_form(trim: Trim) -> None:
    """Lift and thrust carry weight and drag; moments about the centre of mass vanish. Wing 2 cm behind and 5 cm above it."""
    density = 1.225 * (1.0 - 0.0065 * HEIGHT / 288.15) ** 4.25588
    area, chord, weight = 0.45, 0.24, 2.0 * 9.81
    pressure = 0.5 * density * AIRSPEED**2 * area

    def forces(alpha: float) -> tuple[float, float]:
        lift_coefficient = 0.56 + 6.9 * alpha
        drag_coefficient = 0.1 + lift_coefficient**2 / (math.pi * 0.9 * 1.88**2 / area)
        return pressure * lift_coefficient, pressure * drag_coefficient

    def left(alpha: float) -> float:
        lift, drag = forces(alpha)
        return lift + drag * math.tan(alpha) - weight  # thrust lies along the nose: T cos = D, L + T sin = W

    alpha = brentq(left, -0.1, 0.1, xtol=1e-12)
    lift, drag = forces(alpha)
    thrust = drag / math.cos(alpha)
    throttle = math.sqrt((thrust / (0.5 * density * 0.33) + (AIRSPEED * math.cos(alpha)) ** 2) / 30.0**2)
    up = lift * math.cos(alpha) + drag * math.sin(alpha)
    back = drag * math.cos(alpha) - lift * math.sin(alpha)
    nose_up = -0.02 * up + 0.05 * back
    elevator = -(nose_up / (pressure * chord) + 0.045 - 0.7 * alpha) / 1.0
    assert trim.nose == pytest.approx(alpha, abs=1e-6)
    assert trim.throttle == pytest.approx(throttle, abs=1e-5)
    assert trim.pitch * 0.3491 == pytest.approx(elevator, abs=1e-5)


def test_a_plane_cannot_be_trimmed_where_it_cannot_fly() -> None:
    with pytest.raises(RunError, match="no level flight at 4 m/s"):
        find_trim(load("skywalker_2013"), airspeed=4.0, **SKYWALKER)


def test_modes_of_the_linearised_twin_are_those_of_a_flight(trim: Trim) -> None:
    """Both modes are pairs of real roots here: the engine of this twin brakes the phugoid to death (dT/dV = -6 N s/m).

    From the logs of three flights with fixed surfaces, each from another small disturbance, the matrix that leads from one
    state to the next is found by least squares; its eigenvalues against those of the linearised twin.
    """
    plane = load("skywalker_2013")
    for path in ("world.wind.speed", "parts.airfoil1.rate_limit"):  # still air, servos that are there at once
        plane.set(path, 0.0)
    plane.set("record.rate", 400.0)
    matrix = longitudinal(plane, trim, **SKYWALKER)
    rates = np.sort(np.linalg.eigvals(matrix[:4, :4]).real)
    assert np.abs(np.linalg.eigvals(matrix[:4, :4]).imag).max() == 0.0

    before, after = [], []
    for disturbance in ((0.05, 0.0, 0.0), (0.0, 0.05, 0.0), (0.0, 0.0, 0.02)):
        states = _flight(plane, trim, disturbance)
        before.append(states[:-_STRIDE])
        after.append(states[_STRIDE:])
    step, *_ = np.linalg.lstsq(np.concatenate(before), np.concatenate(after), rcond=None)
    found = np.sort(np.log(np.linalg.eigvals(step).real) / (_STRIDE * 0.0025))
    np.testing.assert_allclose(found, rates, rtol=0.05)


_STRIDE = 20  # rows of the log between two states


def _flight(plane: Twin, trim: Trim, disturbance: tuple[float, float, float]) -> np.ndarray:
    """Deviations (vx, vz, q, theta) from the trim in the log of a flight of 4 s with fixed surfaces."""
    simulation = plane.simulate(control=_fixed(trim))
    data = simulation.data
    data.qpos[2] = HEIGHT
    data.qpos[3:7] = math.cos(trim.nose / 2), 0.0, -math.sin(trim.nose / 2), 0.0
    data.qvel[0], data.qvel[2], data.qvel[4] = AIRSPEED + disturbance[0], disturbance[1], -disturbance[2]
    log = simulation.run(4.0)
    pitch = log["truth.pitch"].values
    forward, up = log["truth.velocity.x"].values, log["truth.velocity.z"].values
    vx, vz = forward * np.cos(pitch) + up * np.sin(pitch), up * np.cos(pitch) - forward * np.sin(pitch)
    return np.column_stack([vx - AIRSPEED, vz, -log["truth.angular_velocity.y"].values, -pitch - trim.nose])


def test_an_oscillating_phugoid_has_the_period_of_its_eigenvalue() -> None:
    """plane_1wing: a phugoid of 10 s; zero crossings of the height's deviation against the eigenvalue's imaginary part."""
    plane = load("plane_1wing")
    plane.set("world.wind.speed", 0.0)
    found = find_trim(plane, airspeed=22.0, height=HEIGHT, **SKYWALKER)
    values = np.linalg.eigvals(longitudinal(plane, found, **SKYWALKER))
    phugoid = values[(values.imag > 0.0) & (values.imag < 2.0)][0]
    simulation = plane.simulate(control=_fixed(found))
    simulation.data.qpos[2] = HEIGHT
    simulation.data.qpos[3:7] = math.cos(found.nose / 2), 0.0, -math.sin(found.nose / 2), 0.0
    simulation.data.qvel[0] = 22.2
    log = simulation.run(30.0)
    speed, time = log["truth.velocity.x"].values, log["truth.velocity.x"].time
    settled = time > 2.0  # the short period is gone

    def residual(x: np.ndarray) -> np.ndarray:
        wave = np.exp(x[0] * time[settled])
        phase = x[1] * time[settled]
        basis = np.column_stack([wave * np.cos(phase), wave * np.sin(phase), np.ones(settled.sum()), time[settled]])
        return speed[settled] - basis @ np.linalg.lstsq(basis, speed[settled], rcond=None)[0]

    fitted = least_squares(residual, [1.2 * phugoid.real, 0.85 * phugoid.imag]).x
    assert fitted[1] == pytest.approx(phugoid.imag, rel=0.05)
    assert fitted[0] == pytest.approx(phugoid.real, rel=0.05)


def _fixed(trim: Trim) -> Controller:
    """Sticks held where the trim wants them."""
    class Fast(Sticks):
        rate = 400.0

    program = Fast({"pitch": "airfoil1.y", "throttle": "motor1"})
    program.set_gain("trim.pitch", trim.pitch)
    program.set_gain("trim.throttle", trim.throttle)
    return program
