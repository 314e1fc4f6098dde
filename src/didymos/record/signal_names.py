"""Names of the signals in a file of a log, found without reading the log: for a shell that waits while a word is completed."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.mcap_file import STREAMS
from didymos.record.mcap_read import read_metadata
from didymos.record.stream import Kind, StreamLayout

__all__ = ["signal_names"]

_LARGEST = 4_000_000  # [B] of a file that is read whole for its names
_MOST = 20_000
_LINES = 40  # of a table


def signal_names(path: Path) -> list[str]:
    """Signals of a log; none where it is no log, or one that would take long."""
    try:
        if path.suffix.lower() == ".mcap":
            streams = read_metadata(path, STREAMS)
            if streams:
                return [name for _, text in sorted(streams.items()) for name in _layout(text).signals][:_MOST]
        if path.suffix.lower() == ".csv":
            return _of_table(path)
        return list(Log.load(path).signals) if path.stat().st_size < _LARGEST else []
    except (InputError, OSError, ValueError, TypeError, KeyError, RecursionError):
        return []


def _layout(text: str) -> StreamLayout:
    fields = json.loads(text)
    return StreamLayout(fields["name"], Kind(fields["kind"]), tuple(fields["columns"]), tuple(fields["units"]))


def _of_table(path: Path) -> list[str]:
    """Signals of a table, by its first lines."""
    with path.open("rb") as file, TemporaryDirectory() as folder:
        short = Path(folder) / path.name
        short.write_bytes(b"".join(islice(file, _LINES)))
        return list(Log.load(short).signals)
