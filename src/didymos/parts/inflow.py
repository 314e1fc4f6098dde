"""Inflow of a rotor disc: the induced velocity at which blades and momentum agree, in every regime of axial and forward flight.

    blades      t = e - c v                               thrust falls linearly with the induced velocity v
    momentum    t = sqrt((v P)^2 + q(v)^2)                Glauert, with q = v |X + v| the axial share

t = T / (2 rho A) [m^2/s^2] has the sign of v [m/s]; X is the velocity of the disc through the air along its thrust, P >= 0 that
across it [m/s]. Where t > 0 and X >= 0 this is Glauert's t = v sqrt(P^2 + (X + v)^2). With X = -L < 0 the disc sinks through
its own air; momentum theory has no single solution between -2 < X / v_h < -1, v_h = sqrt(t). There the axial share is that of
Johnson's fit:

    windmill        v <= L / 2          q = v (L - v)
    vortex ring,    L/2 < v < g L       v / v_h = x (1.991 - 0.373 x^2), x = L / v_h, which is q = a L^3 / (b L - v)
    turbulent wake
    hover, climb    v >= g L            q = v (v - L)

with the golden ratio g = 1.618, a = sqrt(5) / 6 and b = 1/2 + 4 a: the fit meets its neighbours at x = 1 and x = 2 exactly.
Across the axis the fit is joined as Glauert joins momentum theory, so P takes the vortex ring away (ours: at P = v_h / 2, x =
1.5 it gives v = 1.31 v_h where Johnson's own polynomial has 1.50). Where t < 0 (a propeller that brakes) all is mirrored.

The left sides fall and the right sides rise with v: there is exactly one solution, continuous in everything, found by Halley's
method in one or two steps (hover, climb, forward flight), or by Newton's inside a bracket; never more than 46.

References: Glauert, A General Theory of the Autogyro (1926); Johnson, NDARC Theory, NASA/TP-2009-215402, section 11-4 (vortex
ring state); Leishman, Principles of Helicopter Aerodynamics (2006), section 2.13. A mean value: the unsteadiness of the vortex
ring, half of the thrust and more in measurements, is not there. The wake follows at once: no lag of the inflow.
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["axial_share", "induced_velocity"]

_A = math.sqrt(5.0) / 6.0
_B = 0.5 + 4.0 * _A
_GOLDEN = 0.5 + 0.5 * math.sqrt(5.0)
_MOST_STEPS = 40
_CLOSE = 1e-5  # of v: a step of Newton's method squares it
_MOST_QUICK_STEPS, _QUITE_CLOSE = 6, 5e-4  # of v: a step of Halley's method cubes it


@kernel
def axial_share(v: float, climb: float) -> tuple[float, float]:
    """q [m^2/s^2] and its slope [m/s] for an induced velocity v >= 0 and a velocity X along the thrust [m/s]."""
    sink = -climb
    if v >= _GOLDEN * sink:
        return v * (v + climb), 2.0 * v + climb
    if v <= 0.5 * sink:
        return v * (sink - v), sink - 2.0 * v
    rest = _B * sink - v
    share = _A * sink * sink * sink / rest
    return share, share / rest


@kernel
def _start(e: float, slope: float, climb: float, across_squared: float) -> float:
    """Where to begin: the air of forward flight, or the climb that is exact without a velocity across the axis."""
    if across_squared > e:
        return e / (slope + math.sqrt(across_squared + climb * climb))
    s = slope + climb
    left = e - 0.5 * across_squared
    return 2.0 * left / (s + math.sqrt(s * s + 4.0 * left))


@kernel
def _in_bracket(e: float, slope: float, climb: float, across_squared: float, v: float) -> float:
    """v [m/s] in any regime, from a guess: Newton's method, held in a bracket."""
    low, high = 0.0, math.inf
    for _ in range(_MOST_STEPS):
        share, rise = axial_share(v, climb)
        sideways = v * across_squared
        thrust = math.sqrt(v * sideways + share * share)
        error = thrust + slope * v - e
        if error > 0.0:
            high = v
        else:
            low = v
        gain = slope * thrust + sideways + share * rise
        after = v - error * thrust / gain if gain > 0.0 else -1.0
        if not low <= after <= high:
            after = 0.5 * (low + high) if high < math.inf else 2.0 * v
        step = abs(after - v)
        v = after
        if step <= _CLOSE * v:
            break
    return v


@kernel
def induced_velocity(blades: float, slope: float, climb: float, across_squared: float) -> float:
    """v [m/s] for e = `blades` [m^2/s^2], c = `slope` >= 0, X = `climb` [m/s] and P^2 = `across_squared`; it has the sign of e.

    In hover, climb and forward flight f(v) = v m + c v - e, m = sqrt(P^2 + (X + v)^2), by Halley's method, in one step as a rule:
    there m f' = m^2 + v (X + v) + c m and m f'' = 2 (X + v) + v P^2 / m^2.
    """
    if blades == 0.0:
        return 0.0
    sign = 1.0 if blades > 0.0 else -1.0
    e, x = sign * blades, sign * climb
    v = _start(e, slope, x, across_squared)
    if across_squared == 0.0 and x >= 0.0:
        return sign * v
    for _ in range(_MOST_QUICK_STEPS):
        stream = x + v
        if v < -_GOLDEN * x or not v > 0.0:
            break
        flow_squared = across_squared + stream * stream
        flow = math.sqrt(flow_squared)
        error = ((flow + slope) * v - e) * flow
        gain = flow_squared + v * stream + slope * flow
        bend = stream + 0.5 * v * across_squared / flow_squared
        step = error * gain / (gain * gain - error * bend)
        v -= step
        if abs(step) <= _QUITE_CLOSE * v:
            if v < -_GOLDEN * x:
                break
            return sign * v
    return sign * _in_bracket(e, slope, x, across_squared, v if v > 0.0 else math.sqrt(e))
