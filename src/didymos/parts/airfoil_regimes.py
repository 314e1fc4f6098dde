"""Where the coefficients of an airfoil hold, and what takes their place elsewhere: shares of regimes over the sphere of flows.

    a(alpha)    1 for low <= alpha <= high, falls to 0 within w = min(8 / M, half of the rest of the circle) beyond either end
    k(beta)     1 for |beta| <= 30 deg;  1 - s(beta) sin^2(beta) beyond, which is cos^2(beta) from 60 deg on
    s(x)        x^2 (3 - 2 x), the smooth step from 0 to 1; of |sin(beta)| from 1/2 to sqrt(3)/2

a k is the share of the attached flow, 1 - a k that of the separated one. a is measured on the circle, so that +180 deg and
-180 deg are one direction; k takes the rest to zero where the flow runs along the span, where there is no angle of attack: only
the flow across the span lifts (simple sweep theory: q cos^2(beta)). Both are *exactly* 1 inside, so that coefficients stay what
they are where they were measured.

References: Beard & McLain, Small Unmanned Aircraft (2012), eq. 4.10 (`stall_share`); Hoerner & Borst, Fluid-Dynamic Lift (1985),
ch. 15 (sweep); Hoerner, Fluid-Dynamic Drag (1965), ch. 3 (plates).
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["held_share", "nearest_end", "sideslip_share", "stall_share", "transition"]

_BEGIN, _END = 0.5, 0.5 * math.sqrt(3.0)  # |sin(beta)| at 30 and 60 deg
_WIDTH = 8.0  # of a transition, times the sharpness: a smooth step as steep as the sigmoid of that sharpness
_CIRCLE = 2.0 * math.pi


@kernel
def _rising(x: float) -> float:
    """1 / (1 + exp(-x)) that never overflows."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1.0 + grown)


@kernel
def _smooth(x: float) -> float:
    """The smooth step: 0 below 0, 1 above 1."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel
def stall_share(alpha: float, stall_angle: float, sharpness: float) -> float:
    """Share of the flat plate at an angle of attack [rad]: 0 well inside stall, 1 well outside."""
    return 1.0 - _rising(sharpness * (stall_angle - alpha)) * _rising(sharpness * (stall_angle + alpha))


@kernel
def transition(low: float, high: float, sharpness: float) -> float:
    """w [rad], within which what was measured from low to high gives way; 0 where it was measured all around."""
    return min(_WIDTH / sharpness, max(0.5 * (_CIRCLE - (high - low)), 0.0))


@kernel
def nearest_end(alpha: float, low: float, high: float) -> float:
    """An angle [rad] inside low to high, or the end of that range that is nearer on the circle."""
    if low <= alpha <= high:
        return alpha
    beyond = alpha - high if alpha > high else alpha + _CIRCLE - high
    below = low - alpha if alpha < low else low + _CIRCLE - alpha
    return high if beyond < below else low


@kernel
def held_share(alpha: float, low: float, high: float, width: float) -> float:
    """a, for an angle of attack in [-pi, pi]."""
    if low <= alpha <= high:
        return 1.0
    beyond = alpha - high if alpha > high else alpha + _CIRCLE - high
    below = low - alpha if alpha < low else low + _CIRCLE - alpha
    away = min(beyond, below)
    return 1.0 - _smooth(away / width) if away < width else 0.0


@kernel
def sideslip_share(sine: float) -> float:
    """k, for the sine of a sideslip angle."""
    size = abs(sine)
    if size <= _BEGIN:
        return 1.0
    return 1.0 - _smooth((size - _BEGIN) / (_END - _BEGIN)) * min(size * size, 1.0)
