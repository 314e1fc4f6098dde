"""What of a robot may touch what else: the limits of contacts, and the table by which compiled ticks watch them.

Shapes belong to groups: a link each, an object of the world each, the ground. Feet, wheels and casters are found by the
programs' own finders, and are the links that directed `contacts` of the twin file name; they may touch the ground and what is
ground by its shape (planes, height fields, terrain). Of a robot that has any, all else that touches the ground is a fall; of one
that has none, a contact like any other. Links of the robot that touch each other are not watched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.leg_finder import find_legs
from didymos.control.wheel_finder import find_wheels
from didymos.engine.contact_watch import Watch
from didymos.engine.object_shapes import shape_names
from didymos.engine.objects import object_of
from didymos.engine.scenery import GROUND
from didymos.shadow.limits import ContactLimit

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.engine.simulation import Simulation

__all__ = ["contact_limits", "feet_of", "watch_of"]

_GROUND = "ground"
_LIKE_GROUND = ("plane", "height_field", "terrain")


def feet_of(twin: Twin) -> frozenset[str]:
    """The links that a robot stands, walks or rolls on, with those that they carry; none where nothing pulls it to a ground."""
    world = twin.file.world
    if not twin.description.floating or world.gravity == 0.0 or (world.ground is None and not world.objects):
        return frozenset()
    found = {contact.link for contact in twin.file.contacts.values()}
    wheels = find_wheels(twin.model)
    if wheels is not None:
        found |= {wheel.link for wheel in (*wheels.wheels, *wheels.casters)} | set(wheels.balls)
    elif not found:
        found |= {leg.foot.link for leg in find_legs(twin.model)}
    joints = twin.description.joints.values()
    while more := {joint.child for joint in joints if joint.parent in found} - found:
        found |= more
    return frozenset(found)


def contact_limits(simulation: Simulation, feet: frozenset[str]) -> tuple[ContactLimit, ...]:
    """One for each link with shapes that collide and each thing of the world that it may collide with."""
    twin, groups = simulation.twin, _groups(simulation)
    names = dict.fromkeys(groups)
    links = [name for name in names if name in twin.description.links]
    things = [name for name in names if name is not None and name not in twin.description.links]
    ground = {_GROUND, *(name for name, thing in twin.file.world.objects.items() if thing.shape in _LIKE_GROUND)}
    found = []
    for link in links:
        for thing in things:
            if thing in ground and link in feet:
                continue
            kind = "fall" if thing in ground and feet else "contact"
            found.append(ContactLimit(f"{link} touches {thing}", kind, str(link), thing))
    return tuple(found)


def watch_of(simulation: Simulation, limits: tuple[ContactLimit, ...]) -> Watch:
    """The table by which ticks watch some contacts, an event each."""
    groups = _groups(simulation)
    numbers = {name: i for i, name in enumerate(name for name in dict.fromkeys(groups) if name is not None)}
    events = np.full((max(len(numbers), 1), max(len(numbers), 1)), -1, dtype=np.int64)
    for event, limit in enumerate(limits):
        one, other = numbers[limit.link], numbers[limit.other]
        events[one, other] = events[other, one] = event
    table: NDArray[np.int64] = np.array([-1 if name is None else numbers[name] for name in groups], dtype=np.int64)
    return Watch(table, events, np.full(max(len(limits), 1), -1, dtype=np.int64))


def _groups(simulation: Simulation) -> list[str | None]:
    """The link or thing that each shape belongs to; None for one that collides with nothing."""
    model, links, twin = simulation.model, simulation.links, simulation.twin
    standing = {
        shape: name for name, thing in twin.file.world.objects.items() for shape in shape_names(twin.surroundings, name, thing)
    }
    return [_group(model, geom, links.link_of_geom(model, geom), standing) for geom in range(model.ngeom)]


def _group(model: mujoco.MjModel, geom: int, link: str | None, standing: dict[str, str]) -> str | None:
    paired = bool(model.npair) and geom in (*model.pair_geom1.tolist(), *model.pair_geom2.tolist())
    if not (model.geom_contype[geom] or model.geom_conaffinity[geom] or paired):
        return None
    if link is not None:
        return link
    name, body = str(model.geom(geom).name), str(model.body(int(model.geom_bodyid[geom])).name)
    if name == GROUND:
        return _GROUND
    return object_of(body) or standing.get(name) or name or body
