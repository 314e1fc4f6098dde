"""Where the named links and frames of a twin are, on the bodies of the engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation

__all__ = ["PoseOnBody", "frame_poses", "root_body"]

PoseOnBody = tuple[int, NDArray[np.float64], NDArray[np.float64]]
"""Body, and position [m] and quaternion in it."""


def frame_poses(twin: Twin, bodies: Mapping[str, int]) -> dict[str, PoseOnBody]:
    """The pose of every link and named frame; `bodies` gives the numbers of the engine's bodies by name."""
    links = twin.description.links
    at_rest = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    poses: dict[str, PoseOnBody] = {name: (bodies[link.body], *at_rest) for name, link in links.items()}
    for name, frame in twin.description.frames.items():
        poses[name] = (bodies[links[frame.link].body], frame.position, frame.quaternion)
    return poses


def root_body(simulation: Simulation) -> int:
    """The number of the engine's body that is the root link."""
    description = simulation.twin.description
    return int(simulation.model.body(description.links[description.root].body).id)
