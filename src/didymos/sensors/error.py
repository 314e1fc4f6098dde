"""The error model of one quantity: what stands between the true value and the reading.

    reading = sat( quantise( (s + s_T dT) exp(-[m]) x + b + b_0 + b_T dT + n ) )
    b:   drawn once per run with sd `bias`, then a random walk with density `bias_walk`; or, with a correlation time `bias_time`,
         a Gauss-Markov process of sd `bias` (in-run instability; a GPS that wanders)
    b_0: constant, drawn once per run with sd `turn_on_bias`, beside b
    n:   white, of variance noise^2 + noise_density^2 * rate

x true value, s scale, dT the sensor's `temperature_rise` above its calibration, s_T and b_T the slopes of scale and bias.
Every number but misalignment and `bias_time` is one for all axes or one for each, [x, y, z], in the axes of the reading.

Misalignment m is a rotation vector: the true axes of the sensor are those of its frame turned by m. So a vector is read in the
turned axes, exp(-[m]) x, and an orientation q, of the same turned axes, as q exp(m): one sign, and both are exact for any angle.
A vector that is given in the world (a position) is read in a world turned in the same way. An orientation gets noise and biases
as a rotation vector e in its own frame, q exp(m + e); scale, resolution and limit mean nothing there.

A distance has values that are no distances: infinite, not a number, or negative (nothing hit, too near). They stay as they are.
A distance with errors is never less than 0, which would be taken for one of them.

Densities are those of an Allan plot (Kalibr's convention): [unit/sqrt(Hz)] for white noise, [unit/s/sqrt(Hz)] = [unit/sqrt(s)]
for the walk. Reference: IEEE Std 952-1997, annex C. All off by default. Not in it: errors that hang on acceleration or vibration,
scale that is not linear, axes that are not at right angles, hysteresis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.noise import normal
from didymos.spec import PerAxis, PerAxisFromZero, Spec, Vector, number, number_fields, per_axis, record_type

__all__ = [
    "DRAWS_PER_READING", "ERROR", "ErrorSpec", "Form", "disturb_orientation", "disturb_values", "fill", "is_exact", "mark",
    "walk",
]  # fmt: skip

DRAWS_PER_READING = 8  # counters set aside for each channel of one reading
_TURN_ON = 1 << 52  # from here on, the numbers of the stream of noise are biases of the whole run, one for each channel


class ErrorSpec(Spec):
    """Errors of one quantity, in its own unit; zero means none. Three numbers [x, y, z] where its axes differ."""

    noise: PerAxisFromZero = per_axis(0.0, unit="*", doc="standard deviation of one reading")
    noise_density: PerAxisFromZero = per_axis(0.0, unit="*/sqrt(Hz)", doc="white noise density")
    bias: PerAxisFromZero = per_axis(0.0, unit="*", live=False, doc="standard deviation of the bias at switch-on")
    bias_walk: PerAxisFromZero = per_axis(0.0, unit="*/sqrt(s)", doc="random-walk density of the bias")
    bias_time: float = number(0.0, unit="s", low=0, doc="correlation time of the bias; 0 is a constant or a walk")
    turn_on_bias: PerAxisFromZero = per_axis(
        0.0, unit="*", live=False, doc="standard deviation of a constant bias beside one that wanders"
    )
    scale: PerAxis = per_axis(1.0, unit="1", doc="reading per true value")
    resolution: PerAxisFromZero = per_axis(0.0, unit="*", doc="step of the reading")
    limit: PerAxisFromZero = per_axis(0.0, unit="*", doc="largest magnitude; 0 for none")
    bias_slope: PerAxis = per_axis(0.0, unit="*/K", doc="bias per temperature above that of calibration")
    scale_slope: PerAxis = per_axis(0.0, unit="1/K", doc="scale per temperature above that of calibration")
    misalignment_x: float = number(0.0, unit="rad", low=-3.2, high=3.2, doc="rotation vector of the sensor's axes in its frame")
    misalignment_y: float = number(0.0, unit="rad", low=-3.2, high=3.2, doc="rotation vector of the sensor's axes in its frame")
    misalignment_z: float = number(0.0, unit="rad", low=-3.2, high=3.2, doc="rotation vector of the sensor's axes in its frame")

    def of_worst_axis(self) -> dict[str, float]:
        """Its numbers, one for all axes: of three, the one that is furthest from no error. For whoever knows no axes."""
        return {
            name: max(_three(getattr(self, name)), key=lambda value: abs(value - type(self).model_fields[name].default))
            for name, _ in number_fields(ErrorSpec)
        }

    def variances(self, rate: float) -> tuple[float, float, float]:
        """Variance of a reading at a rate [Hz] about the true value, for each axis.

        Of noise, biases (the walk, which grows without end, left out) and steps; scale, slopes and misalignment are no noise.
        """
        noise, density, bias, constant, step = (
            np.array(_three(getattr(self, name))) for name in ("noise", "noise_density", "bias", "turn_on_bias", "resolution")
        )
        x, y, z = noise**2 + density**2 * rate + bias**2 + constant**2 + step**2 / 12.0
        return float(x), float(y), float(z)


ERROR = np.dtype([*((name, *rest) for name, *rest in record_type(ErrorSpec).descr), ("present", np.float64)])
"""The numbers of an `ErrorSpec` as compiled code reads them; `present` is 1 where any of them makes a difference."""


class Form:
    """What the channels of a quantity are: numbers of their own, one quaternion, the three axes of one vector, distances."""

    SEPARATE, ORIENTATION, VECTOR, DISTANCE = 0, 1, 2, 3


_VECTOR, _DISTANCE = Form.VECTOR, Form.DISTANCE


def _three(value: float | Vector) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, Vector) else (value,) * 3


def fill(spec: ErrorSpec, row: Any) -> None:
    """Write a row of `ERROR`."""
    for name, about in number_fields(ErrorSpec):
        value = getattr(spec, name)
        row[name] = _three(value) if about["axes"] else value
    mark(row)


def mark(row: Any) -> None:
    """Note in a row of `ERROR` whether it makes a difference."""
    none = {"scale": 1.0}
    others = [name for name, _ in number_fields(ErrorSpec) if name != "bias_time"]
    row["present"] = float(any(np.any(row[name] != none.get(name, 0.0)) for name in others))


@kernel
def walk(error: Any, rate: float, first: bool, high: float, low: float, counter: int, size: int, axes: int, bias: Any) -> None:
    """Advance the bias by one reading; the first reading draws the bias at switch-on.

    `axes`: 3 where each channel is an axis, 1 where all channels have the numbers of the first.
    """
    for axis in range(axes):
        deviation, kept = error.bias[axis], 1.0
        if not first:
            deviation = error.bias_walk[axis] / math.sqrt(rate)
            if error.bias_time > 0.0:
                kept = math.exp(-1.0 / (rate * error.bias_time))
                deviation = math.sqrt(deviation * deviation + error.bias[axis] * error.bias[axis] * (1.0 - kept * kept))
        if deviation > 0.0:
            for i in range(axis, size, axes):
                bias[i] = kept * bias[i] + deviation * normal(high, low, counter + DRAWS_PER_READING * i + 1)


@kernel
def is_exact(error: Any, size: int, bias: Any) -> bool:
    """Whether a quantity is read as it is, as most are: it has no errors, and no bias of earlier ones."""
    if error.present != 0.0:
        return False
    for i in range(size):
        if bias[i] != 0.0:
            return False
    return True


@kernel
def _deviation(error: Any, axis: int, rate: float) -> float:
    density = error.noise_density[axis]
    return math.sqrt(error.noise[axis] * error.noise[axis] + density * density * rate)


@kernel
def _constant(error: Any, axis: int, warmer: float, high: float, low: float, channel: int) -> float:
    """The part of the bias that stays: of this run, and of this temperature, `warmer` [K] than at calibration."""
    constant = error.bias_slope[axis] * warmer
    if error.turn_on_bias[axis] > 0.0:
        constant += error.turn_on_bias[axis] * normal(high, low, _TURN_ON + channel)
    return constant


@kernel
def _turned(error: Any, true: Any) -> tuple[float, float, float]:
    """A vector in the turned axes, exp(-[m]) x (Rodrigues)."""
    a, b, c = error.misalignment_x, error.misalignment_y, error.misalignment_z
    x, y, z = true[0], true[1], true[2]
    angle = math.sqrt(a * a + b * b + c * c)
    if angle == 0.0:
        return x, y, z
    a, b, c = a / angle, b / angle, c / angle
    cosine, sine = math.cos(angle), math.sin(angle)
    along = (1.0 - cosine) * (a * x + b * y + c * z)
    return (
        cosine * x - sine * (b * z - c * y) + along * a,
        cosine * y - sine * (c * x - a * z) + along * b,
        cosine * z - sine * (a * y - b * x) + along * c,
    )


@kernel
def disturb_values(
    error: Any, rate: float, warmer: float, high: float, low: float, counter: int, channel: int, size: int, form: int, bias: Any,
    true: Any, reading: Any,
) -> None:  # fmt: skip
    """Write the reading of `size` channels, the first of which is number `channel` of its sensor; `form` is one of `Form`."""
    is_vector = form == _VECTOR
    turned = _turned(error, true) if is_vector else (0.0, 0.0, 0.0)
    axes = 3 if is_vector else 1
    for axis in range(axes):
        deviation, scale = _deviation(error, axis, rate), error.scale[axis] + error.scale_slope[axis] * warmer
        step, most = error.resolution[axis], error.limit[axis]
        for i in range(axis, size, axes):
            value = turned[i] if is_vector else true[i]
            if not abs(value) < math.inf or (form == _DISTANCE and value < 0.0):
                reading[i] = value  # most rays of a lidar meet nothing
                continue
            value = scale * value + bias[i] + _constant(error, axis, warmer, high, low, channel + i)
            if deviation > 0.0:
                value += deviation * normal(high, low, counter + DRAWS_PER_READING * i)
            if step > 0.0:
                value = step * np.floor(value / step + 0.5)
            if most > 0.0:
                value = min(max(value, -most), most)
            reading[i] = max(value, 0.0) if form == _DISTANCE else value


@kernel
def _rotation_error(
    error: Any, axis: int, misalignment: float, rate: float, warmer: float, high: float, low: float, counter: int, channel: int,
    bias: Any,
) -> float:  # fmt: skip
    """Half of one part of the rotation vector between the true orientation and its reading [rad]."""
    value = bias[axis] + misalignment + _constant(error, axis, warmer, high, low, channel + axis)
    deviation = _deviation(error, axis, rate)
    if deviation > 0.0:
        value += deviation * normal(high, low, counter + DRAWS_PER_READING * axis)
    return 0.5 * value


@kernel
def disturb_orientation(
    error: Any, rate: float, warmer: float, high: float, low: float, counter: int, channel: int, bias: Any, true: Any,
    reading: Any,
) -> None:  # fmt: skip
    """Write the reading of a unit quaternion, w first."""
    x = _rotation_error(error, 0, error.misalignment_x, rate, warmer, high, low, counter, channel, bias)
    y = _rotation_error(error, 1, error.misalignment_y, rate, warmer, high, low, counter, channel, bias)
    z = _rotation_error(error, 2, error.misalignment_z, rate, warmer, high, low, counter, channel, bias)
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
