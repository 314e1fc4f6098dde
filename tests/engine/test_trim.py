"""Trims against closed forms; small motions and their modes against logs of the simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import didymos
from didymos.engine.aircraft import Aircraft
from didymos.engine.flight_envelope import find_envelope
from didymos.engine.linear_flight import linearise
from didymos.engine.mode_flight import fly_mode
from didymos.engine.modes import find_modes
from didymos.engine.trim import Steady, Trim, find_trim, solve_trim
from didymos.errors import InputError, RunError
from didymos.twin import load

AIRSPEED, HEIGHT, MASS, GRAVITY = 15.0, 50.0, 2.0, 9.81
DENSITY = 1.225 * (1.0 - 0.0065 * HEIGHT / 288.15) ** 4.25588
AREA, CHORD, SPAN = 0.45, 0.24, 1.88


@pytest.fixture(scope="module")
def skywalker() -> Aircraft:
    return Aircraft(load("skywalker_2013"))


@pytest.fixture(scope="module")
def trim(skywalker: Aircraft) -> Trim:
    found = solve_trim(skywalker, Steady(AIRSPEED, HEIGHT))
    assert found is not None
    return found


def _forces(alpha: float, speed: float = AIRSPEED) -> tuple[float, float]:
    """Lift and drag [N] of the skywalker."""
    pressure = 0.5 * DENSITY * speed**2 * AREA
    lift = 0.56 + 6.9 * alpha
    return pressure * lift, pressure * (0.1 + lift**2 / (math.pi * 0.9 * SPAN**2 / AREA))


def test_longitudinal_trim_is_that_of_the_closed_form(trim: Trim) -> None:
    """Lift and thrust carry weight and drag; moments about the centre of mass vanish. Wing 2 cm behind and 5 cm above it."""
    alpha = brentq(lambda a: _forces(a)[0] + _forces(a)[1] * math.tan(a) - MASS * GRAVITY, -0.1, 0.1, xtol=1e-12)
    lift, drag = _forces(alpha)
    thrust = drag / math.cos(alpha)  # it lies along the nose: T cos = D, L + T sin = W
    throttle = math.sqrt((thrust / (0.5 * DENSITY * 0.33) + (AIRSPEED * math.cos(alpha)) ** 2) / 30.0**2)
    up = lift * math.cos(alpha) + drag * math.sin(alpha)
    back = drag * math.cos(alpha) - lift * math.sin(alpha)
    elevator = -((-0.02 * up + 0.05 * back) / (0.5 * DENSITY * AIRSPEED**2 * AREA * CHORD) + 0.045 - 0.7 * alpha) / 1.0
    assert (trim.alpha, trim.nose) == pytest.approx((alpha, alpha), abs=1e-6)
    assert trim.throttle == pytest.approx(throttle, abs=1e-5)
    assert trim.pitch * 0.3491 == pytest.approx(elevator, abs=1e-5)
    assert trim.thrust == pytest.approx(thrust, rel=1e-5)
    assert max(abs(trim.beta), abs(trim.bank), abs(trim.commands["roll"]), abs(trim.commands["yaw"])) < 1e-9


def test_a_climb_needs_the_thrust_of_drag_and_weight(skywalker: Aircraft) -> None:
    """T cos(alpha) = D + W sin(gamma),  L + T sin(alpha) = W cos(gamma)."""
    found = solve_trim(skywalker, Steady(AIRSPEED, HEIGHT, climb=0.1))
    assert found is not None
    lift, drag = _forces(found.alpha)
    assert found.thrust * math.cos(found.alpha) == pytest.approx(drag + MASS * GRAVITY * math.sin(0.1), rel=1e-4)
    assert lift + found.thrust * math.sin(found.alpha) == pytest.approx(MASS * GRAVITY * math.cos(0.1), rel=1e-4)
    assert found.theta == pytest.approx(found.alpha + 0.1, abs=1e-9)


@pytest.mark.parametrize("bank", [0.3, -0.3])
def test_a_coordinated_turn_has_the_rate_of_its_bank(skywalker: Aircraft, bank: float) -> None:
    """Without side force the lift alone turns the path: turn = g tan(bank) / V at zero climb, to second order in alpha and beta;
    both angles are below 0.07 rad here, so 0.5 % hold. To the right is against the sense of z."""
    found = solve_trim(skywalker, Steady(AIRSPEED, HEIGHT, bank=bank))
    assert found is not None
    assert max(abs(found.alpha), abs(found.beta)) < 0.07
    assert -found.turn == pytest.approx(GRAVITY * math.tan(bank) / AIRSPEED, rel=5e-3)
    assert found.commands["yaw"] * bank > 0.0  # into the turn, against the damping of yaw
    assert found.commands["pitch"] > -0.19  # pulled


def test_motors_are_settled_by_the_solution_itself() -> None:
    """Speeds of the motors of plane_3wing_2motor: back electromotive force and current balance the propeller's power."""
    aircraft = Aircraft(load("plane_3wing_2motor"))
    found = solve_trim(aircraft, Steady(20.0, HEIGHT))
    assert found is not None
    assert found.left < 1e-9
    speed = found.followers["parts.motor1.speed"]
    assert found.followers["joints.motor1_to_axle1.velocity"] == pytest.approx(speed, rel=1e-9)
    assert found.followers["joints.motor2_to_axle2.velocity"] == pytest.approx(-speed, rel=1e-9)
    volts = 12.0 * found.commands["thrust"]  # three cells of 4 V
    current = (volts - speed / (2.0 * math.pi * 13.333)) / 0.041
    shaft = speed / (2.0 * math.pi * 13.333) * (current - 0.9)
    assert found.power == pytest.approx(2.0 * shaft, rel=2e-3)


def test_a_multirotor_hovers_on_its_weight() -> None:
    aircraft = Aircraft(load("quadcopter"))
    found = solve_trim(aircraft, Steady(0.0, 0.0))
    assert found is not None
    assert found.thrust == pytest.approx(aircraft.mass * aircraft.twin.file.world.gravity, rel=1e-9)
    assert found.throttle == pytest.approx(0.46825, abs=2e-5)  # sqrt(m g / 4 T_max), as its twin file has it


def test_a_plane_cannot_be_trimmed_where_it_cannot_fly() -> None:
    with pytest.raises(RunError, match="no steady flight at 4 m/s"):
        find_trim(load("skywalker_2013"), airspeed=4.0)
    with pytest.raises(InputError, match=r"there is no input 'airfoil1\.q'"):
        find_trim(load("skywalker_2013"), airspeed=15.0, pitch=["airfoil1.q"], throttle=["motor1"])
    with pytest.raises(InputError, match="does not fly"):
        find_trim(load("power_unit"), airspeed=15.0)
    with pytest.raises(InputError, match="allocation: no input turns this robot in flight"):
        find_trim(load("meldog"), airspeed=15.0)


def test_flight_ends_where_lift_or_thrust_do(skywalker: Aircraft) -> None:
    """Slow: the elevator is at its limit, at the weight's lift. Fast: full throttle, T = 1/2 rho S C (k^2 - V^2) = D."""
    ends = find_envelope(skywalker, Steady(0.0, HEIGHT))
    assert ends.ends_slow == "pitch"
    assert abs(ends.slowest.pitch) == pytest.approx(1.0, abs=0.005)
    fast = ends.fastest.airspeed
    lift_needed = MASS * GRAVITY

    def left(speed: float) -> float:
        alpha = brentq(lambda a: _forces(a, speed)[0] - lift_needed, -0.2, 0.4)
        return float(0.5 * DENSITY * 0.33 * (30.0**2 - speed**2) - _forces(alpha, speed)[1])

    assert ends.ends_fast == "thrust"
    assert fast == pytest.approx(brentq(left, 15.0, 30.0), rel=0.005)  # alpha is small: cos and sin of it are left out


def test_derivatives_are_those_of_the_coefficients(skywalker: Aircraft, trim: Trim) -> None:
    """M_q = q S c^2 C_mq / (2 V J_y) and M_d = q S c C_md / J_y of the elevator. The wing sits 5 cm above and 2 cm behind the
    centre of mass, so the rate adds drag and lift there: (0.05^2 C_D + 0.02^2 C_La) / (c^2 C_mq / 2) is under 1 % of M_q."""
    model = linearise(skywalker, trim).reduced()
    pressure = 0.5 * DENSITY * AIRSPEED**2 * AREA
    inertia = float(skywalker.twin.summary().inertia[1][1])
    assert model.of("q", "pitch") == pytest.approx(pressure * CHORD * 1.0 * 0.3491 / inertia, rel=1e-3)
    assert model.of("q", "q") == pytest.approx(-20.0 * pressure * CHORD**2 / (2.0 * AIRSPEED) / inertia, rel=0.02)
    assert model.of("theta", "q") == pytest.approx(1.0, abs=1e-9)
    assert model.of("phi", "p") == pytest.approx(1.0, abs=1e-9)
    assert model.of("v", "phi") == pytest.approx(GRAVITY, rel=1e-6)
    assert model.of("u", "theta") == pytest.approx(-GRAVITY, rel=1e-4)
    assert model.of("w", "q") == pytest.approx(AIRSPEED, rel=0.03)
    assert model.of("v", "r") == pytest.approx(-AIRSPEED, rel=0.03)
    long, side = [0, 1, 2, 3], [4, 5, 6, 7]
    assert np.abs(model.a[np.ix_(long, side)]).max() < 1e-3 > np.abs(model.a[np.ix_(side, long)]).max()


PLANES = [("skywalker_2013", 15.0), ("plane_1wing", 22.0), ("plane_3wing_2motor", 20.0)]


@pytest.mark.parametrize(("name", "speed"), PLANES)
def test_modes_are_those_of_a_log_of_the_simulation(name: str, speed: float) -> None:
    """Frequency and damping of each, from the decay that the log shows: within 5 %, longitudinal and lateral ones."""
    twin = load(name)
    aircraft = Aircraft(twin)
    trim = solve_trim(aircraft, Steady(speed, HEIGHT))
    assert trim is not None
    model = linearise(aircraft, trim)
    modes = [mode for mode in find_modes(model) if not mode.name.startswith("of ") and mode.name != "height"]
    assert {mode.name for mode in modes} == {"short period", "phugoid", "dutch roll", "roll", "spiral"}
    assert sum(2 if mode.pair else 1 for mode in modes) == 8
    for mode in modes:
        flown = fly_mode(twin, aircraft, model, mode)
        assert flown.error < 0.05, (mode.name, mode.value, flown.value)
        assert flown.misfit < 0.05, mode.name


def test_engines_change_the_modes_and_the_reduced_model_says_by_how_much() -> None:
    """A motor that follows within 60 ms hardly changes a phugoid of 10 s: settled at once it is the same to 1 %."""
    aircraft = Aircraft(load("plane_3wing_2motor"))
    trim = solve_trim(aircraft, Steady(20.0, HEIGHT))
    assert trim is not None
    whole = linearise(aircraft, trim)
    full, reduced = ({m.name: m.value for m in find_modes(x)} for x in (whole, whole.reduced()))
    assert set(reduced) == {"short period", "phugoid", "dutch roll", "roll", "spiral"}
    assert abs(full["phugoid"] - reduced["phugoid"]) < 0.01 * abs(reduced["phugoid"])
    assert (len(whole.states), len(whole.reduced().states)) == (13, 8)


def test_names_of_modes_hang_on_no_name_of_the_robot() -> None:
    """A hexacopter of equal halves has the same modes forward and sideways: each is named by the way it moves."""
    aircraft = Aircraft(load("hexacopter"))
    trim = solve_trim(aircraft, Steady(0.0, 2.0))
    assert trim is not None
    names = [mode.name for mode in find_modes(linearise(aircraft, trim)) if not mode.name.startswith("of ")]
    for name in ("forward oscillation", "sideways oscillation", "heave", "yaw"):
        assert names.count(name) == 1, names


def test_find_trim_takes_names_of_inputs() -> None:
    found = find_trim(didymos.load("plane_1wing"), airspeed=22.0, pitch=["airfoil1.y"], throttle=["motor1"])
    assert (found.nose, found.pitch, found.throttle) == pytest.approx((-0.02604, 0.6057, 0.5486), abs=1e-4)
