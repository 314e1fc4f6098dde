"""The kernels of this room as Python asks them: of a table of one row, which numba takes in 0.3 us; a record takes it 7."""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.model.dynamics import bias, gravity, mass_matrix
from didymos.model.frames import frame_drift, frame_position, frame_rotation, frame_velocity, jacobian
from didymos.model.momentum import center_of_mass, momentum
from didymos.model.place import place
from didymos.model.reading import read

__all__ = [
    "ask_bias", "ask_center_of_mass", "ask_drift", "ask_gravity", "ask_jacobian", "ask_mass_matrix", "ask_momentum", "ask_place",
    "ask_position", "ask_read", "ask_rotation", "ask_velocity",
]  # fmt: skip


@kernel
def ask_place(models: Any, q: Any, v: Any) -> None:
    """`place`."""
    place(models[0], q, v)


@kernel
def ask_read(models: Any, readings: Any, q: Any, v: Any) -> None:
    """`read`, of one row of `READING`."""
    read(models[0], readings[0], q, v)


@kernel
def ask_position(models: Any, frame: int) -> tuple[float, float, float]:
    """`frame_position`."""
    return frame_position(models[0], frame)


@kernel
def ask_rotation(models: Any, frame: int, out: Any) -> None:
    """`frame_rotation`."""
    frame_rotation(models[0], frame, out)


@kernel
def ask_velocity(models: Any, frame: int, out: Any) -> None:
    """`frame_velocity`."""
    frame_velocity(models[0], frame, out)


@kernel
def ask_drift(models: Any, frame: int, out: Any) -> None:
    """`frame_drift`."""
    frame_drift(models[0], frame, out)


@kernel
def ask_jacobian(models: Any, frame: int, out: Any) -> None:
    """`jacobian`."""
    jacobian(models[0], frame, out)


@kernel
def ask_mass_matrix(models: Any, out: Any) -> None:
    """`mass_matrix`."""
    mass_matrix(models[0], out)


@kernel
def ask_bias(models: Any, out: Any) -> None:
    """`bias`."""
    bias(models[0], out)


@kernel
def ask_gravity(models: Any, out: Any) -> None:
    """`gravity`."""
    gravity(models[0], out)


@kernel
def ask_center_of_mass(models: Any) -> tuple[float, float, float]:
    """`center_of_mass`."""
    return center_of_mass(models[0])


@kernel
def ask_momentum(models: Any, out: Any) -> None:
    """`momentum`."""
    momentum(models[0], out)
