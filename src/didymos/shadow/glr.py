"""Generalised likelihood ratio: which declared cause, begun when, of what size, explains the innovations.

A change theta of a cause that began at time k shows in the innovations of the filter as theta rho, its signature, which follows
the filter's own recursion with its gain K (Willsky and Jones, 1976):

    rho = C e + E,     e+ = A e + B - K rho,     e = 0 at its begin
    J = sum rho' S^-1 rho,     d = sum rho' S^-1 nu,     theta = d / J,     var theta = 1 / J

Under no change d^2 / J is chi-square distributed with one degree of freedom. With theta drawn with the cause's usual size s
beforehand, the logarithm of the Bayes factor of the cause against none is

    L = 1/2 d^2 / (J + 1 / s^2) - 1/2 log(1 + J s^2)

by which causes and begins are compared, where J and d are divided by 1 + J t^2 first: changes of standard deviation t are normal
(a bias that wanders, a mass known to a percent) and no fault. An absurd size of one cause does not win against a plain one of
another. Begins are tried at ages that grow by a constant factor, from one tenth of a second to the length of the window.

Reference: A. S. Willsky and H. L. Jones, A generalized likelihood ratio approach to the detection and estimation of jumps in
linear systems, IEEE Trans. Automatic Control 21 (1976). Valid for small changes; large ones are found at once and sized roughly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Glr"]

_Array = NDArray[np.float64]
_GROWTH = 2.5  # of the ages of begins: from the next but one to the one before


class Glr:
    """The recursion for all causes and begins.

    Args:
        states: of the filter.
        scales: usual size of each cause.
        signs: 1 or -1 where it can only be positive or negative.
        tolerances: standard deviation of what each changes by in a healthy robot.
        period: [s] between two begins that are tried.
        window: [s] of the oldest begin.
    """

    def __init__(
        self,
        states: int,
        scales: _Array,
        signs: NDArray[np.int64] | None = None,
        tolerances: _Array | None = None,
        period: float = 0.1,
        window: float = 1.0,
    ) -> None:
        self.scales, self.period, self.window = scales, period, window
        self.tolerances = np.zeros(len(scales)) if tolerances is None else tolerances
        self.signs = np.zeros(len(scales), dtype=np.int64) if signs is None else signs
        self.causes = len(scales)
        self.begins: list[float] = []
        self.effect = np.zeros((states, 0))  # e, begins by causes
        self.information = np.zeros((0, self.causes))  # J
        self.score: _Array = np.zeros((0, self.causes))  # d
        self._next = -np.inf

    def predict(self, time: float, transition: _Array, onset: _Array) -> None:
        """An update without readings: A [n, n], B [n, causes]."""
        self._begin(time)
        self.effect = transition @ self.effect + np.tile(onset, (1, len(self.begins)))

    def update(
        self, time: float, transition: _Array, onset: _Array, observed: _Array, shown: _Array, gain: _Array, inverse: _Array,
        innovations: _Array, weight: float = 1.0,
    ) -> None:  # fmt: skip
        """An update with readings: A [n, n], B [n, causes], C [r, n], E [r, causes], K [n, r], S^-1 [r, r], nu [r].

        `weight` is what they count: less than one where they are wild.
        """
        self._begin(time)
        count = len(self.begins)
        signature = observed @ self.effect + np.tile(shown, (1, count))
        weighted = weight * (inverse @ signature)
        self.information += np.einsum("ij,ij->j", signature, weighted).reshape(count, -1)
        self.score += (innovations @ weighted).reshape(count, -1)
        self.effect = transition @ self.effect + np.tile(onset, (1, count)) - gain @ signature

    def _begin(self, time: float) -> None:
        """Try a new begin where it is time to, and forget those that stand too close to others or are too old."""
        if time < self._next:
            return
        self._next = time + self.period
        ages = [time - begin for begin in self.begins]  # the oldest first
        kept = [i for i, age in enumerate(ages) if age <= self.window]
        for k in range(len(kept) - 2, 0, -1):
            if ages[kept[k - 1]] <= _GROWTH * ages[kept[k + 1]]:  # its neighbours are close enough without it
                del kept[k]
                break
        columns = (np.array(kept, dtype=np.int64)[:, None] * self.causes + np.arange(self.causes)).reshape(-1)
        nothing = np.zeros((1, self.causes))
        self.effect = np.hstack([self.effect[:, columns], np.zeros((len(self.effect), self.causes))])
        self.information = np.vstack([self.information[kept], nothing])
        self.score = np.vstack([self.score[kept], nothing])
        self.begins = [*(self.begins[i] for i in kept), time]

    def ratios(self, inflation: _Array | float = 1.0, *, tolerant: bool = True) -> tuple[_Array, _Array]:
        """L and d^2 / J of every begin and cause, shapes [begins, causes], of innovations whose effect is `inflation` larger.

        Without tolerance L says how well a cause explains what is seen, fault or not.
        """
        information, score = self._tolerated(inflation) if tolerant else (self.information / inflation, self.score / inflation)
        gain = 0.5 * score**2 / (information + self.scales**-2) - 0.5 * np.log1p(information * self.scales**2)
        gain = np.where(score * self.signs < 0.0, -0.5 * np.log1p(information * self.scales**2), gain)
        return gain, score**2 / np.maximum(information, 1e-300)

    def _tolerated(self, inflation: _Array | float) -> tuple[_Array, _Array]:
        """J and d, with small changes that are normal: var theta = 1 / J + t^2."""
        information = self.information / inflation
        share = 1.0 / (1.0 + information * self.tolerances**2)
        return information * share, self.score / inflation * share

    def size(self, begin: int, cause: int, inflation: float = 1.0) -> tuple[float, float]:
        """theta of a cause and its standard deviation, with its usual size known beforehand."""
        information = float(self.information[begin, cause]) / inflation + float(self.scales[cause]) ** -2
        return float(self.score[begin, cause]) / inflation / information, information**-0.5

    def restart(self) -> None:
        """Forget all begins."""
        self.begins, self._next = [], -np.inf
        self.effect = self.effect[:, :0]
        self.information, self.score = self.information[:0], self.score[:0]
