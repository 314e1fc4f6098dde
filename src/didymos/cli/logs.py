"""Open a log, and say what of its file could not be read: nothing is lost in silence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos import Log

__all__ = ["of_robot", "open_log"]

LOSSES = {
    "damage": "the file is damaged, the rest was kept",
    "unread": "not read",
    "time_column": "no column is called time, taken as it",
    "time_unit": "no unit is named",
    "time_order": "the clock stumbles",
    "time_shift": "time starts at zero, after taking off [s]",
}


def open_log(file: Path, robot: str | None = None) -> Log:
    """The log in a file, or what it has of a robot; what was lost or changed on the way goes to stderr."""
    import didymos

    log = didymos.Log.load(file)
    for key, meaning in LOSSES.items():
        if key in log.metadata:
            print(f"didymos: {file}: {meaning}: {log.metadata[key]}", file=sys.stderr)
    return log if robot is None else of_robot(log, robot)


def of_robot(log: Log, robot: str) -> Log:
    """What a log of a world holds of a robot."""
    if not log.robots:
        raise InputError("this log is not of a world: it holds one robot, without a name", option="robot")
    try:
        return log.of_robot(robot)
    except InputError as error:
        raise InputError(error.message, option="robot") from None
