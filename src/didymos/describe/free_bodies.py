"""What of a twin's world moves freely beside its root link: free objects, and further links of the description on a free joint.

Each has a name below `start.objects` and begins where it is described, unless the start says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description
from didymos.describe.schema import TwinFile
from didymos.rotations import angle

__all__ = ["FREE_STATE", "FreeBody", "free_bodies", "free_links", "roll_pitch_yaw"]

Three = tuple[float, float, float]
_STILL: Three = (0.0, 0.0, 0.0)
FREE_STATE = {"position": "m", "orientation": "rad", "velocity": "m/s", "angular_velocity": "rad/s"}
"""What the state of a free body is made of, with units; orientation is roll, pitch, yaw; velocities are in its own frame."""


@dataclass(frozen=True)
class FreeBody:
    """A free body and the state in which it is described; `joint` is the engine's name of its free joint."""

    name: str
    joint: str
    position: Three
    orientation: Three
    velocity: Three = _STILL
    angular_velocity: Three = _STILL

    @property
    def is_object(self) -> bool:
        """Whether it belongs to the world, not to the robot."""
        return self.joint.startswith("didymos:object:")


def free_bodies(file: TwinFile, described: Iterable[FreeBody]) -> dict[str, FreeBody]:
    """All free bodies by name: those that are `described` (`Surroundings.free`), then the objects of the twin file."""
    found = {body.name: body for body in described}
    for name, thing in file.world.objects.items():
        if thing.is_free:
            state = (tuple(getattr(thing, key)) for key in FREE_STATE)
            found[name] = FreeBody(name, f"didymos:object:{name}", *state)
    return found


def free_links(description: Description) -> Iterator[FreeBody]:
    """The links of a description that have a free joint of their own, but for its root."""
    root = description.links[description.root].body
    free = mujoco.mjtJoint.mjJNT_FREE
    if not any(joint.type == free and joint.parent.name != root for joint in description.spec.joints):
        return
    model = description.spec.copy().compile()
    links = {link.body: name for name, link in description.links.items()}
    for joint in range(model.njnt):
        body = model.body(int(model.jnt_bodyid[joint])).name
        if model.jnt_type[joint] == free and body != root:
            start = int(model.jnt_qposadr[joint])
            x, y, z = (float(value) for value in model.qpos0[start : start + 3])
            yield FreeBody(links[body], model.joint(joint).name, (x, y, z), roll_pitch_yaw(model.qpos0[start + 3 : start + 7]))


def roll_pitch_yaw(quaternion: NDArray[np.float64]) -> Three:
    """Roll, pitch, yaw [rad] of a unit quaternion, w first."""
    roll, pitch, yaw = (float(angle(name, quaternion[None])[0]) for name in ("roll", "pitch", "yaw"))
    return roll, pitch, yaw
