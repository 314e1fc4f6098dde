"""The twin linearised around one stretch of ticks, by finite differences of the compiled tick.

    dx+ = A dx + G w + B theta,     dy = C dx + D w + E theta

dx displacements of the state [states], w forces along the degrees of freedom [nv] that hold for the stretch, theta sizes of the
declared causes [causes]. Rows of y are the errors of the channels at each tick of the stretch and at the begin of the next one;
an attitude has three. A cause of parameters is looked at with its own step, so that friction turns round where the joint does; a
late sensor shows what it said before, dy = -theta dz/dt, late inputs are those of the tick before.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.causes import Cause
from didymos.shadow.channels import Channel, compare
from didymos.shadow.stepper import Stepper
from didymos.shadow.turning import Turned, turning_of

__all__ = ["Linearization", "Linearizer", "errors_of"]

_Array = NDArray[np.float64]
_POSITION, _VELOCITY, _PART = 1e-5, 1e-4, 1e-4  # steps [rad or m], [rad/s or m/s] and, of states of parts, shares
_FORCE = 1e-3  # [m/s^2 or rad/s^2] that a force is looked at with
_STRUCTURE, _LONGEST_REST = (
    0.5,
    20.0,
)  # [s] after which it is looked anew at which columns act on which rows; twice if nothing new
_NOTHING = 1e-6  # share of a row's largest effect that counts as none


@dataclass(frozen=True)
class Linearization:
    """Jacobians of one stretch of `ticks`.

    Attributes:
        state: A, G and B side by side; shape [states, states + nv + causes].
        readings: C, D and E side by side, for each tick; shape [ticks + 1, errors, states + nv + causes].
        turned: what a turn about the vertical does, of a robot that floats.
    """

    ticks: int
    state: _Array
    readings: _Array
    turned: Turned | None = None


def errors_of(channels: Sequence[Channel], measured: _Array, found: _Array) -> _Array:
    """Errors of all channels, row by row; shapes [n, signals] to [n, errors]."""
    columns = [column for channel in channels for column in channel.columns[: channel.size]]
    errors = (measured - found)[:, columns]
    first = 0
    for channel in channels:
        if channel.is_orientation:
            errors[:, first : first + 3] = compare(channel, measured[:, channel.columns], found[:, channel.columns])
        first += channel.size
    return errors


class Linearizer:
    """Linearises a twin again and again.

    Columns that no row of the state or of the readings has in common are looked at together (Curtis, Powell and Reid, 1974): the
    legs of a robot that hangs cost as much as one. Which these are is found anew now and then, and what was once seen to act
    together stays so.

    Args:
        inertia: of each degree of freedom [nv].
    """

    def __init__(self, stepper: Stepper, channels: Sequence[Channel], causes: Sequence[Cause], inertia: _Array) -> None:
        self._stepper, self._channels, self._causes, self._inertia = stepper, channels, causes, inertia
        states, nv = stepper.states, stepper.nv
        moved = [states + nv + k for k, cause in enumerate(causes) if cause.values is not None]
        self._columns = [*range(states + nv), *moved]
        self._size = sum(channel.size for channel in channels)
        self._first = np.cumsum([0, *(channel.size for channel in channels)])
        self._touched: dict[int, NDArray[np.bool_]] = {}  # rows of the state and of the readings that a column acts on
        self._groups: list[list[int]] = []
        self._looked, self._rest = -np.inf, _STRUCTURE
        self._turning = turning_of(stepper.model, states)

    def linearize(self, inputs: _Array, before: _Array, time: float) -> Linearization:
        """Around the stretch that begins where the stepper stands, at a time [s], with inputs [ticks, inputs].

        `before` are the inputs of the tick before it [inputs].
        """
        pieces = self.pieces(inputs, before, time)
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                made: Linearization = end.value
                return made

    def pieces(self, inputs: _Array, before: _Array, time: float) -> Generator[None, None, Linearization]:
        """The same a piece at a time, each no longer than a few stretches; the stepper has to stand there at each of them."""
        stepper, ticks = self._stepper, len(inputs)
        states, nv = stepper.states, stepper.nv
        count = states + nv + len(self._causes)
        state, readings = np.zeros((states, count)), np.zeros((ticks + 1, self._size, count))
        stepper.back()
        begin = stepper.state()
        nominal = stepper.run(inputs)
        end = stepper.state()
        steps = self._steps(end[2])
        alone = time - self._looked >= self._rest or not self._groups
        groups = [[column] for column in self._columns] if alone else self._groups
        runs = []
        for group in groups:
            runs.append((self._run(group, steps, inputs), stepper.difference(end)))
            yield
        rows = np.concatenate([rows for rows, _ in runs])
        reads = errors_of(self._channels, rows, np.tile(nominal, (len(runs), 1))).reshape(len(runs), ticks + 1, -1)
        for group, (_, moved), read in zip(groups, runs, reads, strict=True):
            for column in group:
                if len(group) == 1:
                    state[:, column], readings[:, :, column] = moved / steps[column], read / steps[column]
                    continue
                own = self._touched[column]
                state[own[:states], column] = moved[own[:states]] / steps[column]
                readings[:, own[states:], column] = read[:, own[states:]] / steps[column]
        if alone:
            known = len(self._groups)
            self._find_groups(state, readings, steps)
            self._rest = min(2.0 * self._rest, _LONGEST_REST) if len(self._groups) == known else _STRUCTURE
            self._looked = time
        self._shift(readings, nominal, ticks)
        self._delay_inputs(state, readings, nominal, end, inputs, before)
        stepper.back()
        if self._turning is None:
            return Linearization(ticks, state, readings)
        stepper.move(_POSITION * self._turning.about(begin, self._turning.place(begin)))
        rows = stepper.run(inputs)
        moved, shown = stepper.difference(end) / _POSITION, errors_of(self._channels, rows, nominal) / _POSITION
        stepper.back()
        most = np.abs(readings[:, :, :states]).max(axis=(0, 2))
        return Linearization(ticks, state, readings, self._turning.turned(moved, shown, most, begin, end))

    def _steps(self, act: _Array) -> _Array:
        """How far each column is moved."""
        stepper = self._stepper
        states, nv = stepper.states, stepper.nv
        steps = np.full(states + nv + len(self._causes), _POSITION)
        steps[nv : 2 * nv] = _VELOCITY
        steps[2 * nv : states] = _PART * (1.0 + np.abs(act))
        steps[states : states + nv] = _FORCE * self._inertia
        steps[states + nv :] = [cause.step for cause in self._causes]
        return steps

    def _run(self, group: Sequence[int], steps: _Array, inputs: _Array) -> _Array:
        """A stretch with some columns moved."""
        stepper = self._stepper
        states, nv = stepper.states, stepper.nv
        values: dict[str, float] = {}
        back: dict[str, float] = {}
        displacement, forces = np.zeros(states), []
        for column in group:
            if column < states:
                displacement[column] = steps[column]
            elif column < states + nv:
                forces.append(column)
            else:
                change = self._causes[column - states - nv].values
                assert change is not None
                values |= change(steps[column])
                back |= change(0.0)
        if values:
            stepper.set(values)
        try:
            stepper.back()
            if displacement.any():
                stepper.move(displacement)
            for column in forces:
                stepper.push(column - states, steps[column])
            return stepper.run(inputs)
        finally:
            if back:
                stepper.set(back)

    def _find_groups(self, state: _Array, readings: _Array, steps: _Array) -> None:
        """Columns that act on no row together; of states, forces and causes each by themselves.

        One that acts on nothing yet stays alone, so that friction is felt as soon as its joint moves.
        """
        effect = np.abs(np.vstack([state, np.abs(readings).max(axis=0)])) * np.abs(steps)
        felt = effect > _NOTHING * effect.max(axis=1, keepdims=True)
        states, nv = self._stepper.states, self._stepper.nv
        groups: list[tuple[int, NDArray[np.bool_], list[int]]] = []
        for column in self._columns:
            kind = 0 if column < states else 1 if column < states + nv else 2
            own = felt[:, column] | self._touched.get(column, np.zeros(len(felt), dtype=np.bool_))
            self._touched[column] = own
            for i, (other, taken, members) in enumerate(groups):
                if other == kind and own.any() and taken.any() and not (taken & own).any():
                    groups[i] = (kind, taken | own, [*members, column])
                    break
            else:
                groups.append((kind, own, [column]))
        self._groups = [members for _, _, members in groups]

    def _shift(self, readings: _Array, nominal: _Array, ticks: int) -> None:
        """Biases and delays of sensors."""
        first, offset = self._first, self._stepper.states + self._stepper.nv
        slope = errors_of(self._channels, nominal[-1:], nominal[:1])[0] / (ticks * self._stepper.period)
        for k, cause in enumerate(self._causes):
            if cause.values is not None:
                continue
            if cause.name == "bias":
                readings[:, first[cause.channels[0]] + cause.axis, offset + k] = 1.0
            else:
                for i in cause.channels:
                    readings[:, first[i] : first[i + 1], offset + k] = -slope[first[i] : first[i + 1]]

    def _delay_inputs(
        self, state: _Array, readings: _Array, nominal: _Array, end: tuple[_Array, _Array, _Array], inputs: _Array, before: _Array
    ) -> None:
        stepper = self._stepper
        for k, cause in enumerate(self._causes):
            if cause.values is None and not cause.channels:
                stepper.back()
                rows = stepper.run(np.vstack([before[None], inputs[:-1]]))
                column = stepper.states + stepper.nv + k
                state[:, column] = stepper.difference(end) / stepper.period
                readings[:, :, column] = errors_of(self._channels, rows, nominal) / stepper.period
