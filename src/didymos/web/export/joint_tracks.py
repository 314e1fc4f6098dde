"""Where joints were, as an exported page holds it: of each robot times and positions, at most 60 a second."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.playback import Playback
from didymos.web.export.blocks import Blocks

__all__ = ["joint_tracks"]

RATE = 60.0  # [Hz]: more than eyes see
Array = NDArray[np.float64]


def joint_tracks(model: mujoco.MjModel, playback: Playback, blocks: Blocks) -> list[dict[str, Any]]:
    """Of each robot that a log knows: times [s], places in `qpos`, and the values at each place over time."""
    tracks = []
    for positions, places in playback.tracks:
        rows = thinned(positions.time, RATE)
        values = _without_jumps(model, positions.values[rows], places)
        columns = [blocks.add(values[:, i], "f4") for i in range(len(places))]
        times = blocks.add_times(positions.time[rows])
        tracks.append({"times": times, "places": [int(place) for place in places], "columns": columns})
    return tracks


def thinned(times: Array, rate: float) -> slice:
    """Every so-manieth row, so that there are at most `rate` a second; all where there are not more."""
    span = float(times[-1] - times[0]) if len(times) > 1 else 0.0
    step = 1 if span <= 0.0 else max(1, int(np.ceil((len(times) - 1) / span / rate - 1e-6)))
    return slice(None, None, step)


def _without_jumps(model: mujoco.MjModel, values: Array, places: NDArray[np.int64]) -> Array:
    """The same with quaternions of the sign that lies nearer to the one before, so that a page can go halfway between two."""
    values = values.copy()
    for joint in range(model.njnt):
        kind = model.jnt_type[joint]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            first = int(model.jnt_qposadr[joint]) + (3 if kind == mujoco.mjtJoint.mjJNT_FREE else 0)
            own = np.flatnonzero((places >= first) & (places < first + 4))
            if len(own) and len(values) > 1:
                dots = np.sum(values[1:, own] * values[:-1, own], axis=1)
                signs = np.cumprod(np.where(dots < 0.0, -1.0, 1.0))
                values[1:, own] *= signs[:, None]
    return values
