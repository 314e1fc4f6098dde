"""The error model of one quantity: what stands between the true value and the reading.

    reading = sat( quantise( s M x + b + n ) )
    b: drawn once per run with sd `bias`, then a random walk with density `bias_walk`; or, with a correlation time `bias_time`,
       a Gauss-Markov process of sd `bias` (a GPS that wanders)
    n: white, of variance noise^2 + noise_density^2 * rate

x true value, s scale, M a small rotation (misalignment of the axes of a vector). An orientation x = q gets noise, bias and
misalignment as a rotation vector e in its own frame: q exp(e / 2); scale, resolution and limit mean nothing there. Densities
are those of an Allan plot (Kalibr's convention): [unit/sqrt(Hz)] for white noise, [unit/s/sqrt(Hz)] = [unit/sqrt(s)] for the
walk. Reference: IEEE Std 952-1997, annex C. All off by default.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.noise import normal
from didymos.spec import Spec, number

__all__ = ["DRAWS_PER_READING", "ErrorSpec", "disturb_orientation", "disturb_vector", "is_exact", "walk"]

DRAWS_PER_READING = 8  # counters set aside for each channel of one reading


class ErrorSpec(Spec):
    """Errors of one quantity, in its own unit; zero means none."""

    noise: float = number(0.0, unit="*", low=0, doc="standard deviation of one reading")
    noise_density: float = number(0.0, unit="*/sqrt(Hz)", low=0, doc="white noise density")
    bias: float = number(0.0, unit="*", low=0, live=False, doc="standard deviation of the bias at switch-on")
    bias_walk: float = number(0.0, unit="*/sqrt(s)", low=0, doc="random-walk density of the bias")
    bias_time: float = number(0.0, unit="s", low=0, doc="correlation time of the bias; 0 is a constant or a walk")
    scale: float = number(1.0, unit="1", doc="reading per true value")
    resolution: float = number(0.0, unit="*", low=0, doc="step of the reading")
    limit: float = number(0.0, unit="*", low=0, doc="largest magnitude; 0 for none")
    misalignment_x: float = number(0.0, unit="rad", low=-0.5, high=0.5, doc="rotation of the axes")
    misalignment_y: float = number(0.0, unit="rad", low=-0.5, high=0.5, doc="rotation of the axes")
    misalignment_z: float = number(0.0, unit="rad", low=-0.5, high=0.5, doc="rotation of the axes")


@kernel
def walk(error: Any, rate: float, first: bool, high: float, low: float, counter: int, size: int, bias: Any) -> None:
    """Advance the bias by one reading; the first reading draws the bias at switch-on."""
    deviation, kept = error.bias, 1.0
    if not first:
        deviation = error.bias_walk / math.sqrt(rate)
        if error.bias_time > 0.0:
            kept = math.exp(-1.0 / (rate * error.bias_time))
            deviation = math.sqrt(deviation * deviation + error.bias * error.bias * (1.0 - kept * kept))
    if deviation > 0.0:
        for i in range(size):
            bias[i] = kept * bias[i] + deviation * normal(high, low, counter + DRAWS_PER_READING * i + 1)


@kernel
def is_exact(error: Any, size: int, bias: Any) -> bool:
    """Whether a quantity is read as it is, as most are: it has no errors, and no bias of earlier ones."""
    if error.noise != 0.0 or error.noise_density != 0.0 or error.bias != 0.0 or error.bias_walk != 0.0:
        return False
    if error.misalignment_x != 0.0 or error.misalignment_y != 0.0 or error.misalignment_z != 0.0:
        return False
    if error.scale != 1.0 or error.resolution != 0.0 or error.limit != 0.0:
        return False
    for i in range(size):
        if bias[i] != 0.0:
            return False
    return True


@kernel
def _deviation(error: Any, rate: float) -> float:
    return math.sqrt(error.noise * error.noise + error.noise_density * error.noise_density * rate)


@kernel
def disturb_vector(
    error: Any, rate: float, high: float, low: float, counter: int, size: int, axes: bool, bias: Any, true: Any, reading: Any
) -> None:
    """Write the reading of `size` channels; `axes`: they are those of one vector in space, and are turned."""
    deviation = _deviation(error, rate)
    for i in range(size):
        value = true[i]
        if axes:
            j, k = (i + 1) % 3, (i + 2) % 3
            mj = error.misalignment_x if j == 0 else (error.misalignment_y if j == 1 else error.misalignment_z)
            mk = error.misalignment_x if k == 0 else (error.misalignment_y if k == 1 else error.misalignment_z)
            value += mj * true[k] - mk * true[j]
        value = error.scale * value + bias[i]
        if deviation > 0.0 and abs(value) < math.inf:  # most rays of a lidar meet nothing
            value += deviation * normal(high, low, counter + DRAWS_PER_READING * i)
        if error.resolution > 0.0:
            value = error.resolution * np.floor(value / error.resolution + 0.5)  # an infinite one stays so
        if error.limit > 0.0:
            value = min(max(value, -error.limit), error.limit)
        reading[i] = value


@kernel
def disturb_orientation(
    error: Any, rate: float, high: float, low: float, counter: int, bias: Any, true: Any, reading: Any
) -> None:
    """Write the reading of a unit quaternion, w first."""
    deviation = _deviation(error, rate)
    x, y, z = bias[0] + error.misalignment_x, bias[1] + error.misalignment_y, bias[2] + error.misalignment_z
    if deviation > 0.0:
        x += deviation * normal(high, low, counter)
        y += deviation * normal(high, low, counter + DRAWS_PER_READING)
        z += deviation * normal(high, low, counter + 2 * DRAWS_PER_READING)
    x, y, z = 0.5 * x, 0.5 * y, 0.5 * z
    half = math.sqrt(x * x + y * y + z * z)
    if half == 0.0:
        for i in range(4):
            reading[i] = true[i]
        return
    c, s = math.cos(half), math.sin(half) / half
    x, y, z = s * x, s * y, s * z
    w0, x0, y0, z0 = true[0], true[1], true[2], true[3]
    reading[0] = w0 * c - x0 * x - y0 * y - z0 * z
    reading[1] = w0 * x + x0 * c + y0 * z - z0 * y
    reading[2] = w0 * y - x0 * z + y0 * c + z0 * x
    reading[3] = w0 * z + x0 * y - y0 * x + z0 * c
