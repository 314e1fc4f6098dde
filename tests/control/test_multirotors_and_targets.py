"""Programs of multirotors that fly by a target, called from Python: where they lean, what they do without one, how they land."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_landed_and_windup import INPUTS, POSE, ROTORS, Flown

from didymos.control import Robot
from didymos.control import landing_stages as st
from didymos.control.multirotor_follow import MultirotorFollow
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.multirotor_landing import MultirotorLanding
from didymos.control.multirotor_loops import tilt_setpoints
from didymos.errors import InputError

SIGHT = (*(f"sight.position.{axis}" for axis in "xyz"), *(f"sight.orientation.{axis}" for axis in "wxyz"), "sight.stamp")
GAINS = {"height.hover": 0.5, "height.kp": 0.2, "height.kd": 0.2, "roll.kp": 0.1, "pitch.kp": 0.1, "yaw.kp": 0.1}


def _flown(program: Any, **gains: float) -> Flown:
    for path, value in (GAINS | {path.replace("__", "."): value for path, value in gains.items()}).items():
        program.set_gain(path, value)
    flown = Flown(program, (*POSE, *SIGHT), INPUTS, rotors=ROTORS)
    flown.see(state__orientation__w=1.0, sight__orientation__w=1.0, sight__stamp=-1.0)
    return flown


def _see(flown: Flown, x: float, y: float, z: float) -> None:
    """The target at x, y, z [m] in the robot's frame, now."""
    flown.see(sight__position__x=x, sight__position__y=y, sight__position__z=z, sight__stamp=flown.tick / 100.0)


def test_in_its_place_it_hovers() -> None:
    flown = _flown(MultirotorFollow("sight", sensor="state"))
    flown.ask(x=-2.0, y=3.0, z=0.5)
    _see(flown, 2.0, -3.0, -0.5)
    assert list(flown.step().values()) == pytest.approx([0.5] * 4, abs=1e-12)


def test_it_leans_toward_its_place_and_rises_to_it() -> None:
    """A place ahead, to the left and above: rotors behind and on the right, further from it, push harder, all more than hover."""
    flown = _flown(MultirotorFollow("sight", sensor="state"))
    _see(flown, 1.0, 0.5, 1.0)
    inputs = flown.step()
    push = {rotor.input: rotor.position[0] + 0.5 * rotor.position[1] for rotor in ROTORS}
    assert sorted(INPUTS, key=lambda name: inputs[name]) == sorted(INPUTS, key=lambda name: -push[name])
    assert np.mean(list(inputs.values())) == pytest.approx(0.5 + 0.2 * 1.0)


def test_the_speed_of_the_place_is_asked_for_beforehand() -> None:
    """In the place, as fast as it: no tilt. At rest beside a place that moves at 1 m/s: a* = kp v, the lean is atan(a*/g)."""
    gains = np.zeros(1, dtype=MultirotorHold.gain_layout)[0]
    gains["position_kp"], gains["position_limit"], gains["velocity_kp"], gains["tilt_limit"] = 1.0, 4.0, 2.0, 0.5
    velocity = np.array([1.0, -0.5, 0.0])
    assert tilt_setpoints(0.01, gains, (0.0, 0.0), (1.0, -0.5), velocity, 0.3, np.zeros(2)) == pytest.approx((0.0, 0.0))
    roll, pitch = tilt_setpoints(0.01, gains, (0.0, 0.0), (1.0, 0.0), np.zeros(3), 0.0, np.zeros(2))
    assert (roll, pitch) == pytest.approx((0.0, math.atan(2.0 / 9.80665)))


def test_the_correction_of_place_is_limited_and_not_the_speed_of_the_place() -> None:
    """position.limit 1 m/s toward a place that is far ahead and moves at 3 m/s: a* = kp 4 m/s."""
    gains = np.zeros(1, dtype=MultirotorHold.gain_layout)[0]
    gains["position_kp"], gains["position_limit"], gains["velocity_kp"], gains["tilt_limit"] = 1.0, 1.0, 0.5, 1.0
    _, pitch = tilt_setpoints(0.01, gains, (50.0, 0.0), (3.0, 0.0), np.zeros(3), 0.0, np.zeros(2))
    assert pitch == pytest.approx(math.atan(0.5 * 4.0 / 9.80665))


@pytest.mark.parametrize("program", [MultirotorFollow, MultirotorLanding])
def test_without_a_target_it_holds_the_place_where_it_was_lost(program: Any) -> None:
    flown = _flown(program("sight", sensor="state"), target__patience=0.5)
    flown.see(state__position__x=5.0, state__position__z=3.0)
    assert list(flown.step().values()) == pytest.approx([0.5] * 4, abs=1e-12)  # none was ever seen
    for _ in range(20):
        _see(flown, 0.0, 0.0, -2.0)
        flown.step()
    assert flown.memory["target_seen"] == 1.0
    flown.step(0.4)
    assert flown.memory["target_seen"] == 1.0
    flown.step(0.2)
    assert flown.memory["target_seen"] == 0.0
    assert list(flown.memory["hold_position"]) == [5.0, 0.0, 3.0]
    flown.see(state__position__x=5.0, state__position__z=3.0 - 0.5)
    assert np.mean(list(flown.step().values())) == pytest.approx(0.5 + 0.2 * 0.5)


def test_a_sensor_that_is_not_there_is_an_error_that_names_it() -> None:
    for program in (MultirotorFollow("sihgt", sensor="state"), MultirotorLanding("sihgt", sensor="state")):
        with pytest.raises(InputError, match=r"needs the reading 'sihgt.position.x'.*did you mean 'sight.position.x'"):
            program.start(Robot(INPUTS, (*POSE, *SIGHT), program.setpoints, rotors=ROTORS))


class Sinking:
    """A landing on a deck at rest: the height follows what the program asks for, until it stands."""

    def __init__(self, **gains: float) -> None:
        self.flown = _flown(MultirotorLanding("sight", sensor="state"), gear__height=0.05, **gains)
        self.height, self.climb, self.aside = 2.0, 0.0, 0.0

    def step(self, seconds: float, *, seen: bool = True) -> None:
        for _ in range(round(100 * seconds)):
            if seen:
                _see(self.flown, -self.aside, 0.0, -self.height - 0.05)
            self.flown.see(state__position__x=self.aside, state__position__z=self.height, state__velocity__z=self.climb)
            self.flown.step()
            after = max(float(self.flown.memory["height_setpoint"]), 0.0)
            self.climb, self.height = (after - self.height) * 100.0, after

    @property
    def stage(self) -> int:
        return int(self.flown.memory["stage"])


def test_a_landing_goes_through_its_stages_and_ends_with_rotors_off() -> None:
    """2 m at 0.5 m/s down to 0.3 m, then at 0.3 m/s: 3.4 and 1 s. On the deck the thrust, 0.5 + 0.2 (h* - 0.3), falls on.

    It is below 0.7 of hover when h* is -0.45 m, 1.5 s later, and after 0.2 s more it stands.
    """
    landing = Sinking(settle__seconds=0.5)
    landing.step(1.0)
    assert landing.stage == st.FOLLOW  # until it is asked to land
    landing.flown.ask(land=1.0)
    landing.step(3.3)
    assert landing.stage == st.DESCEND
    landing.step(0.3)
    assert landing.stage == st.TOUCH_DOWN
    landing.step(2.0)
    assert landing.stage == st.TOUCH_DOWN
    landing.step(0.7)
    assert landing.stage == st.OFF
    assert set(landing.flown.step(1.0).values()) == {0.0}


def test_aside_of_the_deck_it_does_not_sink_and_gives_up_in_the_end() -> None:
    landing = Sinking(settle__seconds=0.5, patience=2.0)
    landing.flown.ask(land=1.0)
    landing.step(2.0)
    assert landing.stage == st.DESCEND
    landing.aside, before = 1.5, landing.height
    landing.step(1.5)
    assert landing.height == pytest.approx(before, abs=0.06)  # the filter, of 0.5 s, takes 0.1 s to be outside of the cone
    landing.step(1.0)
    assert landing.stage == st.ABORTED
    assert st.REASONS[int(landing.flown.memory["reason"])] == "not over the deck"
    landing.step(5.0)
    assert landing.height == pytest.approx(2.0, abs=0.01)  # back up


def test_a_deck_that_is_lost_while_it_sinks_ends_the_landing() -> None:
    landing = Sinking(settle__seconds=0.5)
    landing.flown.ask(land=1.0)
    landing.step(2.0)
    landing.step(1.5, seen=False)
    assert landing.stage == st.ABORTED
    assert st.REASONS[int(landing.flown.memory["reason"])] == "the deck is lost"
