"""What an observer knows at a time: where the robot is, how surely, and what its last readings said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "Frame"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """The state of the robot, in the engine's coordinates of its twin.

    Attributes:
        time: [s] of the robot's clock.
        qpos, qvel, act: positions [nq], velocities [nv], states of parts [na].
        covariance: of displacements of positions [nv], velocities [nv], states of parts [na] and biases; shape [n, n].
        biases: of signals that have one, by name.
        inputs: what the robot gets, by name.
        vector: the whole state of the engine, as `mj_getState` of the shadow's model gives it (mjSTATE_INTEGRATION).
        tick: of the twin's clock.
    """

    time: float
    qpos: _Array
    qvel: _Array
    act: _Array
    covariance: _Array
    biases: Mapping[str, float]
    inputs: Mapping[str, float]
    vector: _Array
    tick: int


@dataclass(frozen=True)
class Frame:
    """One update: the readings that came, against what was predicted of them.

    Attributes:
        time: [s] of the robot's clock at its end.
        signals: of the readings, by name.
        measured: the readings; shape [r].
        innovations: readings less predictions; shape [r].
        sigmas: their standard deviations, prediction and noise together; shape [r].
        nis: normalised innovation squared, nu' S^-1 nu, whose mean is r.
        stamps: [s] of the robot's clock at which the readings were taken; shape [r].
    """

    time: float
    signals: tuple[str, ...]
    measured: _Array
    innovations: _Array
    sigmas: _Array
    nis: float
    stamps: _Array
