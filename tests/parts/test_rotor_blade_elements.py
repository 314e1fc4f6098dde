"""The rotor's law against blade elements: k_T, k_M, R and sigma from hover, then climb, descent and forward flight."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from blade_elements import BladeElementRotor, Loads
from laws import Answer, call

from didymos.parts.rotor import Rotor

SPEED = 600.0
ROTORS = {
    "untwisted": BladeElementRotor(lambda x: 0.16, lambda x: 0.02),
    "linear": BladeElementRotor(lambda x: 0.29 - 0.2 * x, lambda x: 0.03 - 0.01 * x),
    "strong": BladeElementRotor(lambda x: 0.44 - 0.33 * x, lambda x: 0.035 - 0.02 * x),
}
TIP = SPEED * 0.127
HOVER = 5.5  # [m/s], the induced velocity of all three within 10 %

CLIMB = [(x * HOVER, 0.0) for x in (0.0, 0.3, 0.6, 0.9, 1.2)]
DESCENT = [(-x * HOVER, 0.0) for x in (0.2, 0.5, 0.8, 1.1, 1.5)]  # from 1 the vortex ring
FORWARD = [(0.0, mu * TIP) for mu in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)]
CLIMB_FORWARD = [(0.5 * HOVER, mu * TIP) for mu in (0.1, 0.2, 0.3)]
DESCENT_FORWARD = [(-0.5 * HOVER, mu * TIP) for mu in (0.05, 0.1, 0.15)]


def _law(blades: BladeElementRotor, climb: float, across: float, **changes: Any) -> Answer:
    """The law with the numbers that a bench would give; the inflow of the blade elements is uniform: factor 1."""
    hover = blades.settled(SPEED, 0.0, 0.0)
    numbers = {
        "direction": 1, "thrust_coefficient": hover.thrust / SPEED**2, "torque_coefficient": hover.torque / SPEED**2,
        "speed_per_input": SPEED, "radius": blades.radius, "solidity": blades.solidity, "induced_factor": 1.0,
    }  # fmt: skip
    return call(Rotor, inputs={"command": 1.0}, air_velocity=(climb, across, 0.0), **(numbers | changes))


@pytest.mark.parametrize("name", ROTORS)
@pytest.mark.parametrize(("climb", "across"), [*CLIMB, *DESCENT, *FORWARD, *CLIMB_FORWARD, *DESCENT_FORWARD])
def test_thrust_within_5_and_torque_within_10_percent(name: str, climb: float, across: float) -> None:
    expected, answer = ROTORS[name].settled(SPEED, climb, across), _law(ROTORS[name], climb, across)
    assert answer.force[0] == pytest.approx(expected.thrust, rel=0.05)
    assert answer.readouts["torque"] == pytest.approx(expected.torque, rel=0.10)


@pytest.mark.parametrize("name", ROTORS)
def test_hover_is_that_of_the_bench(name: str) -> None:
    expected, answer = ROTORS[name].settled(SPEED, 0.0, 0.0), _law(ROTORS[name], 0.0, 0.0)
    assert answer.force[0] == pytest.approx(expected.thrust, rel=1e-9)
    assert answer.readouts["torque"] == pytest.approx(expected.torque, rel=1e-9)


@pytest.mark.parametrize("name", ROTORS)
def test_at_an_advance_ratio_of_a_tenth_it_lifts_a_fifth_more(name: str) -> None:
    """Because the induced velocity falls: the growth of the dynamic pressure alone would be 1.5 mu^2 = 1.5 %."""
    hover, fast = (ROTORS[name].settled(SPEED, 0.0, across).thrust for across in (0.0, 0.1 * TIP))
    assert 1.18 < fast / hover < 1.30
    assert 1.18 < _law(ROTORS[name], 0.0, 0.1 * TIP).force[0] / hover < 1.30


@pytest.mark.parametrize("name", ROTORS)
@pytest.mark.parametrize("climb", [1.6 * HOVER, -1.8 * HOVER, -2.2 * HOVER])
def test_near_zero_thrust_and_in_autorotation_it_stays_within_a_tenth_of_hover(name: str, climb: float) -> None:
    """Where torque goes through zero a relative error says nothing; and blades stall one by one, not all at once."""
    hover, expected = ROTORS[name].settled(SPEED, 0.0, 0.0), ROTORS[name].settled(SPEED, climb, 0.0)
    answer = _law(ROTORS[name], climb, 0.0)
    assert answer.force[0] == pytest.approx(expected.thrust, abs=0.10 * hover.thrust)
    assert answer.readouts["torque"] == pytest.approx(expected.torque, abs=0.15 * hover.torque)


@pytest.mark.parametrize("name", ROTORS)
def test_rigid_blades_drag_along_the_disc(name: str) -> None:
    """The angle of blades near the root, which the law does not know, is half of it: 40 % for an untwisted blade."""
    for across in (0.05 * TIP, 0.15 * TIP, 0.3 * TIP):
        expected = ROTORS[name].settled(SPEED, 0.0, across).drag
        assert -_law(ROTORS[name], 0.0, across).force[1] == pytest.approx(expected, rel=0.4)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("heading", [0.0, 1.0, 2.5, -2.0])
def test_the_advancing_side_lifts_more_and_the_moment_is_against_the_motion(direction: int, heading: float) -> None:
    """Blade by blade: where the blades lift is summed over azimuth in the part's frame; d k_R w V then has this vector's sign."""
    rotor = ROTORS["linear"]
    across = 0.1 * TIP
    loads: Loads = rotor.settled(SPEED, 0.0, across)
    motion = np.array([0.0, math.cos(heading), math.sin(heading)])
    spin = np.array([direction, 0.0, 0.0])
    # The blade at an arm e moves with spin x e; it advances where that is along the motion.
    advancing = np.cross(motion, spin)
    np.testing.assert_allclose(np.cross(spin, advancing), motion, atol=1e-12)
    assert loads.moment > 0.0
    expected = np.cross(advancing, [loads.moment, 0.0, 0.0])
    k_r = loads.moment / (SPEED * across)
    answer = call(
        Rotor, inputs={"command": 1.0}, air_velocity=across * motion, direction=direction, thrust_coefficient=1e-5,
        speed_per_input=SPEED, flapping_moment=k_r,
    )  # fmt: skip
    np.testing.assert_allclose(answer.torque[1:], expected[1:], rtol=1e-9)
