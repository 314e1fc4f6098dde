"""Which kind of log a file is, and who reads it: by what it begins with, and by its ending where that says nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from didymos.errors import InputError, nearest
from didymos.record.topics import Stream

__all__ = ["FORMATS", "LOG_ENDINGS", "LogFormat", "format_of"]


@dataclass(frozen=True)
class LogFormat:
    """A kind of log: its name for people, the endings of its files, what they begin with, and its reader as MODULE:FUNCTION."""

    name: str
    endings: tuple[str, ...]
    begins: tuple[bytes, ...]
    reader: str

    def read(self, path: Path) -> tuple[list[Stream], dict[str, str]]:
        """Streams of a file, as (layout, times [s], values), and its metadata."""
        module, _, function = self.reader.partition(":")
        load: Callable[[Path], tuple[list[Stream], dict[str, str]]] = getattr(import_module(module), function)
        return load(path)


_ROOM = "didymos.record"
_TABLE = LogFormat("CSV", (".csv", ".tsv", ".txt", ".dat"), (), f"{_ROOM}.csv_load:load_csv")
_BAG = LogFormat("ROS 2 bag", (".db3", ".yaml", ".zstd"), (b"SQLite format 3\0",), f"{_ROOM}.ros2_bag:load_ros2_bag")
FORMATS = (
    LogFormat("MCAP", (".mcap",), (b"\x89MCAP",), f"{_ROOM}.mcap_load:load_mcap"),
    _TABLE,
    LogFormat("ULog", (".ulg", ".ulog"), (b"ULog\x01",), f"{_ROOM}.ulog_load:load_ulog"),
    LogFormat("ROS 1 bag", (".bag", ".active"), (b"#ROSBAG V",), f"{_ROOM}.ros1_bag:load_ros1_bag"),
    _BAG,
    LogFormat("Betaflight blackbox", (".bbl", ".bfl", ".bf"), (b"H Product:Blackbox",), f"{_ROOM}.blackbox_load:load_blackbox"),
    LogFormat("Crazyflie card", (".usd", ".bin"), (b"\xbc\x01\0", b"\xbc\x02\0"), f"{_ROOM}.crazyflie_card:load_crazyflie_card"),
)
"""Every kind that is read."""

LOG_ENDINGS = (".mcap", ".csv", ".tsv", ".ulg", ".ulog", ".bag", ".db3", ".bbl", ".bfl")
"""Endings of files that are logs and nothing else."""

_EXPECTED = "a .mcap, .csv, .ulg, .bag, .db3, .bbl or .bfl, the .bin of a Crazyflie's card, or the folder of a ROS 2 bag"
_FIRST = 64  # [B] that decide


def format_of(path: Path) -> LogFormat:
    """The format of a file or folder.

    Raises:
        InputError: it cannot be opened, or is none of them.
    """
    if path.is_dir():
        from didymos.record.ros2_bag import is_ros2_bag

        if is_ros2_bag(path):
            return _BAG
        raise InputError("this is a folder, expected a log: the .mcap or .csv in it, or the folder of a ROS 2 bag", file=path)
    try:
        with path.open("rb") as file:
            first = file.read(_FIRST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from error
    known = next((item for item in FORMATS if first.startswith(item.begins)), None)
    ending = path.suffix.lower()
    if known is None:
        known = next((item for item in FORMATS if ending in item.endings), None)
    if known is None:
        endings = [one for item in FORMATS for one in item.endings]
        raise InputError(f"a log is {_EXPECTED}, not {ending!r}{nearest(ending, endings)}", file=path)
    return known
