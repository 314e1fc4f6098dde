"""What a force law is: one C function with one signature, called by the engine in every stage of a step.

A law reads the record of its own parameters, the motion of the link it sits on and the air there, its inputs, its memory and
its continuous states; it writes the force and torque on the link, the torque on its joint, the rates of its states and its
readouts. All vectors are in the frame of the part (the link's, unless the twin places it elsewhere), forward-left-up;
force and torque act at that frame's origin. It is called several times a step, at states that may never come to be, so it
may not change its memory: what happens once per tick (a valve that latches, a counter) belongs into the law's `tick` function.

A law is written as

    @c_function(law_signature(MySpec))
    def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs): ...

with `carray(parameters, 1)[0]` the record, `tables` the numbers of `MySpec.tables()`, `input_from` the readouts of the part that
`MySpec.input_from` names, from the first of the law's `listens_to` on (it must stand before this one in the file), and a tick
function as

    @c_function(tick_signature(MySpec))
    def _tick(parameters, tables, clock, inputs, outputs, memory): ...

with `clock` the time [s] and the period of a tick [s].

A part whose `belt` runs over a second joint turns q + q_belt, and its torque acts on both joints, as virtual work says: a knee
that is driven from the hip's axis.

Inertia, dry friction and damping that a part lends to its joint are the engine's own (`on_joint`): it solves them
implicitly, with true standstill, which no force law can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numba
import numpy as np
from numba import types
from pydantic import Field

from didymos.compiled import DOUBLES, CFunction
from didymos.spec import Spec, record_type

__all__ = ["MOTION", "WRENCH", "JointLoad", "Law", "Output", "PartSpec", "Told", "law_signature", "tick_signature"]

MOTION = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("position_world", np.float64, 3),  # [m]
        ("rotation", np.float64, 9),  # part frame to world, row-major
        ("velocity", np.float64, 3),  # [m/s] of the frame's origin, in the part's frame
        ("rate", np.float64, 3),  # [rad/s] in the part's frame
        ("air_velocity", np.float64, 3),  # [m/s] of the part relative to the air, in the part's frame
        ("density", np.float64),  # [kg/m^3]
        ("joint_position", np.float64),  # [rad or m], zero without a joint; of a belt, the sum of both
        ("joint_velocity", np.float64),  # [rad/s or m/s]
    ]
)
"""Memory layout of what a law is told about its link, its joint and the air."""

WRENCH = np.dtype([("force", np.float64, 3), ("torque", np.float64, 3), ("joint_torque", np.float64)])
"""Memory layout of what a law answers: [N], [N m] in the part's frame, [N m or N] along the joint."""


class Told(IntEnum):
    """How much of `MOTION` a law reads; the rest is not worked out for it and holds anything."""

    AIR = 0  # everything
    MOTION = 1  # everything but the air
    JOINT = 2  # the time and the joint; such a law answers with a joint torque only


class PartSpec(Spec):
    """What every part says: its law, the link (or named frame) it acts on, the joint it turns, the part it listens to."""

    kind: str
    link: str
    joint: str | None = None
    belt: str | None = Field(default=None, description="a joint that the part's belt runs over: it turns the sum of both angles")
    input_from: str | None = None

    def tables(self) -> Sequence[float]:
        """Further numbers of the part whose count differs from part to part: breaks and coefficients of curves."""
        return ()

    def idle_states(self) -> int:
        """How many of the law's last states this part has no use for; the engine does not integrate those."""
        return 0


@dataclass(frozen=True)
class JointLoad:
    """What a part lends to its joint: inertia [kg m^2], dry friction [N m], damping [N m s/rad]; of a slider [kg, N, N s/m]."""

    armature: float = 0.0
    friction: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class Output:
    """A named readout of a part and its unit; one that is there for other parts only is not recorded."""

    name: str
    unit: str
    recorded: bool = True


@dataclass(frozen=True)
class Law:
    """A kind of part: the record it reads, its compiled functions, the names of its inputs, memory, states and readouts."""

    spec: type[PartSpec]
    function: CFunction
    tick: CFunction | None = None
    inputs: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    input_range: tuple[float, float] = (0.0, 1.0)
    needs_joint: bool = False
    told: Told = Told.AIR
    on_joint: Callable[[Any], JointLoad] | None = None  # from the part's numbers, by attribute
    listens_to: tuple[str, ...] = ()
    """Readouts, side by side, that the part input_from must have; `input_from` points at the first of them."""

    @property
    def record(self) -> np.dtype[Any]:
        """Memory layout of the parameters."""
        return record_type(self.spec)

    def used_states(self, spec: PartSpec) -> tuple[str, ...]:
        """Names of the continuous states that a part of this kind needs."""
        return self.states[: len(self.states) - spec.idle_states()]


def law_signature(spec: type[PartSpec]) -> Any:
    """C signature of a law, see above."""
    record, motion, wrench = (types.CPointer(numba.from_dtype(kind)) for kind in (record_type(spec), MOTION, WRENCH))
    return types.void(record, DOUBLES, motion, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES, wrench, DOUBLES)


def tick_signature(spec: type[PartSpec]) -> Any:
    """C signature of a tick function, see above."""
    return types.void(types.CPointer(numba.from_dtype(record_type(spec))), *[DOUBLES] * 5)
