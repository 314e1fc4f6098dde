"""The laws of a capture, as pure functions: path, filters of the readings, blend of contact, impedance.

Impedance of the end effector, in its own frame (x points at the target; n normal, t across, r rotation), e = pose - reference:

    m e'' + b e' + (1 - w_n) k e = w (f_d (1 + m / m_t) - f)             normal
    m e'' + b e' +           k e = 0                                      across, rotation
      e_b'' + 2 zeta_b omega_b e_b' + omega_b^2 e_b = 0                   base angle

What differs from the original, and why:

1. f is the force on the target throughout: the original's one variable has one sign in two places that need opposite ones.
2. It acts along the end effector's x axis, turned into the world: the original's is on the world's y, right at 90 deg only.
3. The base has gains of its own, as the theory says: the original's code gives it those of the end effector.
4. The total mass is the sum of the masses: the original never sets it, and C++ makes it zero.
5. The blend w grows between two forces above the sensor's noise: the original's crosses over at 1e-7 N, which is always.
6. There is no spring along the normal in contact: 100 N/m on a marker that sits 1 mm off is three times the demanded force.
7. Contact gains are chosen, not derived from an assumed stiffness of 1e6 N/m: those need 1000 rad/s of a 100 Hz loop.
8. The demanded force is small, since robot and free target accelerate apart: 1 N carries the arm into its singularity in 3 s.
9. f_d is raised by m / m_t, for the target gives way: without it the force settles at f_d / (1 + m / m_t).
10. Angles are wrapped and torques limited: the original does neither.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import wrap

__all__ = ["average", "blend", "quintic", "track"]


@kernel
def quintic(t: float, duration: float) -> Any:
    """Part of the way, its rate [1/s] and acceleration [1/s^2] at t on a path from rest to rest."""
    if t <= 0.0 or duration <= 0.0:
        return (0.0 if duration > 0.0 else 1.0), 0.0, 0.0
    if t >= duration:
        return 1.0, 0.0, 0.0
    x = t / duration
    way = x * x * x * (10.0 + x * (6.0 * x - 15.0))
    rate = 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration
    return way, rate, 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (duration * duration)


@kernel
def blend(force: float, low: float, high: float) -> float:
    """Weight of contact for a force [N]: 0 below the dead band `low`, 1 above `high`, smooth between."""
    if force <= low:
        return 0.0
    if force >= high:
        return 1.0
    x = (force - low) / (high - low)
    return x * x * (3.0 - 2.0 * x)


@kernel
def track(
    position: float, velocity: float, reading: float, is_angle: bool, bandwidth: float, elapsed: float
) -> tuple[float, float]:
    """Position and velocity at a reading of the position, from those at the reading before, some time `elapsed` [s] earlier.

    An alpha-beta filter with two equal poles. A reading that is lost leaves them where they are: the next comes after twice the
    time.
    """
    position += elapsed * velocity
    pole = math.exp(-bandwidth * elapsed)
    error = reading - position
    if is_angle:
        error = wrap(error)
    position += (1.0 - pole * pole) * error
    velocity += (1.0 - pole) * (1.0 - pole) * error / elapsed
    return position, velocity


@kernel
def average(ring: Any, count: int, window: int, value: float) -> float:
    """Moving average: puts the value into the ring [>= window] and returns the mean of the last `window` (or `count` + 1)."""
    ring[count % window] = value
    filled = min(count + 1, window)
    total = 0.0
    for i in range(filled):
        total += ring[i]
    return total / filled
