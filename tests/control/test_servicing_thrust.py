"""Wheels and thrusters of a base: wrenches, impulses, limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from servicing_robot import OPTIONS, blank, chaser, settings

from didymos.control.servicing import Servicing
from didymos.control.servicing_options import ServicingOptions, fill_settings
from didymos.control.servicing_thrust import drive_wheels, fired_force, mixer_of, pulse
from didymos.errors import InputError


@pytest.fixture(scope="module")
def flyer() -> Any:
    return chaser()


@pytest.fixture(scope="module")
def known(flyer: Any) -> Any:
    return settings(flyer.robot)


def test_duties_of_a_wrench_give_that_wrench(known: Any) -> None:
    thrusters, asked, found = known["thrusters"], np.array([0.3, -0.7, 1.1, 0.2, -0.4, 0.6]), np.zeros(6)
    fired_force(thrusters, thrusters["mixer"] @ asked, found)
    np.testing.assert_allclose(found, asked, atol=1e-12)


def test_a_pair_on_the_left_pushes_forward_and_turns_to_the_right(known: Any) -> None:
    """4.5 N along x at y = 0.45 m: a torque of -2.025 N m about z."""
    found, duty = np.zeros(6), np.zeros(16)
    duty[0] = 1.0
    fired_force(known["thrusters"], duty, found)
    np.testing.assert_allclose(found, [4.5, 0, 0, 0, 0, -4.5 * 0.45], atol=1e-12)


@pytest.mark.parametrize("force", [0.05, 0.4, 3.0, -0.2])
def test_pulses_add_up_to_the_impulse_that_was_demanded(known: Any, force: float) -> None:
    """After a minute no more is missing than the smallest pulse of each thruster, and no pulse is smaller than that."""
    memory, wrench, thrusters = blank(Servicing.memory_layout), np.array([force, 0.0, 0.0, 0.0, 0.0, 0.0]), known["thrusters"]
    memory["pulse_number"], total, found, duties = -1.0, 0.0, np.zeros(6), set()
    for tick in range(12_000):
        pulse(thrusters, wrench, tick * 0.005, 0.005, memory)
        fired_force(thrusters, memory["duty"], found)
        total += found[0] * 0.005
        duties.update(np.abs(memory["duty"][:6]))
    assert abs(total - force * 60.0) < 2 * (0.09 + abs(force) * 0.2)
    assert min(duty for duty in duties if duty > 0.0) >= 0.09 / (4.5 * 0.2)


def test_more_than_a_thruster_gives_is_not_saved_up_for_later(known: Any) -> None:
    """100 N for ten seconds, then nothing: the pulses end within two periods."""
    memory = blank(Servicing.memory_layout)
    memory["pulse_number"], wrench = -1.0, np.array([100.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    for tick in range(2000):
        pulse(known["thrusters"], wrench, tick * 0.005, 0.005, memory)
    assert np.abs(memory["duty"][:2]).max() == 1.0
    for tick in range(2000, 2120):
        pulse(known["thrusters"], 0.0 * wrench, tick * 0.005, 0.005, memory)
    assert np.abs(memory["duty"]).max() == 0.0


def test_wheels_take_what_they_can_and_leave_the_rest(known: Any) -> None:
    torque, given = np.array([0.1, -0.5, 0.2]), np.zeros(3)
    drive_wheels(known["rotors"], np.zeros(3), torque, given)
    np.testing.assert_allclose(given, [0.1, -0.2, 0.2], atol=1e-15)
    np.testing.assert_allclose(torque, [0.0, -0.3, 0.0], atol=1e-15)


def test_a_wheel_at_its_speed_slows_down_but_gains_no_more(known: Any) -> None:
    """A torque on the base of one sign spins the rotor the other way."""
    for speed, asked, expected in ((-620.0, 0.1, 0.0), (-620.0, -0.1, -0.1), (620.0, 0.1, 0.1), (620.0, -0.1, 0.0)):
        torque, given = np.array([asked, 0.0, 0.0]), np.zeros(3)
        drive_wheels(known["rotors"], np.array([speed, 0.0, 0.0]), torque, given)
        assert given[0] == expected
        assert torque[0] + given[0] == asked


def test_thrusters_that_cannot_turn_the_base_are_refused(flyer: Any) -> None:
    with pytest.raises(ArithmeticError, match="along all axes"):
        mixer_of(np.eye(6)[:, :5])
    some = {**OPTIONS, "thrusters": {**OPTIONS["thrusters"], "names": OPTIONS["thrusters"]["names"][:4]}}
    program = Servicing(**some)
    with pytest.raises(InputError, match=r"along all axes.*|control.options.thrusters.names"):
        fill_settings(program.settings, program.options, flyer.robot)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arm": ["joint1"]}, "found 1 entries, expected 7"),
        ({"thrusters": {"name": []}}, "found 'name', did you mean 'names'"),
        ({"client": {"mass": 1.0}}, "the key 'inertia' is missing"),
    ],
)
def test_options_that_do_not_fit_are_named(change: dict[str, Any], words: str) -> None:
    given = {**OPTIONS, "tool": "tool", **change}
    with pytest.raises(InputError) as caught:
        ServicingOptions(**given)
    assert words in str(caught.value)
