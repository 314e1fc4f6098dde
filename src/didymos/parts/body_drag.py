"""Body drag: the resistance of a bluff body to the air that flows past it.

    F_i = -1/2 rho A_i |V| V_i,   i = x, y, z

V velocity relative to the air in the part's frame, A_i the drag area (coefficient times area) seen along axis i. With equal
areas the force is exactly against V. It acts at the part's origin. Valid for bluff bodies at Reynolds numbers above 1e3.
"""

from __future__ import annotations

import math
from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, law_signature
from didymos.spec import number

__all__ = ["BODY_DRAG", "BodyDragSpec"]


class BodyDragSpec(PartSpec):
    """Drag areas of a body."""

    kind: Literal["body_drag"] = "body_drag"
    area_x: float = number(0.0, unit="m^2", low=0, doc="drag area along x")
    area_y: float = number(0.0, unit="m^2", low=0, doc="drag area along y")
    area_z: float = number(0.0, unit="m^2", low=0, doc="drag area along z")


@c_function(law_signature(BodyDragSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    body = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
    pressure = -0.5 * here.density * math.sqrt(u * u + v * v + w * w)
    answer.force[0] = pressure * body.area_x * u
    answer.force[1] = pressure * body.area_y * v
    answer.force[2] = pressure * body.area_z * w
    for axis in range(3):
        outputs[axis] = answer.force[axis]


BODY_DRAG = Law(
    spec=BodyDragSpec,
    function=_law,
    outputs=(Output("force.x", "N"), Output("force.y", "N"), Output("force.z", "N")),
)
