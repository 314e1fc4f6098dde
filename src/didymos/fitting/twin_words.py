"""A log of the real robot in the words of its twin: what the twin file says of its columns (`recordings.columns`) is added to it.

So what shows a log, an exported page or a replay, finds the pose, joints and inputs of a robot in a file with names of its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from didymos.describe.twin import Twin
from didymos.fitting.read_recording import known_channels
from didymos.record.log import Log
from didymos.record.stream import Kind, StreamLayout

__all__ = ["in_twin_words"]


def in_twin_words(twin: Twin, log: Log, file: Path) -> tuple[Log, list[str]]:
    """The log of a file with streams besides for the columns that the twin file knows; those that it has already stay.

    Second, in words, columns that cannot be read.
    """
    channels, hindered = known_channels(twin, log, file)
    added = [(units, channel) for units, channel in channels if not any(name in log for name in units)]
    layouts = [StreamLayout("", Kind.SCALARS, tuple(units), tuple(units.values())) for units, _ in added]
    made = Log([*log.layouts, *layouts], log.metadata)
    for index in range(len(log.layouts)):
        made.append(index, *(np.array(rows) for rows in log.rows(index)))
    for index, (_, channel) in enumerate(added, len(log.layouts)):
        made.append(index, channel.time, channel.rows)
    return made, hindered
