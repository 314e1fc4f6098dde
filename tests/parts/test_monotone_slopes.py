"""Slopes that do not overshoot, beside scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from didymos.parts.monotone_slopes import monotone_slopes

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("count", [2, 3, 8, 40])
def test_slopes_are_those_of_pchip(count: int) -> None:
    random = np.random.default_rng(count)
    x = np.cumsum(random.uniform(0.1, 1.0, count))
    y = random.normal(size=(count, 3, 2)).round(1)  # with level pieces, and turns
    expected = PchipInterpolator(x, y, axis=0).derivative()(x)
    assert monotone_slopes(x, y) == pytest.approx(expected, abs=1e-12)  # slopes around 10, by a dozen operations
