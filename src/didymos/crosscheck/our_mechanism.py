"""Our side of a comparison of mechanisms: the very model that a run of the twin uses, with everything else switched off.

Parts, contacts, limits, dry friction and equality constraints do not act; gravity, damping, springs and armature do.
Coordinates everywhere in this room are the engine's: `qpos` (a free joint: position in the world [m], quaternion w first) and
`qvel` (a free joint: velocity in the world [m/s], rate in its own frame [rad/s]).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.assemble import assemble
from didymos.engine.link_frames import LinkFrames
from didymos.engine.start import place_at_start

__all__ = ["OurMechanism", "our_mechanism", "switched_off"]

Array = NDArray[np.float64]

_OFF = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "ACTUATION")


@dataclass(frozen=True, eq=False)
class OurMechanism:
    """The engine's model of a twin's mechanism, where the links are on it, and the state in which the twin begins."""

    model: mujoco.MjModel
    links: LinkFrames
    qpos: Array
    qvel: Array


def our_mechanism(twin: Twin) -> OurMechanism:
    """The mechanism of a twin as a run of it would have it."""
    assembly = assemble(twin)
    model, data = assembly.model, mujoco.MjData(assembly.model)
    place_at_start(twin, assembly.links.root_body(model), model, data, twin.file.start, {})
    return OurMechanism(switched_off(model), assembly.links, data.qpos.copy(), data.qvel.copy())


def switched_off(model: mujoco.MjModel) -> mujoco.MjModel:
    """A copy of a model in which nothing but the mechanism itself acts."""
    made = copy.copy(model)
    for name in _OFF:
        made.opt.disableflags = int(made.opt.disableflags) | int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    return made
