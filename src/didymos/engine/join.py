"""Several robots in one model: their specs, joined under a prefix each.

A twin alone is its own spec. In a world every robot's spec is attached to a common one: each name gets the robot's prefix, all
else is as in its own spec, to the bit. A robot that is mounted hangs on a body of the one that carries it; one that stands in the
world for good is put where it shall stand. What a mount does to a description itself is in describe/mounting.py.

Options of the engine that a description sets itself (solver, medium, flags) are a model's, not a robot's: those of the first
robot hold, and `options_left_out` says what of the others' is not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.twin import Twin
from didymos.engine.fuse import Fused
from didymos.engine.link_frames import WORLD, LinkFrame, LinkFrames
from didymos.rotations import Pose

__all__ = ["Joined", "Mount", "join", "options_left_out"]

_OURS = frozenset(("timestep", "integrator", "gravity", "magnetic", "impratio", "cone", "disableflags"))  # the world's own


@dataclass(frozen=True)
class Mount:
    """Where a robot's description begins: at a pose of a link of another robot (its number), or of the world (None)."""

    pose: Pose
    carrier: int | None = None
    link: str = ""


@dataclass(frozen=True)
class Joined:
    """A spec of all robots, and where the links of each are in it."""

    spec: mujoco.MjSpec
    links: tuple[LinkFrames, ...]


def join(twins: Sequence[Twin], fused: Sequence[Fused], mounts: Mapping[int, Mount]) -> Joined:
    """All robots in one spec; carriers stand before what they carry."""
    if len(twins) == 1 and not twins[0].description.prefix:
        return Joined(fused[0].spec, (fused[0].links,))
    spec = mujoco.MjSpec()
    spec.modelname = WORLD
    spec.copy_during_attach = True
    spec.compiler.degree = False
    spec.compiler.fusestatic = False
    for name in _options(fused[0].spec):
        setattr(spec.option, name, getattr(fused[0].spec.option, name))
    links: list[LinkFrames] = []
    for number, (twin, own) in enumerate(zip(twins, fused, strict=True)):
        prefix, mount = twin.description.prefix, mounts.get(number)
        place = LinkFrame(WORLD, Pose())
        for key in list(own.spec.keys):
            own.spec.delete(key)
        for name in _options(own.spec):  # the engine warns of every difference; ours stand in `options_left_out`
            setattr(own.spec.option, name, getattr(spec.option, name))
        if mount is not None:
            carrier = place if mount.carrier is None else links[mount.carrier][mount.link]
            place = LinkFrame(carrier.body, carrier.pose @ mount.pose)
        body = spec.worldbody if place.body == WORLD else spec.body(place.body)
        frame = body.add_frame(pos=place.pose.position, quat=place.pose.quaternion)
        spec.attach(own.spec, prefix=prefix, frame=frame)
        links.append(own.links.placed(prefix, place))
    return Joined(spec, tuple(links))


def _options(spec: mujoco.MjSpec) -> Iterator[str]:
    return (name for name in dir(spec.option) if not name.startswith("_"))


def options_left_out(first: Twin, other: Twin) -> list[str]:
    """Names of the engine's options that a description sets otherwise than that of the first robot."""
    ours, theirs = first.description.as_read.spec.option, other.description.as_read.spec.option
    unset = mujoco.MjSpec().option
    names = [name for name in _options(other.description.as_read.spec) if name not in _OURS]
    return [
        name for name in names
        if not any(np.array_equal(getattr(theirs, name), getattr(held, name)) for held in (ours, unset))
    ]  # fmt: skip
