"""What URDF and SDF have in common, before the engine: links with inertias and shapes, joined into a tree.

Poses are those of the zero configuration. Every item keeps the element it came from, so that a later check can name its
line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.formats.xml_file import Element
from didymos.errors import nearest
from didymos.rotations import Pose

__all__ = [
    "WORLD",
    "FrameSource",
    "Inertial",
    "JointSource",
    "LinkSource",
    "Mechanism",
    "MeshSource",
    "Mimic",
    "Shape",
    "ShapeKind",
    "links_in_order",
]

WORLD = "world"
_DEEPEST = 900  # the engine refuses chains of more than 1023 bodies


class ShapeKind(Enum):
    """The shapes that the engine can hold."""

    BOX = "box"
    SPHERE = "sphere"
    CYLINDER = "cylinder"
    CAPSULE = "capsule"
    ELLIPSOID = "ellipsoid"
    PLANE = "plane"
    MESH = "mesh"


@dataclass(frozen=True, eq=False)
class MeshSource:
    """A mesh file and the factors [1], shape [3], that stretch it; `part` names one object in the file, or None."""

    path: Path
    scale: np.ndarray
    part: str | None = None
    centred: bool = False


@dataclass(frozen=True, eq=False)
class Shape:
    """A visual or collision shape; `size` [m], shape [0 to 3], is the engine's (half lengths, radius first)."""

    kind: ShapeKind
    size: np.ndarray
    pose: Pose
    collision: bool
    element: Element
    mesh: MeshSource | None = None
    rgba: np.ndarray | None = None
    friction: float | None = None


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass [kg], centre of mass [m], shape [3], and inertia [kg m^2], shape [3, 3], about it, in the link frame.

    `rounding` [kg m^2], shape [3, 3]: by how much each number of the inertia may be rounded, as the file writes it.
    """

    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    rounding: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(eq=False)
class LinkSource:
    """A link of the file; `inertial_element` is where its mass stands (the link itself where it has none)."""

    name: str
    element: Element
    inertial: Inertial
    inertial_element: Element
    shapes: list[Shape]
    weightless: bool = False
    collides_with_kin: bool = True
    tribe: int = 0


@dataclass(frozen=True)
class Mimic:
    """q = multiplier * q(joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class JointSource:
    """A joint of the file; `pose` is the child link's frame in the parent link's frame, at zero."""

    name: str
    element: Element
    kind: JointKind
    parent: str
    child: str
    pose: Pose
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    spring_reference: float = 0.0
    mimic: Mimic | None = None
    welded: bool = False


@dataclass(frozen=True, eq=False)
class FrameSource:
    """A named frame, at `pose` in a link's frame."""

    name: str
    link: str
    pose: Pose


@dataclass(eq=False)
class Mechanism:
    """A whole description before the engine.

    `root` is the robot's first link; `roots` are all links that no joint carries, with their poses in the world.
    `loops` are joints that close a kinematic loop. `free_roots` float on their own: further models in the same world.
    """

    name: str
    element: Element
    links: dict[str, LinkSource]
    joints: dict[str, JointSource]
    frames: dict[str, FrameSource] = field(default_factory=dict)
    roots: dict[str, Pose] = field(default_factory=dict)
    free_roots: frozenset[str] = frozenset()
    loops: tuple[JointSource, ...] = ()
    held_by: str | None = None
    gravity: np.ndarray | None = None
    root: str = ""


def links_in_order(mechanism: Mechanism) -> list[tuple[str, JointSource | None]]:
    """Every link with the joint that carries it, parents first; an `InputError` where links and joints are no tree."""
    children: dict[str, list[JointSource]] = {}
    for joint in mechanism.joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in mechanism.links and not (role == "parent" and link == WORLD):
                raise joint.element.error(
                    f"joint {joint.name!r} has the {role} link {link!r}, which does not exist"
                    + nearest(link, mechanism.links)
                )
        children.setdefault(joint.parent, []).append(joint)
    order: list[tuple[str, JointSource | None]] = []
    depth = {WORLD: 0} if WORLD not in mechanism.links else {}
    pending: list[tuple[str, JointSource | None]] = [(root, None) for root in reversed(mechanism.roots)]
    if WORLD not in mechanism.links:
        pending += [(joint.child, joint) for joint in reversed(children.get(WORLD, []))]
    while pending:
        link, carrier = pending.pop()
        if link in depth:
            raise mechanism.joints[carrier.name].element.error(  # type: ignore[union-attr]
                f"joint {carrier.name!r} gives link {link!r} a second parent"  # type: ignore[union-attr]
            )
        depth[link] = 1 + (depth[carrier.parent] if carrier else 0)
        if depth[link] > _DEEPEST:
            raise mechanism.links[link].element.error(f"link {link!r} stands more than {_DEEPEST} joints deep")
        order.append((link, carrier))
        pending += [(joint.child, joint) for joint in reversed(children.get(link, []))]
    for link, source in mechanism.links.items():
        if link not in depth:
            raise source.element.error(f"link {link!r} hangs in a loop of joints, expected a tree")
    return order
