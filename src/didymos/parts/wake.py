"""The wake of a propeller by momentum theory: by how much the air behind it is faster than the air before it.

    T = 1/2 rho A [(V + W)^2 - V^2]   ->   W = sqrt(V^2 + 2 T / (rho A)) - V

V >= 0 the speed along the axis, A the disc area; W is that of the developed wake, about one diameter behind the disc (half of
it in the disc itself). Zero for a propeller that brakes. Reference: Glauert, Airplane Propellers (1935).
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["wake"]


@kernel
def wake(thrust: float, along: float, density: float, area: float) -> float:
    """Speed [m/s] that a thrust [N] adds to the air that comes along the axis at `along` [m/s]; area [m^2]."""
    if thrust <= 0.0 or area <= 0.0 or density <= 0.0:
        return 0.0
    speed = max(along, 0.0)
    return math.sqrt(speed * speed + 2.0 * thrust / (density * area)) - speed
