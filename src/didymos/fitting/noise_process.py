"""What a channel's errors look like over time: a process of the first order, each that may be weighed by what the residual shows.

    e_t = phi e_(t-1) + eps_t - theta eps_(t-1),    eps white        (ARMA(1,1) in the order of the samples)

phi > 0 alone are slow errors, theta between 0 and phi slow errors under white sensor noise, phi < 0 or theta > phi errors that
alternate (a velocity that was differenced), both 0 white noise. Given phi and theta the errors are whitened exactly (the
innovations algorithm, Brockwell & Davis, Time Series, 1991, section 5.3),

    nu_0 = e_0,   nu_t = e_t - phi e_(t-1) + (theta / r_(t-1)) nu_(t-1),   r_0 = (1 - 2 phi theta + theta^2) / (1 - phi^2),
    r_t = 1 + theta^2 - theta^2 / r_(t-1),        nu_t / sqrt(r_t) white

and the residual's likelihood is restricted to what the parameters cannot explain (REML: Patterson & Thompson, Biometrika 58,
1971), with the size of the noise integrated out:

    log p(r | phi, theta) = -1/2 sum log r_t - 1/2 log|W^T W| - (m - p)/2 log S,     W the whitened Jacobian, S its squared misfit

Of the prior belief 0.35 is on white noise, 0.25 on theta = 0, 0.3 on theta < phi, 0.1 on the rest. Over z = atanh phi it is

    (1 + phi) sqrt(8 + m (1 - phi^2))

which is Jeffreys' (sqrt of the Fisher information, 2 + m (1 - phi^2) for a recording that begins in the steady state) with more
on the slow end: chosen so that intervals hold what they say, over m from 20 to 2,000 and phi from -0.5 to 0.98
(docs/coverage.md). Over theta it vanishes where phi = theta, at which both cancel, as Jeffreys' does. A correlation time beyond
20 recordings is excluded: nothing could tell it from a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

__all__ = ["NoisePosterior", "noise_posterior", "white_noise", "whiten"]

_Array = NDArray[np.float64]
_NEGATIVE = -2.0  # atanh of the most negative phi: -0.96
_LONGEST = 20.0  # correlation time in recordings
_BELIEF = {None: 0.35, 0: 0.25, 1: 0.3, -1: 0.1}  # of the prior: white noise, theta = 0, theta < phi, theta > phi
_SLOW_END = 8.0
_LOOP = 400  # samples up to which all hypotheses go through time together


@dataclass(frozen=True, eq=False)
class NoisePosterior:
    """Hypotheses of a channel's noise, k of them, heaviest first.

    `variance` is that of the innovations, S / (m - p), `freedom` its degrees of freedom m - p.
    """

    phi: _Array  # [k]
    theta: _Array  # [k]
    weight: _Array  # [k], sums to 1
    log_base: _Array  # [k]: log of the prior times the density's scale, what the likelihood of whitened errors is to be added to
    variance: _Array  # [k]
    freedom: float

    @property
    def long_run(self) -> _Array:
        """Variance of sums over that of as many innovations, ((1 - theta) / (1 - phi))^2, shape [k]."""
        return ((1.0 - self.theta) / (1.0 - self.phi)) ** 2


def whiten(stack: _Array, phi: _Array, theta: _Array) -> tuple[_Array, _Array]:
    """Columns [stretches, m, columns] whitened under k hypotheses, [k, stretches m, columns], and sums of log r, shape [k]."""
    stretches, m, columns = stack.shape
    series = stack.transpose(1, 0, 2).reshape(m, stretches * columns)
    white = np.empty((len(phi), m, stretches * columns))
    white[:, 0] = series[0]
    white[:, 1:] = series[1:] - phi[:, None, None] * series[:-1]
    scale = np.ones((len(phi), m))
    scale[:, 0] = (1.0 - 2.0 * phi * theta + theta**2) / (1.0 - phi**2)
    moving = np.flatnonzero(theta != 0.0)
    if len(moving):
        nu, r, th = white[moving], scale[moving], theta[moving]
        steady = m if m <= _LOOP else int(min(m, 16.0 / -np.log(np.abs(th).max()) + 2.0))
        for t in range(1, steady):
            gain = th / r[:, t - 1]
            nu[:, t] += gain[:, None] * nu[:, t - 1]
            r[:, t] = 1.0 + th * (th - gain)
        for i in range(len(moving)) if steady < m else ():
            nu[i, steady:] = lfilter([1.0], [1.0, -th[i]], nu[i, steady:], axis=0, zi=(th[i] * nu[i, steady - 1])[None])[0]
        white[moving], scale[moving] = nu, r
    white /= np.sqrt(scale)[:, :, None]
    whole = white.reshape(len(phi), m, stretches, columns).transpose(0, 2, 1, 3).reshape(len(phi), stretches * m, columns)
    return whole, stretches * np.log(scale).sum(axis=1)


def noise_posterior(stacks: Sequence[_Array], most: int) -> NoisePosterior:
    """From stretches of one channel: Jacobian (p independent columns) and residual side by side, those of one length stacked.

    Each stack has the shape [stretches, m, p + 1]. At most `most` hypotheses are kept.
    """
    samples, p = sum(stack.shape[0] * stack.shape[1] for stack in stacks), stacks[0].shape[2] - 1
    if samples - p < 3:
        misfit = sum(float(np.sum(stack[:, :, p] ** 2)) for stack in stacks)
        freedom = max(float(samples - p), 1.0)
        return white_noise(misfit / freedom, freedom)
    families = _Families(stacks, samples, p)
    found = [families.white(), *(families.zoom(sign) for sign in (0, 1, -1))]
    phi, theta, log_weight, base, variance = (np.concatenate(part) for part in zip(*found, strict=True))
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    kept, shares = _representatives(weight, np.argsort((1.0 - theta) / (1.0 - phi), kind="stable"), most)
    base = base[kept] + np.log(shares / weight[kept])  # each stands for its neighbours too
    return NoisePosterior(phi[kept], theta[kept], shares, base, variance[kept], float(samples - p))


def white_noise(variance: float, freedom: float) -> NoisePosterior:
    """The one hypothesis of white noise of a variance."""
    nothing = np.zeros(1)
    return NoisePosterior(nothing, nothing, np.ones(1), nothing, np.array([variance]), freedom)


def _representatives(weight: _Array, order: NDArray[np.intp], most: int) -> tuple[NDArray[np.intp], _Array]:
    """At most so many of weighted hypotheses, evenly over their order, and the weights they stand for; heaviest first."""
    ends = np.cumsum(weight[order])
    picks = order[np.searchsorted(ends, (np.arange(most) + 0.5) / most * ends[-1])]
    kept, counts = np.unique(picks, return_counts=True)
    heaviest = np.argsort(-counts * 1e3 - weight[kept], kind="stable")
    return kept[heaviest], counts[heaviest] / most


class _Families:
    """Three families of hypotheses over z = atanh phi and u = log|z - atanh theta|: theta = 0, theta < phi, theta > phi."""

    def __init__(self, stacks: Sequence[_Array], samples: int, p: int) -> None:
        self.stacks, self.samples, self.p = stacks, samples, p
        self.stretches = sum(len(stack) for stack in stacks)
        longest = max(stack.shape[1] for stack in stacks)
        self.z = (_NEGATIVE, float(np.arctanh(1.0 - 1.0 / (_LONGEST * longest))))
        self.u = (np.log(0.05), np.log(2.5))

    def white(self) -> tuple[_Array, _Array, _Array, _Array, _Array]:
        """The one hypothesis of white noise."""
        nothing = np.zeros(1)
        log_likelihood, log_scale, variance = self._likelihood(nothing, nothing)
        log_prior = np.log(_BELIEF[None])
        return nothing, nothing, log_likelihood + log_prior, log_prior - 0.5 * log_scale, variance

    def zoom(self, sign: int) -> tuple[_Array, _Array, _Array, _Array, _Array]:
        """Hypotheses of a family with the logarithms of their weights, on a grid that is fine where the weight is."""
        box = np.array([self.z, self.u if sign else (0.0, 0.0)])
        counts = (13, 9) if sign else (37, 1)
        for _ in range(4):
            axes = [np.linspace(low, high, count) for (low, high), count in zip(box, counts, strict=True)]
            z, u = (grid.ravel() for grid in np.meshgrid(*axes, indexing="ij"))
            spacing = [axis[1] - axis[0] if len(axis) > 1 else 0.0 for axis in axes]
            phi, theta, log_prior = self._prior(z, u, sign)
            log_likelihood, log_scale, variance = self._likelihood(phi, theta)
            log_prior = log_prior + np.log(spacing[0]) + (np.log(spacing[1]) if sign else 0.0)
            log_weight = log_likelihood + log_prior
            heavy = log_weight > log_weight.max() - 8.0
            smaller = np.array([
                (max(low, values[heavy].min() - step), min(high, values[heavy].max() + step))
                for values, step, (low, high) in zip((z, u), spacing, box, strict=True)
            ])  # fmt: skip
            shrunk = np.ptp(smaller, axis=1)[: 2 if sign else 1] / np.ptp(box, axis=1)[: 2 if sign else 1]
            if shrunk.min() > 0.6:
                break
            box = smaller
        return phi, theta, log_weight, log_prior - 0.5 * log_scale, variance

    def _prior(self, z: _Array, u: _Array, sign: int) -> tuple[_Array, _Array, _Array]:
        phi = np.tanh(z)
        within = np.log(self._slowness(phi)) - np.log(_integral(lambda x: self._slowness(np.tanh(x)), *self.z))
        if sign == 0:
            return phi, np.zeros_like(phi), within + np.log(_BELIEF[0])
        distance = np.exp(u)
        theta = np.tanh(z - sign * distance)
        density = np.log(np.tanh(distance)) + u + 0.5 * np.log1p(-(theta**2))
        whole = _integral(lambda x: np.tanh(np.exp(x)) * np.exp(x), *self.u)
        return phi, theta, within + density - np.log(whole) + np.log(_BELIEF[sign])

    def _slowness(self, phi: _Array) -> _Array:
        """The prior's density over atanh phi; every stretch begins in the steady state, and tells as much of it as the first."""
        inner = max(self.samples - 3.0 * self.stretches, 0.0)
        return (1.0 + phi) * np.sqrt(_SLOW_END * self.stretches + inner * (1.0 - phi**2))

    def _likelihood(self, phi: _Array, theta: _Array) -> tuple[_Array, _Array, _Array]:
        p = self.p
        gram = np.zeros((len(phi), p + 1, p + 1))
        log_scale = np.zeros(len(phi))
        for stack in self.stacks:
            for part in np.array_split(np.arange(len(phi)), max(1, len(phi) * stack.size // 2_000_000)):
                white, logs = whiten(stack, phi[part], theta[part])
                gram[part] += np.matmul(white.transpose(0, 2, 1), white)
                log_scale[part] += logs
        inner, cross, misfit = gram[:, :p, :p], gram[:, :p, p:], gram[:, p, p]
        explained = np.einsum("kpi,kpi->k", cross, np.linalg.solve(inner, cross)) if p else np.zeros(len(phi))
        left = np.maximum(misfit - explained, 1e-12 * misfit + 1e-300)
        log_inner = np.linalg.slogdet(inner)[1] if p else 0.0
        freedom = self.samples - p
        return -0.5 * (log_scale + log_inner + freedom * np.log(left)), log_scale, left / freedom


def _integral(density: Callable[[_Array], _Array], low: float, high: float) -> float:
    x = np.linspace(low, high, 201)
    return float(np.trapezoid(density(x), x))
