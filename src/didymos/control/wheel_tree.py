"""What the finder of wheels looks at: the hinges of a robot at its reference posture, and the shapes that turn with each.

All in the frame of the root link [m], with all joints at zero. A group is a link with all that is fixed to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from didymos.control.wheel_shape import outline_points
from didymos.model.robot_model import RobotModel

__all__ = ["Hinge", "read_hinges", "rides_on_base"]

Array = NDArray[np.float64]


@dataclass(eq=False)
class Hinge:
    """A hinge: a point of its axis, its unit axis, its range [rad], the hinge or slide above it, and points of what it carries.

    `points` are of the shapes of its own group; `below` are the hinges and slides that the group carries.
    """

    joint: str
    link: str
    position: Array
    axis: Array
    lower: float
    upper: float
    turns: bool
    parent: Hinge | None = None
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    below: list[Hinge] = field(default_factory=list)

    @property
    def above(self) -> list[Hinge]:
        """The joints between it and the root, the nearest first."""
        found: list[Hinge] = []
        here = self.parent
        while here is not None:
            found.append(here)
            here = here.parent
        return found


def read_hinges(model: RobotModel) -> tuple[tuple[Hinge, ...], Array]:
    """All hinges and slides of a model, and the points of the shapes that none of them moves; shape [n, 3]."""
    state = model.at(model.reference)
    origin, turn = state.position(model.root), state.rotation(model.root)

    def place(link: str, points: Array) -> Array:
        """Points of a link in the frame of the root link; shape [n, 3]."""
        return np.asarray((points @ state.rotation(link).T + state.position(link) - origin) @ turn, dtype=np.float64)

    made: dict[str, Hinge] = {}
    carriers: dict[str, Hinge | None] = {}

    def carrier(link: str) -> Hinge | None:
        """The last hinge or slide between the root and a link."""
        if link not in carriers:
            above = model.links[link].parent
            last = None if above is None or link == model.root else carrier(above)
            for name in () if link == model.root else model.links[link].joints:
                joint = model.joint(name)
                if joint.kind in ("revolute", "continuous", "prismatic"):
                    axis = turn.T @ state.rotation(link) @ joint.axis
                    position = place(link, joint.anchor[None])[0]
                    turns = joint.kind != "prismatic"
                    hinge = Hinge(name, link, position, axis, joint.lower, joint.upper, turns, last)
                    if last is not None:
                        last.below.append(hinge)
                    made[name] = last = hinge
            carriers[link] = last
        return carriers[link]

    fixed = [np.zeros((0, 3))]
    for link in model.links:
        carrier(link)
    for shape in model.shapes:
        vertices = shape.vertices if shape.kind == "mesh" else None
        points = outline_points(shape.kind, shape.size, vertices)
        if vertices is None:
            points = points @ shape.rotation.T + shape.position
        points, hinge = place(shape.link, points), carriers[shape.link]
        if hinge is None:
            fixed.append(points)
        else:
            hinge.points = np.vstack([hinge.points, points])
    return tuple(made.values()), np.vstack(fixed)


def rides_on_base(model: RobotModel, frame: str) -> bool:
    """Whether a link is fixed to the root link."""
    while frame in model.links and frame != model.root:
        link = model.links[frame]
        if link.joints or link.parent is None:
            return False
        frame = link.parent
    return frame == model.root
