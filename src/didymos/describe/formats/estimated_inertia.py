"""Masses and inertias that a description does not give, from the shapes of its links.

Where the user asks for it (`estimate_inertias`), a link without mass gets mass and inertia of its shapes at one density: those
that it collides by, or else those that are seen. A link with a mass and without an inertia, or with one that no body can have,
keeps its mass and gets the inertia of its shapes, scaled to it. The shapes of a link count each in full, so that what overlaps
counts twice; a mesh counts as its convex hull, which is more than a hollow part holds. It is an estimate; every one is a note,
and the notes say at which density.

A new twin gets less than that unasked (`fill_points`): links that have a mass and no inertia to speak of,

    C <= m (1 um)^2            C the largest principal moment, m the mass

in a rigid group that turns about some axis through its centre of mass as if all of it were within 0.1 mm of that axis. They get
the inertia of their own shapes for the mass that they have; where no such link of the group has a shape, the heaviest gets that
of all shapes welded to it. Such a group would turn at any touch with an acceleration that no step follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import mujoco
import numpy as np

from didymos.describe.formats.engine_spec import GEOM_TYPES
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.inertia import THIN, RigidGroup, inertia_fault, is_point, thin_points
from didymos.describe.formats.mechanism import WORLD, Inertial, LinkSource, MeshSource, Shape, ShapeKind
from didymos.rotations import quaternion_to_matrix

__all__ = ["TRIED", "estimate_inertias", "fill_points"]

TRIED = 1000.0  # [kg/m^3]: water, and about what a machine of light metal, plastic and air weighs

Corners = Callable[[MeshSource], np.ndarray | None]
"""The corners of a mesh [m], shape [n, 3], scaled; None where it cannot be read."""


def estimate_inertias(links: dict[str, LinkSource], density: float, corners: Corners, report: ImportReport) -> None:
    """Give every link that lacks it a mass and an inertia, at a density [kg/m^3]; one that has no shape is left as it is."""
    for link in links.values():
        given = link.inertial
        fault = inertia_fault(given.inertia) is not None or is_point(given)
        if link.name == WORLD or (given.mass > 0.0 and not fault):
            continue
        found = _of_shapes(link.shapes, density, corners)
        if found is None:
            continue
        if given.mass > 0.0:
            inertia = found.inertia * given.mass / found.mass
            link.inertial = Inertial(given.mass, given.com, inertia)
            what = f"link {link.name!r} gets the inertia of its shapes, for its mass of {given.mass:g} kg"
            report.add(link.inertial_element, what)
        else:
            link.inertial = found
            what = f"link {link.name!r} has no mass and gets that of its shapes: {found.mass:.3g} kg at {density:g} kg/m^3"
            report.add(link.inertial_element, what)


def fill_points(group: RigidGroup, links: dict[str, LinkSource], corners: Corners, report: ImportReport) -> tuple[str, ...]:
    """Give the links of a rigid group that are points the inertia of their shapes, where the group needs it; which got one."""
    points = thin_points(group, links)
    if not points:
        return ()
    found = {name: _of_shapes(links[name].shapes, TRIED, corners) for name in points}
    whose = "its shapes"
    if not any(found.values()):
        heaviest = max(points, key=lambda name: links[name].inertial.mass)
        found, whose = {heaviest: _of_shapes(_shapes_around(heaviest, group, links), TRIED, corners)}, "what is welded to it"
    for name, estimate in found.items():
        if estimate is not None:
            given = links[name].inertial
            links[name].inertial = Inertial(given.mass, given.com, estimate.inertia * given.mass / estimate.mass)
            what = f"link {name!r} has a mass and no inertia: that of {whose} is taken for its {given.mass:g} kg, an estimate"
            report.add(links[name].inertial_element, what)
    return tuple(name for name, estimate in found.items() if estimate is not None)


def _shapes_around(name: str, group: RigidGroup, links: dict[str, LinkSource]) -> list[Shape]:
    """The shapes of a rigid group in the frame of one of its links."""
    here = group.members[name].inverse()
    return [
        replace(shape, pose=here @ pose @ shape.pose) for other, pose in group.members.items() for shape in links[other].shapes
    ]


def _of_shapes(given: list[Shape], density: float, corners: Corners) -> Inertial | None:
    solid = [shape for shape in given if shape.collision and shape.kind is not ShapeKind.PLANE]
    for shapes in (solid, [shape for shape in given if not shape.collision and shape.kind is not ShapeKind.PLANE]):
        found = _together(shapes, density, corners)
        if found is not None:
            return found
    return None


def _together(shapes: list[Shape], density: float, corners: Corners) -> Inertial | None:
    """What shapes of one link weigh together, by the engine; None where they have no volume."""
    spec = mujoco.MjSpec()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    body = spec.worldbody.add_body(name="link")
    body.add_freejoint()
    for number, shape in enumerate(shapes):
        size = np.zeros(3)
        size[: len(shape.size)] = shape.size
        geom = {"type": GEOM_TYPES[shape.kind], "pos": shape.pose.position, "quat": shape.pose.quaternion, "density": density}
        if shape.mesh is not None:
            points = corners(shape.mesh)
            if points is None or len(points) < 4:
                continue
            mesh = spec.add_mesh(name=f"mesh{number}")
            mesh.uservert = points.astype(np.float32).ravel()
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            body.add_geom(**geom, meshname=mesh.name)
        else:
            body.add_geom(**geom, size=size)
    if not body.geoms:
        return None
    try:
        model = spec.compile()
    except ValueError:  # a flat mesh has no hull
        return None
    axes = quaternion_to_matrix(model.body_iquat[1])
    mass = float(model.body_mass[1])
    if not mass > 0.0:
        return None
    return Inertial(mass, model.body_ipos[1].copy(), axes @ np.diag(model.body_inertia[1] + mass * THIN**2) @ axes.T)
