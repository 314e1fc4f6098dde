"""The visual and collision shapes of an SDF link."""

from __future__ import annotations

import numpy as np

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import MeshSource, Shape, ShapeKind
from didymos.describe.formats.mesh_paths import MissingFileError, resolve_uri
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.urdf_shapes import is_solid, leave_out
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import flag, number_in_text, parse_numbers
from didymos.rotations import Pose, axis_angle_to_matrix

__all__ = ["read_sdf_shape"]

_KNOWN = ("box", "cylinder", "sphere", "capsule", "ellipsoid", "plane", "mesh")


def read_sdf_shape(
    element: Element, link: Element, pose: Pose, packages: Packages, report: ImportReport
) -> Shape | None:
    """A ``<visual>`` or ``<collision>`` that stands at `pose` in its link; None where it has no shape."""
    collision = element.tag == "collision"
    geometry = element.needed("geometry")
    shape = next((child for child in geometry.children if child.tag in _KNOWN), None)
    if shape is None:
        other = next((child.tag for child in geometry.children if child.tag != "empty"), None)
        if other is not None and collision:
            raise geometry.error(f"{element} of {link} is a <{other}>, expected one of {', '.join(_KNOWN)}")
        if other is not None:
            report.add(geometry, f"{element} of {link} is a <{other}>, which is not shown")
        return None
    kind = ShapeKind(shape.tag)
    try:
        mesh = _read_mesh(shape, packages) if kind is ShapeKind.MESH else None
    except MissingFileError as error:
        leave_out(error, element, collision, report)
        return None
    if kind is ShapeKind.PLANE:
        pose = pose @ Pose(rotation=_plane_rotation(shape))
    sizes = _read_sizes(shape, kind)
    if not is_solid(shape, sizes, collision, link, report):
        return None
    if kind is ShapeKind.PLANE and collision:
        sizes = np.zeros(2)  # a plane collides everywhere, however large it is drawn; the engine takes zero for that
    return Shape(
        kind,
        sizes,
        pose,
        collision,
        element,
        mesh,
        None if collision else _colour(element),
        _friction(element) if collision else None,
    )


def _read_sizes(shape: Element, kind: ShapeKind) -> np.ndarray:
    """Half lengths and radii [m], in the engine's order; none for a mesh."""
    if kind is ShapeKind.MESH:
        return np.zeros(0)
    if kind is ShapeKind.BOX:
        return _numbers(shape, "size", 3) / 2
    if kind is ShapeKind.ELLIPSOID:
        return _numbers(shape, "radii", 3)
    if kind is ShapeKind.PLANE:
        return np.array([0.5, 0.5]) if shape.first("size") is None else _numbers(shape, "size", 2) / 2
    radius = float(_numbers(shape, "radius", 1)[0])
    return np.array([radius] if kind is ShapeKind.SPHERE else [radius, float(_numbers(shape, "length", 1)[0]) / 2])


def _numbers(element: Element, tag: str, count: int) -> np.ndarray:
    child = element.needed(tag)
    return parse_numbers(child, child.text, "the text", count)


def _plane_rotation(plane: Element) -> np.ndarray:
    """The rotation that turns z onto the plane's normal."""
    normal = _numbers(plane, "normal", 3) if plane.first("normal") is not None else np.array([0.0, 0.0, 1.0])
    length = float(np.linalg.norm(normal))
    if not length > 0:
        raise plane.error("<plane> has a normal of zero length")
    axis = np.cross([0.0, 0.0, 1.0], normal / length)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3) if normal[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return axis_angle_to_matrix(axis / sine, float(np.arctan2(sine, normal[2] / length)))


def _read_mesh(mesh: Element, packages: Packages) -> MeshSource:
    scale = _numbers(mesh, "scale", 3) if mesh.first("scale") is not None else np.ones(3)
    if not np.all(scale):
        raise mesh.error(f"<scale> of <mesh> is {scale.tolist()}, expected no zero")
    submesh = mesh.at_most_one("submesh")
    part, centred = None, False
    if submesh is not None:
        part = submesh.needed("name").text.strip()
        centre = submesh.at_most_one("center")
        centred = centre is not None and flag(centre)
    uri = mesh.needed("uri")
    return MeshSource(resolve_uri(uri.text, uri, packages), scale, part, centred)


def _colour(visual: Element) -> np.ndarray | None:
    material = visual.at_most_one("material")
    for tag in ("diffuse", "ambient"):
        colour = None if material is None else material.first(tag)
        if colour is not None:
            numbers = parse_numbers(colour, colour.text, "the text", None)
            if len(numbers) not in (3, 4):
                raise colour.error(f"the text of {colour} has {len(numbers)} numbers, expected 3 or 4")
            return np.array([*numbers, 1.0][:4])
    return None


def _friction(collision: Element) -> float | None:
    """The coefficient of friction [1] along the first direction."""
    surface = collision.first("surface")
    friction = None if surface is None else surface.first("friction")
    if friction is None:
        return None
    for engine, tag in (("ode", "mu"), ("bullet", "friction")):
        group = friction.first(engine)
        value = None if group is None else group.first(tag)
        if value is not None:
            mu = number_in_text(value)
            if mu < 0:
                raise value.error(f"{collision} has a friction coefficient of {mu:g}, expected none below zero")
            return mu
    return None
