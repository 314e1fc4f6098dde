"""What an imported robot description is: the engine's spec, and every link, joint and frame by its name in the file.

Frames: a link's frame is the one that the file gives it; the body of the same name in the spec has the same frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

__all__ = ["Description", "Device", "DriveSource", "Frame", "Joint", "JointKind", "Link", "MeshFile", "Note"]


class JointKind(Enum):
    """How a child link may move in its parent."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FLOATING = "floating"
    PLANAR = "planar"
    BALL = "ball"


@dataclass(frozen=True)
class Link:
    """A link as the file describes it.

    `body` is the name of its body in the spec (the link's own, unless that clashes); `mass` [kg]; `com` [m], shape [3],
    in the link frame; `inertia` [kg m^2], shape [3, 3], about the centre of mass, along the axes of the link frame.
    """

    name: str
    body: str
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    parent_joint: str | None


@dataclass(frozen=True)
class Joint:
    """A joint as the file describes it.

    `axis` (unit, shape [3]) and `anchor` [m], shape [3], are in the child link's frame. `lower`, `upper` are in [rad]
    or [m], `effort` in [N m] or [N], `velocity` in [rad/s] or [m/s]; None means without limit. `damping` [N m s/rad] or
    [N s/m], `friction` [N m] or [N]. `engine_joints` are the names in the spec, empty where the joint does not move;
    `welded` says that it is of a kind that moves, and its limits leave it no room.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    axis: np.ndarray
    anchor: np.ndarray
    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None
    damping: float
    friction: float
    engine_joints: tuple[str, ...]
    welded: bool = False


@dataclass(frozen=True)
class Frame:
    """A further named frame that moves with a link: a site of the spec.

    `position` [m], shape [3], and `quaternion` (w first), shape [4], in the link frame.
    """

    name: str
    link: str
    position: np.ndarray
    quaternion: np.ndarray
    site: str


@dataclass(frozen=True, eq=False)
class MeshFile:
    """The file that a mesh of the spec came from, and the factors [1], shape [3], that stretch it."""

    path: Path
    scale: np.ndarray


@dataclass(frozen=True)
class Device:
    """A part or a sensor that the file describes, as a twin file would write it.

    `role` is "parts" or "sensors", the key of the twin file; `record` what stands there, without a `rate` where the file means
    every physics step. A description only offers it: `didymos new` writes it into the twin that it makes.
    """

    role: str
    name: str
    record: dict[str, Any]


@dataclass(frozen=True)
class DriveSource:
    """What a file says about the drive of a joint: `by` what it says so, and the quantities that it can be commanded by.

    `commands` are of position, velocity, effort; none means that the joint is only measured. `start` [rad] or [m] is where it
    begins.
    """

    by: str
    commands: tuple[str, ...]
    start: float | None = None


@dataclass(frozen=True)
class Note:
    """Something in a file that was left out, or read otherwise than it is written."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        return f"{self.file}: {self.what}" if self.line is None else f"{self.file}:{self.line}: {self.what}"


@dataclass(frozen=True)
class Description:
    """A robot description, ready for the engine.

    `root` is the link that stands in the world; `floating` says that it has a free joint already. `held_by` names what
    holds the root in the world for good (a joint to the world, a static model), and is None where nothing does. `devices` are the
    sensors and plugins of the file for which we have a law. `stands` says that a root without a joint stands still by the rules
    of the format (MJCF); a URDF leaves that open, and in SDF it floats. `drives` is what the file says about the drives of
    joints, by joint; `followers` are the joints, by their names in the spec, that are tied to others. `estimated` are
    the links that have a mass and no inertia, and were given that of their shapes. `arguments` are the values of all arguments
    of a xacro file, as it was expanded with them. `meshes` are the files of those meshes, by their names in the spec, that a file
    holds as they are. `prefix` stands before all names of the robot in the engine, where several
    share a model; `original` is the description without it.
    """

    spec: mujoco.MjSpec
    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    frames: dict[str, Frame]
    notes: tuple[Note, ...]
    source: Path
    root: str
    floating: bool
    held_by: str | None = None
    devices: tuple[Device, ...] = ()
    stands: bool = False
    drives: Mapping[str, DriveSource] = field(default_factory=dict)
    followers: frozenset[str] = frozenset()
    estimated: tuple[str, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    meshes: Mapping[str, MeshFile] = field(default_factory=dict)
    prefix: str = ""
    original: Description | None = None

    @property
    def as_read(self) -> Description:
        """The description by the names of its own spec."""
        return self if self.original is None else self.original

    def own_name(self, name: str) -> str:
        """What something is called in the engine's model that Didymos puts on this robot."""
        return f"{self.prefix}didymos:{name}"

    def placed(self, prefix: str) -> Description:
        """The same robot under a prefix in a model that it shares with others."""
        if not prefix:
            return self
        return replace(
            self,
            links={name: replace(link, body=prefix + link.body) for name, link in self.links.items()},
            joints={
                name: replace(joint, engine_joints=tuple(prefix + one for one in joint.engine_joints))
                for name, joint in self.joints.items()
            },
            frames={name: replace(frame, site=prefix + frame.site) for name, frame in self.frames.items()},
            followers=frozenset(prefix + name for name in self.followers),
            prefix=prefix,
            original=self,
        )
