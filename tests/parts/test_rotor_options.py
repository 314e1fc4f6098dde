"""A rotor in still air, stopped, driven by the air, near the ground, with flapping and spinning mass; each by its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Answer, call

from didymos.errors import InputError
from didymos.parts.rotor import Rotor, disc_radius

PLAIN: dict[str, Any] = {
    "direction": -1, "thrust_coefficient": 2e-5, "torque_coefficient": 4e-7, "speed_per_input": 800.0, "radius": 0.12,
}  # fmt: skip
SPEED = 600.0
THRUST, TORQUE = 2e-5 * SPEED**2, 4e-7 * SPEED**2
HOVER = math.sqrt(THRUST / (2.0 * 1.225 * math.pi * 0.12**2))  # induced velocity


def _spin(speed: float = SPEED, **changes: Any) -> Answer:
    return call(Rotor, inputs={"command": speed / 800.0}, **(PLAIN | changes))


@pytest.mark.parametrize("numbers", [{}, {"radius": 0.0}, {"solidity": 0.3}, {"induced_factor": 1.4}, {"flapping_drag": 1e-4}])
@pytest.mark.parametrize("speed", [1e-3, 1.0, 80.0, 800.0])
@pytest.mark.parametrize("density", [1.225, 0.4])
def test_in_still_air_it_gives_what_the_bench_measured(speed: float, density: float, numbers: dict[str, float]) -> None:
    """Whatever else is said of it: T = k_T w^2, Q = k_M w^2, scaled by the density; to 1e-9, the solver has 1e-12 of v."""
    answer = _spin(speed, density=density, **numbers)
    np.testing.assert_allclose(answer.force, [2e-5 * speed**2 * density / 1.225, 0.0, 0.0], rtol=1e-9)
    np.testing.assert_allclose(answer.torque, [4e-7 * speed**2 * density / 1.225, 0.0, 0.0], rtol=1e-9)
    assert answer.readouts["torque"] == pytest.approx(4e-7 * speed**2 * density / 1.225, rel=1e-9)


def test_climbing_costs_thrust_and_sinking_gives_some() -> None:
    thrusts = [_spin(air_velocity=(climb, 0.0, 0.0)).force[0] for climb in (-4.0, -2.0, 0.0, 2.0, 4.0)]
    assert (np.diff(thrusts) < 0.0).all()


def test_its_thrust_and_torque_are_those_of_the_equations_in_climb() -> None:
    """Solved by hand for axial flow, where momentum is v (X + v) = t and so v a root of a quadratic."""
    climb, area, hover = 3.0, math.pi * 0.12**2, 2e-5 / 1.225 / (2.0 * math.pi * 0.12**2)
    solidity = 2.0 * hover / 0.12**2 / 0.16
    slope = solidity * 5.7 * 0.12 / 8.0 * SPEED
    blades = hover * SPEED**2 + slope * 1.1 * HOVER - slope * climb
    b = climb + 1.1 * slope
    induced = 0.5 * (-b + math.sqrt(b * b + 4.0 * blades))
    thrust = 2.0 * 1.225 * area * induced * (climb + induced)
    loading = thrust / THRUST
    profile = (TORQUE - 1.1 * THRUST * HOVER / SPEED) * (1.0 + 0.4 * loading * (loading - 1.0))
    answer = _spin(air_velocity=(climb, 0.0, 0.0))
    assert answer.force[0] == pytest.approx(thrust, rel=1e-9)
    assert answer.readouts["torque"] == pytest.approx(thrust * (climb + 1.1 * induced) / SPEED + profile, rel=1e-9)


def test_the_vortex_ring_takes_thrust_and_asks_for_power() -> None:
    """At a sinking speed of 1.2 v_h the induced velocity has grown by as much: little more lift, and most of the power."""
    answer = _spin(air_velocity=(-1.2 * HOVER, 0.0, 0.0))
    assert 1.1 < answer.force[0] / THRUST < 1.4
    assert answer.readouts["torque"] > 0.8 * TORQUE


def test_the_air_drives_a_rotor_that_sinks_fast_and_a_propeller_that_is_too_fast() -> None:
    for along, sign in ((-3.5 * HOVER, 1.0), (0.6 * SPEED * 0.12, -1.0)):
        answer = _spin(air_velocity=(along, 0.0, 0.0))
        assert sign * answer.force[0] > 0.0
        assert answer.readouts["torque"] < 0.0
        assert answer.torque[0] < 0.0  # it turns about -x, and the air drags the airframe along


@pytest.mark.parametrize("wind", [(30.0, 0, 0), (-30.0, 0, 0), (0, 25.0, 10.0), (-5.0, 25.0, 10.0)])
def test_a_stopped_rotor_does_nothing_and_a_slow_one_little(wind: tuple[float, float, float]) -> None:
    np.testing.assert_array_equal(_spin(0.0, air_velocity=wind).force, 0.0)
    np.testing.assert_array_equal(_spin(0.0, air_velocity=wind).torque, 0.0)
    slow = _spin(1e-3, air_velocity=wind)
    assert np.abs(slow.force).max() < 1e-4
    assert np.abs(slow.torque).max() < 1e-5


def test_without_a_radius_it_has_that_of_a_figure_of_merit() -> None:
    """FM = T v_h / (Q w) = 0.65."""
    radius = disc_radius(0.0, 2e-5, 4e-7)
    induced = math.sqrt(THRUST / (2.0 * 1.225 * math.pi * radius**2))
    assert THRUST * induced / (TORQUE * SPEED) == pytest.approx(0.65, rel=1e-12)
    wind = {"air_velocity": (2.0, 7.0, 0.0)}
    assert _spin(radius=0.0, **wind).force[0] == pytest.approx(_spin(radius=radius, **wind).force[0], rel=1e-12)


def test_without_a_torque_coefficient_it_has_no_inflow() -> None:
    answer = _spin(torque_coefficient=0.0, radius=0.0, air_velocity=(5.0, 9.0, -2.0))
    np.testing.assert_allclose(answer.force, [THRUST, 0.0, 0.0], rtol=1e-12)
    np.testing.assert_array_equal(answer.torque, 0.0)


def test_a_body_that_turns_about_the_axis_adds_to_the_speed() -> None:
    """The rotor turns about -x: a body that turns about +x takes from it."""
    assert _spin(rate=(60.0, 0.0, 0.0)).force[0] == pytest.approx(2e-5 * 540.0**2, rel=1e-9)
    assert _spin(rate=(-60.0, 0.0, 0.0)).readouts["torque"] == pytest.approx(4e-7 * 660.0**2, rel=1e-9)


@pytest.mark.parametrize(("height", "factor"), [(0.12, 16 / 15), (0.24, 64 / 63), (0.01, 4 / 3), (50.0, 1.0)])
@pytest.mark.parametrize(
    "radius", [{}, {"radius": 0.0, "torque_coefficient": 2e-5**1.5 / (0.65 * 0.12 * math.sqrt(2.45 * math.pi))}]
)
def test_the_ground_helps_by_cheeseman_and_bennett(height: float, factor: float, radius: dict[str, float]) -> None:
    """Whether the radius of 0.12 m is given or follows from the bench."""
    near = _spin(ground_effect=1.0, height=height, x_up=True, **radius)
    assert near.force[0] == pytest.approx(THRUST * factor, rel=1e-5)
    assert near.readouts["torque"] == pytest.approx(_spin(**radius).readouts["torque"], rel=1e-9)  # at constant power


def test_the_ground_helps_less_in_forward_flight_and_not_at_all_upside_down() -> None:
    near = {"ground_effect": 1.0, "height": 0.12, "x_up": True}
    fast = {"air_velocity": (0.0, 20.0, 0.0)}
    assert 1.0 < _spin(**near, **fast).force[0] / _spin(**fast).force[0] < 1.0 + 0.1 * (1 / 15)
    assert _spin(ground_effect=1.0, height=0.12).force[0] == pytest.approx(THRUST, rel=1e-9)  # its axis is level


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"radius": 0.05}, "takes a torque coefficient of at least 6.448e-07 N m s"),
        ({"radius": 0.0, "torque_coefficient": 0.0, "ground_effect": 1.0}, "ground_effect needs the key 'radius'"),
    ],
)
def test_numbers_that_no_rotor_has_are_refused(make_twin: Any, numbers: dict[str, float], said: str) -> None:
    stand = """<mujoco><worldbody><body name="stand"><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
    with pytest.raises(InputError, match=said):
        make_twin(stand, parts={"rotor": {"kind": "rotor", "link": "stand"} | PLAIN | numbers})


def test_flapping_drags_across_the_axis_and_rolls_against_the_motion() -> None:
    answer = _spin(flapping_drag=8e-5, flapping_moment=1e-6, air_velocity=(0.0, 4.0, -2.0))
    np.testing.assert_allclose(answer.force[1:], [-8e-5 * SPEED * 4.0, 8e-5 * SPEED * 2.0])
    np.testing.assert_allclose(answer.torque[1:], [1e-6 * SPEED * 4.0, -1e-6 * SPEED * 2.0])  # -d k_R w V with d = -1


def test_a_spinning_mass_resists_being_turned() -> None:
    """The airframe feels -d/dt of the rotor's momentum h = d I w x: minus omega x h."""
    answer = _spin(inertia=3e-5, rate=(0.4, 0.5, -0.7))
    momentum = np.array([-1 * 3e-5 * SPEED, 0.0, 0.0])
    expected = -np.cross([0.4, 0.5, -0.7], momentum)
    np.testing.assert_allclose(answer.torque[1:], expected[1:], rtol=1e-12)


def test_speed_and_acceleration_keep_their_limits() -> None:
    assert _spin(speed_limit=500.0).readouts["speed"] == -500.0
    limited = PLAIN | {"time_constant": 0.02, "acceleration_limit": 9000.0}
    answer = call(Rotor, inputs={"command": 1.0}, state={"speed": 100.0}, **limited)
    assert answer.rate["speed"] == 9000.0


def test_a_rotor_without_health_stops() -> None:
    assert _spin(health=0.0).force[0] == 0.0
    answer = call(Rotor, inputs={"command": 1.0}, state={"speed": 600.0}, **(PLAIN | {"time_constant": 0.05, "health": 0.0}))
    assert answer.rate["speed"] == -12000.0
