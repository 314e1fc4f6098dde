"""Kinds of sources, by name: `SOURCES` has those that there are, `open_source` opens KIND:ADDRESS.

A kind is a function `Open` (`source.py`): bundled, of an installed package by an entry point of the group `didymos.sources`, or
named by a person as MODULE:NAME:ADDRESS or FILE.py:NAME:ADDRESS. It is imported when it is used, because each needs libraries
of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from didymos.errors import InputError, nearest
from didymos.kinds import Functions, is_reference
from didymos.shadow.source import Open, Source, SourceOptions

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["SOURCES", "open_source"]

SOURCES: Functions[Open] = Functions(
    "a source",
    "didymos.sources",
    {
        "log": "didymos.shadow.sources.log:open_log",
        "mavlink": "didymos.shadow.sources.mavlink:open_mavlink",
        "moteus": "didymos.shadow.sources.moteus:open_moteus",
        "ros2": "didymos.shadow.sources.ros2:open_ros2",
        "socket": "didymos.shadow.sources.socket:open_socket",
    },
)

_ALONE = ("ros2:",)  # kinds that know an address by themselves: ROS_DOMAIN_ID


def open_source(twin: Twin, text: str, options: SourceOptions | None = None) -> Source:
    """Listen to the robot of a twin at KIND:ADDRESS; what is no kind, or no address of it, is an `InputError`."""
    kind, address = _split(text)
    return SOURCES.load(kind, Path())(twin, address, options or SourceOptions())


def _split(text: str) -> tuple[str, str]:
    kind, _, address = text.partition(":")
    if kind not in SOURCES and not nearest(kind, SOURCES):
        name, _, rest = address.partition(":")
        if rest and is_reference(f"{kind}:{name}"):
            return f"{kind}:{name}", rest
    if kind not in SOURCES or not (address or text in _ALONE):
        hint = "" if kind in SOURCES else nearest(kind, SOURCES)
        raise InputError(f"found {text!r}{hint}, expected KIND:ADDRESS with a kind of: {', '.join(SOURCES)}", option="robot")
    return kind, address
