"""A log as the twin that shows it calls things: one of the real robot has names of its own, which the twin file may know."""

from __future__ import annotations

from pathlib import Path

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.record.log import Log

__all__ = ["words_of_log"]


def words_of_log(twin: Twin | World, log: Log, name: str) -> tuple[Log, list[str]]:
    """The log, where the twin file knows columns of it (`recordings.columns`) with those under the twin's names as well.

    Second, in words, columns that cannot be read. `name` is that of its file.
    """
    if isinstance(twin, World) or log.metadata.get("twin") == twin.name:
        return log, []
    columns = twin.file.recordings.columns
    if not any(source in log for column, spec in columns.items() for source in spec.columns or (column,)):
        return log, []
    from didymos.fitting.twin_words import in_twin_words  # what reads recordings needs scipy

    return in_twin_words(twin, log, Path(name))
