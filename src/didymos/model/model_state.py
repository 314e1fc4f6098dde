"""A robot's model at one state: what follows from q and v, worked out when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.model.questions import (
    ask_bias,
    ask_center_of_mass,
    ask_drift,
    ask_gravity,
    ask_jacobian,
    ask_mass_matrix,
    ask_momentum,
    ask_position,
    ask_rotation,
    ask_velocity,
)

if TYPE_CHECKING:
    from didymos.model.robot_model import RobotModel

__all__ = ["ModelState"]

Array = NDArray[np.float64]


class ModelState:
    """The model of a robot at q and v. Frames are links and frames of the description by name; axes are those of the world."""

    def __init__(self, model: RobotModel, q: Array, v: Array) -> None:
        self.model = model
        self.q, self.v = q, v

    def position(self, frame: str) -> Array:
        """Origin of a frame in the world [m], shape [3]."""
        return np.array(self.model.ask(self, ask_position, self.model.frame(frame)))

    def rotation(self, frame: str) -> Array:
        """Rotation from a frame to the world, shape [3, 3]."""
        out = np.empty((3, 3))
        self.model.ask(self, ask_rotation, self.model.frame(frame), out)
        return out

    def velocity(self, frame: str) -> Array:
        """Velocity of a frame's origin [m/s] over its rate [rad/s], shape [6]."""
        out = np.empty(6)
        self.model.ask(self, ask_velocity, self.model.frame(frame), out)
        return out

    def jacobian(self, frame: str) -> Array:
        """J, shape [6, nv], linear over angular, about the frame's origin: `velocity(frame)` is J v."""
        out = np.empty((6, self.model.nv))
        self.model.ask(self, ask_jacobian, self.model.frame(frame), out)
        return out

    def drift(self, frame: str) -> Array:
        """J' v, shape [6]: how a frame accelerates [m/s^2], [rad/s^2] while v stays as it is."""
        out = np.empty(6)
        self.model.ask(self, ask_drift, self.model.frame(frame), out)
        return out

    @property
    def mass_matrix(self) -> Array:
        """M, shape [nv, nv], with the armature of the description's joints on its diagonal (`RobotModel.armature`)."""
        out = np.empty((self.model.nv, self.model.nv))
        self.model.ask(self, ask_mass_matrix, out)
        return out

    @property
    def bias(self) -> Array:
        """h of M v' + h = f, shape [nv]: forces of gravity and Coriolis."""
        out = np.empty(self.model.nv)
        self.model.ask(self, ask_bias, out)
        return out

    @property
    def gravity(self) -> Array:
        """The generalized forces that hold the robot still against gravity, shape [nv]."""
        out = np.empty(self.model.nv)
        self.model.ask(self, ask_gravity, out)
        return out

    @property
    def center_of_mass(self) -> Array:
        """Of all links, in the world [m], shape [3]."""
        return np.array(self.model.ask(self, ask_center_of_mass))

    @property
    def momentum(self) -> Array:
        """Linear momentum [kg m/s] over angular momentum about the centre of mass [kg m^2/s], shape [6]."""
        out = np.empty(6)
        self.model.ask(self, ask_momentum, out)
        return out
