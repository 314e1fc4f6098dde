"""Lean models: links behind fixed joints become part of the body that carries them.

A description has one body per link. The engine moves every body through positions, velocities, inertias and forces in each
evaluation, so a quadcopter of 17 links on 5 moving bodies pays for 17. Here every link without a joint of its own is merged
into the nearest link that has one; shapes, sites, cameras and lights move over and keep their names, and `LinkFrames` says
where each link is from then on.

The merging itself is the engine's (`MjSpec.fuse_static`): the body becomes a frame of its parent, with the same coordinates,
and bodies that something refers to by name, that have a plugin, or that feel gravity or a fluid differently are kept. Its
compiler flag `fusestatic` would do the same while compiling; it is not used, since the map from links to bodies must be known
before parts and sensors are added. Three things are ours:

- What stands in the world itself stays a body, though it does not move: shapes of the robot are not shapes of the world.
- The list of excluded pairs goes by bodies, and a body that an exclusion names would not be fused. The list is written anew
  for the fused bodies, without the pairs that the engine leaves out in any case (within a rigid group, and between a group and
  the one that carries it, unless that stands in the world). Everything else in the engine's choice of pairs goes by rigid
  groups, which fusing does not change; so the same shapes meet as before. Where two groups were excluded from each other only in
  part, no list for the whole can say so, and those links stay bodies.
- Links that must stay bodies (`keep`): a force or torque is measured between a body and its parent, a contact sensor is that
  of a body, a range finder does not see the body that it sits on.

Masses and inertias are those of `link_inertia.py`, which also follows a mass that changes during a run.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.description import Description
from didymos.describe.formats.engine_spec import check_compiles, unique
from didymos.describe.names import readings
from didymos.describe.twin import Twin
from didymos.engine.link_frames import LinkFrame, LinkFrames
from didymos.rotations import Pose, quaternion_to_matrix

__all__ = ["Fused", "fuse", "links_to_keep"]

_OF_A_BODY = {"force", "torque", "contact", "rangefinder"}  # sensors of the engine that mean one body
_THIN = 1e-9  # [kg m^2], a gram at a millimetre
_FILTER_PARENT = int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)


@dataclass(frozen=True, eq=False)
class Fused:
    """A spec of its own with fused bodies, where the links are on them, and the model as described, one body per link."""

    spec: mujoco.MjSpec
    links: LinkFrames
    described: mujoco.MjModel


def links_to_keep(twin: Twin) -> set[str]:
    """The links of a twin that sensors need as bodies."""
    found = set()
    for sensor in readings(twin).values():
        if _OF_A_BODY & {quantity.kind for quantity in sensor.contract.quantities}:
            link: str = getattr(sensor, "link")  # noqa: B009
            found.add(twin.description.frames[link].link if link in twin.description.frames else link)
    return found


def fuse(description: Description, keep: Collection[str] = ()) -> Fused:
    """The description's spec with fixed links merged into the bodies that carry them; `keep` names links that are not."""
    described, _ = check_compiles(description.spec.copy(), description.source)
    kept = set(keep)
    while True:
        spec = description.spec.copy()
        geoms = _name_geoms(spec, description)
        for item in list(spec.excludes):
            spec.delete(item)
        _hold(spec, {description.links[name].body for name in kept})
        _thicken(spec)
        spec.fuse_static()
        links = _links(description, described, spec, geoms)
        excludes, torn = _excluded_pairs(description, described, links)
        if not torn - kept:
            break
        kept |= torn
    for first, second in excludes:
        spec.add_exclude(bodyname1=first, bodyname2=second)
    return Fused(spec, links, described)


def _name_geoms(spec: mujoco.MjSpec, description: Description) -> dict[str, str]:
    """Give every shape a name; the link that each belongs to."""
    taken = {geom.name for geom in spec.geoms}
    found = {}
    for link in description.links.values():
        for geom in spec.body(link.body).geoms:
            if not geom.name:
                geom.name = unique(f"{link.body}:shape", taken)
            found[geom.name] = link.name
    return found


def _thicken(spec: mujoco.MjSpec) -> None:
    """Give points and rods that are welded on an inertia about every axis.

    The engine fuses two bodies at a time and refuses a sum of points that rounding leaves below zero, though all together are
    a proper body. What it sums is not used: `LinkInertias.write_fused` writes the exact sum.
    """
    for body in spec.bodies:
        if body.fuse and body.explicitinertial and body.mass > 0.0 and not body.joints and min(body.inertia) < _THIN:
            body.inertia = body.inertia + _THIN


def _hold(spec: mujoco.MjSpec, kept: set[str]) -> None:
    """Mark the bodies that the engine shall not fuse."""
    seeing = {sensor.objname for sensor in spec.sensors if sensor.type == mujoco.mjtSensor.mjSENS_RANGEFINDER}
    for body in spec.bodies:
        if body.parent is None:
            continue
        weighs = body.gravcomp != body.parent.gravcomp  # also where it has no mass yet: that is a parameter
        sees = any(site.name in seeing for site in body.sites) or any(camera.name in seeing for camera in body.cameras)
        if body.parent.parent is None or body.name in kept or weighs or sees:
            body.fuse = 0


def _links(description: Description, described: mujoco.MjModel, spec: mujoco.MjSpec, geoms: dict[str, str]) -> LinkFrames:
    left = {body.name for body in spec.bodies}
    links = {}
    for name, link in description.links.items():
        body, pose = int(described.body(link.body).id), Pose()
        while described.body(body).name not in left:
            pose = _pose(described.body_pos[body], described.body_quat[body]) @ pose
            body = int(described.body_parentid[body])
        links[name] = LinkFrame(described.body(body).name, pose)
    world = LinkFrame(described.body(0).name, Pose())  # a site of MJCF may stand in it
    frames = {}
    for name, frame in description.frames.items():
        carrier = links.get(frame.link, world)
        frames[name] = LinkFrame(carrier.body, carrier.pose @ _pose(frame.position, frame.quaternion))
    return LinkFrames(description.root, links, frames, geoms)


def _pose(position: np.ndarray, quaternion: np.ndarray) -> Pose:
    return Pose(np.array(position, dtype=np.float64), quaternion_to_matrix(np.asarray(quaternion, dtype=np.float64)))


def _excluded_pairs(
    description: Description, described: mujoco.MjModel, links: LinkFrames
) -> tuple[list[tuple[str, str]], set[str]]:
    """The pairs of fused bodies to exclude, and the links that must stay bodies because only some pairs of theirs are."""
    names = {int(described.body(link.body).id): name for name, link in description.links.items()}
    carriers = {0: described.body(0).name} | {body: links[name].body for body, name in names.items()}
    touching = (described.geom_contype != 0) | (described.geom_conaffinity != 0)
    colliding = {0, *(int(body) for body in described.geom_bodyid[touching])}  # the world will get its ground later
    excluded = set()
    for item in description.spec.excludes:
        first, second = (int(described.body(name).id) for name in (item.bodyname1, item.bodyname2))
        if {first, second} <= colliding and not _never_tried(described, first, second):
            excluded |= {(first, second), (second, first)}
    pairs, torn = dict[tuple[str, str], None](), set[str]()
    for first, second in sorted(excluded):
        together = [
            (a, b)
            for a in colliding if carriers[a] == carriers[first]
            for b in colliding if carriers[b] == carriers[second]
        ]  # fmt: skip
        if not excluded.issuperset(together):
            torn |= {names[body] for pair in together for body in pair if body}
        elif first < second:
            pairs[carriers[first], carriers[second]] = None
    return list(pairs), torn


def _never_tried(model: mujoco.MjModel, first: int, second: int) -> bool:
    """Whether the engine leaves a pair of bodies out by itself: of one rigid group, or of one that carries the other."""
    a, b = int(model.body_weldid[first]), int(model.body_weldid[second])
    if a == b:
        return True
    if not a or not b or int(model.opt.disableflags) & _FILTER_PARENT:
        return False
    return b == model.body_weldid[model.body_parentid[a]] or a == model.body_weldid[model.body_parentid[b]]
