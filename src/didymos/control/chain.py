"""The chain of joints from the base to an end effector, and which link that is where nobody says.

From the root, the way leads into the child that carries the longest chain of joints. It ends at a link that carries several
chains of which none is long (the fingers of a gripper), or none at all. A frame or link that is fixed to it and bears a name that
such frames have (tool0, tcp, attachment_site, ...) is the end effector; else that link itself.
"""

from __future__ import annotations

import re

import numpy as np

from didymos.errors import InputError, nearest
from didymos.model import RobotModel

__all__ = ["chain_joints", "end_effector"]

_LONG = 4  # joints of an arm; fingers have fewer
_NAMES = r"tool0?|(tool|ee)_link|ee|eef|tcp|end_?effector|(attachment|pinch|grasp)_site|flange"
_TOOL = re.compile(rf"(^|[^a-z])({_NAMES})$", re.IGNORECASE)


def chain_joints(model: RobotModel, frame: str) -> tuple[str, ...]:
    """The joints between the base and a link or frame that turn or slide, from the base on: those that move it."""
    if frame not in model.frames:
        what = f"there is no link or frame {frame!r}{nearest(frame, model.frames)}"
        raise InputError(what, path="control.options.end_effector")
    moved = np.any(model.at(model.reference).jacobian(frame) != 0.0, axis=0)
    single = [model.joint(name) for name in model.joints if model.joint(name).nv == 1]
    chain = sorted((joint for joint in single if moved[joint.velocity_index]), key=lambda joint: joint.velocity_index)
    return tuple(joint.name for joint in chain)


def end_effector(model: RobotModel) -> str:
    """The link or frame at the end of the longest arm."""
    children: dict[str, list[str]] = {name: [] for name in model.links}
    for name, link in model.links.items():
        if link.parent is not None:
            children[link.parent].append(name)
    depths: dict[str, int] = {}
    for name in reversed(_downwards(model.root, children)):
        depths[name] = len(model.links[name].joints) + max((depths[child] for child in children[name]), default=0)
    here = model.root
    while children[here]:
        moving = [child for child in children[here] if depths[child] > 0]
        best = max(children[here], key=lambda child: depths[child])
        if not moving or (len(moving) > 1 and depths[best] < _LONG and here != model.root):
            break
        here = best
    own = chain_joints(model, here)
    named = [frame for frame in model.frames if _TOOL.search(frame) and chain_joints(model, frame) == own]
    return named[-1] if named else here


def _downwards(root: str, children: dict[str, list[str]]) -> list[str]:
    """All links below one, parents first."""
    found = [root]
    for name in found:
        found += children[name]
    return found
