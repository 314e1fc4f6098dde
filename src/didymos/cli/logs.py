"""Open a log, and say what of its file could not be read: nothing is lost in silence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from didymos import Log

__all__ = ["open_log"]

LOSSES = {
    "damage": "the file is damaged, the rest was kept",
    "unread": "not read",
    "time_unit": "no unit is named",
    "time_order": "the clock stumbles",
    "time_shift": "time starts at zero, after taking off [s]",
}


def open_log(file: Path) -> Log:
    """The log in a file; what was lost or changed on the way goes to stderr."""
    import didymos

    log = didymos.Log.load(file)
    for key, meaning in LOSSES.items():
        if key in log.metadata:
            print(f"didymos: {file}: {meaning}: {log.metadata[key]}", file=sys.stderr)
    return log
