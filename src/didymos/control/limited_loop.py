"""One loop of an autopilot: proportional and integral about an offset, within limits, that unlearns only while it is at one.

    u = offset + kp e + int,    d int/dt = ki e   where that does not push u further into a limit        low <= u <= high
"""

from __future__ import annotations

from didymos.compiled import kernel
from didymos.control.angles import limit

__all__ = ["limited_loop"]


@kernel
def limited_loop(
    integral: float, error: float, offset: float, kp: float, ki: float, low: float, high: float, dt: float
) -> tuple[float, float]:
    """offset + kp error + integral, limited, and the integral, which moves only where that does not push further into a limit."""
    value = offset + kp * error + integral
    if not (value >= high and ki * error > 0.0) and not (value <= low and ki * error < 0.0):
        integral += ki * error * dt
        value += ki * error * dt
    return limit(value, low, high), integral
