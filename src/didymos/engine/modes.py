"""The modes of a linear flight model: eigenvalues with the names that the field has for them, found by what moves in each.

The share of state k in mode i is its participation |V_ki (V^-1)_ik|, which hangs on no unit and on no name of the robot. A mode
belongs to the longitudinal states, the lateral ones or the followers (engines, joints), whichever move most in it. Then, of an
aircraft on wings (its thrust pushes more than it lifts),

    longitudinal   the height by itself: "height"; of the others the faster two are the short period, the slower two the phugoid;
                   a pair that takes one of each (centre of mass far back) is the "third oscillation"
    lateral        the oscillation with most of v and r is the Dutch roll; another one is roll where it is faster (together with
                   an engine), else "roll and spiral"; of real ones the fastest is roll, the slowest the spiral, those between a
                   Dutch roll that does not oscillate

and of one that hovers on its thrust: heave (w, h), yaw (r), and of the others, forward (u, q, theta) and sideways (v, p, phi)
alike, the oscillation and the subsidence.

For an eigenvalue s + i d: natural frequency |s + i d| [rad/s], damping ratio -s / |s + i d|, time to half or double ln 2 / |s|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.linear_flight import LATERAL, LONGITUDINAL, LinearFlight

__all__ = ["Mode", "find_modes", "is_borne_by_thrust"]

_REAL = 1e-9  # of the largest eigenvalue: imaginary parts below are none
_EQUAL = 1e-5  # eigenvalues that differ by less are equal
_STILL = 1e-9  # [1/s], below which nothing grows or decays


@dataclass(frozen=True)
class Mode:
    """A mode: eigenvalue [1/s] (of a pair, the one above the axis), its vector over the states and the states' shares in it."""

    name: str
    value: complex
    vector: NDArray[np.complex128]
    shares: NDArray[np.float64]

    @property
    def frequency(self) -> float:
        """Natural frequency [rad/s]."""
        return abs(self.value)

    @property
    def damping(self) -> float:
        """Damping ratio; 1 or -1 of a real one."""
        return -self.value.real / abs(self.value) if abs(self.value) > _STILL else 0.0

    @property
    def period(self) -> float:
        """Of one swing [s]; infinite where nothing swings."""
        return 2.0 * math.pi / self.value.imag if self.value.imag > 0.0 else math.inf

    @property
    def halving(self) -> float:
        """Time to half [s], negative for a time to double; infinite where nothing grows or decays."""
        return -math.log(2.0) / self.value.real if abs(self.value.real) > _STILL else math.inf

    @property
    def pair(self) -> bool:
        """Whether it swings: two eigenvalues."""
        return self.value.imag > 0.0


def is_borne_by_thrust(model: LinearFlight) -> bool:
    """Whether thrust lifts the aircraft more than it pushes it."""
    if "thrust" not in model.axes:
        return False
    settled = model.reduced()  # engines push once they turn
    return abs(settled.of("w", "thrust")) > abs(settled.of("u", "thrust"))


def find_modes(model: LinearFlight) -> tuple[Mode, ...]:
    """All modes, the fastest first."""
    values, vectors = np.linalg.eig(model.a)
    vectors = _untangled(values, vectors, [model.states.index(name) for name in LATERAL])
    inverse = np.linalg.pinv(vectors)
    shares = np.abs(vectors * inverse.T)
    shares /= np.maximum(shares.sum(axis=0), 1e-300)
    largest = max(float(np.abs(values).max()), 1.0)
    found = []
    for i, value in enumerate(values):
        if value.imag < -_REAL * largest:
            continue
        real = abs(value.imag) <= _REAL * largest
        found.append(Mode("", complex(value.real, 0.0 if real else value.imag), vectors[:, i], shares[:, i]))
    found.sort(key=lambda mode: (-abs(mode.value), -mode.value.imag, mode.value.real))

    def share(mode: Mode, names: Sequence[str]) -> float:
        return float(sum(mode.shares[model.states.index(name)] for name in names if name in model.states))

    groups: tuple[list[Mode], list[Mode], list[Mode]] = ([], [], [])
    for mode in found:
        of = share(mode, LONGITUDINAL), share(mode, LATERAL)
        groups[int(np.argmax([*of, 1.0 - sum(of)]))].append(mode)
    if is_borne_by_thrust(model):
        named = _hovering(groups[0], ("w", "h"), "heave", "forward", share)
        named += _hovering(groups[1], ("r",), "yaw", "sideways", share)
    else:
        named = _longitudinal(groups[0], share, "h" in model.states) + _lateral(groups[1], share)
    for mode in groups[2]:
        named.append((mode, f"of {model.states[int(np.argmax(mode.shares))]}"))
    names = {id(mode): name for mode, name in named}
    return tuple(Mode(names[id(mode)], mode.value, mode.vector, mode.shares) for mode in found)


def _untangled(values: NDArray[Any], vectors: NDArray[Any], lateral: list[int]) -> NDArray[Any]:
    """Vectors in which modes of equal eigenvalues (forward and sideways of a symmetric multirotor) move one way each."""
    mixed = vectors.astype(np.complex128)
    for i in range(len(values)):
        for j in range(i + 1, len(values)):
            if abs(values[i] - values[j]) < _EQUAL * max(1.0, abs(values[i])):
                both = mixed[:, [i, j]]
                _, _, turn = np.linalg.svd(both[lateral])
                mixed[:, [i, j]] = both @ turn.conj().T[:, ::-1]  # the first with the least of the lateral states
    return mixed / np.linalg.norm(mixed, axis=0)


_Named = list[tuple[Mode, str]]
_Share = Callable[[Mode, Sequence[str]], float]


def _longitudinal(modes: list[Mode], share: _Share, with_height: bool) -> _Named:
    named: _Named = []
    rest = list(modes)
    if with_height and rest:
        alone = max((mode for mode in rest if not mode.pair), key=lambda mode: share(mode, ("h",)), default=None)
        if alone is not None:
            rest = [mode for mode in rest if mode is not alone]
            named.append((alone, "height"))
    rank = 0  # of the mode's first eigenvalue, the fastest being 0
    for mode in rest:
        last = rank + (1 if mode.pair else 0)
        name = "short period" if last <= 1 else "phugoid" if rank >= 2 else "third oscillation"
        named.append((mode, name))
        rank = last + 1
    return named


def _lateral(modes: list[Mode], share: _Share) -> _Named:
    swings = [mode for mode in modes if mode.pair]
    real = [mode for mode in modes if not mode.pair]
    dutch = max(swings, key=lambda mode: share(mode, ("v", "r")), default=None)
    named: _Named = []
    for mode in swings:
        other = "roll" if dutch is not None and abs(mode.value) > abs(dutch.value) else "roll and spiral"
        named.append((mode, "dutch roll" if mode is dutch else other))
    rolls = any(name == "roll" for _, name in named)
    for i, mode in enumerate(real):
        name = "spiral" if i == len(real) - 1 else "roll" if i == 0 and not rolls else "dutch roll"
        named.append((mode, name))
    return named


def _hovering(modes: list[Mode], own: Sequence[str], name: str, way: str, share: _Share) -> _Named:
    named: _Named = []
    for mode in modes:
        if share(mode, own) > 0.5:
            named.append((mode, name))
        else:
            named.append((mode, f"{way} {'oscillation' if mode.pair else 'subsidence'}"))
    return named
