"""Velocities that are not the rate of their positions.

    r_i = (x_{i+1} - x_{i-1}) / (t_{i+1} - t_{i-1}) - v_i

is noise and a little smoothing where a velocity was differentiated from a position; where samples are missing that the one who
differentiated did not miss, or where a marker was taken for another, it stands out: over 25 times its median.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError

__all__ = ["disagreement"]

_STANDS_OUT = 25.0
_DIFFERENT = 0.2  # of the usual speed: a velocity that is usually as far off is of something else, or in another frame


@np.errstate(over="ignore", invalid="ignore")
def disagreement(time: ArrayLike, position: ArrayLike, velocity: ArrayLike) -> NDArray[np.bool_]:
    """Samples whose velocity is not the rate of the position, shape [n]; none where the two never agree.

    Args:
        time: stamps [s], increasing, shape [n].
        position: shape [n] or [n, axes].
        velocity: the same shape and frame, in units of the position per second.
    """
    stamps, x, v = (np.asarray(given, np.float64) for given in (time, position, velocity))
    if x.shape != v.shape or len(x) != len(stamps):
        raise InputError(f"found {len(stamps)} stamps, positions {x.shape} and velocities {v.shape}, which do not fit")
    mask = np.zeros(len(stamps), bool)
    if len(stamps) < 3:
        return mask
    x, v = x.reshape(len(x), -1), v.reshape(len(v), -1)
    width = stamps[2:] - stamps[:-2]
    whole = np.isfinite(x[2:] + x[:-2] + v[1:-1]).all(axis=1) & (width > 0.0)
    rate = (x[2:][whole] - x[:-2][whole]) / width[whole, None]
    off = np.linalg.norm(rate - v[1:-1][whole], axis=1)
    speed = np.linalg.norm(v[1:-1][whole], axis=1)
    usual = float(np.median(off)) if len(off) else 0.0
    if 0.0 < usual < _DIFFERENT * float(np.quantile(speed, 0.9)):
        mask[1:-1][whole] = off > _STANDS_OUT * usual
    return mask
