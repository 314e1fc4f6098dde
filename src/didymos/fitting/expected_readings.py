"""A twin whose sensors say what is to be expected of them: their known errors, and none of those that are drawn.

A recording holds draws of its own. Those of the twin would be as many again in every residual, and, being the same in every run,
would lie on the values that are found as a bias. Steps of readings are left out as well: a residual counts them as noise.
"""

from __future__ import annotations

import re

from didymos.describe.twin import Twin

__all__ = ["expect_readings"]

_DRAWN = re.compile(
    r"sensors\.[^.]+\.(?:drop_out|outage_rate|[^.]+\.(?:noise|noise_density|bias|bias_walk|turn_on_bias|resolution)(?:\.[xyz])?)"
)


def expect_readings(twin: Twin) -> Twin:
    """A copy of a twin; its sensors draw nothing."""
    expected = twin.copy()
    expected.set_all({path: 0.0 for path in twin.parameters if _DRAWN.fullmatch(path)})
    return expected
