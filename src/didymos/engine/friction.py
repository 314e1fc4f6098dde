"""Contacts whose friction has a direction: explicit pairs of the engine, and the part table's list of which axis each follows."""

from __future__ import annotations

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


def _sphere(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str) -> mujoco.MjsGeom:
    """The one sphere with which the link of a contact touches things."""
    link = twin.file.contacts[name].link
    own = [spec.geom(geom) for geom, owner in links.geoms.items() if owner == link]
    shapes = [geom for geom in own if geom is not None and (geom.contype or geom.conaffinity)]  # others may be gone
    if len(shapes) != 1 or shapes[0].type != mujoco.mjtGeom.mjGEOM_SPHERE:
        raise twin.mistake(f"link {link!r} has another collision shape than one sphere", "contacts", name, "link")
    return shapes[0]


def _pair(name: str, floor: str) -> str:
    return f"didymos_{name}_{floor}"


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
        shape = _sphere(spec, twin, links, name)
        for floor, friction in floors(world).values():
            spec.add_pair(
                name=_pair(name, floor),
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
        for floor, friction in floors(twin.file.world).values():
            pair = model.pair(_pair(name, floor)).id
            model.pair_friction[pair] = _coefficients(contact, friction)
            model.pair_solreffriction[pair, 0] = contact.softness


def direction_rows(model: mujoco.MjModel, twin: Twin, spec: mujoco.MjSpec, links: LinkFrames) -> NDArray[Any]:
    """Rows of the part table, one `DIRECTION` per contact."""
    rows = np.zeros(len(twin.file.contacts), dtype=DIRECTION)
    for row, (name, contact) in zip(rows, twin.file.contacts.items(), strict=True):
        if contact.frame not in links.links and contact.frame not in links.frames:
            raise InputError(f"there is no link or frame {contact.frame!r}", path=f"contacts.{name}.frame")
        row["shape"] = model.geom(_sphere(spec, twin, links, name).name).id
        row["body"], row["axis"] = links.body(model, contact.frame), links[contact.frame].pose.rotation[:, 0]
    return rows
