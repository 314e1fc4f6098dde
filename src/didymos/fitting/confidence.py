"""How well data determine parameters: intervals and correlations from the residual and its Jacobian at the optimum.

The errors are not taken to be white: every channel has a process over time and channels of the same stamps a common covariance
(`noise_unit.py`), none of which is known. For noise Omega the best linear estimate is that of generalised least squares,

    beta = beta_0 + d,    d = -(J^T Omega^-1 J)^-1 J^T Omega^-1 r,    cov = (J^T Omega^-1 J)^-1

and the interval is that of the mixture over what Omega may be, given the residual: the posterior with a flat prior (Harville,
JASA 72, 1977; Berger, De Oliveira & Sanso, JASA 96, 2001). Where there is little data it is wide because the noise is not known,
not only because it is there.

The model of the noise may be wrong itself: errors come in bursts, or have a common cause across channels of different stamps.
Where there is enough data to see that, the sandwich over the whitened scores takes the place of the above (`sandwich.py`). It is
the mean of K squares that are nearly independent, so of noise that is as modelled its variance is that of the model times
chi-square of K over K: one deviation in 1 / sqrt(2 K), 7 % of a width at 1,000 stamps. The wider of both would be too wide by
chance in half of all fits. So it is heard where chance explains it in one of twenty only,

    w_sandwich  >  w sqrt(chi2_K(0.95) / K)

Errors within a window (multiple shooting) are alike because each has a start of its own. Where there are several windows, each is
one observation: the estimate stays that of least squares, and the interval is the sandwich's, with Student's t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtri, stdtrit

from didymos.fitting.blocks import Block, noise_kinds, stamp_of, window_of
from didymos.fitting.noise_mixture import mixture
from didymos.fitting.noise_unit import NoiseUnit, UnitWhitening
from didymos.fitting.sandwich import sandwich

__all__ = ["Confidence", "Estimate", "Whitening", "confidence"]

_Array = NDArray[np.float64]
_SINGULAR = 1e-7  # of the largest singular value, columns scaled to one
_ENOUGH, _FEW = 12_000, 500  # samples to tell all processes of noise from, and each of them
_SOME, _MANY = 4, 40  # windows from which on they are the observations, and from which on they may be alike in a row
_LONG = 100  # stamps from which on the sandwich can be told
_CHANCE = 0.05  # with which it is wider than noise as modelled allows


@dataclass(frozen=True, eq=False)
class Confidence:
    """Half widths of intervals, shape [n], infinite where the data say nothing, and correlations, shape [n, n]."""

    half_width: _Array
    correlation: _Array


@dataclass(frozen=True, eq=False)
class Whitening:
    """Makes the errors white and of variance 1, as far as the residual shows what they are."""

    units: tuple[UnitWhitening, ...]

    @property
    def index(self) -> NDArray[np.intp]:
        """The row of the residual that each whitened one belongs to; channels without weight have none."""
        return np.concatenate([unit.index for unit in self.units])

    def apply(self, columns: _Array) -> _Array:
        """Residual and Jacobian, or any columns [m, k], whitened: a least squares of them is the generalised one."""
        return np.concatenate([unit.apply(columns) for unit in self.units])


@dataclass(frozen=True, eq=False)
class Estimate(Confidence):
    """What is known of n parameters. The best estimate is the point at which the Jacobian was taken plus `shift`."""

    shift: _Array  # [n]: what generalised least squares moves the parameters by, nothing where windows are the observations
    covariance: _Array  # [n, n], of what the data determine
    whitening: Whitening | None


def confidence(
    jacobian: _Array, residual: _Array, blocks: Sequence[Block], *, belief: float = 1.0, level: float = 0.95
) -> Estimate:
    """From a Jacobian [m, n] and residual [m], twin minus recording, each channel times whatever weight.

    Rows that belong to no block are beliefs from before: of standard deviation `belief`, independent of all else.
    """
    data = np.zeros(len(residual), dtype=bool)
    for block in blocks:
        data[block.rows] = True
    scale = np.linalg.norm(jacobian, axis=0)
    scale[scale == 0.0] = 1.0
    _, values, axes = np.linalg.svd(jacobian / scale, full_matrices=False)
    axes = axes * np.sign(axes[np.arange(len(axes)), np.argmax(np.abs(axes), axis=1)])[:, None]
    determined = values > _SINGULAR * max(float(values.max(initial=0.0)), 1e-300)
    blind = (axes[~determined] ** 2).sum(axis=0) > 1e-6
    basis = (axes[determined] / values[determined, None]).T / scale[:, None]  # [n, q]
    columns = jacobian @ basis
    beliefs, distance = columns[~data] / belief, residual[~data] / belief
    method = _of_windows if _are_observations(blocks) else _generalised
    shift, half_width, covariance, whitening = method(columns, residual, blocks, basis, beliefs, distance, belief, level)
    covariance = basis @ covariance @ basis.T
    size = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.clip(np.nan_to_num(covariance / np.outer(size, size)), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Estimate(
        np.where(blind, np.inf, half_width), correlation, np.where(blind, 0.0, shift), covariance, whitening
    )  # fmt: skip


_Found = tuple[_Array, _Array, _Array, Whitening | None]


def _generalised(
    columns: _Array, residual: _Array, blocks: Sequence[Block], basis: _Array, beliefs: _Array, distance: _Array, _: float,
    level: float,
) -> _Found:
    """Shift [n], half widths [n], covariance [q, q] and whitening, over all that the noise may be."""
    kinds = noise_kinds(columns, residual, blocks)
    enough = max(_FEW, _ENOUGH // sum(len(kind.rows) for kind in kinds))
    units = [NoiseUnit(columns, residual, kind, enough) for kind in kinds]
    drawn = mixture(units, beliefs.T @ beliefs, -beliefs.T @ distance)
    low, high = drawn.interval(basis, level)
    half_width = 0.5 * (high - low)
    centre, covariance = drawn.moments()
    whitening = Whitening(tuple(unit.whitening(centre) for unit in units))
    observation = stamp_of(blocks, len(residual))
    if observation.max() + 1 >= _LONG:
        white = whitening.apply(np.column_stack([columns, residual + columns @ centre]))
        spread, freedom = sandwich(white[:, :-1], white[:, -1], observation[whitening.index], beliefs=beliefs, in_a_row=True)
        wide = float(ndtri(0.5 + level / 2.0)) * np.sqrt(np.einsum("iq,qr,ir->i", basis, spread, basis))
        half_width = np.where(wide > half_width * np.sqrt(chdtri(freedom, _CHANCE) / freedom), wide, half_width)
    return 0.5 * (low + high), half_width, covariance, whitening


def _of_windows(
    columns: _Array, residual: _Array, blocks: Sequence[Block], basis: _Array, beliefs: _Array, _: _Array, belief: float,
    level: float,
) -> _Found:
    """The same at the point of least squares, in which a belief weighs as the search let it weigh: as one error of its size."""
    window = window_of(blocks, len(residual))
    rows = np.concatenate([block.rows for block in blocks])
    count = int(window.max()) + 1
    spread, freedom = sandwich(
        columns[rows], residual[rows], window[rows], beliefs=beliefs * belief, belief=belief, in_a_row=count >= _MANY
    )
    half_width = float(stdtrit(freedom, 0.5 + level / 2.0)) * np.sqrt(np.einsum("iq,qr,ir->i", basis, spread, basis))
    return np.zeros(len(basis)), half_width, spread, None


def _are_observations(blocks: Sequence[Block]) -> bool:
    """Whether windows are as many as to be observations each."""
    groups, windows = {block.group for block in blocks}, {(block.group, block.window) for block in blocks}
    return len(windows) >= max(_SOME, len(groups) + 1)
