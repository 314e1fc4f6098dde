"""Where the named links and frames of a twin are, on the bodies of the engine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin

__all__ = ["Place", "places_of"]

Place = tuple[int, NDArray[np.float64], NDArray[np.float64]]
"""Body, and position [m] and quaternion in it."""


def places_of(twin: Twin, bodies: Mapping[str, int]) -> dict[str, Place]:
    """The place of every link and named frame; `bodies` gives the numbers of the engine's bodies by name."""
    links = twin.description.links
    found: dict[str, Place] = {name: (bodies[link.body], np.zeros(3), np.array([1.0, 0, 0, 0])) for name, link in links.items()}
    for name, frame in twin.description.frames.items():
        found[name] = (bodies[links[frame.link].body], frame.position, frame.quaternion)
    return found
