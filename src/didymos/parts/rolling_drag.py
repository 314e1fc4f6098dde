"""Rolling drag: what it costs a wheel's hub to move along and across, as bearings and rollers that turn with it do.

    F_i = -c_i v_i,   i = x, y, in the part's frame, at its origin

v velocity of the hub over the ground. The rollers of a mecanum wheel turn only when the hub moves along the axle, at
sqrt(2) times that speed for rollers at 45 deg; a bearing that takes the force b per surface speed takes the power 2 b v^2
from the hub, so c = 2 b along the axle. The ground must give the force back: with it come slip and a longer way. Valid
while the wheel is on the ground, for friction that grows with speed.
"""

from __future__ import annotations

from didymos.contract import output, parameter
from didymos.parts.part import Motion, Part, law

__all__ = ["RollingDrag"]


class RollingDrag(Part):
    """Drag of a hub along two axes of its frame."""

    motion = Motion.FRAME

    drag_x = parameter(0.0, unit="N s/m", low=0, doc="force per speed along x")
    drag_y = parameter(0.0, unit="N s/m", low=0, doc="force per speed along y")
    force = output(columns="xy", unit="N", doc="on the hub")

    @law
    def act(drag, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        wrench.force[0] = -drag.drag_x * here.velocity[0]
        wrench.force[1] = -drag.drag_y * here.velocity[1]
        output.force[0] = wrench.force[0]
        output.force[1] = wrench.force[1]
