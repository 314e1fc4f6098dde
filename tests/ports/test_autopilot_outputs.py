"""Which output of an autopilot drives which input: frames found from geometry, ranges, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import didymos
from didymos.control.allocation import Allocation, Allocations
from didymos.control.controller import Robot
from didymos.control.idle import Idle
from didymos.control.rotor_place import Rotor
from didymos.errors import InputError
from didymos.ports.firmware.autopilots.outputs import Drive, find_frame, find_outputs
from didymos.ports.firmware.autopilots.px4 import inputs_of_controls

FLYERS = ("quadcopter", "hexacopter", "daedalus", "crazyflie", "skywalker_2013", "plane_1wing_sensors")


def robot(rotors: tuple[Rotor, ...] = (), **ranges: tuple[float, float]) -> Robot:
    return Robot(inputs=tuple(ranges), measured=(), setpoints=(), rotors=rotors, input_ranges=ranges)


def ring(*places: tuple[float, float]) -> tuple[Rotor, ...]:
    """Rotors at angles clockwise from the nose [deg], each turning +1 (against the clock) or -1."""
    return tuple(
        Rotor(f"m{i}", (math.cos(math.radians(angle)), -math.sin(math.radians(angle)), 0.0), (0.0, 0.0, 1.0), turns)
        for i, (angle, turns) in enumerate(places)
    )


@pytest.mark.parametrize("name", FLYERS)
def test_what_bundled_twins_say_is_what_would_be_found(name: str) -> None:
    twin = didymos.load(name)
    flown = twin.simulate(control=Idle()).robot
    for about in (twin.file.firmware.ardupilot, twin.file.firmware.px4):
        assert about is not None
        named = about.options["outputs"]
        assert find_outputs(flown, named, "outputs") == find_outputs(flown, (), "outputs")


def test_frames_are_found_in_any_order_of_the_parts() -> None:
    quad = find_frame(
        ring((-45, -1), (135, -1), (45, 1), (-135, 1)), InputError
    )  # front left, rear right, front right, rear left
    assert (quad.name, quad.inputs, quad.reversed, quad.ardupilot) == ("quad_x", ("m2", "m3", "m0", "m1"), False, (1, 1))
    other = find_frame(ring((-45, 1), (135, 1), (45, -1), (-135, -1)), InputError)
    assert (other.reversed, other.ardupilot) == (True, (1, 3))
    hexa = find_frame(ring(*((60 * i, (-1.0) ** (i + 1)) for i in range(6))), InputError)
    assert (hexa.name, hexa.inputs) == ("hexa_plus", ("m0", "m3", "m4", "m1", "m5", "m2"))
    crossed = find_frame(ring(*((30 + 60 * i, (-1.0) ** i) for i in range(6))), InputError)
    assert (crossed.name, crossed.inputs) == ("hexa_x", ("m1", "m4", "m5", "m2", "m0", "m3"))
    assert find_frame(ring(*((60 * i, (-1.0) ** i) for i in range(6))), InputError).ardupilot is None


@pytest.mark.parametrize(
    ("rotors", "said"),
    [
        ((), "does not say which inputs roll, pitch, yaw and push it; name what outputs 1, 2"),
        (
            (*ring((45, 1), (-135, 1)), Rotor("m9", (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0)),
            "some of the rotors lift and some push",
        ),
        (ring((0, 1), (120, 1), (240, 1)), "3 rotors at .* make none of quad_plus"),
        (ring((45, 1), (-135, -1), (-45, -1), (135, 1)), "sit like quad x but do not turn like it"),
        (ring((45, 1), (-135, 1), (-65, -1), (135, -1)), "4 rotors"),
    ],
)
def test_rotors_that_make_no_frame_are_asked_for_by_name(rotors: tuple[Rotor, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        find_outputs(robot(rotors, m0=(0.0, 1.0)), (), "outputs")


def with_allocation(flown: Robot, **weights: tuple[float, ...]) -> Robot:
    many, names = len(flown.inputs), flown.inputs
    by_axis = {axis: np.array(row) for axis, row in weights.items()}
    made = Allocation(names, by_axis, -np.ones(many), np.ones(many), np.zeros(many))
    return replace(flown, allocation=Allocations(lambda name: made))


def test_an_aircraft_has_aileron_elevator_throttle_rudder_by_its_allocation() -> None:
    plane = robot(a=(-1, 1), e=(-1, 1), r=(-1, 1), m=(0, 1), n=(0, 1))
    axes = {"roll": (1, 0, 0, 0, 0), "pitch": (0, -1, 0, 0, 0), "yaw": (0, 0, 1, 0, 0), "thrust": (0, 0, 0, 1, 1)}
    found = find_outputs(with_allocation(plane, **axes), (), "outputs")
    expected = [(1, "a", False), (2, "e", True), (3, "m", False), (3, "n", False), (4, "r", False)]
    assert [(drive.output, drive.input, drive.reversed) for drive in found] == expected


def test_elevons_are_for_the_autopilot_to_mix() -> None:
    wing = robot(left=(-1, 1), right=(-1, 1), m=(0, 1))
    axes = {"roll": (1, -1, 0), "pitch": (1, 1, 0), "thrust": (0, 0, 1)}
    with pytest.raises(InputError, match=r"'left' stands under two axes of the allocation, .*; name what outputs 1, 2"):
        find_outputs(with_allocation(wing, **axes), (), "outputs")


def test_outputs_may_be_left_out_turned_round_and_shared() -> None:
    plane = robot(a=(-1, 1), e=(-1, 1), m=(0, 1), n=(0, 1))
    found = find_outputs(plane, ["-a", None, ["m", "n"], "e"], "outputs")
    assert [(drive.output, drive.input, drive.reversed) for drive in found] == [
        (1, "a", True), (3, "m", False), (3, "n", False), (4, "e", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["motr"], "there is no input 'motr', did you mean 'motor'"),
        (["motor", "motor"], "'motor' is driven by two outputs"),
        (["free"], "'free' has no limits"),
        ("motor", "expected a list"),
        (["motor"] * 33, "at most 32"),
    ],
)
def test_what_cannot_be_driven_is_refused(named: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        find_outputs(robot(motor=(0.0, 1.0), free=(-math.inf, math.inf)), named, "firmware.px4.options.outputs")


MOTOR, SURFACE, LOPSIDED, BACK = Drive(1, "m", 0, 1), Drive(1, "s", -1, 1), Drive(1, "l", -0.5, 2), Drive(1, "b", -1, 1, True)


@pytest.mark.parametrize(
    ("drive", "pulses"),
    [
        (MOTOR, {0: 0, 900: 0, 1000: 0, 1250: 0.25, 2000: 1, 2100: 1}),
        (SURFACE, {0: 0, 900: -1, 1000: -1, 1500: 0, 1750: 0.5, 2000: 1}),
        (LOPSIDED, {0: 0, 1000: -0.5, 1250: -0.25, 1500: 0, 2000: 2}),
        (BACK, {0: 0, 1000: 1, 1500: 0, 2000: -1}),
        (Drive(1, "m", 0, 1, True), {0: 0, 1000: 1, 2000: 0}),
    ],
)
def test_pulses_reach_the_range_of_the_input(drive: Drive, pulses: dict[int, float]) -> None:
    assert {pulse: drive.of_pulse(pulse) for pulse in pulses} == pytest.approx(pulses)
    assert all(drive.pulse(value) == pulse for pulse, value in pulses.items() if 1000 <= pulse <= 2000)


def test_controls_reach_the_range_of_the_input_only_while_armed() -> None:
    drives = (Drive(1, "m", 0, 1), Drive(3, "s", -1, 1), Drive(4, "off", 0.2, 1))
    controls = [0.7, 9.0, -0.4, math.nan]
    assert inputs_of_controls(drives, controls, True) == pytest.approx({"m": 0.7, "s": -0.4, "off": 0.2})
    assert inputs_of_controls(drives, controls, False) == {"m": 0.0, "s": 0.0, "off": 0.2}
