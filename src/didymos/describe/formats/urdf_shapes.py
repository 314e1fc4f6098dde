"""The visual and collision shapes of a URDF link, and its colours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import MeshSource, Shape, ShapeKind
from didymos.describe.formats.mesh_paths import MissingFileError, resolve_uri
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.urdf_gazebo import GazeboTags
from didymos.describe.formats.urdf_origin import read_origin
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import number, text_of, vector
from didymos.errors import nearest

__all__ = ["is_solid", "leave_out", "read_colours", "read_shapes"]

_SHAPES = {
    "box": ShapeKind.BOX, "cylinder": ShapeKind.CYLINDER, "sphere": ShapeKind.SPHERE, "capsule": ShapeKind.CAPSULE,
    "mesh": ShapeKind.MESH, "drake:capsule": ShapeKind.CAPSULE, "drake:ellipsoid": ShapeKind.ELLIPSOID,
}  # fmt: skip
"""Shapes by their tags; those of Drake are the ones that URDF lacks."""


def read_colours(robot: Element) -> dict[str, np.ndarray]:
    """The colours (red, green, blue, opacity, each 0 to 1, shape [4]) that a robot's materials give names to."""
    colours: dict[str, np.ndarray] = {}
    for element in robot.walk():
        colour = element.first("color") if element.tag == "material" else None
        name = element.attributes.get("name")
        if colour is not None and name:
            colours.setdefault(name, vector(colour, "rgba", (0.5, 0.5, 0.5, 1.0)))
    return colours


def read_shapes(
    link: Element, colours: Mapping[str, np.ndarray], packages: Packages, gazebo: GazeboTags, report: ImportReport
) -> list[Shape]:
    """All visual and collision shapes of a link."""
    friction = gazebo.friction.get(link.attributes["name"])
    shapes = []
    for element in link.children:
        if element.tag not in ("visual", "collision"):
            continue
        collision = element.tag == "collision"
        geometry = element.at_most_one("geometry")
        shape = None if geometry is None else next((c for c in geometry.children if c.tag in _SHAPES), None)
        if shape is None:
            report.add(element, f"<{element.tag}> of {link} has no shape that is known; it is left out")
            continue
        kind = _SHAPES[shape.tag]
        sizes = _read_sizes(shape, kind)
        if not is_solid(shape, sizes, collision, link, report):
            continue
        try:
            mesh = _read_mesh(shape, packages) if kind is ShapeKind.MESH else None
        except MissingFileError as error:
            leave_out(error, element, collision, report)
            continue
        shapes.append(
            Shape(
                kind,
                sizes,
                read_origin(element),
                collision,
                element,
                mesh,
                None if collision else _colour(element, colours, report),
                friction if collision else None,
            )
        )
    return shapes


def is_solid(shape: Element, sizes: np.ndarray, collision: bool, link: Element, report: ImportReport) -> bool:
    """Whether sizes [m] are all above zero. If not, a collision shape is an `InputError`; a visual one is noted."""
    if np.all(sizes > 0):
        return True
    message = f"<{shape.tag}> of {link} has the half sizes {sizes.tolist()}, expected all above zero"
    if collision or np.any(sizes < 0):
        raise shape.error(message)
    report.add(shape, f"{message}; it is not shown")
    return False


def leave_out(error: MissingFileError, element: Element, collision: bool, report: ImportReport) -> None:
    """A shape whose file is missing is only noted where it serves to be seen; without what it collides with no robot is read."""
    if collision:
        report.add_missing(error)
    else:
        report.add(element, f"{error.message}; it is not shown")


def _read_sizes(shape: Element, kind: ShapeKind) -> np.ndarray:
    """Half lengths and radii [m], in the engine's order; none for a mesh."""
    if kind is ShapeKind.MESH:
        return np.zeros(0)
    if kind is ShapeKind.BOX:
        text_of(shape, "size")
        return vector(shape, "size", (0.0, 0.0, 0.0)) / 2
    if kind is ShapeKind.ELLIPSOID:
        return np.array([number(shape, axis) for axis in "abc"])
    radius = number(shape, "radius")
    return np.array([radius] if kind is ShapeKind.SPHERE else [radius, number(shape, "length") / 2])


def _read_mesh(element: Element, packages: Packages) -> MeshSource:
    scale = vector(element, "scale", (1.0, 1.0, 1.0))
    if not np.all(scale):
        raise element.error(f"'scale' of {element} is {scale.tolist()}, expected no zero")
    return MeshSource(resolve_uri(text_of(element, "filename"), element, packages), scale)


def _colour(visual: Element, colours: Mapping[str, np.ndarray], report: ImportReport) -> np.ndarray | None:
    material = visual.first("material")
    if material is None:
        return None
    colour = material.first("color")
    if colour is not None:
        return vector(colour, "rgba", (0.5, 0.5, 0.5, 1.0))
    name = material.attributes.get("name", "")
    if name not in colours and name and material.first("texture") is None:
        report.add(material, f"material {name!r} has no colour anywhere in the file{nearest(name, colours)}")
    return colours.get(name)
