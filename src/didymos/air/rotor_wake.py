"""The wake of rotors on what flies or stands below them: turbulent jets, far below a robot one, close to it one per rotor.

(Not the slipstream over the wings of the same robot: that is parts/wake.py.)

    U_H = sqrt(T / 2 rho A)                         induced velocity of all rotors, thrust T, area A that they cover
    U_c(s) = B U_H / (s / l + s_0)                  speed on the centreline, s down from the rotors' plane along their axis
    b(s)   = S (s + s_0 l)                          half-width: there it is half of U_c
    u(s, r) = U_c / (1 + (sqrt(2) - 1) (r / b)^2)^2

with l the distance between opposite motors (of one rotor, its diameter), B = 10.11, S = 0.07668, s_0 = 5.817: the fit of
Bauersfeld, Muller, Ziegler, Coletti & Scaramuzza, "Robotics meets Fluid Dynamics: A Characterization of the Induced Airflow
below a Quadrotor as a Turbulent Jet", IEEE RA-L 2024 (arXiv 2403.13321), equations 1 to 9, to 16 hours of six quadrotors in
hover. They found one round jet from 2.5 l below the vehicle on; the profile is that of round jets (Pope, Turbulent Flows, 2000).

Momentum. The flux of the jet is the same at every depth, rho U_H^2 l^2 C, C = pi B^2 S^2 / 3 (sqrt(2) - 1) = 1.519. Of the
thrust that is C l^2 / 2 A: 0.97 where rotors of a quadrotor are a diameter from the middle. Where they stand further out it
would exceed the thrust; U_H is lowered then until it is the thrust.

Near field, ours. Up to 2.5 l each rotor has a jet of its own by the same law, with l its diameter and its share of the momentum.
The momentum fluxes of jets add up (Reichardt 1943), not their speeds, and so do those of rotors and of the one jet they become:

    u^2 = (1 - w) sum_i (g_i u_i)^2 + w u^2,   w = x^2 (3 - 2 x), x = s / 2.5 l in [0, 1]
    g_i = (1 + s_i / sqrt(s_i^2 + R^2)) / 2    the disc's own field (vortex cylinder on its axis): half in the disc, little above

Jets of several robots add up likewise, as vectors: the velocity is q / sqrt(|q|), q the sum of u^2 along the thrust's reaction.

Motion and wind. The jet keeps its momentum along the thrust. A robot that moves through the air leaves its centreline behind,
and the wind blows it away: at depth s by (W - V) across the axis times the time that the air took to come there,

    t(s) = int ds / (c U_c) = s (s / 2 + s_0 l) / (c B U_H l)

with c = 0.6, the convection speed of eddies in a round jet by its speed (Davies, Fisher & Barratt 1963); c = 0 switches it off.
Nobody measured this below a rotor: W - V is taken as that of now (quasi-steady), jets do not bend by more than this.

Frames: world. Valid in hover and slow flight (|V| well below U_H) from 2.5 l down, within the scatter of the source; closer,
bounded and of the right size, no more. Time means: no turbulence of the jet, no swirl, no entrainment from the sides, no wall
jet where it meets the ground. Cut off 4 radii above the rotors (1.5 % of the disc's own field) and 5 half-widths from the
centreline (0.8 % of U_c). What stands in a jet feels the speed at its own origin, and takes nothing out of the jet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import Field

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["ABOVE", "ASIDE", "JET", "ROTOR", "WakeSpec", "jet_speed", "momentum_share", "wake_at"]

ABOVE = 4.0  # radii above a rotor that its field reaches
ASIDE = 5.0  # half-widths from the centreline that a jet reaches
_PROFILE = math.sqrt(2.0) - 1.0


class WakeSpec(Spec):
    """The wake of rotors on other robots: jets that spread below them. The numbers are those of Bauersfeld et al. (2024)."""

    on: bool = Field(default=False, description="whether robots feel the wake of each other's rotors")
    decay: float = number(10.11, unit="1", above=0, high=100, live=False, doc="B, of the speed on the centreline")
    spread: float = number(0.07668, unit="1", above=0, high=1, live=False, doc="S, half-width by distance from its origin")
    origin: float = number(5.817, unit="1", above=0, high=100, live=False, doc="s_0, virtual origin above the rotors, by l")
    merged: float = number(2.5, unit="1", above=0, high=100, live=False, doc="distance by l at which rotors' jets are one")
    convection: float = number(
        0.6, unit="1", low=0, high=1, live=False, doc="c, by which wind and flight bend jets; 0 keeps them on the axis"
    )


ROTOR = np.dtype(
    [
        ("position", np.float64, 3),  # [m] of the disc's middle, world
        ("direction", np.float64, 3),  # unit vector to where it blows, world
        ("radius", np.float64),  # [m]
        ("thrust", np.float64),  # [N], against `direction`
        ("speed", np.float64),  # [m/s] U_H of its own jet, see merged_jet.py
    ]
)
"""A rotor that blows."""

JET = np.dtype(
    [
        ("origin", np.float64, 3),  # [m], world
        ("direction", np.float64, 3),  # unit vector to where it blows, world
        ("drift", np.float64, 3),  # [m/s] of the air past the robot, across the direction, world
        ("size", np.float64),  # [m] l
        ("speed", np.float64),  # [m/s] U_H; 0 where nothing blows
        ("slowness", np.float64),  # [s/m^2] 1 / (c B U_H l), of the time that air takes to come down
        ("reach_above", np.float64),  # [m] against the direction, beyond which there is nothing
        ("robot", np.int64),  # whose it is
        ("first", np.int64),  # of its rotors, and how many
        ("rotors", np.int64),
    ]
)
"""What the rotors of a robot that blow one way become together."""


@kernel
def jet_speed(down: float, across_squared: float, size: float, speed: float, wake: Any) -> float:
    """Speed [m/s] of a jet at s >= 0 and r^2, of a size l [m] and a velocity U_H [m/s], for a `WakeSpec` record."""
    along = down + wake.origin * size
    width = wake.spread * along
    fall = 1.0 + _PROFILE * across_squared / (width * width)
    return wake.decay * speed * size / (along * fall * fall)


@kernel
def momentum_share(size: float, area: float, wake: Any) -> float:
    """Momentum flux of the jet of a size l [m] by the thrust of rotors that cover an area [m^2]."""
    flux = math.pi * (wake.decay * wake.spread) ** 2 / (3.0 * _PROFILE)
    return flux * size * size / (2.0 * area)


@kernel
def _add_rotor(rotor: Any, x: float, y: float, z: float, share: float, wake: Any, velocity: Any) -> None:
    """Add the squared speed of one rotor's own jet, along its direction, at a point whose drift is taken away."""
    radius, axis, at = rotor.radius, rotor.direction, rotor.position
    x, y, z = x - at[0], y - at[1], z - at[2]
    down = x * axis[0] + y * axis[1] + z * axis[2]
    across = max(x * x + y * y + z * z - down * down, 0.0)
    speed = jet_speed(max(down, 0.0), across, 2.0 * radius, rotor.speed, wake)
    speed *= 0.5 + 0.5 * down / math.sqrt(down * down + radius * radius)
    flux = share * speed * speed
    for i in range(3):
        velocity[i] += flux * axis[i]


@kernel
def wake_at(jets: Any, rotors: Any, count: int, own: int, wake: Any, point: Any, velocity: Any) -> None:
    """Velocity [m/s] of the air that the jets of all robots but `own` give a point [m]; world frame.

    `jets` and `rotors` are arrays of `JET` and `ROTOR`, the first `count` jets hold; `wake` is a `WakeSpec` record.
    """
    velocity[0], velocity[1], velocity[2] = 0.0, 0.0, 0.0
    touched = False
    for i in range(count):
        jet = jets[i]
        if jet.robot == own or jet.speed == 0.0:
            continue
        axis, origin = jet.direction, jet.origin
        x, y, z = point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]
        down = x * axis[0] + y * axis[1] + z * axis[2]
        if down < -jet.reach_above:
            continue
        below, drift = max(down, 0.0), jet.drift
        lag = below * (0.5 * below + wake.origin * jet.size) * jet.slowness
        x, y, z = x - lag * drift[0], y - lag * drift[1], z - lag * drift[2]
        across = x * x + y * y + z * z - down * down
        reach = ASIDE * wake.spread * (below + wake.origin * jet.size) + 0.5 * jet.size
        if across > reach * reach:
            continue
        touched = True
        across = max(across, 0.0)
        merged = min(below / (wake.merged * jet.size), 1.0)
        merged *= merged * (3.0 - 2.0 * merged)
        if merged > 0.0:
            speed = jet_speed(below, across, jet.size, jet.speed, wake)
            for k in range(3):
                velocity[k] += merged * speed * speed * axis[k]
        if merged < 1.0:
            x, y, z = x + origin[0], y + origin[1], z + origin[2]
            for k in range(jet.first, jet.first + jet.rotors):
                _add_rotor(rotors[k], x, y, z, 1.0 - merged, wake, velocity)
    if touched:
        x, y, z = velocity[0], velocity[1], velocity[2]
        flux = math.sqrt(x * x + y * y + z * z)
        if flux > 0.0:
            scale = 1.0 / math.sqrt(flux)
            velocity[0], velocity[1], velocity[2] = scale * x, scale * y, scale * z
