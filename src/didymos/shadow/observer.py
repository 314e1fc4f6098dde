"""The observer: an extended Kalman filter around one simulated twin that gets the robot's inputs.

A stretch of ticks is predicted and corrected at once. With the Jacobians of the stretch (`linearization.py`), biases b of the
readings among the states, forces w of variance Q = diag((q_i m_i)^2 / T) and noise v of variance R,

    P- = A P A' + G Q G' + Q_b,     S = C P C' + D Q D' + R,     P_xy = A P C' + G Q D'
    K = P_xy S^-1,     x+ = F(x, u) (+) K nu,     P+ = P- - K S K',     nu = z - h(x, u) - b

Prediction and reading share the force w of a stretch: an accelerometer feels what pushes the robot. q_i [m/s^2/sqrt(Hz) or
rad/s^2/sqrt(Hz)] is the density of accelerations that the twin does not know of, m_i the inertia of degree of freedom i. (+)
moves in the engine's tangent space, so attitudes stay unit quaternions. What the twin knows without error (memory of drives,
commands on their way) is simulated, not estimated. A state that no reading shows grows in covariance and is not corrected.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import RunError
from didymos.shadow.calibration import Calibration
from didymos.shadow.causes import Cause, causes_of
from didymos.shadow.channels import channels_of, compare
from didymos.shadow.estimate import Estimate, Frame
from didymos.shadow.glr import Glr
from didymos.shadow.level import LevelTest
from didymos.shadow.linearization import Linearization, Linearizer, errors_of
from didymos.shadow.linearize_ahead import LinearizeAhead, Point
from didymos.shadow.stepper import Stepper
from didymos.shadow.turning import turning_of

__all__ = ["Observer", "Reading", "kinds_of"]

_Array = NDArray[np.float64]
Reading = tuple[int, int, _Array]
"""Tick of the stretch, number of the channel, numbers as the robot said them."""

_REFRESH = 0.04  # [s] after which the twin is linearised anew; twice that for a robot of many states
_LARGE = 40  # states
_LONGER = 5.0  # times that: how old one may become while the next is made between updates
_FREE = {"position": 1.0, "attitude": 0.1, "velocity": 0.5, "rate": 0.1}  # standard deviations at the begin, of a floating base
_JOINT = {"position": 0.05, "velocity": 0.5}
_PART = 0.1  # share of a part's state
_MOMENT, _MOMENTS = 0.01, 30  # [s] of a stretch over which a start settles, and how many
_STANDS = 0.05  # [m/s or rad/s] below which a robot in contact is one that stands
_ON_THEIR_WAY = 3  # stretches over which commands may be under way
_GUESSED = 3.0  # unknown accelerations where inputs between samples are guesses, of those where all are known
_OUTLIER = 6.0  # nu' S^-1 nu per reading beyond which innovations count less for those who look for changes


@dataclass(frozen=True)
class Residual:
    """What an update leaves for those who look for changes: readings of r errors against causes."""

    innovations: _Array  # nu [r]
    inverse: _Array  # S^-1 [r, r]
    shown: _Array  # E [r, causes]
    rows: NDArray[np.int64]  # number of the error among all of all channels [r]
    log_det_inverse: float  # of S^-1


class Observer:
    """See the module. `signals` are names of the twin's log that the robot tells of; `rates` [Hz] of its sensors, where known."""

    def __init__(
        self,
        twin: Twin,
        signals: Sequence[str],
        *,
        scenario: str | None = None,
        calibration: Calibration | None = None,
        causes: Sequence[Cause] | None = None,
        refresh: float | None = None,
    ) -> None:
        self.twin, self.scenario, self.calibration = twin, scenario, calibration or Calibration()
        self.stepper = stepper = Stepper(twin, signals, scenario)
        rates = {name: sensor.rate for name, sensor in twin.file.sensors.items()}
        own = {
            f"{name}.{item.name}": getattr(sensor, item.name)
            for name, sensor in twin.file.sensors.items()
            for item in sensor.contract.quantities
        }
        self.channels, self.biases = channels_of(stepper.simulation, signals, rates, self.calibration.noise, own)
        self.causes = causes_of(twin, self.channels, self.biases) if causes is None else tuple(causes)
        self.names = tuple(
            f"{c.name}.{'xyz'[axis]}" if c.is_orientation else c.name for c in self.channels for axis in range(c.size)
        )
        self.states, self.size = stepper.states, stepper.states + len(self.biases)
        self.first = np.cumsum([0, *(channel.size for channel in self.channels)])
        self._sd = np.concatenate([np.full(channel.size, channel.sd) for channel in self.channels])
        self._lead = np.concatenate([np.full(channel.size, channel.lead) for channel in self.channels])
        self.bias = np.zeros(len(self.biases))
        self._bias_rows = np.array([self.first[b.channel] + b.axis for b in self.biases], dtype=np.int64)
        self.covariance = np.zeros((self.size, self.size))
        self.refresh = (_REFRESH if self.states <= _LARGE else 2.0 * _REFRESH) if refresh is None else refresh
        self.outlier = _OUTLIER
        self.looseness = 1.0  # of unknown accelerations: more than that where the twin is known to be wrong
        self.clock = 0.0  # the robot's clock [s] at tick 0 of the twin's
        self.inputs = np.zeros(len(stepper.inputs))
        signs = np.array([cause.sign for cause in self.causes], dtype=np.int64)
        tolerances = np.array([cause.tolerance for cause in self.causes])
        self.glr = Glr(self.size, np.array([cause.scale for cause in self.causes]), signs, tolerances)
        self.residual: Residual | None = None
        self._past: deque[tuple[_Array, int, _Array, _Array | None]] = deque(maxlen=_ON_THEIR_WAY)
        self._linear: dict[int, tuple[float, Linearization]] = {}
        self.ahead = False  # whether somebody calls `linearize_on` between updates, so that these need not linearise
        self._point: Point | None = None
        self._under_way: LinearizeAhead | None = None
        self.kinds = kinds_of(stepper.model)
        self.level = LevelTest(self.kinds)
        self._turning = turning_of(stepper.model, self.states)
        self.begin()

    @property
    def time(self) -> float:
        """The robot's clock [s] at which the twin stands."""
        return self.clock + self.stepper.tick * self.stepper.period

    def begin(self) -> None:
        """Take the state in which the twin stands as the first guess, with the covariance of one who has not looked yet."""
        stepper = self.stepper
        stepper.keep()
        mujoco.mj_forward(stepper.model, stepper.data)
        self._inertia = stepper.inertia()
        stepper.back()
        nv, linear = stepper.nv, self.kinds
        sd = np.zeros(self.size)
        free = {"linear": ("position", "velocity"), "angular": ("attitude", "rate")}
        for dof, kind in enumerate(linear):
            pair = (_FREE[free[kind][0]], _FREE[free[kind][1]]) if kind in free else (_JOINT["position"], _JOINT["velocity"])
            sd[dof], sd[nv + dof] = pair
        sd[2 * nv : self.states] = _PART * (1e-3 + np.abs(stepper.data.act))
        sd[self.states :] = [bias.sd for bias in self.biases]
        self.covariance = np.diag(sd**2)
        self._linearizer = Linearizer(stepper, self.channels, self.causes, self._inertia)
        self.forget_linear()
        self._past.clear()
        self.level.restart()

    def settle(self, inputs: _Array) -> None:
        """Doubt only what the twin allows: the covariance of the state as it is after a moment under the inputs [inputs].

            P = D A^k P A'^k D,     D = diag(min(1, sd before / sd after))

        A robot that stands is neither in the ground nor above it, its wheels turn as it rolls, its rotors as their motors do;
        what nothing holds (a place, a heading, a speed in the air) stays as doubtful as it was. A is that of the twin once its
        contacts have come to rest; a robot that stands begins there, any other where it was found.
        """
        stepper, states = self.stepper, self.states
        rows = np.repeat(inputs[None], max(1, round(_MOMENT / stepper.period)), axis=0)
        here, now, before = stepper.vector.copy(), stepper.tick, np.diag(self.covariance)[:states].copy()
        try:
            for _ in range(_MOMENTS if stepper.data.ncon else 0):
                stepper.back()
                stepper.run(rows)
                stepper.keep()
            transition = self._linearizer.linearize(rows, inputs, self.time).state[:, :states]
        except RunError:  # it cannot stay there
            transition = np.eye(states)
        floats = np.array([kind in ("linear", "angular") for kind in self.kinds], dtype=np.bool_)
        rests = bool(stepper.data.ncon) and float(np.abs(stepper.data.qvel[floats]).max(initial=0.0)) < _STANDS
        settled = stepper.state()
        stepper.vector[:], stepper.tick = here, now
        stepper.back()
        if rests:
            stepper.data.qpos[:], stepper.data.qvel[:], stepper.data.act[:] = settled
            stepper.keep()
        spread = np.linalg.matrix_power(transition, _MOMENTS)
        after = spread @ self.covariance[:states, :states] @ spread.T
        shrink = np.sqrt(np.minimum(1.0, before / np.maximum(np.diag(after), 1e-300)))
        self.covariance[:states, :states] = _positive(shrink[:, None] * after * shrink)
        self._linear.clear()

    def recalibrate(self, calibration: Calibration) -> None:
        """Take other numbers of noise."""
        self.calibration = calibration
        self.channels = tuple(replace(one, sd=calibration.noise.get(one.name, one.sd)) for one in self.channels)
        self._sd = np.concatenate([np.full(channel.size, channel.sd) for channel in self.channels])

    def density(self) -> _Array:
        """q_i of every degree of freedom."""
        return np.array([self.calibration.density[kind] for kind in self.kinds])

    def step(self, inputs: _Array, readings: Sequence[Reading], doubt: _Array | None = None, *, judge: bool = True) -> Frame:
        """Let the ticks of inputs [ticks, inputs] pass, and take the readings that belong to them.

        `doubt` is by how much the inputs may be off, all together, with a standard deviation of one: between two samples of them;
        None where the inputs of all ticks are known. Where they are guesses, unknown accelerations are larger. Without `judge`
        nobody looks for causes.
        """
        stepper, states, nv = self.stepper, self.states, self.stepper.nv
        duration = len(inputs) * stepper.period
        linear = self._linearization(inputs)
        doubted = self._doubted(inputs, doubt)
        stepper.back()
        begin = stepper.state()
        rows = stepper.run(inputs)
        predicted = stepper.state()
        ticks, errors, measured, innovations = self._innovations(rows, readings)
        observed = np.zeros((len(errors), self.size))
        observed[:, :states] = linear.readings[ticks, errors, :states]
        for k, row in enumerate(self._bias_rows):
            observed[errors == row, states + k] = 1.0
        transition, force, change = self._transition(linear, duration)
        if self._turning is not None and linear.turned is not None:
            self._turning.agree(transition, observed, linear.turned.shown[errors], linear.turned, begin, predicted)
        loose = self.looseness * (1.0 if doubt is None else _GUESSED)
        noise = (loose * self.density() * self._inertia) ** 2 / duration
        spread = self.covariance @ transition.T
        covariance = transition @ spread + (force * noise) @ force.T
        covariance[np.arange(states, self.size), np.arange(states, self.size)] += self._walk(duration)
        if doubted is not None:
            off, read = doubted
            covariance[:states, :states] += np.outer(off, off)
        drift = np.diag(transition)[states:]
        if not len(errors):
            self.covariance, self.residual = covariance, None
            self.bias = drift * self.bias
            if judge:
                self.glr.predict(self.time + duration, transition, change)
            return self._finish(inputs, Frame(self.time + duration, (), measured, innovations, np.zeros(0), 0.0, np.zeros(0)))
        felt = linear.readings[ticks, errors, states : states + nv]
        both = observed @ self.covariance @ observed.T + (felt * noise) @ felt.T
        both[np.diag_indices(len(errors))] += self._sd[errors] ** 2
        shared = (observed @ spread).T + (force * noise) @ felt.T
        if doubted is not None:
            seen = read[ticks, errors]
            both += np.outer(seen, seen)
            shared[:states] += np.outer(off, seen)
        inverse: _Array = np.asarray(np.linalg.inv(both), dtype=np.float64)
        gain = shared @ inverse
        correction = gain @ innovations
        covariance -= gain @ shared.T
        stepper.move(correction[:states])
        if self._turning is not None:
            self._turning.follow(covariance, predicted, stepper.state())
        self.covariance = _positive(covariance)
        self.bias = drift * self.bias + correction[states:]
        shown = linear.readings[ticks, errors, states + nv :]
        end = self.time + duration
        nis = float(innovations @ inverse @ innovations)
        weight = min(1.0, self.outlier * len(errors) / max(nis, 1e-300))  # one wild reading is not a change
        if judge:
            self.glr.update(end, transition, change, observed, shown, gain, inverse, innovations, weight)
            self.level.add(end, correction[nv : 2 * nv])
        self.residual = Residual(innovations, inverse, shown, errors, float(np.linalg.slogdet(inverse)[1]))
        names = tuple(self.names[row] for row in errors)
        stamps = self.time + ticks * stepper.period - self._lead[errors]
        return self._finish(inputs, Frame(end, names, measured, innovations, np.sqrt(np.diag(both)), nis, stamps))

    def _doubted(self, inputs: _Array, doubt: _Array | None) -> tuple[_Array, _Array] | None:
        """By how much the end of a stretch and its readings differ with other inputs in it and shortly before, if they may.

        Shortly before, because commands are on their way for a while.
        """
        stepper = self.stepper
        doubt = None if doubt is None or not doubt.any() else doubt
        self._past.append((stepper.vector.copy(), stepper.tick, inputs, doubt))
        if all(one is None for *_, one in self._past):
            return None
        here, now = stepper.vector.copy(), stepper.tick
        ends = []
        for other in (False, True):
            stepper.vector[:], stepper.tick = self._past[0][0], self._past[0][1]
            stepper.back()
            for _, _, given, off in self._past:
                rows = stepper.run(given + off if other and off is not None else given)
                stepper.keep()
            ends.append((stepper.state(), rows))
        moved, read = stepper.difference(ends[0][0]), errors_of(self.channels, ends[1][1], ends[0][1])
        stepper.vector[:], stepper.tick = here, now
        return moved, read

    def _finish(self, inputs: _Array, frame: Frame) -> Frame:
        self.inputs = inputs[-1].copy()
        self.stepper.keep()
        return frame

    def forget_linear(self) -> None:
        """Linearise anew with the next stretch."""
        self._linear.clear()
        self._point = self._under_way = None

    def _linearization(self, inputs: _Array) -> Linearization:
        """That of a stretch of as many ticks, not older than `refresh`; `ahead`, the last one that is whole, within bounds."""
        kept = self._linear.get(len(inputs))
        oldest = self.refresh * (_LONGER if self.ahead else 1.0)
        if kept is None or self.time - kept[0] >= oldest - 1e-9:
            self._under_way = None
            made = self._linearizer.linearize(inputs, self.inputs, self.time)
            kept = self._linear[len(inputs)] = (self.time, made)
        if self.ahead and self._under_way is None:
            self._point = Point(self.stepper.vector.copy(), self.stepper.tick, inputs, self.inputs, self.time)
        return kept[1]

    def linearize_on(self) -> bool:
        """Make a piece of the next linearisation, where one is due; whether there was something to do."""
        if self._under_way is None:
            point = self._point
            if point is None or abs(point.time - self._linear[len(point.inputs)][0]) < self.refresh - 1e-9:
                return False
            self._under_way = LinearizeAhead(self._linearizer, self.stepper, point)
        made, point = self._under_way.go_on(), self._under_way.point
        if made is not None:
            self._linear[len(point.inputs)] = (point.time, made)
            self._point = self._under_way = None
        return True

    def _transition(self, linear: Linearization, duration: float) -> tuple[_Array, _Array, _Array]:
        """A with the biases, G and B; shapes [n, n], [n, nv], [n, causes]."""
        states, nv = self.states, self.stepper.nv
        whole = np.zeros((self.size, self.size + nv + len(self.causes)))
        whole[:states, :states] = linear.state[:, :states]
        whole[:states, self.size :] = linear.state[:, states:]
        for k, bias in enumerate(self.biases):
            whole[states + k, states + k] = np.exp(-duration / bias.time) if bias.time > 0.0 else 1.0
        return whole[:, : self.size], whole[:, self.size : self.size + nv], whole[:, self.size + nv :]

    def _walk(self, duration: float) -> _Array:
        """Variance that the biases gain in a time [s]."""
        gained = [
            bias.walk**2 * duration + (bias.sd**2 * -np.expm1(-2.0 * duration / bias.time) if bias.time > 0.0 else 0.0)
            for bias in self.biases
        ]
        return np.array(gained)

    def _innovations(
        self, rows: _Array, readings: Sequence[Reading]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], _Array, _Array]:
        """Ticks, numbers of errors, readings and innovations; shape [r] each."""
        bias = np.zeros(len(self._sd))
        np.add.at(bias, self._bias_rows, self.bias)
        ticks: list[int] = []
        errors: list[int] = []
        measured: list[float] = []
        found: list[float] = []
        for tick, number, values in readings:
            channel = self.channels[number]
            error = compare(channel, values, rows[tick, list(channel.columns)])
            for axis in range(channel.size):
                row = int(self.first[number]) + axis
                ticks.append(tick)
                errors.append(row)
                measured.append(float(values[axis]))
                found.append(float(error[axis]) - bias[row])
        return np.array(ticks, dtype=np.int64), np.array(errors, dtype=np.int64), np.array(measured), np.array(found)

    @property
    def estimate(self) -> Estimate:
        """What is known now."""
        stepper = self.stepper
        qpos, qvel, act = stepper.state()
        biases = {self.names[row]: float(value) for row, value in zip(self._bias_rows, self.bias, strict=True)}
        inputs = dict(zip(stepper.inputs, self.inputs.tolist(), strict=True))
        return Estimate(self.time, qpos, qvel, act, self.covariance.copy(), biases, inputs, stepper.vector.copy(), stepper.tick)

    def set(self, values: Mapping[str, float]) -> None:
        """Change parameters of the twin by path, from now on; causes are changes from there."""
        self.stepper.set(values)
        self.twin = self.twin.copy()
        self.twin.set_all(values)
        if any(cause.values is not None for cause in self.causes):
            known = {cause.title: cause for cause in causes_of(self.twin, self.channels, self.biases)}
            self.causes = tuple(known.get(cause.title, cause) for cause in self.causes)
        self._linearizer = Linearizer(self.stepper, self.channels, self.causes, self._inertia)
        self.forget_linear()

    def save(self) -> Any:
        """All that `restore` needs to go on from here."""
        return (
            self.stepper.vector.copy(), self.stepper.tick, self.covariance.copy(), self.bias.copy(), self.inputs.copy(),
            self.clock,
        )  # fmt: skip

    def restore(self, saved: Any) -> None:
        """Go on from what was saved."""
        vector, tick, covariance, bias, inputs, clock = saved
        self.stepper.vector[:] = vector
        self.stepper.tick = tick
        self.stepper.back()
        self.covariance, self.bias, self.inputs = covariance.copy(), bias.copy(), inputs.copy()
        self.clock = clock
        self._past.clear()


def _positive(covariance: _Array) -> _Array:
    """A covariance that rounding has left: symmetric, and nowhere below zero."""
    found = 0.5 * (covariance + covariance.T)
    if np.diag(found).min(initial=0.0) < 0.0:
        values, vectors = np.linalg.eigh(found)
        found = np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
    return found


def kinds_of(model: mujoco.MjModel) -> tuple[str, ...]:
    """Of every degree of freedom: linear or angular of a floating body, or that of a joint."""
    kinds: list[str] = []
    for joint in range(model.njnt):
        kind = int(model.jnt_type[joint])
        if kind == int(mujoco.mjtJoint.mjJNT_FREE):
            kinds += ["linear"] * 3 + ["angular"] * 3
        elif kind == int(mujoco.mjtJoint.mjJNT_BALL):
            kinds += ["angular"] * 3
        else:
            kinds.append("hinge" if kind == int(mujoco.mjtJoint.mjJNT_HINGE) else "slide")
    return tuple(kinds)
