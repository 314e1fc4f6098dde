"""A polar from the name of an airfoil, by NeuralFoil: C_L, C_D and C_m over alpha and Reynolds number, as a CSV for `aero_table`.

NeuralFoil is a neural network trained on XFOIL (Sharpe & Hansman, 2024); the shape comes from aerosandbox, which has NACA's
four-digit series by formula and some 1,600 sections of the UIUC database by name. Valid for an airfoil alone: a wing of finite
span needs the key `aspect_ratio` beside the file. `confidence` is NeuralFoil's own, 0 to 1, the least over the table.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from didymos.errors import InputError

__all__ = ["AirfoilPolar", "polar_of_airfoil"]


@dataclass(frozen=True)
class AirfoilPolar:
    """The text of a CSV, how many rows it has, and the least confidence of the network in them."""

    text: str
    rows: int
    confidence: float


def polar_of_airfoil(name: str, reynolds: tuple[float, ...], low: float, high: float, step: float) -> AirfoilPolar:
    """The polar of an airfoil by its name at Reynolds numbers, for angles of attack from `low` to `high` [deg]."""
    try:
        import aerosandbox
        import neuralfoil
    except ImportError as error:
        text = f"a polar by an airfoil's name needs {error.name}; install it with: pip install 'didymos[aero]'"
        raise InputError(text) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        airfoil = aerosandbox.Airfoil(name)
    if airfoil.coordinates is None:
        raise InputError(f"no airfoil is called {name!r}, expected a name like naca2412 or e216")
    alpha = np.arange(round((high - low) / step) + 1) * step + low
    lines = [f"# {name} by NeuralFoil (large), an airfoil alone", "alpha [deg], reynolds, CL, CD, Cm"]
    confidence = 1.0
    for number in sorted(set(reynolds)):
        found = neuralfoil.get_aero_from_airfoil(airfoil=airfoil, alpha=alpha, Re=number, model_size="large")
        confidence = min(confidence, float(np.min(found["analysis_confidence"])))
        for angle, lift, drag, moment in zip(alpha, found["CL"], found["CD"], found["CM"], strict=True):
            lines.append(f"{angle:g}, {number:g}, {lift:.5f}, {drag:.6f}, {moment:.5f}")
    return AirfoilPolar("\n".join(lines) + "\n", len(lines) - 2, confidence)
