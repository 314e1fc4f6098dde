"""Blade elements with a uniform inflow, written for the tests alone: blades of given twist and chord over radius and azimuth.

The axis points up, the rotor turns against the clock seen from above and moves along +x. An element at radius r and azimuth psi
(0 behind, 90 degrees on the advancing side) meets the air at w r + P sin(psi) along the disc and X + v through it. Its airfoil
is cambered, lifts 5.7 per radian up to the stall, and has least drag a little above zero incidence. The inflow follows the
thrust by Glauert's momentum theory; where that has no solution (vortex ring, turbulent wake: sinking at 1 to 2 times the
induced velocity of hover) by the polynomial v / v_h = x (1.991 - 0.373 x^2), x = sinking speed / v_h, of Johnson
(NASA/TP-2009-215402), without P.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

RHO = 1.225
CAMBER, STALL = 0.06, 1.4


@dataclass(frozen=True)
class Loads:
    """Thrust [N], torque [N m] against the spin, force [N] against the motion, moment [N m] that lifts the advancing side."""

    thrust: float
    torque: float
    drag: float
    moment: float


class BladeElementRotor:
    """Two blades of radius R [m]; twist [rad] and chord [m] over the radius as a share of R."""

    def __init__(self, twist: Callable[..., object], chord: Callable[..., object], radius: float = 0.127) -> None:
        edges = np.linspace(0.15, 1.0, 61)
        share = 0.5 * (edges[1:] + edges[:-1])
        self.radius, self.blades = radius, 2
        self.r, self.dr = radius * share[:, None], radius * np.diff(edges)[:, None]
        self.psi = (np.arange(72) + 0.5) * 2.0 * math.pi / 72
        self.twist, self.chord = (np.broadcast_to(np.asarray(f(share)), share.shape)[:, None] for f in (twist, chord))
        self.area = math.pi * radius**2
        weighted = float(np.sum(self.chord * self.r**2 * self.dr)) * 3.0 / radius**3
        self.solidity = self.blades * weighted / (math.pi * radius)

    def loads(self, speed: float, climb: float, across: float, induced: float) -> Loads:
        along = speed * self.r + across * np.sin(self.psi)
        through = climb + induced
        forward = np.sign(along)  # -1 in reversed flow, where the airfoil meets the air with its trailing edge
        incidence = forward * self.twist - np.arctan2(through, np.abs(along))
        lift = np.clip(5.7 * np.sin(incidence + forward * CAMBER) * np.cos(incidence + forward * CAMBER), -STALL, STALL)
        drag = 0.014 + 0.5 * np.sin(incidence - forward * 0.01) ** 2
        pressure = 0.5 * RHO * np.hypot(along, through) * self.chord * self.dr * self.blades / self.psi.size
        up = pressure * (lift * np.abs(along) - drag * through)
        back = pressure * (lift * through + drag * np.abs(along)) * forward
        side = np.sin(self.psi)
        return Loads(*(float(np.sum(x)) for x in (up, back * self.r, back * side, up * self.r * side)))

    def _momentum(self, thrust: float, climb: float, across: float) -> float:
        """The induced velocity of a thrust > 0."""
        hover = math.sqrt(thrust / (2.0 * RHO * self.area))
        if across == 0.0 and -2.0 * hover < climb < -hover:
            x = -climb / hover
            return hover * x * (1.991 - 0.373 * x * x)

        def excess(induced: float) -> float:
            return induced * math.hypot(across, climb + induced) - hover**2

        middle = max(-0.5 * climb, 0.0)  # below it the windmill, above it hover and climb
        return brentq(excess, 0.0, middle) if excess(middle) > 0.0 else brentq(excess, middle, middle + 10.0 * hover)

    def settled(self, speed: float, climb: float, across: float) -> Loads:
        """The loads at which blades and momentum agree."""

        def excess(induced: float) -> float:
            return induced - self._momentum(max(self.loads(speed, climb, across, induced).thrust, 1e-9), climb, across)

        return self.loads(speed, climb, across, brentq(excess, -1.0, 60.0, xtol=1e-10))
