"""Wheels of a base as a program sees them: where each touches the ground, along which line it grips, what turns it.

Positions [m] and directions are in the frame of the root link at the reference posture (all joints at zero), z up. A wheel that
turns at w about its axle a rolls towards f = a x z, its hub at r w. A tyre grips along f and along a. A wheel with rollers grips
along the axis g of the roller on the ground only, which is `roller` [rad] from f, counter-clockwise: 0 for an omni wheel,
+-pi/4 for a mecanum wheel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kind", "Steering", "Wheel", "Wheels"]

Array = NDArray[np.float64]
Kind = Literal["differential", "mecanum", "omni", "ackermann", "swerve"]


@dataclass(frozen=True, eq=False)
class Steering:
    """An upright hinge above a wheel: a point of its axis [m], +1 where it turns counter-clockwise, its range [rad]."""

    joint: str
    position: Array
    sign: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Wheel:
    """A wheel that stands on the ground. `position` [m] is its hub in the middle of the rim, `axle` the axis of its joint."""

    joint: str
    link: str
    radius: float
    half_width: float
    position: Array
    axle: Array
    roller: float | None = None
    has_rollers: bool = False
    steering: Steering | None = None
    driven: bool = True

    @property
    def forward(self) -> Array:
        """f, where it rolls to when its joint turns forward; unit, level."""
        level = np.array([self.axle[1], -self.axle[0], 0.0])
        return level / np.linalg.norm(level)

    @property
    def grip(self) -> Array:
        """g, along which it grips; unit, level."""
        angle, f = self.roller or 0.0, self.forward
        return math.cos(angle) * f + math.sin(angle) * np.array([-f[1], f[0], 0.0])


@dataclass(frozen=True, eq=False)
class Wheels:
    """All wheels of a base, and what kind of base they make.

    Casters turn freely under an upright hinge that nothing drives; balls are links that slide on the ground as a sphere.
    """

    kind: Kind
    wheels: tuple[Wheel, ...]
    casters: tuple[Wheel, ...] = ()
    balls: Mapping[str, float] = field(default_factory=dict)
    """The links of casters that slide, with the radius [m] of the sphere that stands for each; 0 where it has its own."""
    root: str = ""

    @property
    def driven(self) -> tuple[Wheel, ...]:
        """The wheels that a drive turns."""
        return tuple(wheel for wheel in self.wheels if wheel.driven)

    @property
    def sideways(self) -> bool:
        """Whether the base can move in any direction."""
        return self.kind in ("mecanum", "omni", "swerve")

    @property
    def skids(self) -> bool:
        """Whether tyres slide sideways whenever the base turns: more than one axle, none of it steered."""
        aheads = [float(wheel.position @ wheel.forward) for wheel in self.wheels]
        return self.kind == "differential" and max(aheads) - min(aheads) > 0.1 * max(wheel.radius for wheel in self.wheels)

    @property
    def contacts(self) -> dict[str, dict[str, Any]]:
        """What `contacts` of a twin file should say of the wheels; empty where shapes and floor say it all.

        Mecanum and omni wheels without rollers in the description grip along the axis of their roller only, where a cylinder
        would grip in all directions. Balls hardly grip at all: they roll in their sockets.
        """
        grips = {
            wheel.joint: {"angle": round(math.atan2(wheel.grip[1], wheel.grip[0]), 9), "along": 0.9, "across": 0.01}
            for wheel in self.wheels
            if wheel.roller is not None and not wheel.has_rollers
        }
        links = {wheel.joint: wheel.link for wheel in self.wheels} | {link: link for link in self.balls}
        slides: dict[str, dict[str, float]] = {}
        for link, radius in self.balls.items():
            slides[link] = {"along": 0.01, "across": 0.01, "softness": 0.05}
            slides[link] |= {"radius": round(radius, 6)} if radius else {}
        return {name: {"link": links[name], "frame": self.root, **numbers} for name, numbers in (grips | slides).items()}

    @property
    def world(self) -> dict[str, Any]:
        """What `world` of a twin file should say about friction, so that wheels slip as Coulomb has it.

        The engine lifts what slides at v by about 2 mu v times the time of contacts, and a wheel that is lifted off hops.
        Friction that is soft beside the normal force, in an elliptic cone, does not lift (docs/wheeled.md).
        """
        return {"friction_cone": "elliptic", "friction_impedance": 0.002 if self.skids else 0.02, "contact_time": 0.005}
