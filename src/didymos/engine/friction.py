"""Contacts whose friction has a direction: explicit pairs of the engine, and the part table's list of which axis each follows."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.schema import ContactSpec
from didymos.describe.twin import Twin
from didymos.engine.link_frames import LinkFrames
from didymos.engine.part_table import DIRECTION
from didymos.engine.scenery import floors
from didymos.errors import InputError

__all__ = ["add_pairs", "direction_rows", "set_friction"]


_OWN_RADIUS = {
    mujoco.mjtGeom.mjGEOM_SPHERE: 0, mujoco.mjtGeom.mjGEOM_CYLINDER: 0, mujoco.mjtGeom.mjGEOM_CAPSULE: 0,
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: slice(3),
}  # fmt: skip
"""Which of the sizes of a shape its radius is the largest of."""


def _own_shapes(spec: mujoco.MjSpec, links: LinkFrames, link: str) -> list[mujoco.MjsGeom]:
    """The shapes with which a link touches things."""
    own = [spec.geom(geom) for geom, owner in links.geoms.items() if owner == link]
    return [geom for geom in own if geom is not None and (geom.contype or geom.conaffinity)]  # others may be gone


def _round_off(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str) -> mujoco.MjsGeom:
    """The one sphere with which the link of a contact touches things from now on; what it replaces is there for the eye."""
    contact = twin.file.contacts[name]
    shapes = _own_shapes(spec, links, contact.link)
    only = shapes[0] if len(shapes) == 1 else None
    if only is not None and only.type == mujoco.mjtGeom.mjGEOM_SPHERE and not contact.radius:
        return only
    if only is not None and only.type in _OWN_RADIUS:
        radius = contact.radius or float(np.max(only.size[_OWN_RADIUS[only.type]]))
        ends = np.array(only.fromto)
        center = only.pos if np.isnan(ends[0]) else 0.5 * (ends[:3] + ends[3:])
    elif shapes and contact.radius:
        radius, center = contact.radius, None
    else:
        what = "no collision shape"
        if shapes:
            form = "of another form than sphere, cylinder, capsule or ellipsoid"
            what = f"a collision shape {form}" if len(shapes) == 1 else f"{len(shapes)} collision shapes"
            what += "; give the 'radius' of a sphere at its origin"
        raise twin.mistake(f"link {contact.link!r} has {what}", "contacts", name, "link")
    model = shapes[0]
    sphere = model.parent.add_geom(
        name=f"{twin.description.prefix}didymos_{name}",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[radius, 0.0, 0.0],
        pos=links[contact.link].pose.position if center is None else center,
        mass=0.0,
        group=model.group,
        contype=model.contype,
        conaffinity=model.conaffinity,
        friction=model.friction,
        rgba=[0.0, 0.0, 0.0, 0.0],
    )
    if center is not None and model.frame is not None:
        sphere.set_frame(model.frame)
    for shape in shapes:
        shape.contype, shape.conaffinity = 0, 0
    links.geoms[sphere.name] = contact.link
    return sphere


def _pair(twin: Twin, name: str, floor: str) -> str:
    return f"{twin.description.prefix}didymos_{name}_{floor}"


def _coefficients(contact: ContactSpec, floor: float) -> list[float]:
    """The five coefficients of the engine's pair; across no more than along, as rollers that seize slide."""
    along = max(contact.along * floor, 1e-5)
    return [along, max(min(contact.across, along), 1e-5), contact.spin * floor, 0.0001, 0.0001]


def add_pairs(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames) -> None:
    """A pair of the engine for every contact with a direction and every floor."""
    world = twin.file.world
    if twin.file.contacts or world.friction_cone == "elliptic":
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    for name, contact in twin.file.contacts.items():
        shape = _round_off(spec, twin, links, name)
        for floor, (_, friction) in floors(twin).items():
            spec.add_pair(
                name=_pair(twin, name, floor),
                geomname1=floor,
                geomname2=shape.name,
                condim=4,
                friction=_coefficients(contact, friction),
                solref=[world.contact_time, 1.0],
                solreffriction=[contact.softness, 1.0],
            )


def set_friction(model: mujoco.MjModel, twin: Twin) -> None:
    """Write the coefficients of all contacts as the twin has them now."""
    for name, contact in twin.file.contacts.items():
        for floor, (_, friction) in floors(twin).items():
            pair = model.pair(_pair(twin, name, floor)).id
            model.pair_friction[pair] = _coefficients(contact, friction)
            model.pair_solreffriction[pair, 0] = contact.softness


def direction_rows(model: mujoco.MjModel, twin: Twin, spec: mujoco.MjSpec, links: LinkFrames) -> NDArray[Any]:
    """Rows of the part table, one `DIRECTION` per contact."""
    rows = np.zeros(len(twin.file.contacts), dtype=DIRECTION)
    for row, (name, contact) in zip(rows, twin.file.contacts.items(), strict=True):
        if contact.frame not in links.links and contact.frame not in links.frames:
            raise InputError(f"there is no link or frame {contact.frame!r}", path=f"contacts.{name}.frame")
        row["shape"] = model.geom(_own_shapes(spec, links, contact.link)[0].name).id
        turn = links[contact.frame].pose.rotation
        row["body"] = links.body(model, contact.frame)
        row["axis"] = math.cos(contact.angle) * turn[:, 0] + math.sin(contact.angle) * turn[:, 1]
    return rows
