"""The sandwich over whitened scores: what parameters are unsure by whatever the errors are, where there is enough data to see it.

    cov = P^-1 S P^-1,     P = W^T W,     s_w = P (P - P_w)^-1 W_w^T r_w

with W_w, r_w the rows of the whitened Jacobian and residual that belong to one observation w (a stamp, or a window), and s_w its
score as it pulls at an estimate that was made without it: the jackknife, right for observations that few others balance.
Observations that are independent give S = sum s_w s_w^T, with as many degrees of freedom as there are, less one. Those in a row
may be alike:

    S = 1/K sum_k L_k L_k^T,    L_k = sqrt(2) sum_w cos(pi k x_w) s_w,    k = 1 .. K,    x_w from 0 to 1 in the order of time

What errors share over time, and across channels, stands in the slowest cosines. K = 0.41 T^(2/3) of T observations are nearly
independent: as many degrees of freedom. References: MacKinnon & White, J. Econometrics 29 (1985); Lazarus, Lewis, Stock & Watson,
HAR inference: recommendations for practice, J. Business & Economic Statistics 36 (2018).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct

__all__ = ["sandwich"]

_Array = NDArray[np.float64]
_ALMOST = 0.999  # of an observation is left out, so that one that decides alone has a finite score


def sandwich(
    jacobian: _Array,
    residual: _Array,
    observation: NDArray[np.intp],
    *,
    beliefs: _Array,
    belief: float = 1.0,
    in_a_row: bool,
) -> tuple[_Array, int]:
    """Covariance [q, q] from a Jacobian [N, q] and residual [N], and its degrees of freedom.

    `observation` [N]: the one that each row belongs to, counted from 0 in the order of time. `beliefs` [k, q]: further rows, of
    a prior, whose errors have the standard deviation `belief`. `in_a_row`: neighbours may be alike.
    """
    count, q = int(observation.max()) + 1, jacobian.shape[1]
    scores, inner = np.zeros((count, q)), np.zeros((count, q, q))
    np.add.at(scores, observation, jacobian * residual[:, None])
    np.add.at(inner, observation, jacobian[:, :, None] * jacobian[:, None, :])
    whole = inner.sum(axis=0) + beliefs.T @ beliefs
    inverse = np.linalg.inv(whole)
    without = np.linalg.solve(whole - _ALMOST * inner, scores[:, :, None])[:, :, 0] @ whole
    middle, freedom = (_slowest if in_a_row else _independent)(without)
    return inverse @ (middle + belief**2 * beliefs.T @ beliefs) @ inverse, freedom


def _independent(scores: _Array) -> tuple[_Array, int]:
    return scores.T @ scores * (1.0 - 1.0 / len(scores)), len(scores) - 1


def _slowest(scores: _Array) -> tuple[_Array, int]:
    observations = len(scores)
    count = max(2, round(0.41 * observations ** (2.0 / 3.0)))
    sums = dct(scores, type=2, axis=0)[1 : count + 1] / np.sqrt(2.0)  # its cosines are twice those of L; all at once, T log T
    return sums.T @ sums / count, count
