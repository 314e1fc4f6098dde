"""Integrals that learn nothing on the ground, and stop at the limits of what they move: every flight program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import synthetic_flights as sky

from didymos.control import Allocations, Robot, Rotor, Values
from didymos.control.allocation_spec import AllocationSetSpec, stated_allocation
from didymos.control.backstepping import Backstepping
from didymos.control.fixed_wing import FixedWing
from didymos.control.multirotor_hold import MultirotorHold

ROTORS = tuple(
    Rotor(f"m{i}", (0.2 * np.cos(a), 0.2 * np.sin(a), 0.0), (0.0, 0.0, 1.0), (-1.0) ** i)
    for i, a in enumerate(np.pi / 4 + np.arange(4) * np.pi / 2)
)
INPUTS = tuple(rotor.input for rotor in ROTORS)
POSE = tuple(
    f"state.{name}.{axis}"
    for name, axes in (("orientation", "wxyz"), ("angular_velocity", "xyz"), ("position", "xyz"), ("velocity", "xyz"))
    for axis in axes
)


class Flown:
    """A program that is called from Python, its readings and set-points by name."""

    def __init__(self, program: Any, names: tuple[str, ...], inputs: tuple[str, ...], **robot: Any) -> None:
        self.program = program
        program.rate = 100.0
        program.start(Robot(inputs, names, program.setpoints, **robot))
        self.names, self.readings = names, np.zeros(len(names))
        self.asked = np.zeros(len(program.setpoints))
        self.measured = Values({name: i for i, name in enumerate(names)}, self.readings)
        self.setpoints = Values({name: i for i, name in enumerate(program.setpoints)}, self.asked)
        self.tick = 0

    def see(self, **readings: float) -> None:
        for name, value in readings.items():
            self.readings[self.names.index(name.replace("__", "."))] = value

    def ask(self, **setpoints: float) -> None:
        for name, value in setpoints.items():
            self.asked[self.program.setpoints.index(name)] = value

    def step(self, seconds: float = 0.01) -> dict[str, float]:
        answer: dict[str, float] = {}
        for _ in range(round(seconds * 100.0)):
            answer = dict(self.program.update(self.tick / 100.0, self.measured, self.setpoints))
            self.tick += 1
        return answer

    @property
    def memory(self) -> Any:
        return self.program._memory


def _posed(program: Any, inputs: tuple[str, ...] = INPUTS, **robot: Any) -> Flown:
    flown = Flown(program, POSE, inputs, **robot)
    flown.see(state__orientation__w=1.0)
    return flown


def _holds(**gains: float) -> MultirotorHold:
    program = MultirotorHold(sensor="state")
    own = {"height_hover": 0.5, "height_kp": 0.2, "height_ki": 0.1, "roll_kp": 0.1, "pitch_kp": 0.1}
    for path, value in (own | gains).items():
        program.set_gain(path.replace("_", ".", 1), value)
    return program


def _on_the_ground() -> Flown:
    """A multirotor at rest with a GPS that wanders and a barometer, as sensors of the bundled twins have it."""
    program = MultirotorHold(estimator={"barometer": "barometer", "declination": float(np.arctan2(sky.FIELD[0], sky.FIELD[1]))})
    for path, value in (("height.hover", 0.5), ("height.kp", 0.2), ("height.ki", 0.1), ("roll.kp", 0.1), ("pitch.kp", 0.1)):
        program.set_gain(path, value)
    names = tuple(name for names in program.navigation.reads.values() for name in names)
    return Flown(program, names, INPUTS, rotors=ROTORS, sensors=sky.specs())


def _stand(flown: Flown, seconds: float) -> list[dict[str, float]]:
    """What the program answers on the ground; the GPS wanders by 0.5 m east within half a minute."""
    answers = []
    for _ in range(round(seconds * 100.0)):
        t = flown.tick / 100.0
        flown.see(imu__accel__z=sky.GRAVITY, imu__stamp=t, magnetometer__stamp=np.floor(25.0 * t) / 25.0)
        flown.see(**{f"magnetometer__field__{axis}": value for axis, value in zip("xyz", sky.FIELD, strict=True)})
        flown.see(barometer__pressure=101_325.0, barometer__stamp=np.floor(25.0 * t) / 25.0)
        flown.see(gps__position__x=0.5 * np.sin(0.05 * t) + 0.3, gps__stamp=np.floor(5.0 * t) / 5.0)
        answers.append(flown.step())
    return answers


def test_a_minute_on_the_ground_teaches_a_multirotor_nothing() -> None:
    """It stands, its rotors rest, its integrals are zero; asked to climb, it lifts off at once and nearly level."""
    flown = _on_the_ground()
    answers = _stand(flown, 60.0)
    assert all(value == 0.0 for answer in answers for value in answer.values())
    assert flown.memory["landed"] == 1.0
    assert not flown.memory["velocity_integral"].any()
    flown.ask(z=2.0)
    (answer,) = _stand(flown, 0.01)
    assert flown.memory["landed"] == 0.0
    assert min(answer.values()) > 0.5
    # what is left is the proportional answer to 0.6 m of wander: kp kp e / g = 0.8 x 2 x 0.6 / 9.8 rad = 6 deg of roll or pitch,
    # at 0.1 per rad in each rotor's input; learned for a minute at 0.8 1/s^2, it would be all 0.5 rad that are allowed
    assert max(answer.values()) - min(answer.values()) < 2.0 * 0.1 * 0.14


def test_a_multirotor_lands_where_it_is_asked_to_go_below_the_ground_and_takes_off_again() -> None:
    flown = _posed(_holds(), rotors=ROTORS)
    flown.ask(z=-1.0)
    assert min(flown.step(0.5).values()) > 0.0  # low thrust for a moment is no landing
    answer = flown.step(5.0)
    assert flown.memory["landed"] == 1.0
    assert set(answer.values()) == {0.0}
    flown.ask(z=0.4)
    assert set(flown.step().values()) == {0.0}  # within the doubt about a height
    flown.ask(z=0.6)
    assert min(flown.step().values()) > 0.5
    assert flown.memory["height_integral"] == pytest.approx(0.0, abs=1e-2)


def test_a_multirotor_that_sinks_has_not_landed() -> None:
    flown = _posed(_holds(), rotors=ROTORS)
    flown.ask(z=-1.0)
    flown.see(state__velocity__z=-0.5)
    flown.step(5.0)
    assert flown.memory["landed"] == 0.0


def test_a_position_loop_at_its_largest_tilt_learns_no_more_and_unlearns_at_once() -> None:
    """100 m away for a minute; the integral stays below the 5.4 m/s^2 of the largest tilt, and falls once it is to go back."""
    flown = _posed(_holds(), rotors=ROTORS)
    flown.ask(x=100.0, z=0.0)
    flown.step(60.0)
    most = 9.80665 * np.tan(0.5)
    learned = float(flown.memory["velocity_integral"][0])
    assert 0.0 <= learned <= most
    flown.memory["velocity_integral"][0] = 2.0 * most  # as if from another time: beyond what the tilt can give
    flown.ask(x=-100.0)
    flown.step(0.1)
    assert flown.memory["velocity_integral"][0] < 2.0 * most


@pytest.mark.parametrize("error", [50.0, -50.0])
def test_a_height_loop_at_its_limit_learns_no_more(error: float) -> None:
    """Full thrust, or none, for a minute: the integral is what it was when the limit was reached."""
    flown = _posed(_holds(height_kp=2.0, height_step=50.0), rotors=ROTORS)
    flown.see(state__velocity__z=0.0)
    flown.ask(z=error)
    flown.step(0.05)
    before = float(flown.memory["height_integral"])
    flown.step(0.9)
    assert float(flown.memory["height_integral"]) == before


@pytest.mark.parametrize("error", [5.0, -5.0])
def test_the_height_of_backstepping_at_its_limit_learns_no_more(error: float) -> None:
    program = Backstepping(sensor="state")
    for path, value in (("height.kp", 20.0), ("height.ki", 1.0), ("height.step", 5.0)):
        program.set_gain(path, value)
    flown = _posed(program, rotors=ROTORS)
    flown.ask(z=error)
    flown.step(10.0)
    assert flown.memory["height_integral"] == 0.0  # 100 m/s^2 are asked for at once, or less than nothing
    flown.ask(z=0.1)
    flown.step(1.0)
    assert flown.memory["height_integral"] == pytest.approx(0.1, rel=1e-9)


def test_every_loop_of_the_autopilot_stops_at_its_limit() -> None:
    """A minute far from every set-point: each integral stays where its output met its limit."""
    program = FixedWing(sensor="state")
    for path in ("roll.ki", "pitch.ki", "height.ki", "heading.ki", "airspeed.ki"):
        program.set_gain(path, 1.0)
    stated = AllocationSetSpec(roll="a", pitch="b", yaw="c", thrust="d")
    ranges = {"a": (-1.0, 1.0), "b": (-1.0, 1.0), "c": (-1.0, 1.0), "d": (0.0, 1.0)}
    shared = Allocations(lambda _: stated_allocation(stated, ranges, tuple(ranges), hover=False))
    flown = _posed(program, tuple(ranges), allocation=shared)
    flown.see(state__velocity__x=1.0)
    flown.ask(z=1000.0, airspeed=50.0, heading=2.0)
    flown.step(0.2)
    names = ("roll_integral", "pitch_integral", "height_integral", "heading_integral", "speed_integral")
    before = np.array([flown.memory[name] for name in names])
    answer = flown.step(60.0)
    np.testing.assert_array_equal(np.array([flown.memory[name] for name in names]), before)
    assert answer["d"] == 1.0
    assert abs(answer["a"]) == 1.0
