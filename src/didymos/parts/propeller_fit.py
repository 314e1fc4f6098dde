"""Constants of a rotor from a bench: speed, thrust and power by least squares.

    T = k_T w^2   ->   k_T = sum T w^2 / sum w^4,        P = k_M w^3   ->   k_M = sum P w^3 / sum w^6

Both scaled to the density rho0 = 1.225 kg/m^3 of the rotor's law. The deviation of each constant follows from the residuals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.parts.rotor import DENSITY_OF_BENCH

__all__ = ["Constant", "PropellerFit", "fit_propeller"]


@dataclass(frozen=True)
class Constant:
    """A fitted constant, its standard deviation, and the largest relative error of what it predicts."""

    value: float
    deviation: float
    worst: float


@dataclass(frozen=True)
class PropellerFit:
    """k_T [N s^2] and k_M [N m s^2] at 1.225 kg/m^3 from so many rows."""

    thrust_coefficient: Constant
    torque_coefficient: Constant
    rows: int


def _through_zero(x: NDArray[np.float64], y: NDArray[np.float64], scale: float) -> Constant:
    value = float(x @ y / (x @ x))
    rest = y - value * x
    deviation = float(np.sqrt(rest @ rest / max(len(x) - 1, 1) / (x @ x)))
    predicted = value * x
    worst = float(np.abs(rest / predicted).max()) if (predicted != 0.0).all() else float("inf")
    return Constant(scale * value, scale * deviation, worst)


def fit_propeller(
    speed: NDArray[np.float64], thrust: NDArray[np.float64], power: NDArray[np.float64], density: float = DENSITY_OF_BENCH
) -> PropellerFit:
    """Fit k_T and k_M to speeds [rad/s], thrusts [N] and shaft powers [W] measured in air of a density [kg/m^3]."""
    scale = DENSITY_OF_BENCH / density
    return PropellerFit(_through_zero(speed**2, thrust, scale), _through_zero(speed**3, power, scale), len(speed))
