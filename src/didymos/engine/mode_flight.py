"""A mode flown: the simulation begins beside a trim along the mode's vector, and its decay is read from the log.

Controls stay where the trim has them. Of the disturbance, speeds are a hundredth of the airspeed at most (of hover 0.1 m/s),
angles 0.01 rad, rates 0.05 rad/s. The signal is the rigid state that moves most in the mode; a decay exp(s t), of a pair
exp(s t) cos(d t + phase), is fitted to it by least squares that know nothing of the linear model but where to begin, 15 % off.
Laws that are not smooth at the trim (drag that grows with the square of a speed that is zero) have no such decay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.engine.aircraft import Aircraft
from didymos.engine.bounded_solve import solve_bounded
from didymos.engine.linear_flight import LATERAL, LONGITUDINAL, LinearFlight, deviations, put_disturbed
from didymos.engine.modes import Mode
from didymos.engine.simulation import Simulation

__all__ = ["FlownMode", "fly_mode"]

_LARGEST = {"theta": 0.01, "phi": 0.01, "p": 0.05, "q": 0.05, "r": 0.05}  # [rad], [rad/s]
_DECAYS = 2.0  # time constants that are looked at
_SWINGS = 2.5  # periods at most
_LONGEST = 60.0  # [s]
_SERVOS = 1.0  # [s] for surfaces to arrive
_OFF = 0.85  # of what the fit begins with


@dataclass(frozen=True)
class FlownMode:
    """What a log says of a mode: its eigenvalue [1/s], the signal, over how long [s], and what the fit left of the signal."""

    name: str
    expected: complex
    value: complex
    signal: str
    seconds: float
    misfit: float

    @property
    def error(self) -> float:
        """By how much frequency or damping are off: the distance of the eigenvalues over their size."""
        return abs(self.value - self.expected) / abs(self.expected)


def fly_mode(twin: Twin, aircraft: Aircraft, model: LinearFlight, mode: Mode) -> FlownMode:
    """Fly a mode of a linear model (with all its states) and fit what the log shows."""
    trim = model.trim
    vector = mode.vector / mode.vector[int(np.argmax(np.abs(mode.vector)))]
    speed = max(0.01 * trim.airspeed, 0.1)
    rigid = [model.states.index(name) for name in (*LONGITUDINAL, *LATERAL)]
    allowed = np.array([_LARGEST.get(model.states[i], speed) if model.states[i] != "h" else math.inf for i in rigid])
    share = float((np.abs(vector[rigid]) / allowed).max())
    disturbed = np.real(vector) / share
    put_disturbed(aircraft, trim, disturbed)
    seconds = min(_DECAYS / max(abs(mode.value.real), 1e-9), _LONGEST)
    if mode.pair:
        seconds = min(max(seconds, 0.5 * mode.period), _SWINGS * mode.period)
    time, states = _log_of(twin, aircraft, seconds)
    found = deviations(aircraft, trim, states)
    places = [i for i, name in enumerate((*LONGITUDINAL, *LATERAL)) if name != "h"]
    best = max(places, key=lambda i: float(np.abs(vector[i]) / allowed[i]))
    value, misfit = _fit(time, found[:, best], mode.value)
    return FlownMode(mode.name, mode.value, value, (*LONGITUDINAL, *LATERAL)[best], seconds, misfit)


def _log_of(twin: Twin, aircraft: Aircraft, seconds: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Time [s] and height, orientation, velocity and rate of the root link from where the aircraft was put; [n, 11]."""
    calm = twin.copy()
    step = calm.file.world.step
    nothing = dict.fromkeys(("world.wind.speed", "world.wind.shear", "world.wind.up", "world.gusts.wind_6m"), 0.0)
    still = {**nothing, "record.rate": 1.0 / step}
    calm.set_all({path: value for path, value in still.items() if path in calm.parameters})
    program = Idle()
    program.rate = 1.0 / step
    simulation = Simulation(calm, control=program)
    qpos, qvel, act = aircraft.data.qpos.copy(), aircraft.data.qvel.copy(), aircraft.data.act.copy()
    simulation.data.qpos[:], simulation.data.qvel[:] = qpos, qvel
    simulation.step(dict(aircraft.inputs), seconds=_SERVOS)
    simulation.data.qpos[:], simulation.data.qvel[:], simulation.data.act[:] = qpos, qvel, act
    log = simulation.run(seconds)
    columns = ("position.z", *(f"orientation.{axis}" for axis in "wxyz"))
    columns += tuple(f"{what}.{axis}" for what in ("velocity", "angular_velocity") for axis in "xyz")
    signals = [log[f"truth.{column}"] for column in columns]
    return signals[0].time - signals[0].time[0], np.column_stack([signal.values for signal in signals])


def _fit(time: NDArray[np.float64], values: NDArray[np.float64], near: complex) -> tuple[complex, float]:
    """The eigenvalue of a decay, and the share of it that is left."""
    def left(x: NDArray[np.float64]) -> NDArray[np.float64]:
        wave = np.exp(x[0] * time)
        basis = np.column_stack([wave * np.cos(x[1] * time), wave * np.sin(x[1] * time)]) if len(x) > 1 else wave[:, None]
        return np.asarray(values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]).ravel()

    first = np.array([_OFF * near.real, near.imag / _OFF] if near.imag > 0.0 else [_OFF * near.real])
    size = np.array([max(abs(near.real), 0.1 * abs(near)), max(near.imag, 1e-9)][: len(first)])
    far = np.full(len(first), np.inf)
    found, rest = solve_bounded(left, first, -far, far, size)
    misfit = float(np.linalg.norm(rest) / max(float(np.linalg.norm(values)), 1e-300))
    return complex(found[0], found[1] if len(first) > 1 else 0.0), misfit
