"""Links and named frames on the bodies of the engine: the one home of "which body, and where in it".

A link behind a fixed joint has no body of its own in a model (`fuse.py`); it lives on as a frame that moves with the body
that carries it. Everything that needs to know where a link is (parts, sensors, pushes, poses in the log, pictures, the
cockpit) asks here. With t and R the `pose` of a link in its body, a point p of the link is at

    x_body + R_body (t + R p)

in the world; t is zero and R is one for a link that has a body of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.native import doubles, longs
from didymos.rotations import Pose

__all__ = ["WORLD", "LinkFrame", "LinkFrames", "frame_tables", "place_links"]

POSE = 7
"""Numbers of a pose: position [m], then the quaternion, w first."""

WORLD = "world"
"""The body of the engine that stands still."""


@dataclass(frozen=True, eq=False)
class LinkFrame:
    """Where a link or a named frame sits: the name of its body in the model, and its pose in that body's frame."""

    body: str
    pose: Pose

    @property
    def row(self) -> NDArray[np.float64]:
        """Position [m] and rotation, row-major, of the frame in the body; shape [12]."""
        return np.concatenate([self.pose.position, self.pose.rotation.ravel()])


@dataclass(frozen=True, eq=False)
class LinkFrames:
    """Every link and every named frame of a description by name, and the link that each shape belongs to."""

    root: str
    links: dict[str, LinkFrame]
    frames: dict[str, LinkFrame]
    geoms: dict[str, str]  # name of a geom -> name of its link

    def placed(self, prefix: str, world: LinkFrame) -> LinkFrames:
        """The same under a prefix, in a model that the robot shares with others; what is in the world goes along with `world`."""

        def carried(frame: LinkFrame) -> LinkFrame:
            if frame.body == WORLD:
                return LinkFrame(world.body, world.pose @ frame.pose)
            return LinkFrame(prefix + frame.body, frame.pose)

        links = {name: carried(frame) for name, frame in self.links.items()}
        frames = {name: carried(frame) for name, frame in self.frames.items()}
        return LinkFrames(self.root, links, frames, {prefix + geom: link for geom, link in self.geoms.items()})

    def __contains__(self, name: object) -> bool:
        return name in self.links or name in self.frames

    def __getitem__(self, name: str) -> LinkFrame:
        return self.links[name] if name in self.links else self.frames[name]

    def number(self, name: str) -> int:
        """The place of a link in the order of the description."""
        return self._order[name]

    @cached_property
    def _order(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.links)}

    def body(self, model: mujoco.MjModel, name: str) -> int:
        """The number of the body that a link or frame moves with."""
        return int(model.body(self[name].body).id)

    def root_body(self, model: mujoco.MjModel) -> int:
        """The number of the root link's body."""
        return self.body(model, self.root)

    @cached_property
    def bodies(self) -> Mapping[str, tuple[str, ...]]:
        """The links that each body is made of."""
        names = dict.fromkeys(frame.body for frame in self.links.values())
        return {body: tuple(name for name, frame in self.links.items() if frame.body == body) for body in names}

    def link_of_geom(self, model: mujoco.MjModel, geom: int) -> str | None:
        """The link that a shape belongs to; None for the ground, objects and whatever else is not of the description."""
        return self.geoms.get(model.geom(geom).name)

    def links_of_geoms(self, model: mujoco.MjModel) -> NDArray[np.int64]:
        """The number of the link that each shape belongs to, or -1; int64 [geoms]."""
        owners = (self.link_of_geom(model, geom) for geom in range(model.ngeom))
        return np.array([-1 if owner is None else self.number(owner) for owner in owners], dtype=np.int64)


def frame_tables(model: mujoco.MjModel, frames: Iterable[LinkFrame]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What `place_links` reads: the body of every frame, int64 [n], and its pose in it, float64 [n, 7]."""
    frames = tuple(frames)
    bodies = np.array([model.body(frame.body).id for frame in frames], dtype=np.int64)
    poses = [np.concatenate([frame.pose.position, frame.pose.quaternion]) for frame in frames]
    return bodies, np.array(poses).reshape(-1, POSE)


@kernel
def place_links(count: int, bodies: int, poses: int, xpos: int, xquat: int, placed: int) -> None:
    """Poses of links in the world, float64 [7 n], from the poses of all bodies, `xpos` and `xquat`; all by address."""
    for i in range(count):
        body = longs(bodies)[i]
        pose, out = doubles(poses + 8 * POSE * i), doubles(placed + 8 * POSE * i)
        position, q = doubles(xpos + 24 * body), doubles(xquat + 32 * body)
        a, b, c, d = q[0], q[1], q[2], q[3]
        x, y, z = pose[0], pose[1], pose[2]
        # p + 2 v x (v x p + w p), with the quaternion (w, v) = (a, b, c, d)
        u = c * z - d * y + a * x
        v = d * x - b * z + a * y
        w = b * y - c * x + a * z
        out[0] = position[0] + x + 2.0 * (c * w - d * v)
        out[1] = position[1] + y + 2.0 * (d * u - b * w)
        out[2] = position[2] + z + 2.0 * (b * v - c * u)
        e, f, g, h = pose[3], pose[4], pose[5], pose[6]
        out[3] = a * e - b * f - c * g - d * h
        out[4] = a * f + b * e + c * h - d * g
        out[5] = a * g - b * h + c * e + d * f
        out[6] = a * h + b * g - c * f + d * e
