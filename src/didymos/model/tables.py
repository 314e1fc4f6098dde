"""What a robot's model says about its links and joints, by name, for Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ModelJoint", "ModelLink"]


@dataclass(frozen=True, eq=False)
class ModelLink:
    """A link: what carries it, and its own inertia.

    `parent` is the link that carries it (None for one that stands in the world), `joints` the movable joints between both, in the
    order in which they act (none where they are fixed to each other). `mass` [kg]; `com` [m], shape [3], in its frame; `inertia`
    [kg m^2], shape [3, 3], about its centre of mass, along the axes of its frame.
    """

    name: str
    parent: str | None
    joints: tuple[str, ...]
    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ModelJoint:
    """A movable joint.

    `kind`: revolute, continuous, prismatic, planar, ball or floating. `axis` (unit) and `anchor` [m], shape [3], in the frame
    of the `child` link, which it moves in its `parent` (None: the world). Its numbers are `q[position_index : position_index +
    nq]` and `v[velocity_index : velocity_index + nv]`. Limits are infinite where there is none: `lower` and `upper` [rad] or
    [m], `effort` [N m] or [N], `velocity` [rad/s] or [m/s]. `armature` [kg m^2] or [kg], `damping` and `friction` as described.
    """

    name: str
    kind: str
    parent: str | None
    child: str
    axis: NDArray[np.float64]
    anchor: NDArray[np.float64]
    position_index: int
    velocity_index: int
    nq: int
    nv: int
    lower: float
    upper: float
    effort: float
    velocity: float
    armature: float
    damping: float
    friction: float
