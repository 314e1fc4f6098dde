"""Robots that blow, for tests of the wake: rotors on a circle, merged into a jet, and the air at points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.air.merged_jet import merge_rotors
from didymos.air.rotor_wake import JET, ROTOR, WakeSpec, wake_at
from didymos.spec import number_fields, record_type

DENSITY = 1.225
DOWN = (0.0, 0.0, -1.0)


def wake_record(**numbers: float) -> Any:
    """A `WakeSpec` as compiled code reads it."""
    spec = WakeSpec(on=True, **numbers)
    return np.array([tuple(getattr(spec, name) for name, _ in number_fields(WakeSpec))], dtype=record_type(WakeSpec))[0]


WAKE = wake_record()


class Air:
    """Jets of robots in a still air, or one that moves past them."""

    def __init__(self, wake: Any = WAKE) -> None:
        self.wake = wake
        self.jets, self.rotors = np.zeros(0, JET), np.zeros(0, ROTOR)

    def add(
        self, places: Any, *, radius: float, thrust: Any, directions: Any = DOWN, air: Any = (0.0, 0.0, 0.0), robot: int = 0
    ) -> Any:
        """A robot with rotors at places [n, 3]; its jet."""
        places = np.atleast_2d(places)
        rotors = np.zeros(len(places), ROTOR)
        rotors["position"], rotors["direction"], rotors["radius"], rotors["thrust"] = places, directions, radius, thrust
        jet = np.zeros(1, JET)
        jet["robot"], jet["first"], jet["rotors"] = robot, len(self.rotors), len(places)
        self.rotors, self.jets = np.concatenate([self.rotors, rotors]), np.concatenate([self.jets, jet])
        merge_rotors(self.rotors, self.jets[-1], DENSITY, *air, self.wake)
        return self.jets[-1]

    def at(self, points: Any, own: int = -1) -> NDArray[np.float64]:
        """Velocities [n, 3] at points [n, 3]."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        found = np.zeros((len(points), 3))
        for point, velocity in zip(points, found, strict=True):
            wake_at(self.jets, self.rotors, len(self.jets), own, self.wake, point, velocity)
        return found


def circle(count: int, arm: float, middle: Any = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
    """Places of rotors on a circle, [count, 3]."""
    angle = np.pi / 4 + 2.0 * np.pi * np.arange(count) / count
    return np.asarray(middle) + arm * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
