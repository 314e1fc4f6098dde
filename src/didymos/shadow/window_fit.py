"""Parameters of a window of what a robot told: the likelihood of the innovations, maximised by Gauss and Newton.

An observer (`observer.py`) runs through the window with the parameters at theta_k. Were they off by delta, its estimate would be
off by e delta and its innovations by rho delta, for all parameters together [states, p] and [readings, p]:

    rho = C e + E,     e+ = A e + B - K rho,     e = 0 at the begin of the window

A, B, C, E of the twin linearised (`linearization.py`), K the gain. Innovations nu of covariance S are white, so with the prior
theta ~ N(0, 1) of `chosen.py`, which is nothing beside a window that shows anything,

    J = sum rho' S^-1 rho,   d = sum rho' S^-1 nu,   (J + 1) delta = d - theta_k,   theta_k+1 = theta_k + delta

until delta is small beside its standard deviation. A step after which the likelihood of innovations whose S is known up to a
factor, with n readings,

    n log(sum nu' S^-1 nu / n) + sum log |S| + theta' theta

has not become better is taken shorter (Levenberg and Marquardt), for dry friction is not linear in anything. It does not care
whether all of S is too wide or too narrow; energy alone would like any theta that widens S. Its minimum is not just where delta
is 0, for S hangs on theta a little: of two theta that it hardly tells apart the one with the shorter step is better.

V = (J + 1)^-1 is the covariance where innovations are white and of covariance S. They are not where the twin is wrong in other
ways as well: then what stretches of half a second push at theta, g_b = sum over b of rho' S^-1 nu, varies more than J says, and

    W = V (sum over b of g_b g_b') V,     sd_i^2 = max(V_ii, W_ii, V_ii sum nu' S^-1 nu / n)

(White 1982, with sums over stretches for what is coloured); correlations stay those of V.

**Linearisation.** Where a joint has dry friction the twin is linearised with every update: a Jacobian that is a few updates old
is that of a joint that slides, of one that stands by now. Others are linearised as seldom as a shadow does.

The begin: what an observer with wrong numbers made of the robot is wrong too, its biases above all, which it uses to explain
what the numbers do not. So only its positions and velocities are taken, with the covariance of one who has not looked yet.

**What a window does not show is unknown.** theta is known where its standard deviation is below a quarter: dry friction is not
felt by a joint at rest, nor a Stribeck excess by one that never goes slowly. Where two parameters do the same only their sum is
known, and neither of them. Parameters at a bound stay there while the likelihood pushes outward; intervals end at bounds.

References: L. Ljung, System Identification, 2nd ed., Prentice Hall 1999, section 7.4 (maximum likelihood by prediction errors);
H. White, Maximum likelihood estimation of misspecified models, Econometrica 50 (1982).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.causes import Cause
from didymos.shadow.chosen import Chosen
from didymos.shadow.feed import Stretch
from didymos.shadow.glr import Glr
from didymos.shadow.observer import Observer

__all__ = ["KNOWN", "JointInformation", "WindowFit", "WindowFitter", "robust_covariance"]

_Array = NDArray[np.float64]
KNOWN = 0.25
"""Standard deviation of theta below which a parameter is known."""
_ROUNDS = 16
_SMALL = 0.2  # of its standard deviation: a step that ends the rounds
_NEAR = 0.5  # of its standard deviation: the whole step from there, where it was shortened because it made things worse
_FAR = 0.5  # of theta: the longest step of each
_ALIKE = 9.0  # of twice the logarithm of the likelihood: three standard deviations
_TOGETHER = 0.5  # [s] within which innovations may hang together
_STEP = 0.02  # of theta, that a parameter is looked at with
_CLIPPED = 12.0  # nu' S^-1 nu per reading beyond which innovations count less, once theta is near


class JointInformation(Glr):
    """J and d of all parameters together, whose effect begins with the first update; `energy` is the sum of nu' S^-1 nu,
    `log_det` that of log |S|, `pushes` the score stretch by stretch."""

    def __init__(self, states: int, parameters: int) -> None:
        super().__init__(states, np.ones(parameters))
        self.clear()

    def clear(self) -> None:
        """Begin a window."""
        self.effect = np.zeros((len(self.effect), self.causes))
        self.information = np.zeros((self.causes, self.causes))
        self.score = np.zeros(self.causes)
        self.readings, self.energy, self.log_det, self.worst = 0, 0.0, 0.0, 0.0
        self.pushes: list[_Array] = []
        self._until = -np.inf  # [s], the end of the stretch of the last of them

    @property
    def loss(self) -> float:
        """Twice the negative logarithm of the likelihood of innovations whose S is known up to a factor, but for a constant."""
        count = max(self.readings, 1)
        return count * float(np.log(max(self.energy, 1e-300) / count)) + self.log_det

    def predict(self, time: float, transition: _Array, onset: _Array) -> None:
        """An update without readings."""
        self.effect = transition @ self.effect + onset

    def update(
        self, time: float, transition: _Array, onset: _Array, observed: _Array, shown: _Array, gain: _Array, inverse: _Array,
        innovations: _Array, weight: float = 1.0,
    ) -> None:  # fmt: skip
        """An update with readings; see `Glr`."""
        signature = observed @ self.effect + shown
        weighted = weight * (inverse @ signature)
        self.information += signature.T @ weighted
        push = innovations @ weighted
        self.score += push
        if time > self._until + 1e-9:
            self._until = time + _TOGETHER
            self.pushes.append(np.zeros(self.causes))
        self.pushes[-1] += push
        self.readings += len(innovations)
        energy = float(innovations @ inverse @ innovations)
        self.energy += energy
        self.log_det -= float(np.linalg.slogdet(inverse)[1])
        self.worst = max(self.worst, energy / len(innovations))
        self.effect = transition @ self.effect + onset - gain @ signature


def robust_covariance(information: _Array, pushes: Sequence[_Array], nis: float) -> _Array:
    """V = information^-1, with standard deviations as wide as innovations are coloured or larger than S; shape [p, p].

    `pushes` are g_b [p] of each stretch b, `nis` is the mean of nu' S^-1 nu per reading.
    """
    white: _Array = np.asarray(np.linalg.inv(information), dtype=np.float64)
    pushed = np.array(pushes).reshape(-1, len(white)) @ white
    wider = np.sqrt(np.maximum((pushed**2).sum(axis=0) / np.diag(white), max(1.0, nis)))
    return np.asarray(white * np.outer(wider, wider))


@dataclass(frozen=True)
class WindowFit:
    """What a window says: theta [p], its covariance [p, p], nu' S^-1 nu per reading, rounds, and whether the steps ended."""

    theta: _Array
    covariance: _Array
    nis: float
    rounds: int
    settled: bool

    @property
    def sds(self) -> _Array:
        """Standard deviations of theta; shape [p]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


class WindowFitter:
    """Fits windows, each from what the last one found. `observer` makes an observer with given causes."""

    def __init__(self, chosen: Sequence[Chosen], observer: Callable[[Sequence[Cause]], Observer]) -> None:
        self.chosen = tuple(chosen)
        self.theta = np.zeros(len(self.chosen))
        self.observer = observer([self._cause(k) for k in range(len(self.chosen))])
        self.joint = JointInformation(self.observer.size, len(self.chosen))
        self.observer.glr = self.joint
        self._refresh = self.observer.refresh
        self._information, self._nis = np.eye(len(self.chosen)), 0.0
        self._pushes: list[_Array] = []

    def _cause(self, k: int) -> Cause:
        """A change of theta_k from where it stands; away from a bound that is near."""
        one = self.chosen[k]
        inward = -_STEP if one.value(_STEP) < one.base + one.scale * _STEP else _STEP

        def values(change: float) -> Mapping[str, float]:
            return one.values(one.base + one.scale * (self.theta[k] + change))

        return Cause("parameter", one.name, "1", 1.0, inward, values)

    def fit(self, saved: Any, stretches: Sequence[Stretch], pause: Callable[[], None] = lambda: None) -> WindowFit:
        """The parameters over stretches that follow a saved state of an observer; `pause` is called between them."""
        self.observer.outlier = np.inf
        rounds, settled = self._climb(saved, stretches, pause, _ROUNDS)
        if self.joint.worst > _CLIPPED:
            self.observer.outlier = _CLIPPED
            more, settled = self._climb(saved, stretches, pause, _ROUNDS)
            rounds += more
        covariance = robust_covariance(self._information, self._pushes, self._nis)
        return WindowFit(self.theta.copy(), covariance, self._nis, rounds, settled)

    def _climb(self, saved: Any, stretches: Sequence[Stretch], pause: Callable[[], None], rounds: int) -> tuple[int, bool]:
        """Steps of Gauss and Newton, shortened (Levenberg and Marquardt) where the last one made it worse; how many, and whether
        they ended."""
        low = np.array([one.theta(one.low) for one in self.chosen])
        high = np.array([one.theta(one.high) for one in self.chosen])
        best, damping, far, loss, length = self.theta, 0.0, _FAR, np.inf, np.inf
        for number in range(1, rounds + 1):
            self._run(saved, stretches, pause)
            now = self.joint.loss + float(self.theta @ self.theta)
            information, score = self.joint.information + np.eye(len(best)), self.joint.score - self.theta
            ahead = float(score @ np.linalg.solve(information, score))  # squared step from here, in standard deviations
            if now <= loss or (now <= loss + _ALIKE and ahead < length):
                best, loss, length, damping = self.theta, now, ahead, 0.1 * damping if damping > 1.0 else 0.0
                far = min(2.0 * far, _FAR)
                self._information, slope = information, score
                self._nis = self.joint.energy / max(self.joint.readings, 1)
                self._pushes = self.joint.pushes
            else:
                damping = max(4.0 * damping, 1.0)
                far = 0.5 * float(np.abs(self.theta - best).max())
            held = ((best <= low) & (slope < 0.0)) | ((best >= high) & (slope > 0.0))
            free = np.flatnonzero(~held)
            full = self._information + damping * np.diag(np.diag(self._information))
            delta = np.zeros(len(best))
            delta[free] = np.linalg.solve(full[np.ix_(free, free)], slope[free])
            self.theta = np.clip(best + np.clip(delta, -far, far), low, high)
            sds = np.sqrt(np.diag(np.linalg.inv(self._information)))
            if (np.abs(self.theta - best) <= _SMALL * sds).all():
                whole = np.zeros(len(best))  # the step that nothing shortens: one that is only kept short is no end
                whole[free] = np.linalg.solve(self._information[np.ix_(free, free)], slope[free])
                return number, bool((np.abs(np.clip(best + whole, low, high) - best) <= _NEAR * sds).all())
        self.theta = best
        return rounds, False

    def _set(self, thetas: _Array) -> None:
        values: dict[str, float] = {}
        for one, theta in zip(self.chosen, thetas, strict=True):
            values |= one.values(one.value(float(theta)))
        self.observer.stepper.set(values)

    def _run(self, saved: Any, stretches: Sequence[Stretch], pause: Callable[[], None]) -> None:
        """Through the window with theta as it is.

        Unknown forces are those of the inertia at theta = 0 whatever theta is, so that rounds are compared by the same S.
        """
        observer = self.observer
        self._set(np.zeros_like(self.theta))
        observer.restore(saved)
        observer.bias[:] = 0.0
        observer.begin()
        self._set(self.theta)
        observer.refresh = 0.0 if observer.stepper.model.dof_frictionloss.any() else self._refresh
        self.joint.clear()
        for stretch in stretches:
            observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            pause()
