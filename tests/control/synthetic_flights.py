"""Flights whose truth is known in closed form, seen by noisy sensors, for the navigation filter alone: no engine, no control.

    python tests/control/synthetic_flights.py --seeds 50        the long version of the test of consistency

A plane flies coordinated: its x axis along the flow, its lift across it. A multirotor pushes along its z axis. Readings have
the errors of the bundled twins (`SENSORS`); each stands until the next arrives, as a program sees it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control import Robot
from didymos.control.compiled_controller import CLOCK
from didymos.control.estimator import update_estimate
from didymos.control.filter_layout import ESTIMATE, FILTER_MEMORY, FILTER_READINGS
from didymos.control.fixed_wing import FixedWing
from didymos.control.navigation import Navigation
from didymos.sensors import SENSORS as KINDS

Array = NDArray[np.float64]

GRAVITY = 9.80665
UP = np.array([0.0, 0.0, GRAVITY])
RATE = 100.0  # [Hz] of the program
FIELD = np.array([4.5e-6, 2.4e-5, -3.6e-5])  # [T] east, north, up
SENSORS: dict[str, dict[str, Any]] = {
    "imu": {
        "kind": "imu", "link": "body", "rate": 100,
        "gyro": {"noise_density": 0.0002, "bias": 0.003, "bias_walk": 0.00002},
        "accel": {"noise_density": 0.002, "bias": 0.03, "bias_walk": 0.0003},
    },
    "gps": {
        "kind": "gps", "link": "body", "rate": 5,
        "position": {"noise": 0.1, "bias": 0.5, "bias_time": 100}, "velocity": {"noise": 0.05},
    },
    "magnetometer": {"kind": "magnetometer", "link": "body", "rate": 25, "field": {"noise": 1e-7, "bias": 2e-7}},
    "barometer": {"kind": "barometer", "link": "body", "rate": 25, "pressure": {"noise": 2.0, "bias": 3.0}},
    "tube": {"kind": "airspeed", "link": "body", "rate": 25, "airspeed": {"noise": 0.2, "bias": 0.1}},
}  # fmt: skip
"""Those of the bundled planes."""


@dataclass(frozen=True)
class Flight:
    """The truth at every tick: shapes [n], [n, 3] and, for the attitude (body to world), [n, 3, 3]."""

    time: Array
    attitude: Array
    rate: Array  # [rad/s] in the body
    force: Array  # [m/s^2] specific force in the body
    velocity: Array
    position: Array
    airspeed: Array
    tube: bool


def _attitudes(thrust: Array, forward: Array) -> Array:
    """Body frames whose z axis is along `thrust` and whose x axis is as near to `forward` as can be."""
    up = thrust / np.linalg.norm(thrust, axis=1, keepdims=True)
    left = np.cross(up, forward)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    return np.stack([np.cross(left, up), left, up], axis=2)


def _flight(
    seconds: float,
    velocity: Callable[[Array], Array],
    wind: Array,
    forward: Callable[[Array], Array],
    *,
    tube: bool,
    height: float,
) -> Flight:
    """A flight of a velocity over ground as a function of time; differences of 0.1 ms make accelerations and rates."""
    time, h = np.arange(round(seconds * RATE)) / RATE, 1e-4

    def acceleration(t: Array) -> Array:
        return (velocity(t + h) - velocity(t - h)) / (2.0 * h)

    def attitude(t: Array) -> Array:
        push = acceleration(t) + UP
        ahead = forward(t)
        ahead = ahead / np.linalg.norm(ahead, axis=1, keepdims=True)
        if tube:  # x exactly along the flow
            push = push - (push * ahead).sum(axis=1, keepdims=True) * ahead
        return _attitudes(push, ahead)

    here = attitude(time)
    turned = np.einsum("nji,njk->nik", attitude(time - h), attitude(time + h))
    skew = 0.5 * (turned - turned.transpose(0, 2, 1))
    rate = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1) / (2.0 * h)
    force = np.einsum("nji,nj->ni", here, acceleration(time) + UP)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    steps = sum(0.5 * w / RATE * velocity(time[:-1] + 0.5 * (x + 1.0) / RATE) for x, w in zip(nodes, weights, strict=True))
    position = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)]) + height / GRAVITY * UP
    flow = velocity(time) - wind
    return Flight(time, here, rate, force, velocity(time), position, np.linalg.norm(flow, axis=1), tube)


def plane(seconds: float, heading: Callable[[Array], Array]) -> Flight:
    """Coordinated flight at 18 m/s along a heading [rad] of time, climbing and sinking by 1 m/s, in 3 m/s of wind."""
    blows, speed = np.array([0.0, -3.0, 0.0]), 18.0

    def flow(t: Array) -> Array:
        return np.stack([speed * np.cos(heading(t)), speed * np.sin(heading(t)), np.sin(0.2 * t)], axis=1)

    return _flight(seconds, lambda t: flow(t) + blows, blows, flow, tube=True, height=50.0)


def multirotor(seconds: float) -> Flight:
    """Hops of some metres about a place, with the nose north-east."""

    def velocity(t: Array) -> Array:
        return np.stack([2.0 * np.sin(0.5 * t), 1.5 * np.sin(0.7 * t + 1.0), 0.5 * np.sin(0.3 * t)], axis=1)

    ahead = np.array([np.cos(0.8), np.sin(0.8), 0.0])
    return _flight(seconds, velocity, np.zeros(3), lambda t: np.tile(ahead, (len(t), 1)), tube=False, height=20.0)


def _disturb(true: Array, spec: Any, quantity: str, random: np.random.Generator) -> Array:
    """Readings of an error model: white noise, and a bias that stays, walks or wanders."""
    errors, size = getattr(spec, quantity), true.shape
    bias = np.zeros(size)
    bias[0] = errors.bias * random.standard_normal(size[1:])
    kept, step = 1.0, errors.bias_walk / np.sqrt(spec.rate)
    if errors.bias_time > 0.0:
        kept = np.exp(-1.0 / (spec.rate * errors.bias_time))
        step = np.hypot(step, errors.bias * np.sqrt(1.0 - kept**2))
    moves = step * random.standard_normal(size)
    if kept == 1.0:
        bias[1:] = bias[0] + np.cumsum(moves[1:], axis=0)
    else:
        for k in range(1, len(true)):
            bias[k] = kept * bias[k - 1] + moves[k]
    white = np.sqrt(errors.noise**2 + errors.noise_density**2 * spec.rate)
    return true + bias + white * random.standard_normal(size)


def _put(into: Any, flight: Flight, spec: Any, lost: tuple[float, float] | None, **readings: Array) -> None:
    """Let the readings of a sensor arrive after its delay, each standing until the next; stamps with them."""
    every, delay = round(RATE / spec.rate), round(spec.delay * RATE)
    into["stamp"] = -1.0
    ticks = np.arange(0, len(flight.time), every)
    if lost is not None:
        ticks = ticks[(flight.time[ticks] < lost[0]) | (flight.time[ticks] >= lost[1])]
    latest = np.searchsorted(ticks + delay, np.arange(len(flight.time)), side="right") - 1  # reading that stands at each tick
    there = latest >= 0
    into["stamp"][there] = flight.time[ticks[latest[there]]]
    for name, values in readings.items():
        into[name][there] = values[ticks[latest[there]] // every]


@kernel
def _fly(settings: Any, gains: Any, readings: Any, clock: Any, memory: Any, every: int, estimates: Any, covariances: Any) -> None:
    """Call the filter at every tick; keep every so-and-so-many-th estimate, and the covariance of its first nine errors."""
    for k in range(len(readings)):
        clock.time, clock.first = k * clock.period, 1.0 if k == 0 else 0.0
        update_estimate(clock, settings, gains, readings[k], memory)
        if k % every == 0:
            estimates[k // every] = memory.estimate
            for i in range(9):
                for j in range(9):
                    covariances[k // every, i, j] = memory.covariance[i, j]


@dataclass(frozen=True)
class Flown:
    """What the filter said every `every` ticks: errors [m, 9] of attitude (in the world), velocity, position."""

    time: Array
    errors: Array
    covariances: Array  # [m, 9, 9]
    memory: Any

    def nees(self, first: int, after: float = 1.0) -> Array:
        """Normalised error squared of three errors from the first on, after some seconds."""
        since = self.time >= after
        errors, covariances = self.errors[since, first : first + 3], self.covariances[since, first : first + 3, first : first + 3]
        return np.einsum("mi,mij,mj->m", errors, np.linalg.inv(covariances), errors)

    @property
    def tilt(self) -> Array:
        """Error of the tilt [rad]."""
        return np.hypot(self.errors[:, 0], self.errors[:, 1])

    @property
    def off(self) -> Array:
        """Error of the position [m]."""
        return np.linalg.norm(self.errors[:, 6:], axis=1)


def _matrices(q: Array) -> Array:
    w, x, y, z = q.T
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
        2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def specs(changes: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """The sensors, with some of their keys replaced."""
    changes = changes or {}
    return {name: KINDS[raw["kind"]].spec(**{**raw, **changes.get(name, {})}) for name, raw in SENSORS.items()}


def readings_of(flight: Flight, sensors: Mapping[str, Any], seed: int, lost: tuple[float, float] | None = None) -> Any:
    """What a program sees at every tick, `FILTER_READINGS` [n]; GPS is lost between two times [s]."""
    random, n = np.random.default_rng(seed), len(flight.time)
    seen = np.zeros(n, dtype=FILTER_READINGS)

    def of(sensor: str, quantity: str, true: Array) -> Array:
        return _disturb(true[:: round(RATE / sensors[sensor].rate)], sensors[sensor], quantity, random)

    _put(seen["imu"], flight, sensors["imu"], None, gyro=of("imu", "gyro", flight.rate), accel=of("imu", "accel", flight.force))
    fix = {name: of("gps", name, getattr(flight, name)) for name in ("position", "velocity")}
    _put(seen["gps"], flight, sensors["gps"], lost, **fix)
    field = np.einsum("nji,j->ni", flight.attitude, FIELD)
    _put(seen["magnetometer"], flight, sensors["magnetometer"], None, field=of("magnetometer", "field", field))
    warmth = 288.15 - 0.0065 * flight.position[:, 2]
    air = 101_325.0 * (warmth / 288.15) ** 5.25588
    _put(seen["barometer"], flight, sensors["barometer"], None, pressure=of("barometer", "pressure", air))
    flow = flight.airspeed * np.sqrt(air / (287.05287 * warmth) / 1.225)
    _put(seen["tube"], flight, sensors["tube"], None, airspeed=of("tube", "airspeed", flow))
    return seen


def navigation_of(flight: Flight, sensors: Mapping[str, Any]) -> Navigation:
    """The filter's settings for a robot of these sensors."""
    declination = float(np.arctan2(FIELD[0], FIELD[1]))
    navigation = Navigation(
        "test", None, {"barometer": "barometer", "declination": declination}, "tube" if flight.tube else None
    )
    names = tuple(name for names in navigation.reads.values() for name in names)
    navigation.start(Robot((), names, (), sensors=sensors), RATE)
    return navigation


def fly(flight: Flight, readings: Any, navigation: Navigation, every: int = 10, **gains: float) -> Flown:
    """Let the filter see the readings of a flight."""
    program = FixedWing(sensor="state")
    for path, value in gains.items():
        program.set_gain(f"estimator.{path}", value)
    tuned = program.gains.view(FixedWing.gain_layout)[0]
    settings = np.array([navigation.settings["filter"]])[0]
    memory, clock = np.zeros(1, dtype=FILTER_MEMORY), np.zeros(1, dtype=CLOCK)
    clock["period"] = 1.0 / RATE
    count = -(-len(readings) // every)
    estimates, covariances = np.zeros(count, dtype=ESTIMATE), np.zeros((count, 9, 9))
    _fly(settings, tuned, readings, clock[0], memory[0], every, estimates, covariances)
    turned = np.einsum("mij,mkj->mik", flight.attitude[::every], _matrices(estimates["orientation"]))
    attitude = 0.5 * np.stack(
        [turned[:, 2, 1] - turned[:, 1, 2], turned[:, 0, 2] - turned[:, 2, 0], turned[:, 1, 0] - turned[:, 0, 1]], axis=1
    )
    errors = np.hstack(
        [attitude, flight.velocity[::every] - estimates["velocity"], flight.position[::every] - estimates["position"]]
    )
    return Flown(flight.time[::every], errors, covariances, memory[0])


CHI_SQUARE_95 = (0.2158, 9.348)
"""Between these numbers lie 95 % of a chi-square of three degrees of freedom, 2.5 % on each side."""


def consistency(
    flight: Flight, seeds: int, sensors: Mapping[str, Any], lost: tuple[float, float] | None = None
) -> dict[str, Any]:
    """Share of the time at which the normalised error lies in the 95 % band, and its mean (right: 3), of each triple."""
    inside: dict[str, list[Array]] = {"attitude": [], "velocity": [], "position": []}
    navigation = navigation_of(flight, sensors)
    for seed in range(seeds):
        flown = fly(flight, readings_of(flight, sensors, seed, lost), navigation)
        for i, name in enumerate(inside):
            inside[name].append(flown.nees(3 * i))
    low, high = CHI_SQUARE_95
    shares = {}
    for name, runs in inside.items():
        all_runs = np.concatenate(runs)
        shares[name] = (float(((all_runs > low) & (all_runs < high)).mean()), float(all_runs.mean()))
    return shares


FLIGHTS: dict[str, Callable[[], Flight]] = {
    "plane": lambda: plane(100.0, lambda t: 1.2 * np.sin(0.15 * t)),
    "steep circle": lambda: plane(100.0, lambda t: 1.42 * t),
    "multirotor": lambda: multirotor(100.0),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=50)
    asked = parser.parse_args()
    late = {name: {"delay": delay} for name, delay in (("gps", 0.2), ("magnetometer", 0.04), ("barometer", 0.04), ("tube", 0.08))}
    for name, make in FLIGHTS.items():
        made = make()
        for title, changes, gap in (("", {}, None), (", GPS lost for 30 s", {}, (50.0, 80.0)), (", late readings", late, None)):
            shares = consistency(made, asked.seeds, specs(changes), gap)
            said = (f"{key} {share:.3f} (mean {mean:.2f})" for key, (share, mean) in shares.items())
            print(f"{name + title:32}", "  ".join(said), flush=True)
