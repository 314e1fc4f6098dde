"""GPS lost for half a minute and found again, flown by the twins themselves; the long version is `outages.py`."""

from __future__ import annotations

import numpy as np
import pytest
from outages import outage


@pytest.mark.parametrize(
    ("twin", "scenario", "height"), [("skywalker_2013", "cruise", 50.0), ("hexacopter", "gusts", 10.0), ("daedalus", "gusts", 10.0)]
)
def test_gps_that_comes_back_after_half_a_minute_neither_tips_a_twin_nor_finds_it_far_off(
    twin: str, scenario: str, height: float
) -> None:
    """0.1.0 crashed the plane here. Tilt at most 5 deg more than before, 15 m off at the return, the height as it was."""
    flown = outage(twin, scenario, 0, 30.0)
    assert not flown.fell, flown.fell
    assert flown.tilt_after < flown.tilt_before + np.radians(5.0)
    assert flown.tilt_after < np.radians(2.0)
    assert flown.off < 15.0
    assert flown.height == pytest.approx(height, abs=3.0)
