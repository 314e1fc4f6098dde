"""Rolling drag: what it costs a wheel's hub to move along and across, as bearings and rollers that turn with it do.

    F_i = -c_i v_i,   i = x, y, in the part's frame, at its origin

v velocity of the hub over the ground. The rollers of a mecanum wheel turn only when the hub moves along the axle, at
sqrt(2) times that speed for rollers at 45 deg; a bearing that takes the force b per surface speed takes the power 2 b v^2
from the hub, so c = 2 b along the axle. The ground must give the force back: with it come slip and a longer way. Valid
while the wheel is on the ground, for friction that grows with speed.
"""

from __future__ import annotations

from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature
from didymos.spec import number

__all__ = ["ROLLING_DRAG", "RollingDragSpec"]


class RollingDragSpec(PartSpec):
    """Drag of a hub along two axes of its frame."""

    kind: Literal["rolling_drag"] = "rolling_drag"
    drag_x: float = number(0.0, unit="N s/m", low=0, doc="force per speed along x")
    drag_y: float = number(0.0, unit="N s/m", low=0, doc="force per speed along y")


@c_function(law_signature(RollingDragSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    drag = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    answer.force[0] = -drag.drag_x * here.velocity[0]
    answer.force[1] = -drag.drag_y * here.velocity[1]
    outputs[0] = answer.force[0]
    outputs[1] = answer.force[1]


ROLLING_DRAG = Law(
    spec=RollingDragSpec, function=_law, outputs=(Output("force.x", "N"), Output("force.y", "N")), told=Told.MOTION
)
