"""Airfoil: lift, drag, side force and moments of one lifting surface, or of a whole aircraft, from its derivatives.

With q = 1/2 rho V^2, alpha = atan2(w, u), beta = asin(v / V) and (u, v, w) the velocity relative to the air, all in the part's
frame turned to forward-right-down (the one place where this happens; the answer is turned back):

    F_x = q S [-D cos(alpha) + L sin(alpha)]        D = C_D(alpha) + C_Dq c q / (2 V) + C_Ddy dy,  D >= 0
    F_z = q S [-D sin(alpha) - L cos(alpha)]        L = C_L(alpha) + C_Lq c q / (2 V) + C_Ldy dy
    F_y = q S [C_Y0 + C_Yb beta + (C_Yp p + C_Yr r) b / (2 V) + C_Ydx dx + C_Ydz dz]
    l, n  like F_y, times b;      m = q S c [C_m0 + C_ma alpha + C_mq c q / (2 V) + C_mdy dy]

model linear   C_L = (1 - s) (C_L0 + C_La alpha) + s 2 sgn(alpha) sin^2(alpha) cos(alpha)
               C_D = C_D0 + (1 - s) (C_L0 + C_La alpha)^2 / (pi e b^2 / S) + s 2 |sin^3(alpha)|
               s   = 1 - S(M (a0 - alpha)) S(M (a0 + alpha)),   S(x) = 1 / (1 + exp(-x))
model curves   C_L and C_D from the curves `lift` and `drag` over alpha (a surface: over alpha and beta)
model none     nothing: the surface is switched off
ground_effect  near the ground (model linear) the induced drag is phi times itself, the line K times, see `ground_effect.py`

These hold in attached flow: for |alpha| up to the stall angle a0 (lift and drag of `curves`: in the range of both curves) and
|beta| up to 30 deg. Elsewhere the surface is a flat plate in separated flow, with (x, y, z) = (u, v, w) / V:

    (F_x, F_y, F_z) = q S [-C_D0 (x, y, z) - (0, 0, 2 z |z| + C_Ldy dy x + C_Lq c q / (2 V))] + side force as above
    C_m0 + C_ma alpha  becomes  C_ma z;      a deflection acts in moments and side force by its coefficient times x

(C_D0 of `curves` is the drag curve at alpha = 0), and between the two by the share of attached flow a(alpha) k(beta) of
`airfoil_regimes.py`, which is exactly 1 inside. All is continuous over the sphere of flow directions: alpha = +-180 deg is one
direction, and flow along the span, where alpha is not defined, lifts nothing. In reverse flow deflections act the other way.
Air at rest drives nothing: where the derivatives would (F . V > 0), the part of the force along V is left out.

dx, dy, dz are the deflections about x, y, z (aileron, elevator, rudder): limit times input, input in [-1, 1], moved at most at
`rate_limit`. Positive ones roll right, pitch up and yaw right where C_ldx, C_mdy, C_ndz are positive. Behind a propeller
(`input_from`) the share `slipstream` of the surface sees its wake added to u.

References: Beard & McLain, Small Unmanned Aircraft (2012), ch. 4; last_letter_2. Differences from the latter, on purpose: drag is
blended with the flat plate past stall (there it grows without bound), beta is Beard's asin(v / V), which stays within +-90 deg
and needs no case for u = 0, not atan2(v, u). Nothing is divided by V, so still air is no special case. Valid for
Mach < 0.3; the derivatives are meant for |beta| < 30 deg and below stall, what lies beyond is bounded and of the right sign, no
more: no attached lift in flow from behind, no hysteresis of stall, no centre of pressure that wanders, moments of rates and
sideslip as in attached flow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import choice, input, memory, needs, option, output, parameter
from didymos.parts.airfoil_regimes import held_share, nearest_end, sideslip_share, stall_share, transition
from didymos.parts.curve import CURVE, CurveSpec, evaluate
from didymos.parts.ground_effect import induced_share, lift_growth
from didymos.parts.part import Part, law, tick

__all__ = ["Airfoil"]

_MODELS = ("none", "linear", "curves")
_NONE, _LINEAR, _CURVES = range(len(_MODELS))


@kernel
def _lift_and_drag(alpha: float, sine: float, cosine: float, foil: Any, clearance: float) -> tuple[float, float]:
    """C_L and C_D at an angle of attack [rad], of which sine and cosine are known: a line with its induced drag, blended into a
    flat plate."""
    share = stall_share(alpha, foil.stall_angle, foil.stall_sharpness)
    line = foil.lift_0 + foil.lift_alpha * alpha
    induced = line * line * foil.area / (math.pi * foil.oswald * foil.span * foil.span)
    if foil.ground_effect > 0.0:
        phi, aspect = induced_share(clearance, foil.span), foil.span * foil.span / foil.area
        induced *= 1.0 - foil.ground_effect * (1.0 - phi)
        line *= 1.0 + foil.ground_effect * (lift_growth(phi, aspect) - 1.0)
    plate = 2.0 * abs(sine) * sine * cosine
    lift = (1.0 - share) * line + share * plate
    return lift, foil.drag_0 + (1.0 - share) * induced + share * 2.0 * abs(sine) * sine * sine


@kernel
def _from_curves(foil: Any, alpha: float, beta: float) -> tuple[float, float, float]:
    """C_L and C_D of the curves, held at the nearer end of their range, and the share of attached flow before sideslip counts."""
    low, high = max(foil.lift.low, foil.drag.low, -math.pi), min(foil.lift.high, foil.drag.high, math.pi)
    inside = nearest_end(alpha, low, high)
    share = held_share(alpha, low, high, transition(low, high, foil.stall_sharpness))
    return evaluate(foil.lift, inside, beta), evaluate(foil.drag, inside, beta), share


@kernel
def _add_wrench(
    foil: Any, here: Any, deflection: Any, wake: float, alpha: float, speed: float, share: float, wrench: Any
) -> None:
    """Add the wrench of a share of the surface in air that comes faster by `wake` [m/s], at an angle of attack and a speed."""
    if speed == 0.0:
        return
    u, v, w = here.air_velocity[0] + wake, -here.air_velocity[1], -here.air_velocity[2]
    p, q, r = here.air_rate[0], -here.air_rate[1], -here.air_rate[2]
    x, y, z = u / speed, min(max(v / speed, -1.0), 1.0), w / speed
    across = math.sqrt(u * u + w * w)
    sine, cosine = (w / across, u / across) if across > 0.0 else (0.0, 1.0)
    beta = math.asin(y)
    stall = foil.stall_angle
    held = held_share(alpha, -stall, stall, transition(-stall, stall, foil.stall_sharpness))
    if foil.model == _CURVES:
        lift, drag, attached = _from_curves(foil, alpha, beta)
    else:
        lift, drag = _lift_and_drag(alpha, sine, cosine, foil, here.clearance)
        attached = held
    slipping = sideslip_share(y)
    attached *= slipping
    held *= slipping
    reach = held + (1.0 - held) * x  # of deflections
    dx, dy, dz = deflection[0] * reach, deflection[1], deflection[2] * reach
    still = 0.5 * here.density * foil.area * speed * speed * share
    turning = 0.25 * here.density * foil.area * speed * share  # times chord or span and a rate: q S c q / (2 V)
    b, c = foil.span, foil.chord
    heave = turning * c * q * foil.lift_q
    lift = still * (lift + foil.lift_y * dy) + heave
    drag = max(still * (drag + foil.drag_y * dy) + turning * c * q * foil.drag_q, 0.0)
    side = still * (foil.side_0 + foil.side_beta * beta + foil.side_x * dx + foil.side_z * dz)
    side += turning * b * (foil.side_p * p + foil.side_r * r)
    roll = still * (foil.roll_0 + foil.roll_beta * beta + foil.roll_x * dx + foil.roll_z * dz)
    roll += turning * b * (foil.roll_p * p + foil.roll_r * r)
    moment = held * (foil.pitch_0 + foil.pitch_alpha * alpha) + (1.0 - held) * foil.pitch_alpha * z
    pitch = still * (moment + foil.pitch_y * dy * reach) + turning * c * q * foil.pitch_q
    yaw = still * (foil.yaw_0 + foil.yaw_beta * beta + foil.yaw_x * dx + foil.yaw_z * dz)
    yaw += turning * b * (foil.yaw_p * p + foil.yaw_r * r)
    ahead, down = lift * sine - drag * cosine, -lift * cosine - drag * sine
    if attached < 1.0:
        free = 1.0 - attached
        least = evaluate(foil.drag, 0.0, 0.0) if foil.model == _CURVES else foil.drag_0
        ahead = attached * ahead - free * still * least * x
        side -= free * still * least * y
        down = attached * down - free * (still * (least * z + 2.0 * abs(z) * z + foil.lift_y * dy * x) + heave)
    driving = max(ahead * x + side * y + down * z, 0.0)  # along V, which air at rest does not do
    wrench.force[0] += ahead - driving * x
    wrench.force[1] -= side - driving * y
    wrench.force[2] -= down - driving * z
    wrench.torque[0] += b * roll
    wrench.torque[1] -= c * pitch
    wrench.torque[2] -= b * yaw


@kernel
def _moved(deflection: float, goal: float, most: float) -> float:
    """A deflection [rad] after a tick in which it moves toward a goal by `most` at most; 0 for any way."""
    move = goal - deflection
    if most > 0.0:
        move = min(max(move, -most), most)
    return deflection + move


def _check_circle(spec: Any) -> None:
    """Curves that are given all around agree at +180 and -180 deg, which are one direction."""
    curves = {name: np.array([getattr(spec, name).record()]).view(np.recarray)[0] for name in ("lift", "drag")}
    if any(curve.low > -math.pi or curve.high < math.pi for curve in curves.values()):
        return
    value: Any = evaluate
    for name, curve in curves.items():
        ends = [float(value.py_func(curve, angle, 0.0)) for angle in (-math.pi, math.pi)]
        if abs(ends[1] - ends[0]) > 1e-6 * max(1.0, abs(ends[0]), abs(ends[1])):
            raise ValueError(
                f"the curve {name!r} is {ends[0]:g} at -180 deg and {ends[1]:g} at 180 deg, which are one direction of flow:"
                " give the range that was measured by 'low' and 'high'"
            )


def _derivative(doc: str, unit: str = "1") -> Any:
    return parameter(0.0, unit=unit, doc=doc)


class Airfoil(Part):
    """Sizes, coefficients and deflections of a lifting surface."""

    model = choice(
        *_MODELS,
        default="linear",
        doc="`none` switches it off, `linear` blends into a flat plate at stall, `curves` takes `lift` and `drag`",
    )
    area = parameter(unit="m^2", above=0, doc="S")
    span = parameter(unit="m", above=0, doc="b, tip to tip")
    chord = parameter(unit="m", above=0, doc="c, mean")
    limit_x = parameter(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about x (aileron)")
    limit_y = parameter(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about y (elevator)")
    limit_z = parameter(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about z (rudder)")
    rate_limit = parameter(0.0, unit="rad/s", low=0, doc="of all deflections; 0 for none")
    slipstream = parameter(0.0, unit="1", low=0, high=1, doc="share of the surface in the wake of `input_from`")
    lift_0 = _derivative("C_L0, at alpha = 0")
    lift_alpha = _derivative("C_La", "1/rad")
    lift_q = _derivative("C_Lq, per c q / 2V")
    lift_y = _derivative("C_Ldy", "1/rad")
    stall_angle = parameter(0.5, unit="rad", above=0, high=1.6, doc="a0")
    stall_sharpness = parameter(50.0, unit="1/rad", above=0, doc="M")
    drag_0 = parameter(0.0, unit="1", low=0, doc="C_D0, parasitic")
    oswald = parameter(0.9, unit="1", above=0, high=1.2, doc="e, Oswald's efficiency")
    drag_q = _derivative("C_Dq, per c q / 2V")
    drag_y = _derivative("C_Ddy", "1/rad")
    side_0 = _derivative("C_Y0")
    side_beta = _derivative("C_Yb", "1/rad")
    side_p = _derivative("C_Yp, per b p / 2V")
    side_r = _derivative("C_Yr, per b r / 2V")
    side_x = _derivative("C_Ydx", "1/rad")
    side_z = _derivative("C_Ydz", "1/rad")
    roll_0 = _derivative("C_l0")
    roll_beta = _derivative("C_lb", "1/rad")
    roll_p = _derivative("C_lp, per b p / 2V")
    roll_r = _derivative("C_lr, per b r / 2V")
    roll_x = _derivative("C_ldx", "1/rad")
    roll_z = _derivative("C_ldz", "1/rad")
    pitch_0 = _derivative("C_m0")
    pitch_alpha = _derivative("C_ma", "1/rad")
    pitch_q = _derivative("C_mq, per c q / 2V")
    pitch_y = _derivative("C_mdy", "1/rad")
    yaw_0 = _derivative("C_n0")
    yaw_beta = _derivative("C_nb", "1/rad")
    yaw_p = _derivative("C_np, per b p / 2V")
    yaw_r = _derivative("C_nr, per b r / 2V")
    yaw_x = _derivative("C_ndx", "1/rad")
    yaw_z = _derivative("C_ndz", "1/rad")
    ground_effect = parameter(0.0, unit="1", low=0, high=1, live=False, doc="1 switches it on, with model `linear`")
    lift = option(CurveSpec | None, None, layout=CURVE, doc="C_L over the angle of attack")
    drag = option(CurveSpec | None, None, layout=CURVE, doc="C_D over the angle of attack")
    x = input(range=(-1.0, 1.0), doc="share of `limit_x` (aileron)")
    y = input(range=(-1.0, 1.0), doc="share of `limit_y` (elevator)")
    z = input(range=(-1.0, 1.0), doc="share of `limit_z` (rudder)")
    wake = needs(unit="m/s", doc="of the propeller before the surface")
    deflection = memory(columns="xyz", unit="rad", doc="dx, dy, dz")
    airspeed = output(unit="m/s", doc="V")
    alpha = output(unit="rad", doc="angle of attack")
    force = output(columns="xyz", unit="N", doc="F, in the part's frame")
    shown_deflection = output("deflection", columns="xyz", unit="rad", doc="dx, dy, dz")

    @classmethod
    def check(cls, spec: Any) -> None:
        """A surface has what its model needs."""
        if (spec.model == "curves") != (spec.lift is not None and spec.drag is not None):
            raise ValueError("the curves 'lift' and 'drag' belong to model 'curves', which needs both")
        if spec.slipstream > 0.0 and spec.input_from is None:
            raise ValueError("slipstream needs the key 'input_from': the propeller whose wake it is")
        if spec.model == "curves":
            _check_circle(spec)
        if spec.ground_effect > 0.0 and spec.model != "linear":
            raise ValueError("ground_effect belongs to model 'linear', whose induced drag is known")

    @classmethod
    def looks_below(cls, spec: Any) -> bool:
        return bool(spec.ground_effect > 0.0)

    @law
    def act(foil, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        u, v, w = here.air_velocity[0], -here.air_velocity[1], -here.air_velocity[2]
        alpha, speed = math.atan2(w, u), math.sqrt(u * u + v * v + w * w)
        if foil.model != _NONE:
            free = 1.0
            if foil.slipstream > 0.0 and inputs.wake > 0.0:
                free -= foil.slipstream
                u += inputs.wake
                fast = math.sqrt(u * u + v * v + w * w)
                _add_wrench(foil, here, memory.deflection, inputs.wake, math.atan2(w, u), fast, foil.slipstream, wrench)
            _add_wrench(foil, here, memory.deflection, 0.0, alpha, speed, free, wrench)
        output.airspeed, output.alpha = speed, alpha
        for axis in range(3):
            output.force[axis] = wrench.force[axis]
            output.deflection[axis] = memory.deflection[axis]

    @tick
    def deflect(foil, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        """Servos: each deflection moves to where its input wants it, no faster than the rate limit."""
        most = foil.rate_limit * clock.period
        deflection = memory.deflection
        deflection[0] = _moved(deflection[0], foil.limit_x * min(max(inputs.x, -1.0), 1.0), most)
        deflection[1] = _moved(deflection[1], foil.limit_y * min(max(inputs.y, -1.0), 1.0), most)
        deflection[2] = _moved(deflection[2], foil.limit_z * min(max(inputs.z, -1.0), 1.0), most)
