"""Airfoil: lift, drag, side force and moments of one lifting surface, or of a whole aircraft, from its derivatives.

With q = 1/2 rho V^2, alpha = atan2(w, u), beta = asin(v / V) and (u, v, w) the velocity relative to the air, all in the part's
frame turned to forward-right-down (the one place where this happens; the answer is turned back):

    F_x = q S [-D cos(alpha) + L sin(alpha)]        D = C_D(alpha) + C_Dq c q / (2 V) + C_Ddy dy
    F_z = q S [-D sin(alpha) - L cos(alpha)]        L = C_L(alpha) + C_Lq c q / (2 V) + C_Ldy dy
    F_y = q S [C_Y0 + C_Yb beta + (C_Yp p + C_Yr r) b / (2 V) + C_Ydx dx + C_Ydz dz]
    l, n  like F_y, times b;      m = q S c [C_m0 + C_ma alpha + C_mq c q / (2 V) + C_mdy dy]

model linear   C_L = (1 - s) (C_L0 + C_La alpha) + s 2 sgn(alpha) sin^2(alpha) cos(alpha)
               C_D = C_D0 + (1 - s) (C_L0 + C_La alpha)^2 / (pi e b^2 / S) + s 2 |sin^3(alpha)|
               s   = 1 - S(M (a0 - alpha)) S(M (a0 + alpha)),   S(x) = 1 / (1 + exp(-x))
model curves   C_L and C_D from the curves `lift` and `drag` over alpha (a surface: over alpha and beta)
model none     nothing: the surface is switched off

dx, dy, dz are the deflections about x, y, z (aileron, elevator, rudder): limit times input, input in [-1, 1], moved at most at
`rate_limit`. Positive ones roll right, pitch up and yaw right where C_ldx, C_mdy, C_ndz are positive. Behind a propeller
(`input_from`) the share `slipstream` of the surface sees its wake added to u.

References: Beard & McLain, Small Unmanned Aircraft (2012), ch. 4; last_letter_2. Differences from the latter, on purpose: drag is
blended with the flat plate past stall (there it grows without bound), beta is Beard's asin(v / V), which stays within +-90 deg
and needs no case for u = 0, not atan2(v, u). Nothing is divided by V, so still air is no special case. Valid for
Mach < 0.3; the lateral and moment derivatives are meant for |beta| < 30 deg and below stall.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from numba import carray
from pydantic import model_validator

from didymos.compiled import c_function, kernel
from didymos.parts.curve import CurveSpec, evaluate
from didymos.parts.law import Law, Output, PartSpec, law_signature, tick_signature
from didymos.spec import number

__all__ = ["AIRFOIL", "AirfoilSpec", "lift_and_drag", "stall_share"]

_MODELS = ("none", "linear", "curves")
_NONE, _LINEAR, _CURVES = range(3)
_MODEL, _LIFT, _DRAG = range(3)


def _derivative(doc: str, unit: str = "1") -> Any:
    return number(0.0, unit=unit, doc=doc)


class AirfoilSpec(PartSpec):
    """Sizes, coefficients and deflections of a lifting surface."""

    kind: Literal["airfoil"] = "airfoil"
    model: Literal["none", "linear", "curves"] = "linear"
    area: float = number(unit="m^2", above=0, doc="S")
    span: float = number(unit="m", above=0, doc="b, tip to tip")
    chord: float = number(unit="m", above=0, doc="c, mean")
    limit_x: float = number(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about x (aileron)")
    limit_y: float = number(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about y (elevator)")
    limit_z: float = number(0.0, unit="rad", low=0, high=1.6, doc="largest deflection about z (rudder)")
    rate_limit: float = number(0.0, unit="rad/s", low=0, doc="of all deflections; 0 for none")
    slipstream: float = number(0.0, unit="1", low=0, high=1, doc="share of the surface in the wake of `input_from`")
    lift_0: float = _derivative("C_L0, at alpha = 0")
    lift_alpha: float = _derivative("C_La", "1/rad")
    lift_q: float = _derivative("C_Lq, per c q / 2V")
    lift_y: float = _derivative("C_Ldy", "1/rad")
    stall_angle: float = number(0.5, unit="rad", above=0, high=1.6, doc="a0")
    stall_sharpness: float = number(50.0, unit="1/rad", above=0, doc="M")
    drag_0: float = number(0.0, unit="1", low=0, doc="C_D0, parasitic")
    oswald: float = number(0.9, unit="1", above=0, high=1.2, doc="e, Oswald's efficiency")
    drag_q: float = _derivative("C_Dq, per c q / 2V")
    drag_y: float = _derivative("C_Ddy", "1/rad")
    side_0: float = _derivative("C_Y0")
    side_beta: float = _derivative("C_Yb", "1/rad")
    side_p: float = _derivative("C_Yp, per b p / 2V")
    side_r: float = _derivative("C_Yr, per b r / 2V")
    side_x: float = _derivative("C_Ydx", "1/rad")
    side_z: float = _derivative("C_Ydz", "1/rad")
    roll_0: float = _derivative("C_l0")
    roll_beta: float = _derivative("C_lb", "1/rad")
    roll_p: float = _derivative("C_lp, per b p / 2V")
    roll_r: float = _derivative("C_lr, per b r / 2V")
    roll_x: float = _derivative("C_ldx", "1/rad")
    roll_z: float = _derivative("C_ldz", "1/rad")
    pitch_0: float = _derivative("C_m0")
    pitch_alpha: float = _derivative("C_ma", "1/rad")
    pitch_q: float = _derivative("C_mq, per c q / 2V")
    pitch_y: float = _derivative("C_mdy", "1/rad")
    yaw_0: float = _derivative("C_n0")
    yaw_beta: float = _derivative("C_nb", "1/rad")
    yaw_p: float = _derivative("C_np, per b p / 2V")
    yaw_r: float = _derivative("C_nr, per b r / 2V")
    yaw_x: float = _derivative("C_ndx", "1/rad")
    yaw_z: float = _derivative("C_ndz", "1/rad")
    lift: CurveSpec | None = None
    drag: CurveSpec | None = None

    @model_validator(mode="after")
    def _has_what_its_model_needs(self) -> AirfoilSpec:
        if (self.model == "curves") != (self.lift is not None and self.drag is not None):
            raise ValueError("the curves 'lift' and 'drag' belong to model 'curves', which needs both")
        if self.slipstream > 0.0 and self.input_from is None:
            raise ValueError("slipstream needs the key 'input_from': the propeller whose wake it is")
        return self

    def tables(self) -> list[float]:
        """The model's number, then the curves and where they start."""
        lift = [] if self.lift is None else self.lift.table()
        drag = [] if self.drag is None else self.drag.table()
        return [float(_MODELS.index(self.model)), 3.0, 3.0 + len(lift), *lift, *drag]


@kernel
def _rising(x: float) -> float:
    """1 / (1 + exp(-x)) that never overflows."""
    if x >= 0.0:
        return 1.0 / (1.0 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1.0 + grown)


@kernel
def stall_share(alpha: float, stall_angle: float, sharpness: float) -> float:
    """Share of the flat plate at an angle of attack [rad]: 0 well inside stall, 1 well outside."""
    return 1.0 - _rising(sharpness * (stall_angle - alpha)) * _rising(sharpness * (stall_angle + alpha))


@kernel
def lift_and_drag(alpha: float, foil: Any) -> tuple[float, float]:
    """C_L and C_D at an angle of attack [rad]: a line with its induced drag, blended into a flat plate."""
    share = stall_share(alpha, foil.stall_angle, foil.stall_sharpness)
    line = foil.lift_0 + foil.lift_alpha * alpha
    induced = line * line * foil.area / (math.pi * foil.oswald * foil.span * foil.span)
    sine = abs(math.sin(alpha))
    plate = 2.0 * math.copysign(sine * sine, alpha) * math.cos(alpha)
    lift = (1.0 - share) * line + share * plate
    return lift, foil.drag_0 + (1.0 - share) * induced + share * 2.0 * sine * sine * sine


@kernel
def _add_wrench(foil: Any, tables: Any, here: Any, memory: Any, wake: float, share: float, answer: Any) -> None:
    """Add the wrench of a share of the surface in air that comes faster by `wake` [m/s]."""
    u, v, w = here.air_velocity[0] + wake, -here.air_velocity[1], -here.air_velocity[2]
    p, q, r = here.rate[0], -here.rate[1], -here.rate[2]
    speed = math.sqrt(u * u + v * v + w * w)
    if speed == 0.0:
        return
    alpha = math.atan2(w, u)
    beta = math.asin(min(max(v / speed, -1.0), 1.0))
    if int(tables[_MODEL]) == _CURVES:
        lift = evaluate(tables, int(tables[_LIFT]), alpha, beta)
        drag = evaluate(tables, int(tables[_DRAG]), alpha, beta)
    else:
        lift, drag = lift_and_drag(alpha, foil)
    dx, dy, dz = memory[0], memory[1], memory[2]
    still = 0.5 * here.density * foil.area * speed * speed * share
    turning = 0.25 * here.density * foil.area * speed * share  # times chord or span and a rate: q S c q / (2 V)
    b, c = foil.span, foil.chord
    lift = still * (lift + foil.lift_y * dy) + turning * c * q * foil.lift_q
    drag = still * (drag + foil.drag_y * dy) + turning * c * q * foil.drag_q
    sine, cosine = math.sin(alpha), math.cos(alpha)
    side = still * (foil.side_0 + foil.side_beta * beta + foil.side_x * dx + foil.side_z * dz)
    side += turning * b * (foil.side_p * p + foil.side_r * r)
    roll = still * (foil.roll_0 + foil.roll_beta * beta + foil.roll_x * dx + foil.roll_z * dz)
    roll += turning * b * (foil.roll_p * p + foil.roll_r * r)
    pitch = still * (foil.pitch_0 + foil.pitch_alpha * alpha + foil.pitch_y * dy) + turning * c * q * foil.pitch_q
    yaw = still * (foil.yaw_0 + foil.yaw_beta * beta + foil.yaw_x * dx + foil.yaw_z * dz)
    yaw += turning * b * (foil.yaw_p * p + foil.yaw_r * r)
    answer.force[0] += lift * sine - drag * cosine
    answer.force[1] -= side
    answer.force[2] += lift * cosine + drag * sine
    answer.torque[0] += b * roll
    answer.torque[1] -= c * pitch
    answer.torque[2] -= b * yaw


@c_function(law_signature(AirfoilSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    foil = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    if int(tables[_MODEL]) != _NONE:
        if foil.slipstream > 0.0 and input_from[0] > 0.0:
            _add_wrench(foil, tables, here, memory, input_from[0], foil.slipstream, answer)
            _add_wrench(foil, tables, here, memory, 0.0, 1.0 - foil.slipstream, answer)
        else:
            _add_wrench(foil, tables, here, memory, 0.0, 1.0, answer)
    u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
    outputs[0] = math.sqrt(u * u + v * v + w * w)
    outputs[1] = math.atan2(-w, u)
    for axis in range(3):
        outputs[2 + axis] = answer.force[axis]
        outputs[5 + axis] = memory[axis]


@c_function(tick_signature(AirfoilSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    """Servos: each deflection moves to where its input wants it, no faster than the rate limit."""
    foil = carray(parameters, 1)[0]
    most = foil.rate_limit * clock[1]
    for axis in range(3):
        limit = foil.limit_x if axis == 0 else (foil.limit_y if axis == 1 else foil.limit_z)
        goal = limit * min(max(inputs[axis], -1.0), 1.0)
        move = goal - memory[axis]
        if most > 0.0:
            move = min(max(move, -most), most)
        memory[axis] += move


AIRFOIL = Law(
    spec=AirfoilSpec,
    function=_law,
    tick=_tick,
    inputs=("x", "y", "z"),
    memory=("deflection.x", "deflection.y", "deflection.z"),
    input_range=(-1.0, 1.0),
    listens_to=("wake",),
    outputs=(
        Output("airspeed", "m/s"),
        Output("alpha", "rad"),
        Output("force.x", "N"),
        Output("force.y", "N"),
        Output("force.z", "N"),
        Output("deflection.x", "rad"),
        Output("deflection.y", "rad"),
        Output("deflection.z", "rad"),
    ),
)
