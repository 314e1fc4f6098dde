"""What a shadow compares: signals of the robot and of the twin, how noisy they are, and the biases that they carry.

    z = h(x) + b + v,     var v = noise^2 + noise_density^2 rate + resolution^2 / 12

Noise and biases of a sensor are those of its error model in the twin's file (`sensors/error.py`): b is drawn once (`bias`,
`turn_on_bias`), walks (`bias_walk`) or wanders (`bias_time`). Other signals, readouts of parts above all, have a noise by their
unit until a calibration has measured it. An attitude is one channel of four numbers, whose error is a rotation vector in the
body's frame.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.engine.simulation import Simulation
from didymos.rotations import rotation_error
from didymos.sensors.error import ErrorSpec, Form
from didymos.spec import Vector

__all__ = ["Bias", "Channel", "channels_of", "compare"]

_Array = NDArray[np.float64]
_NOISE = {
    "m": 1e-3, "rad": 1e-3, "rev": 2e-4, "m/s": 0.01, "rad/s": 0.02, "rev/s": 0.02, "N m": 0.01, "N": 0.1, "A": 0.05, "V": 0.05,
    "Pa": 1.0, "m/s^2": 0.05, "T": 1e-7, "K": 0.5,
}  # fmt: skip
"""Standard deviation of a signal of which nothing is known but its unit."""
_EXACT = 0.1  # of that, for a sensor that is said to have no errors: clocks and steps of time remain
_QUATERNION = tuple(f"orientation.{axis}" for axis in "wxyz")


@dataclass(frozen=True)
class Bias:
    """A bias of one number of a channel: standard deviation at first, walk [unit/sqrt(s)], correlation time [s] (0: none)."""

    channel: int
    axis: int
    sd: float
    walk: float
    time: float


@dataclass(frozen=True)
class Channel:
    """Signals that are compared together: one number, or the four of an attitude.

    Attributes:
        signals: names in the twin's log.
        columns: places of these among the signals of the stepper.
        sensor: whose reading it is, `parts` for readouts of parts, or another stream.
        unit: of the error.
        sd: standard deviation of its white noise.
        lead: [s] by which the twin's reading is older than the tick at which it is told (accelerations).
        sensed: whether it is a sensor's reading, known at the begin of a tick; others hang on the inputs of theirs.
    """

    signals: tuple[str, ...]
    columns: tuple[int, ...]
    sensor: str
    unit: str
    sd: float
    lead: float
    sensed: bool

    @property
    def name(self) -> str:
        """One name for all of it."""
        return self.signals[0].removesuffix(".w") if self.is_orientation else self.signals[0]

    @property
    def is_orientation(self) -> bool:
        """Whether it is an attitude."""
        return len(self.signals) == 4

    @property
    def size(self) -> int:
        """Numbers of its error."""
        return 3 if self.is_orientation else 1


def compare(channel: Channel, measured: _Array, found: _Array) -> _Array:
    """Readings less predictions, shapes [..., numbers] to [..., size]; rotation vectors for an attitude."""
    if not channel.is_orientation:
        return measured - found
    return -rotation_error(measured.reshape(-1, 4), found.reshape(-1, 4)).reshape(*measured.shape[:-1], 3)


def channels_of(
    simulation: Simulation,
    signals: Sequence[str],
    rates: Mapping[str, float],
    noise: Mapping[str, float],
    own: Mapping[str, ErrorSpec],
) -> tuple[tuple[Channel, ...], tuple[Bias, ...]]:
    """Channels of the signals of a stepper's simulation.

    `rates` [Hz] of the sensors of the robot, `noise` standard deviations by the name of a channel that win over others, `own`
    the error models of sensors by SENSOR.QUANTITY.
    """
    units = {name: unit for s in simulation.built.streams for name, unit in zip(s.layout.signals, s.layout.units, strict=True)}
    quantities = {
        f"{item.sensor}.{column}": (item, k)
        for item in simulation.built.assembly.quantities
        for k, column in enumerate(item.columns)
    }
    accelerations = _accelerations(simulation)
    step = simulation.twin.file.world.step
    channels: list[Channel] = []
    biases: list[Bias] = []
    done: set[str] = set()
    for name in signals:
        if name in done:
            continue
        stream, _, column = name.partition(".")
        together: tuple[str, ...] = (name,)
        if column in _QUATERNION and all(f"{stream}.{part}" in signals for part in _QUATERNION):
            together = tuple(f"{stream}.{part}" for part in _QUATERNION)
        done |= set(together)
        item, k = quantities.get(name, (None, 0))
        unit = "rad" if len(together) == 4 else units[name]
        error = own.get(f"{item.sensor}.{item.quantity}") if item is not None else None
        sensed = stream in simulation.twin.file.sensors
        sd = _NOISE.get(unit, 0.01)
        axes: tuple[int, ...] = (0,)
        if sensed:
            sd *= _EXACT
            if error is not None:
                assert item is not None
                axes = (0, 1, 2) if len(together) == 4 else (k % 3 if item.form == Form.VECTOR else 0,)
                white = max(_white(error, axis, rates.get(stream, 100.0)) for axis in axes)
                sd = math.sqrt(white) if white > 0.0 else sd
        columns = tuple(signals.index(part) for part in together)
        lead = step if stream in accelerations else 0.0
        made = Channel(together, columns, stream, unit, sd, lead, sensed)
        channels.append(replace(made, sd=noise.get(made.name, sd)))
        if error is not None:
            biases += [bias for i, axis in enumerate(axes) if (bias := _bias(error, axis, len(channels) - 1, i)) is not None]
    return tuple(channels), tuple(biases)


def _accelerations(simulation: Simulation) -> set[str]:
    """Sensors whose readings need the forces."""
    rows = simulation.context.sensors.sensors
    return {name for name, row in zip(simulation.twin.file.sensors, rows, strict=True) if row["acceleration"] == 1}


def _axis(value: object, axis: int) -> float:
    return (value.x, value.y, value.z)[axis] if isinstance(value, Vector) else float(value)  # type: ignore[arg-type]


def _white(error: ErrorSpec, axis: int, rate: float) -> float:
    noise, density, step = (_axis(getattr(error, name), axis) for name in ("noise", "noise_density", "resolution"))
    return noise**2 + density**2 * rate + step**2 / 12.0


def _bias(error: ErrorSpec, axis: int, channel: int, place: int) -> Bias | None:
    first, constant, walk = (_axis(getattr(error, name), axis) for name in ("bias", "turn_on_bias", "bias_walk"))
    if first == 0.0 and constant == 0.0 and walk == 0.0:
        return None
    return Bias(channel, place, math.hypot(first, constant), walk, error.bias_time)
