"""Air bearing: what is left of friction on an air table, the pull of a table that is not level, and air that runs out.

    F = -b v + N (g_x, g_y) - f,        N = m g
    f = sat( k z + c u, mu N ),         k = mu N / x_b,   c = 1.4 sqrt(k m)
    dz/dt = u  for |z| < x_b (sticks),  u - |u| z / x_b  for |z| >= x_b and z . u > 0 (slides)

u = (v_x, v_y, r w_z): velocity in the plane of the table and, times the pads' radius r, the rate about its normal; the third
component of f, times r, is a torque. m mass that the bearing carries, b film drag, g_x, g_y slope of the table along x, y of the
world. z is what the pads give before they slip (presliding), x_b how far that can be: a body pushed with less than mu N is
displaced by up to x_b and then *stands still*; one that slides feels mu N against its motion. sat shortens a vector to mu N, so
that sliding and turning share one friction (an ellipsoid, Howe & Cutkosky). When the air is used up the bearing sits down and mu
becomes mu_dry. Acts at the part's origin; all terms are zero unless given.

Elastoplastic friction: Dupont, Hayward, Armstrong, Altpeter, IEEE Trans. Automatic Control 47 (2002); unlike friction that is
smoothed over a speed it does not creep. The engine's own contact friction cannot serve here: a robot that is held in the plane by
its joints presses on nothing. k is held to 0.09 m / h^2, which a physics step h resolves: x_b may come out longer than given.
Valid where the mass that moves at the bearing is at least a quarter of m. No friction that falls with speed, no stick that
grows with time.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.contract import output, parameter, state
from didymos.parts.part import Motion, Part, law

__all__ = ["AirBearing"]

_STIFFEST = 0.09  # k h^2 / m: a fifth of a radian a step or so
_DAMPING = 1.4  # c / sqrt(k m): 0.7 of critical
_RELAXING = 2.0  # steps: no slip is followed, and nothing beyond x_b is taken back, faster


class AirBearing(Part):
    """Parameters of an air bearing."""

    motion = Motion.FRAME

    load = parameter(unit="kg", low=0, doc="m, carried mass")
    gravity = parameter(9.80665, unit="m/s^2", low=0, doc="g, across the table")
    drag = parameter(0.0, unit="N s/m", low=0, doc="b, of the film of air")
    friction = parameter(0.0, unit="1", low=0, doc="mu, residual dry friction")
    presliding = parameter(1e-4, unit="m", above=0, doc="x_b, way before dry friction slips")
    pad_radius = parameter(0.0, unit="m", low=0, live=False, doc="r, at which the pads hold against turning; 2/3 of a disc's")
    slope_x = parameter(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +x of the world")
    slope_y = parameter(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +y of the world")
    flight_time = parameter(0.0, unit="s", low=0, doc="air for so long; 0 for endless")
    dry_friction = parameter(0.2, unit="1", low=0, doc="mu_dry, without air")
    slip_x = state(unit="m", doc="z along x of the world")
    slip_y = state(unit="m", doc="z along y of the world")
    slip_turn = state(unit="m", doc="z of the pads' radius")
    force = output(unit="N", doc="magnitude in the plane of the table")
    landed = output(unit="1", doc="1 once the air is used up")

    @classmethod
    def idle_states(cls, spec: Any) -> int:
        """Pads without a radius do not hold against turning: no `slip_turn`."""
        return 0 if spec.pad_radius > 0.0 else 1

    @law
    def act(bearing, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        turn, v, w, h = here.rotation, here.velocity, here.rate, here.step
        radius = bearing.pad_radius
        u_x = turn[0] * v[0] + turn[1] * v[1] + turn[2] * v[2]
        u_y = turn[3] * v[0] + turn[4] * v[1] + turn[5] * v[2]
        u_t = radius * (turn[6] * w[0] + turn[7] * w[1] + turn[8] * w[2])
        z_x, z_y, z_t = state.slip_x, state.slip_y, state.slip_turn if radius > 0.0 else 0.0
        weight = bearing.load * bearing.gravity
        landed = bearing.flight_time > 0.0 and here.time >= bearing.flight_time
        most = weight * (bearing.dry_friction if landed else bearing.friction)
        stiffness = min(most / bearing.presliding, _STIFFEST * bearing.load / (h * h))
        f_x, f_y, f_t, slip_x, slip_y, slip_t = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if stiffness > 0.0:
            damping = _DAMPING * math.sqrt(stiffness * bearing.load)
            f_x, f_y, f_t = stiffness * z_x + damping * u_x, stiffness * z_y + damping * u_y, stiffness * z_t + damping * u_t
            size = math.sqrt(f_x * f_x + f_y * f_y + f_t * f_t)
            if size > most:
                f_x, f_y, f_t = f_x * most / size, f_y * most / size, f_t * most / size
            length, reach = math.sqrt(z_x * z_x + z_y * z_y + z_t * z_t), most / stiffness
            slip_x, slip_y, slip_t = u_x, u_y, u_t
            if length >= reach:
                speed, fastest = math.sqrt(u_x * u_x + u_y * u_y + u_t * u_t), 1.0 / (_RELAXING * h)
                if z_x * u_x + z_y * u_y + z_t * u_t > 0.0:
                    follow = min(speed / reach, fastest)  # slides: z goes to x_b along u
                    along = follow * reach / speed
                    slip_x, slip_y, slip_t = along * u_x - follow * z_x, along * u_y - follow * z_y, along * u_t - follow * z_t
                else:
                    back = fastest * (length - reach) / length
                    slip_x, slip_y, slip_t = u_x - back * z_x, u_y - back * z_y, u_t - back * z_t
        rate.slip_x, rate.slip_y = slip_x, slip_y
        if radius > 0.0:
            rate.slip_turn = slip_t
        x = weight * bearing.slope_x - bearing.drag * u_x - f_x
        y = weight * bearing.slope_y - bearing.drag * u_y - f_y
        for i in range(3):
            wrench.force[i] = turn[i] * x + turn[3 + i] * y
            wrench.torque[i] = -turn[6 + i] * radius * f_t
        output.force = math.sqrt(x * x + y * y)
        output.landed = 1.0 if landed else 0.0
