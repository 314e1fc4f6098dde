"""Searches for the numbers of a policy that need returns only, no gradients: what they have in common.

    ask     candidates [candidates, numbers] of a generation
    tell    their returns, the more the better
    centre  the numbers that the search believes in now

A search is a function of its seed and of the returns that it was told: told the same again, it stands where it stood, to the bit.
That is how a training goes on after it was interrupted (`checkpoint.py`), without a pickle.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.learning.ars import AugmentedRandomSearch
from didymos.learning.cma_es import CmaEs

__all__ = ["METHODS", "Search", "new_search"]

Array = NDArray[np.float64]

METHODS = ("cma", "ars")


class Search(Protocol):
    """A search that is asked for candidates and told their returns."""

    @property
    def centre(self) -> Array:
        """The numbers that it believes in now, shape [numbers]."""
        ...

    def ask(self) -> Array:
        """The candidates of the next generation, shape [candidates, numbers]."""
        ...

    def tell(self, returns: Array) -> None:
        """What the candidates were worth, shape [candidates]."""
        ...


def new_search(
    method: str, start: Array, *, seed: int, population: int | None = None, noise: float | None = None, step: float | None = None
) -> Search:
    """A search by its name.

    Args:
        start: where it begins, shape [numbers].
        population: candidates of a generation; 4 + 3 ln n of CMA-ES, at least 16, and 32 of ARS by default.
        noise: how far apart candidates are at first; 0.3 of CMA-ES, 0.05 of ARS by default.
        step: how far ARS goes in a generation; 0.05 by default.
    """
    if method == "cma":
        if step is not None:
            raise InputError("goes with the method ars only: CMA-ES finds its steps itself", option="step")
        return CmaEs(start, seed=seed, population=population, noise=0.3 if noise is None else noise)
    if method == "ars":
        return AugmentedRandomSearch(
            start, seed=seed, directions=16 if population is None else max(1, population // 2),
            noise=0.05 if noise is None else noise, step=0.05 if step is None else step,
        )  # fmt: skip
    raise InputError(f"found {method!r}{nearest(method, METHODS)} (expected {' or '.join(METHODS)})", option="method")
