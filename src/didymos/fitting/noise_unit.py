"""Channels that share their noise: sampled at the same stamps in one recording, with errors that may have a common cause.

A unit holds stretches of some channels (several windows, or short recordings) whose noise is of one kind. Each channel has its
own process over time (`noise_process.py`); what is left once it is whitened is correlated between the channels:

    W_c(phi_c, theta_c) e_c = eps_c,        cov(eps_c, eps_d) = Sigma_cd

All that is known of the data, once they are whitened under every hypothesis of every channel, are the products of columns: sweeps
over what the noise may be (`noise_mixture.py`) cost the same for a second of recording as for an hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from didymos.fitting.blocks import NoiseKind
from didymos.fitting.noise_process import NoisePosterior, noise_posterior, white_noise, whiten

__all__ = ["NoiseUnit", "UnitWhitening"]

_Array = NDArray[np.float64]
_PIECE = 1000  # samples of a stretch that is cut
_DOUBT, _SHARED = 0.01, 3.0  # chance, and standard deviations of a correlation, at which known noise is not believed
_RANK = 1e-6  # of the largest singular value of a channel's Jacobian
_MOST, _FEWEST, _ROOM = 200, 8, 4_000_000  # hypotheses of all channels, of each, and numbers of their whitened columns


@dataclass(frozen=True, eq=False)
class UnitWhitening:
    """Each channel's heaviest hypothesis and the inverse root of the covariance that it leaves."""

    rows: Sequence[Sequence[NDArray[np.intp]]]
    phi: _Array  # [C]
    theta: _Array  # [C]
    root: _Array  # [C, C]

    @property
    def index(self) -> NDArray[np.intp]:
        """The row of the whole residual that each whitened one belongs to, shape [C N]."""
        return np.concatenate([part.ravel() for channel in self.rows for part in channel])

    def apply(self, columns: _Array) -> _Array:
        """Columns [m, k] of the whole problem -> those of this unit, whitened, [C N, k]."""
        white = [
            np.concatenate([whiten(columns[part], phi[None], theta[None])[0][0] for part in channel])
            for channel, phi, theta in zip(self.rows, self.phi, self.theta, strict=True)
        ]
        return np.einsum("cd,dnk->cnk", self.root, np.stack(white)).reshape(-1, columns.shape[1])


class NoiseUnit:
    """`enough`: samples of a channel from which its process over time is told.

    Noise that the user knows to be white is taken as such where the residual agrees.
    """

    def __init__(self, jacobian: _Array, residual: _Array, kind: NoiseKind, enough: int = 4000) -> None:
        columns = np.column_stack([jacobian, residual])
        self.rows = kind.rows
        self.width = columns.shape[1]  # q + 1
        self.samples = sum(part.size for part in kind.rows[0])
        most = int(np.clip(_ROOM / (self.samples * len(kind.rows) * self.width), _FEWEST, _MOST // len(kind.rows)))
        self.known = _known(columns, kind)
        if self.known is None:
            self.channels = [_channel_posterior([columns[part] for part in channel], most, enough) for channel in kind.rows]
        else:
            self.channels = [white_noise(float(variance), self.samples) for variance in 1.0 / np.diag(self.known)]
        whole = [self._whitened(columns, channel, noise) for channel, noise in zip(kind.rows, self.channels, strict=True)]
        self._squares = [np.matmul(part.transpose(0, 2, 1), part) for part in whole]  # [channel] -> [k, q + 1, q + 1]
        self._cross = {
            (c, d): np.einsum("knw,lnv->klwv", whole[c], whole[d], optimize=True)
            for c in range(len(whole)) for d in range(len(whole)) if c != d
        }  # fmt: skip
        self._heaviest = np.stack([part[0] for part in whole])  # [C, N, q + 1]

    def first_guess(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], _Array]:
        """Hypotheses [count, C], drawn for each channel from its own residual, and their innovations' variances [count, C]."""
        chosen = np.stack([_systematic(noise, count, rng) for noise in self.channels], axis=1)
        variance = np.stack([noise.variance[part] for noise, part in zip(self.channels, chosen.T, strict=True)], axis=1)
        return chosen, variance

    def products(self, chosen: NDArray[np.intp]) -> _Array:
        """Products of whitened columns under hypotheses [draws, C]: [draws, C, C, q + 1, q + 1]."""
        count = len(self.channels)
        found = np.empty((len(chosen), count, count, self.width, self.width))
        for c in range(count):
            found[:, c, c] = self._squares[c][chosen[:, c]]
        for (c, d), table in self._cross.items():
            found[:, c, d] = table[chosen[:, c], chosen[:, d]]
        return found

    def redraw(self, chosen: NDArray[np.intp], weight: _Array, after: _Array, rng: np.random.Generator) -> NDArray[np.intp]:
        """Hypotheses anew, channel by channel, given Sigma^-1 [draws, C, C] and parameters [draws, q + 1], the last of them 1."""
        chosen = chosen.copy()
        for c, noise in enumerate(self.channels):
            squares = np.einsum("dw,kwv,dv->dk", after, self._squares[c], after, optimize=True)
            log_weight = noise.log_base - 0.5 * weight[:, c, c, None] * squares
            for d in range(len(self.channels)):
                if d != c:
                    mixed = np.einsum("kdwv,dv->dkw", self._cross[c, d][:, chosen[:, d]], after)
                    log_weight -= weight[:, c, d, None] * np.einsum("dkw,dw->dk", mixed, after)
            gumbel = -np.log(-np.log(rng.uniform(1e-12, 1.0 - 1e-12, log_weight.shape)))
            chosen[:, c] = np.argmax(log_weight + gumbel, axis=1)
        return chosen

    def whitening(self, shift: _Array) -> UnitWhitening:
        """With Sigma as the heaviest hypotheses leave it at the parameters' shift [q]."""
        after = self._heaviest @ np.append(shift, 1.0)  # [C, N]
        covariance = after @ after.T / self.samples if self.known is None else np.linalg.inv(self.known)
        covariance += np.diag(1e-6 * np.diag(covariance) + 1e-300)
        phi, theta = (np.array([getattr(noise, name)[0] for noise in self.channels]) for name in ("phi", "theta"))
        return UnitWhitening(self.rows, phi, theta, np.linalg.inv(np.linalg.cholesky(covariance)))

    def _whitened(self, columns: _Array, rows: Sequence[NDArray[np.intp]], noise: NoisePosterior) -> _Array:
        return np.concatenate([whiten(columns[part], noise.phi, noise.theta)[0] for part in rows], axis=1)


def _known(columns: _Array, kind: NoiseKind) -> _Array | None:
    """Sigma^-1 [C, C] of channels whose noise is known to be white, unless what no parameter can explain says otherwise."""
    sizes = [sd for sd in kind.sd if sd is not None]
    if len(sizes) < len(kind.sd):
        return None
    errors = np.stack([_unexplained(np.concatenate([columns[part.ravel()] for part in channel])) for channel in kind.rows])
    errors /= np.array(sizes)[:, None]
    count = errors.shape[1]
    lags = min(10, count // 5)
    alike = np.array([[row[lag:] @ row[:-lag] / max(row @ row, 1e-300) for lag in range(1, lags + 1)] for row in errors])
    portmanteau = count * (count + 2.0) * np.sum(alike**2 / (count - np.arange(1, lags + 1)), axis=1)  # Ljung & Box, 1978
    shared = np.abs(np.atleast_2d(np.corrcoef(errors))[np.triu_indices(len(errors), 1)])
    fits = chdtrc(count, np.sum(errors**2, axis=1)) > _DOUBT
    if lags and fits.all() and np.all(chdtrc(lags, portmanteau) > _DOUBT) and shared.max(initial=0.0) < _SHARED / np.sqrt(count):
        return np.diag(1.0 / np.square(sizes))
    return None


def _unexplained(columns: _Array) -> _Array:
    """What is left of the residual, the last column, by the best values for this channel alone."""
    slopes = np.linalg.lstsq(columns[:, :-1], columns[:, -1], rcond=_RANK)[0]
    return np.asarray(columns[:, -1] - columns[:, :-1] @ slopes)


def _channel_posterior(stacks: Sequence[_Array], most: int, enough: int) -> NoisePosterior:
    """From about `enough` samples, with the columns of the Jacobian brought down to those that are independent here."""
    if sum(stack.shape[0] * stack.shape[1] for stack in stacks) > 2 * enough:
        stacks = _thinned(stacks, enough)
    flat = np.concatenate([stack.reshape(-1, stack.shape[2]) for stack in stacks])[:, :-1]
    _, values, axes = np.linalg.svd(flat, full_matrices=False)
    turn = axes[values > _RANK * max(float(values.max(initial=0.0)), 1e-300)].T
    return noise_posterior([np.concatenate([stack[:, :, :-1] @ turn, stack[:, :, -1:]], axis=2) for stack in stacks], most)


def _thinned(stacks: Sequence[_Array], enough: int) -> list[_Array]:
    """Pieces of the stretches, evenly spread, that hold about so many samples."""
    pieces = []
    for stack in stacks:
        stretches, m, columns = stack.shape
        length = min(m, _PIECE, max(enough // 4, 50))
        pieces.append(stack[:, : m // length * length].reshape(stretches * (m // length), length, columns))
    skip = max(1, round(sum(piece.shape[0] * piece.shape[1] for piece in pieces) / enough))
    return [piece[min(skip // 2, len(piece) - 1) :: skip] for piece in pieces]


def _systematic(noise: NoisePosterior, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Hypotheses in proportion to their weight, evenly, in random order."""
    ends = np.cumsum(noise.weight)
    picks = np.searchsorted(ends, (np.arange(count) + rng.uniform()) / count * ends[-1] * (1.0 - 1e-12))
    return rng.permutation(np.minimum(picks, len(ends) - 1))
