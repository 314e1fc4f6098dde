"""Synthetic recordings whose truth is known: three twins, seven noises, five lengths, for `make_coverage.py`.

A case moves the parameters of a twin from the file's values by up to a quarter, runs it, takes samples of it at stamps, adds
noise and writes the CSV that a user would have. The noises, s being the standard deviation of a channel:

    white           s e,                        e independent and standard normal
    slow 0.9, 0.98  s a,                        a(k) = c a(k-1) + sqrt(1 - c^2) e(k), in its steady state
    shared          s (0.8 u + 0.6 e),          u the same in all channels
    delay           s e, of a recording whose clock, or one of whose columns, lags by d; d is fitted beside the rest
    jitter told     s e, at stamps that are off the raster by up to 0.4 intervals, and say so
    jitter untold   s e, at stamps that say the raster; samples were taken beside it by a normal error of known size
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

import didymos
from didymos.describe.schema import FreeSpec
from didymos.fitting import Column
from didymos.twin import Twin

_Array = NDArray[np.float64]

NOISES = ("white", "slow 0.9", "slow 0.98", "shared", "delay", "jitter told", "jitter untold")
SAMPLES = (20, 60, 200, 600, 2000)
ROUNDS = 8  # of each noise and length of each twin
AWAY = 0.25  # log of the factor by which truths are moved, at most

_ARM = """<mujoco><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0" damping="0.3"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="1.2"/>
  <body name="lower" pos="0 0 -.5"><joint name="elbow" axis="0 1 0" damping="0.15"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".02" mass="0.8"/></body></body></worldbody>
  <actuator><motor name="first" joint="shoulder"/><motor name="second" joint="elbow"/></actuator></mujoco>"""


@dataclass(frozen=True)
class Robot:
    """A twin, what of it is recorded, and what is fitted.

    `motions` has the scenario and the seconds by the number of samples, `noise` a standard deviation for each channel, `jitter`
    [s] that of stamps which do not tell it, `delay` [s] the largest lag.
    """

    make: Callable[[], Twin]
    columns: dict[str, Column]
    noise: dict[str, float]
    free: dict[str, FreeSpec]
    motions: dict[int, tuple[str, float]]
    jitter: float
    delay: float


@dataclass(frozen=True)
class Case:
    """One recording of the study; `number` tells those of the same kind apart."""

    robot: str
    noise: str
    samples: int
    number: int

    @property
    def key(self) -> str:
        """Its name in the file of results."""
        return f"{self.robot}, {self.noise}, {self.samples}, {self.number}"


@dataclass(frozen=True, eq=False)
class Made:
    """A CSV, what it was made with, and what may move in a fit of it."""

    file: Path
    truth: dict[str, float]
    free: dict[str, FreeSpec]


def _drive() -> Twin:
    twin = didymos.load("power_unit")
    twin.set("parts.drive.ripple", 0.0)
    return twin


def _arm() -> Twin:
    pushes = [("first", 3.0, 0.7, 0.0), ("second", 1.0, 1.3, 1.0)]  # N m, Hz, rad
    stimuli = [
        {"target": f"inputs.{name}", "kind": "sine", "amplitude": size, "frequency": rate, "phase": phase}
        for name, size, rate, phase in pushes
    ]
    world, record = {"step": 0.002, "integrator": "rk4"}, {"rate": 250}
    return Twin.from_urdf(_ARM, world=world, record=record, scenarios={"swing": {"seconds": 10.2, "stimuli": stimuli}})


def _free(low: float, high: float) -> FreeSpec:
    return FreeSpec(bounds=(low, high))


ROBOTS = {
    "drive": Robot(
        _drive,
        {
            "position": Column("position", "parts.drive.output_position", weight=10.0),
            "velocity": Column("velocity", "parts.drive.output_velocity"),
        },
        {"position": 1e-3, "velocity": 0.02},
        {
            "parts.drive.coulomb": _free(0.0, 0.2), "parts.drive.rotor_inertia": _free(5e-5, 1e-3),
            "parts.drive.kd": _free(0.01, 0.2),
        },
        {20: ("step", 2.0), 60: ("sine", 4.0), 200: ("sine", 4.0), 600: ("sine", 4.0), 2000: ("chirp", 9.9)},
        1e-3, 0.02,
    ),
    "arm": Robot(
        _arm,
        {name: Column(name, f"joints.{name}.position") for name in ("shoulder", "elbow")},
        {"shoulder": 3e-3, "elbow": 3e-3},
        {
            "links.lower.mass": _free(0.3, 2.0), "joints.shoulder.damping": _free(0.0, 1.0),
            "joints.elbow.damping": _free(0.0, 0.6),
        },
        {20: ("swing", 2.0), 60: ("swing", 3.0), 200: ("swing", 4.0), 600: ("swing", 6.0), 2000: ("swing", 10.0)},
        1e-3, 0.02,
    ),
    "quadrotor": Robot(
        lambda: didymos.load("quadcopter"),
        {name: Column(name, f"truth.position.{name}") for name in "xyz"},
        {"x": 0.01, "y": 0.01, "z": 0.01},
        {
            "links.body_FLU.mass": _free(0.3, 1.2), "parts.drag.area_x": _free(0.0, 0.05), "parts.drag.area_y": _free(0.0, 0.05),
        },
        {samples: ("attitude_steps", 6.0 if samples > 20 else 5.0) for samples in SAMPLES},
        3e-3, 0.03,
    ),
}  # fmt: skip


@cache
def twin_of(robot: str) -> Twin:
    """The twin with the file's values; whoever changes it takes a copy."""
    return ROBOTS[robot].make()


def cases(rounds: int = ROUNDS) -> list[Case]:
    """All of them, so that any first part of the list holds every robot, noise and length alike."""
    kinds = [(robot, noise, samples) for samples in SAMPLES for noise in NOISES for robot in ROBOTS]
    return [
        Case(*kinds[i], number)
        for number in range(rounds)
        for i in np.random.default_rng(number).permutation(len(kinds))
    ]


def make(case: Case, folder: Path) -> Made:
    """Write the recording of a case."""
    robot, twin = ROBOTS[case.robot], twin_of(case.robot).copy()
    rng = np.random.default_rng([ord(letter) for letter in case.key])
    known = twin.parameters
    truth = {path: float(known[path].value * np.exp(AWAY * rng.uniform(-1.0, 1.0))) for path in robot.free}
    twin.set_all(truth)
    scenario, seconds = robot.motions[case.samples]
    log = twin.simulate(scenario=scenario).run()
    interval = seconds / case.samples
    raster = interval * np.arange(case.samples)
    if case.noise == "jitter told":
        raster = np.maximum(raster + interval * rng.uniform(-0.4, 0.4, case.samples), 0.0)
    taken = raster + robot.jitter * rng.standard_normal(case.samples) * (case.noise == "jitter untold")
    free, lags = dict(robot.free), dict.fromkeys(robot.columns, 0.0)
    if case.noise == "delay":
        slow = list(robot.columns) if case.number % 2 else list(robot.columns)[-1:]
        path = "recording.clock_offset" if case.number % 2 else f"recording.delay.{slow[0]}"
        truth[path] = float(robot.delay * rng.uniform(0.1, 0.9))
        free[path] = _free(-robot.delay, robot.delay)
        lags |= dict.fromkeys(slow, truth[path])
    errors = _noise(case.noise, rng, case.samples, len(robot.columns))
    table = {"time": raster}
    for (name, column), error in zip(robot.columns.items(), errors.T, strict=True):
        signal = log[column.signal]
        table[name] = np.interp(taken - lags[name], signal.time, signal.values) + robot.noise[name] * error
    file = folder / f"{scenario}.csv"
    np.savetxt(file, np.column_stack(list(table.values())), delimiter=",", header=",".join(table), comments="", fmt="%.9g")
    return Made(file, truth, free)


def _noise(kind: str, rng: np.random.Generator, samples: int, channels: int) -> _Array:
    """Of standard deviation 1, shape [samples, channels]."""
    fresh = rng.standard_normal((samples, channels))
    if kind.startswith("slow"):
        correlation = float(kind.split()[1])
        fresh[1:] *= np.sqrt(1.0 - correlation**2)
        return np.asarray(lfilter([1.0], [1.0, -correlation], fresh, axis=0))
    if kind == "shared":
        return 0.8 * rng.standard_normal((samples, 1)) + 0.6 * fresh
    return fresh
