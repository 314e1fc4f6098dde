"""Ground effect of a wing: the vortices of its mirror image below the ground take of what its own induce.

    phi = (16 h/b)^2 / (1 + (16 h/b)^2)          induced drag near the ground over that far from it
    K   = (1 + 2/A) / (1 + 2 phi/A)              lift at the same angle of attack over that far from it

h is the height of the wing above what stands below, b its span, A its aspect ratio. K follows from the lift slope of a finite
wing, 2 pi / (1 + 2/A), in which the induced angle shrinks with the induced drag. Both are 1 far away and continuous. Valid for h
above a tenth of b, level wings, unstalled; the nose-down moment of a tail in the lessened downwash is missing.

References: McCormick, Aerodynamics, Aeronautics and Flight Mechanics (1995), p. 420; Houghton & Carpenter, Aerodynamics for
Engineering Students (2003), sec. 5.5.
"""

from __future__ import annotations

from didymos.compiled import kernel

__all__ = ["induced_share", "lift_growth"]


@kernel
def induced_share(height: float, span: float) -> float:
    """phi at a height [m] of a wing with a span [m]; 1 above nothing."""
    if not height < 100.0 * span:
        return 1.0
    ratio = 16.0 * max(height, 0.0) / span
    square = ratio * ratio
    return square / (1.0 + square)


@kernel
def lift_growth(phi: float, aspect: float) -> float:
    """K for a share phi of the induced drag and an aspect ratio."""
    return (1.0 + 2.0 / aspect) / (1.0 + 2.0 * phi / aspect)
