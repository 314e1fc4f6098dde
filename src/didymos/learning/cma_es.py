"""CMA-ES by the library `cma`: a normal distribution of candidates that takes the shape of the ground.

    x_k ~ m + sigma N(0, C);     m, sigma and C follow the better half of the candidates

Hansen, "The CMA Evolution Strategy: A Tutorial", 2016. Up to 60 numbers C is full, beyond it is diagonal (sep-CMA-ES, Ros and
Hansen 2008): its cost grows with the numbers instead of their cube, and its bits hang on no other library's threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError

__all__ = ["CmaEs"]

Array = NDArray[np.float64]

_FULL = 60  # numbers


class CmaEs:
    """CMA-ES; see the module."""

    def __init__(self, start: Array, *, seed: int, population: int | None, noise: float) -> None:
        try:
            import cma
        except ImportError:
            raise InputError("CMA-ES needs cma; install it with: pip install 'didymos[rl]'", option="method") from None
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 1])))
        count = max(16, 4 + int(3 * math.log(len(start)))) if population is None else max(4, population)
        options = {
            "popsize": count, "seed": np.nan, "randn": lambda *shape: random.standard_normal(shape), "verbose": -9,
            "CMA_diagonal": len(start) > _FULL,
        }  # fmt: skip
        self._strategy: Any = cma.CMAEvolutionStrategy(np.array(start, dtype=np.float64), noise, options)
        self._asked: list[Array] = []

    @property
    def centre(self) -> Array:
        """The mean of the distribution."""
        return np.array(self._strategy.mean, dtype=np.float64)

    def ask(self) -> Array:
        """Candidates, shape [population, numbers]."""
        self._asked = self._strategy.ask()
        return np.array(self._asked)

    def tell(self, returns: Array) -> None:
        """Move the distribution towards the better ones."""
        self._strategy.tell(self._asked, [-float(value) for value in returns])
