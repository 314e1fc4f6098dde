"""Still air gives no energy: over 10,000 random states of each part, what it does to the body is paid by its shaft."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from laws import evaluate, record
from numpy.typing import NDArray

from didymos.parts import Part
from didymos.parts.body_drag import BodyDrag
from didymos.parts.electric_engine import ElectricEngine
from didymos.parts.generic_engine import GenericEngine
from didymos.parts.part import MOTION, WRENCH
from didymos.parts.rotor import Rotor

STATES = 10_000
DRAWS = {
    "rotor": {
        "thrust_coefficient": (1e-9, 1e-2), "torque_coefficient": (1e-11, 1e-3), "solidity": (1e-3, 0.5), "radius": (0.01, 3.0),
    },
    "engine": {"disc_area": (1e-3, 1.0), "efficiency": (0.1, 1.0), "exit_speed": (1.0, 100.0)},
}  # fmt: skip
BATTERY: dict[str, Any] = {
    "cells": 3, "motor_resistance": 0.041, "speed_constant": 13.333, "idle_current": 0.9, "inertia": 2.6e-4,
    "speed_limit": 1000.0, "diameter": 0.305, "advance_limit": 0.8, "thrust_limit": 138.0,
    "power": {"coefficients": [0.0661, -0.1647, 0.2958, -0.2355]},
    "efficiency": {"coefficients": [0.0, 3.19, -12.15, 27.83, -21.82]},
}  # fmt: skip


class Bench:
    """One part whose law is called with arrays of one's own, fast enough for many states."""

    def __init__(self, part: type[Part], **numbers: Any) -> None:
        self.part, self.numbers = part, np.array([part.spec(link="body", **numbers).record()])
        self.here = record(MOTION, {"density": 1.225, "clearance": 100.0})
        self.here["rotation"][0] = [0, 0, 1, 0, 1, 0, 1, 0, 0]
        layouts = (part.input_layout, part.memory_layout, part.state_layout, part.state_layout, WRENCH, part.output_layout)
        self.inputs, self.memory, self.state, self.rate, self.wrench, self.output = (np.zeros(1, dtype=one) for one in layouts)

    def __call__(self, velocity: Any, rate: Any = (0.0, 0.0, 0.0), **given: float) -> NDArray[np.float64]:
        """Force and torque [6]; `given` are inputs and states by name."""
        self.here["velocity"] = self.here["air_velocity"] = velocity
        self.here["rate"] = self.here["air_rate"] = rate
        for name, value in given.items():
            for records in (self.inputs, self.state, self.numbers):
                if name in (records.dtype.names or ()):
                    records[name] = value
                    break
        self.wrench[:] = np.zeros(1, dtype=WRENCH)
        evaluate(
            self.part, self.numbers, self.here, self.inputs, self.memory, self.state, self.rate, self.wrench, self.output
        )  # fmt: skip
        return np.concatenate([self.wrench["force"][0], self.wrench["torque"][0]])


def _log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    return float(low * (high / low) ** random.random())


def _velocity(random: np.random.Generator) -> NDArray[np.float64]:
    """Of any direction, along the axis or across it now and then; from a crawl to 60 m/s."""
    velocity = random.standard_normal(3)
    velocity *= random.choice([0.0, 1.0], 3, p=[0.2, 0.8])
    return velocity * _log_uniform(random, 1e-3, 60.0) / max(float(np.linalg.norm(velocity)), 1e-9)


def _rotor(random: np.random.Generator, **changes: Any) -> tuple[Bench, float]:
    """A rotor of random numbers and speed; what a disc cannot lift is less, what momentum theory forbids gets more torque."""
    numbers = {name: _log_uniform(random, *span) for name, span in DRAWS["rotor"].items()}
    for name in ("solidity", "radius"):
        numbers[name] *= float(random.random() > 0.3)
    if numbers["radius"] > 0.0:
        numbers["thrust_coefficient"] = min(numbers["thrust_coefficient"], 0.9 * 0.25 * math.pi * 1.225 * numbers["radius"] ** 4)
        least = numbers["thrust_coefficient"] ** 1.5 / (math.sqrt(2.45 * math.pi) * numbers["radius"])
        numbers["torque_coefficient"] = least * _log_uniform(random, 1.0, 5.0) * (1.0 + 1e-12)
    speed = _log_uniform(random, 1e-3, 2000.0)
    return Bench(Rotor, direction=float(random.choice([-1, 1])), speed_per_input=speed, **(numbers | changes)), speed


@pytest.mark.parametrize("options", [{}, {"flapping_drag": 1e-4}, {"ground_effect": 1.0}])
def test_a_rotor_takes_no_energy_from_still_air(options: dict[str, float]) -> None:
    """V . F + omega . tau <= Q w: thrust and drag on the body, reaction on a body that turns, paid by the shaft."""
    random = np.random.default_rng(11)
    for _ in range(STATES):
        bench, speed = _rotor(random, **options)
        bench.here["clearance"] = _log_uniform(random, 0.01, 100.0)
        velocity, turning = _velocity(random), float(random.uniform(-0.5, 0.5)) * speed
        load = bench(velocity, (turning, 0.0, 0.0), command=1.0)
        torque = float(bench.output["torque"][0])
        terms = np.array([*(load[:3] * velocity), load[3] * turning, -torque * speed])
        assert np.isfinite(terms).all()
        assert terms.sum() <= 1e-9 * np.abs(terms).sum()


def test_an_electric_engine_takes_no_energy_from_still_air() -> None:
    random = np.random.default_rng(12)
    for direction in (1.0, -1.0):
        bench = Bench(ElectricEngine, direction=direction, **BATTERY)
        for _ in range(STATES // 2):
            speed, velocity = _log_uniform(random, 1e-3, 1000.0), _velocity(random)
            turning = float(random.uniform(-0.5, 0.5)) * speed
            load = bench(velocity, (turning, 0.0, 0.0), throttle=float(random.random()), speed=speed)
            torque = -direction * load[3]
            assert load[0] * velocity[0] + load[3] * turning <= torque * speed * (1.0 + 1e-9)


def test_a_generic_engine_gives_no_more_than_its_stream_and_brakes_without_one() -> None:
    """The power of a stream thrown at k_m u is T (k_m u + V_x) / 2; backward, or faster than the stream, T V_x is below zero."""
    random = np.random.default_rng(13)
    for _ in range(STATES):
        numbers = {name: _log_uniform(random, *span) for name, span in DRAWS["engine"].items()}
        bench = Bench(GenericEngine, direction=1, **numbers)
        throttle = float(random.random() * (random.random() > 0.3))
        velocity = _velocity(random)
        load, stream = bench(velocity, throttle=throttle), numbers["exit_speed"] * throttle
        gained = float(load[:3] @ velocity)
        assert gained <= max(0.5 * load[0] * (stream + velocity[0]), 0.0) * (1.0 + 1e-9)
        if throttle == 0.0 or velocity[0] <= 0.0 or velocity[0] >= stream:
            assert gained <= 0.0
        if velocity[0] != 0.0 and throttle == 0.0:
            assert np.sign(load[0]) == -np.sign(velocity[0])


def test_the_drag_of_a_body_only_takes() -> None:
    random = np.random.default_rng(14)
    bench = Bench(BodyDrag)
    for _ in range(STATES):
        velocity = _velocity(random)
        load = bench(velocity, **{f"area_{axis}": _log_uniform(random, 1e-4, 1.0) for axis in "xyz"})
        assert (load[:3] * velocity <= 0.0).all()


def _mirrored(load: NDArray[np.float64]) -> NDArray[np.float64]:
    """Force and torque in a mirror across y: a vector changes its y, a moment its x and z."""
    return load * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])


@pytest.mark.parametrize(
    "make",
    [
        lambda d: Bench(
            Rotor, direction=d, thrust_coefficient=2e-5, torque_coefficient=4e-7, speed_per_input=700.0, radius=0.12,
            flapping_moment=1e-6, inertia=2e-5,
        ),
        lambda d: Bench(GenericEngine, direction=d, disc_area=0.02, exit_speed=40.0, torque_coefficient=1e-5, spin_speed=300.0),
        lambda d: Bench(ElectricEngine, direction=d, gyroscopic=1.0, **BATTERY),
        lambda d: Bench(BodyDrag, area_x=0.1, area_y=0.2, area_z=0.3),
    ],
    ids=["rotor", "generic engine", "electric engine", "body drag"],
)  # fmt: skip
def test_a_mirror_image_that_turns_the_other_way_does_the_mirror_image(make: Callable[[float], Bench]) -> None:
    random = np.random.default_rng(15)
    one, other = make(1.0), make(-1.0)
    for _ in range(1000):
        velocity, rate = _velocity(random), random.uniform(-5.0, 5.0, 3)
        given = {"command": float(random.random()), "throttle": float(random.random())}
        if one.part is ElectricEngine:
            given["speed"] = float(random.uniform(0.0, 900.0))
        load = one(velocity, rate, **given)
        seen = other(velocity * [1.0, -1.0, 1.0], rate * [-1.0, 1.0, -1.0], **given)
        np.testing.assert_allclose(seen, _mirrored(load), rtol=1e-12, atol=1e-15)


def test_a_rotors_load_has_no_jumps() -> None:
    """On lines through all regimes (climb, vortex ring, windmill, mu beyond 1, stop) the largest step halves with the mesh."""
    random = np.random.default_rng(16)
    for line in range(16):
        torque = float(random.uniform(4e-7, 8e-7))
        bench, _ = _rotor(random, thrust_coefficient=2e-5, torque_coefficient=torque, radius=0.12, solidity=0.0)
        ends = random.uniform(-60.0, 60.0, (2, 3))
        speeds = (0.0, 700.0) if line % 2 else (400.0, 400.0)
        steps = []
        for count in (400, 1600):
            loads = []
            for share in np.linspace(0.0, 1.0, count + 1):
                bench.numbers["speed_per_input"] = speeds[0] + share * (speeds[1] - speeds[0])
                loads.append(bench((1.0 - share) * ends[0] + share * ends[1], command=1.0))
            steps.append(np.abs(np.diff(np.array(loads), axis=0)).max(axis=0))
        assert (steps[1] <= 0.35 * steps[0] + 1e-12).all()  # a quarter, but for kinks; a jump would stay
