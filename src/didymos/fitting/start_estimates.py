"""Where windows begin, estimated beside the parameters: multiple shooting with starts that are measured with noise.

Each window has a start of its own, z, in standard deviations from the measured one: along the engine's velocity coordinates for
positions, attitudes and velocities alike. With x the parameters that all windows share, the loss is

    sum over windows w of  |r_w(x, z_w)|^2 + s^2 |z_w|^2            s: the size of the noise in the residual

z_w knows its window alone, so it is eliminated there. With A = dr/dx, B = dr/dz and Q R = [B; s 1] the least squares step is

    z  = z - R^-1 Q^T (r + A dx)            dx from the rest:    (1 - Q Q^T) r,  (1 - Q Q^T) A

(variable projection in Kaufman's form: BIT Numerical Mathematics 15, 1975; Bock, Randwertproblemmethoden zur
Parameteridentifizierung, 1987, for the windows). So a search moves x alone, over residuals in which every start follows x; the
intervals that come from (1 - Q Q^T) A count that the starts are not known. All windows move at once, so that 2 nv more runs make
all blocks B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["StartEstimates", "StartSpread"]

_Array = NDArray[np.float64]
_ROUNDS = 12  # of settling
_SETTLED = 0.01  # standard deviations: a step that is no news
_FRACTIONS = (1.0, 0.25, 0.05)  # of a step, until it is one down
_DIFFERENCE = 0.1  # step of differences, in sizes of the noise

Evaluate = Callable[[_Array, _Array], tuple[_Array, NDArray[np.bool_]]]
"""Errors [samples, k] and which of them are those of failed runs, of one point [n] with k rows of starts [k, windows, nz]."""


@dataclass(frozen=True, eq=False)
class StartSpread:
    """How well a start is known along each velocity coordinate, positions [nv] and velocities [nv] one after the other.

    `sd` is the standard deviation before the window is seen, 0 for what is not estimated; `noise` that of what was measured,
    which is less where a velocity is a slope of noisy positions.
    """

    sd: _Array
    noise: _Array


class StartEstimates:
    """Starts of windows as a function of a point of the search, linear about the point where they were last found."""

    def __init__(
        self,
        model: mujoco.MjModel,
        measured: Sequence[tuple[_Array, _Array]],
        spreads: Sequence[StartSpread],
        rows: Sequence[slice],
        size: int,
        noise: float,
    ) -> None:
        """`measured` positions and velocities, their `spreads`, and where the errors of each window lie; `size` of a point."""
        self._model, self._measured, self._rows, self._noise = model, measured, rows, max(noise, 1e-12)
        sd = np.array([spread.sd for spread in spreads])
        self._used = np.flatnonzero((sd > 0.0).any(axis=0))
        self._sd = sd[:, self._used]
        about = np.where(sd > 0.0, sd, 1.0)
        self._steps = (_DIFFERENCE * np.array([spread.noise for spread in spreads]) / about)[:, self._used]
        self.width = len(self._used)
        self._point, self._gain = np.zeros(size), np.zeros((len(measured), self.width, size))
        self._starts = np.zeros((len(measured), self.width))
        self.lost = 0.0
        """Degrees of freedom that the starts took from the errors, when they were last eliminated."""

    def at(self, point: _Array) -> _Array:
        """Starts, in standard deviations from the measured ones, shape [windows, nz]."""
        return np.asarray(self._starts + self._gain @ (point - self._point))

    def begin(self, point: _Array) -> None:
        """Begin at what was measured, unless the starts were found at this very point."""
        if not np.array_equal(point, self._point):
            self._hold(point, np.zeros_like(self._starts))

    def state(self, window: int, start: _Array) -> tuple[_Array, _Array]:
        """Positions [nq] and velocities [nv] of the engine at the start of a window, shape [nz]."""
        qpos, qvel = (values.copy() for values in self._measured[window])
        away = np.zeros(2 * self._model.nv)
        away[self._used] = self._sd[window] * start
        mujoco.mj_integratePos(self._model, qpos, away[: self._model.nv], 1.0)
        return qpos, qvel + away[self._model.nv :]

    def prior(self, starts: _Array) -> _Array:
        """Residuals of starts, shape [windows * nz]."""
        return self._noise * starts.ravel()

    def settle(self, point: _Array, evaluate: Evaluate) -> None:
        """Find the starts that are best at a point."""
        for _ in range(_ROUNDS):
            starts = self.at(point)
            errors, slopes = self._slopes(point, starts, evaluate)
            steps = np.zeros_like(starts)
            for i, (rows, q, r) in enumerate(self._factors(slopes)):
                steps[i] = -np.linalg.solve(r, q.T @ np.concatenate([errors[rows], self._noise * starts[i]]))
            better = self._down(point, starts, steps, errors, evaluate)
            self._hold(point, better)
            if np.abs(better - starts).max() < _SETTLED:
                return

    def eliminate(self, point: _Array, jacobian: _Array, evaluate: Evaluate) -> tuple[_Array, _Array]:
        """Slopes [samples, n] of errors at fixed starts -> those where starts follow, of the errors and of `prior`.

        The starts take a step of their own, and from then on follow a point by what was found here.
        """
        starts = self.at(point)
        errors, slopes = self._slopes(point, starts, evaluate)
        projected, of_prior = jacobian.copy(), np.zeros((*starts.shape, jacobian.shape[1]))
        steps, gain = np.zeros_like(starts), np.zeros_like(self._gain)
        self.lost = 0.0
        for i, (rows, q, r) in enumerate(self._factors(slopes)):
            count = rows.stop - rows.start
            seen = q[:count].T @ jacobian[rows]
            projected[rows] -= q[:count] @ seen
            of_prior[i] = -q[count:] @ seen
            gain[i] = -np.linalg.solve(r, seen)
            steps[i] = -np.linalg.solve(r, q.T @ np.concatenate([errors[rows], self._noise * starts[i]]))
            self.lost += float(np.sum(q[:count] ** 2))
        self._hold(point, self._down(point, starts, steps, errors, evaluate))
        self._gain = gain
        return projected, of_prior.reshape(-1, jacobian.shape[1])

    def _hold(self, point: _Array, starts: _Array) -> None:
        self._point, self._starts, self._gain = point.copy(), starts, np.zeros_like(self._gain)

    def _slopes(self, point: _Array, starts: _Array, evaluate: Evaluate) -> tuple[_Array, _Array]:
        """Errors [samples] at starts, and their slopes [samples, nz] along the start of the window that each belongs to."""
        trials = np.repeat(starts[None], 1 + self.width, axis=0)
        for j in range(self.width):
            trials[1 + j, :, j] += self._steps[:, j]
        errors, failed = evaluate(point, trials)
        widths = np.zeros((len(errors), self.width))
        for i, rows in enumerate(self._rows):
            widths[rows] = self._steps[i]
        usable = ~(failed[:, 1:] | failed[:, :1]) & (widths > 0.0)
        return errors[:, 0], np.where(usable, (errors[:, 1:] - errors[:, :1]) / np.where(widths > 0.0, widths, 1.0), 0.0)

    def _factors(self, slopes: _Array) -> list[tuple[slice, _Array, _Array]]:
        """Q [rows + nz, nz] and R [nz, nz] of each window, and where its errors lie."""
        ridge = self._noise * np.eye(self.width)
        return [(rows, *np.linalg.qr(np.vstack([slopes[rows], ridge]))) for rows in self._rows]

    def _losses(self, errors: _Array, starts: _Array) -> _Array:
        """Loss of each window, shape [windows]."""
        own = np.array([errors[rows] @ errors[rows] for rows in self._rows])
        return np.asarray(own + self._noise**2 * np.einsum("ij,ij->i", starts, starts))

    def _down(self, point: _Array, starts: _Array, steps: _Array, errors: _Array, evaluate: Evaluate) -> _Array:
        """Starts after a step, or a part of it, in those windows whose loss it does not raise."""
        found, before = starts.copy(), self._losses(errors, starts)
        waiting = np.abs(steps).max(axis=1, initial=0.0) > 0.0
        for fraction in _FRACTIONS:
            if not waiting.any():
                break
            trial = np.where(waiting[:, None], starts + fraction * steps, found)
            after = self._losses(evaluate(point, trial[None])[0][:, 0], trial)
            better = waiting & (after <= before * (1.0 + 1e-9))
            found[better] = trial[better]
            waiting &= ~better
        return found
