"""The plane: paths of links seen from above, and chains of links at a few moments.

A chain is a name, or several joined by commas: `target`, `base,upper_arm,forearm,hand`. Its first and its last link leave
paths; at five moments, from pale to dark, its links are joined by a line, and a short one shows where x of the first and the
last points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.record.log import Log
from didymos.record.stream import Kind
from didymos.rotations import angle

__all__ = ["draw_plane", "read_chains"]

_MOMENTS = 5
_POINTER = 0.06  # length of the short line, as part of the picture's width


def read_chains(log: Log, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The links of each chain; one that the log does not have is an `InputError`."""
    known = [label for layout in log.layouts if layout.kind is Kind.TF for label in layout.labels]
    chains = [tuple(part.strip() for part in text.split(",")) for text in texts]
    for link in (link for chain in chains for link in chain):
        if link not in known:
            names = ", ".join(known) or "none"
            raise InputError(f"the log has no poses of a link {link!r}{nearest(link, known)} (it has: {names})")
    return chains


def _track(log: Log, link: str) -> NDArray[np.float64]:
    """Position x, y [m] and heading [rad] over time, shape [n, 3]."""
    x, y = (log[f"tf.{link}.position.{axis}"].values for axis in "xy")
    turn = np.column_stack([log[f"tf.{link}.orientation.{axis}"].values for axis in "wxyz"])
    return np.column_stack([x, y, angle("yaw", turn)])


def draw_plane(ax: Any, log: Log, chains: Sequence[tuple[str, ...]], colours: Sequence[str]) -> None:
    """Draw chains of links into axes."""
    tracks = {link: _track(log, link) for chain in chains for link in chain}
    ends = list(dict.fromkeys(end for chain in chains for end in (chain[0], chain[-1])))
    for i, end in enumerate(ends):
        ax.plot(*tracks[end].T[:2], color=colours[i % len(colours)], label=end, linewidth=1.4)
    every = np.concatenate(list(tracks.values()))
    if not len(every):
        raise InputError("the log has no poses of links")
    pointer = _POINTER * max(float(np.ptp(every[:, 0])), float(np.ptp(every[:, 1])), 1e-3)
    for k in range(_MOMENTS):
        shade = 0.2 + 0.7 * k / (_MOMENTS - 1)
        for chain in chains:
            points = [tracks[link][k * (len(tracks[link]) - 1) // (_MOMENTS - 1)] for link in chain]
            ax.plot([p[0] for p in points], [p[1] for p in points], "o-", color="black", alpha=shade, markersize=3, linewidth=1.3)
            for end, (x, y, yaw) in ((chain[0], points[0]), (chain[-1], points[-1])):
                line = [x, x + pointer * np.cos(yaw)], [y, y + pointer * np.sin(yaw)]
                ax.plot(*line, color=colours[ends.index(end) % len(colours)], alpha=shade, linewidth=2.2)
    ax.set_aspect("equal")
    ax.margins(0.05)
    ax.set_title("the plane [m]")
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.01), ncols=len(ends), borderaxespad=0.0)
