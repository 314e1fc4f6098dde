"""Least squares without negative unknowns, beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from didymos.control.nonnegative import nonnegative_least_squares

pytestmark = pytest.mark.quick


def test_the_rest_is_the_least_and_no_unknown_is_negative() -> None:
    random = np.random.default_rng(3)
    for _ in range(100):
        rows, columns = random.integers(1, 9, 2)
        a, b = random.normal(size=(rows, columns)), random.normal(size=rows)
        found = nonnegative_least_squares(a, b)
        assert found.min() >= 0.0
        assert np.linalg.norm(a @ found - b) == pytest.approx(nnls(a, b)[1], abs=1e-12)


def test_nothing_is_asked_for() -> None:
    assert nonnegative_least_squares(np.eye(3), -np.ones(3)).tolist() == [0.0, 0.0, 0.0]
