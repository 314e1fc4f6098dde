"""Signals that a fit compares, made of those that a run records.

Beside recorded signals: `STREAM.velocity_world`, the velocity of a pose in the frame of the world, and roll, pitch, yaw and tilt
of one. Errors of vectors are differences; that of an attitude is the rotation vector between both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.sampler import Samples
from didymos.fitting.recording import Channel
from didymos.rotations import ANGLES, angle, rotate, rotation_error

__all__ = ["channel_error", "predicted", "sources"]

_Array = NDArray[np.float64]
_ORIENTATION = tuple(f"orientation.{axis}" for axis in "wxyz")
_VELOCITY = tuple(f"velocity.{axis}" for axis in "xyz")


def _stream(signal: str) -> tuple[str, tuple[str, ...]]:
    """The stream that a derived signal comes from and the columns that it needs; none where it is recorded itself."""
    stream, _, last = signal.rpartition(".")
    if last in ANGLES:
        return stream, _ORIENTATION
    head, _, middle = stream.rpartition(".")
    if middle == "velocity_world":
        return head, (*_ORIENTATION, *_VELOCITY)
    return "", ()


def sources(signals: tuple[str, ...]) -> tuple[str, ...]:
    """The recorded signals that are needed, each once."""
    needed: list[str] = []
    for signal in signals:
        stream, columns = _stream(signal)
        needed += [f"{stream}.{column}" for column in columns] or [signal]
    return tuple(dict.fromkeys(needed))


def _at(samples: Samples, signal: str, times: _Array) -> _Array:
    stamps, values = samples[signal]
    return np.interp(times, stamps, values)


def predicted(samples: Samples, channel: Channel, times: _Array) -> _Array:
    """What a run says of a channel at some times [s] since its begin, shape [n, k]."""
    made = []
    for place, signal in enumerate(channel.signals):
        stream, columns = _stream(signal)
        if not columns:
            made.append(_at(samples, signal, times))
            continue
        pose = np.column_stack([_at(samples, f"{stream}.{column}", times) for column in columns])
        pose[:, :4] /= np.linalg.norm(pose[:, :4], axis=1, keepdims=True)
        last = signal.rpartition(".")[2]
        made.append(angle(last, pose[:, :4]) if last in ANGLES else rotate(pose[:, :4], pose[:, 4:])[:, place])
    found = np.column_stack(made)
    if channel.is_orientation:
        found /= np.linalg.norm(found, axis=1, keepdims=True)
    return found


def channel_error(channel: Channel, measured: _Array, found: _Array) -> _Array:
    """Twin minus recording, shape [n, k]; [n, 3] of an attitude, whose error is a rotation vector [rad]."""
    return rotation_error(measured, found) if channel.is_orientation else found - measured
