"""MJCF scenes: what stands in one and what is free joins a world; what drives, ties and measures is left out, and noted.

A body that actuators drive, with all that it carries, is a robot: it is left out. Other joints than the free one of a body in the
world are held where they are.
"""

from __future__ import annotations

from collections.abc import Iterable

import mujoco

from didymos.describe.description import Note
from didymos.describe.formats.engine_spec import ask_engine
from didymos.describe.formats.mjcf import read_engine_spec
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xml_file import Element

__all__ = ["read_mjcf_scene"]

_FREE = mujoco.mjtJoint.mjJNT_FREE
_WORDS = {"equalities": "equality constraints", "keys": "keyframes", "pairs": "contact pairs", "excludes": "excluded pairs"}
_UNUSED = (
    "actuators", "sensors", "tendons", "equalities", "keys", "pairs", "excludes", "flexes", "skins",
    "plugins", "cameras",
)


def read_mjcf_scene(root: Element, packages: Packages) -> tuple[mujoco.MjSpec, tuple[Note, ...]]:
    """The spec of a scene without its robots, its joints but for free ones, and all that acts on them; and notes on these."""
    file = root.file
    spec = read_engine_spec(root, packages)
    notes: list[str] = []
    ask_engine(lambda: _reduce(spec, notes), file)
    return spec, tuple(Note(str(file), None, note) for note in notes)


def _reduce(spec: mujoco.MjSpec, notes: list[str]) -> None:
    driven = {actuator.target for actuator in spec.actuators}
    ties = {tendon.name for tendon in spec.tendons}
    by_tendon = bool(driven & ties)
    robots = []
    for body in list(spec.worldbody.bodies):
        names = {joint.name for joint in (*body.joints, *body.find_all(mujoco.mjtObj.mjOBJ_JOINT)) if joint.name}
        if names & driven or (names and by_tendon):
            robots.append(body)
    for kind in _UNUSED:
        _delete(spec, getattr(spec, kind, ()), kind, notes)
    for light in spec.lights:
        light.targetbody = ""
    for body in robots:
        notes.append(f"body {body.name!r} is a robot, with joints that actuators drive; it is left out")
        spec.delete(body)
    for body in list(spec.bodies):
        if body.parent is None:
            continue
        if body.mocap:
            body.mocap = False
            notes.append(f"body {body.name!r} is moved from outside (mocap); it stands still")
        for joint in list(body.joints):
            if joint.type != _FREE or body.parent.parent is not None:
                notes.append(f"joint {joint.name or 'without a name'!r} of body {body.name!r} is held where it is")
                spec.delete(joint)


def _delete(spec: mujoco.MjSpec, elements: Iterable[object], kind: str, notes: list[str]) -> None:
    found = list(elements)
    for element in found:
        spec.delete(element)
    if found:
        notes.append(f"{len(found)} {_WORDS.get(kind, kind)} are not used")
