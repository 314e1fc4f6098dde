"""What a force law is: one C function with one signature, called by the engine in every stage of a step.

A law reads the record of its own parameters, the motion of the link it sits on and the air there, its inputs and its
continuous states; it writes the force and torque on the link, the torque on its joint, the rates of its states and its
readouts. All vectors are in the frame of the part (the link's, unless the twin places it elsewhere), forward-left-up;
force and torque act at that frame's origin.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba import types

from didymos.compiled import DOUBLES
from didymos.spec import Spec, record_type

__all__ = ["MOTION", "WRENCH", "Law", "Output", "PartSpec", "law_signature"]

MOTION = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("position_world", np.float64, 3),  # [m]
        ("rotation", np.float64, 9),  # part frame to world, row-major
        ("velocity", np.float64, 3),  # [m/s] of the frame's origin, in the part's frame
        ("rate", np.float64, 3),  # [rad/s] in the part's frame
        ("air_velocity", np.float64, 3),  # [m/s] of the part relative to the air, in the part's frame
        ("density", np.float64),  # [kg/m^3]
        ("joint_position", np.float64),  # [rad or m], zero without a joint
        ("joint_velocity", np.float64),  # [rad/s or m/s]
    ]
)
"""Memory layout of what a law is told about its link, its joint and the air."""

WRENCH = np.dtype([("force", np.float64, 3), ("torque", np.float64, 3), ("joint_torque", np.float64)])
"""Memory layout of what a law answers: [N], [N m] in the part's frame, [N m or N] along the joint."""


class PartSpec(Spec):
    """What every part says: its law, the link (or named frame) it acts on, the joint it turns."""

    kind: str
    link: str
    joint: str | None = None


@dataclass(frozen=True)
class Output:
    """A named readout of a part and its unit."""

    name: str
    unit: str


@dataclass(frozen=True)
class Law:
    """A kind of part: the record it reads, its compiled function, the names of its inputs, states and readouts."""

    spec: type[PartSpec]
    function: Any
    inputs: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    input_range: tuple[float, float] = (0.0, 1.0)
    needs_joint: bool = field(default=False)

    @property
    def record(self) -> np.dtype[Any]:
        """Memory layout of the parameters."""
        return record_type(self.spec)


def law_signature(spec: type[PartSpec]) -> Any:
    """C signature of a law: (parameters, motion, inputs, states, state rates, wrench, outputs)."""
    return types.void(
        types.CPointer(numba.from_dtype(record_type(spec))),
        types.CPointer(numba.from_dtype(MOTION)),
        DOUBLES,
        DOUBLES,
        DOUBLES,
        types.CPointer(numba.from_dtype(WRENCH)),
        DOUBLES,
    )
