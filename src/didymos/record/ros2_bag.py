"""Bags of ROS 2 -> streams: a folder with metadata.yaml, or one of its files, in either storage.

`.mcap` files are read as every other MCAP (`mcap_read.py`); `.db3` files are SQLite databases with the tables `topics` and
`messages`, since 2023 also `message_definitions`; before, messages are read by the definitions of ROS 2 (`rosbags`). Files that
were packed as a whole (`.zstd`) are unpacked into a temporary file that is gone afterwards. A folder whose recorder was killed
has no metadata.yaml: then every `.db3` and `.mcap` in it counts.

A database is data: it is opened read-only, nothing that its schema defines is trusted, and a query that takes too long ends.
"""

from __future__ import annotations

import itertools
import sqlite3
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from didymos.errors import InputError
from didymos.record.mcap_read import read_mcap
from didymos.record.raw_messages import LARGEST_MESSAGE, RawMessages, normal_type
from didymos.record.topics import Stream, load_topics
from didymos.record.zstd import packed_size, unpack_zstd, unpacked_pieces

__all__ = ["MAGIC", "METADATA_FILE", "is_ros2_bag", "load_ros2_bag"]

MAGIC = b"SQLite format 3\0"
METADATA_FILE = "metadata.yaml"

_ENDINGS = (".db3", ".mcap")
_LARGEST_FILE = 1 << 36  # [B] that a packed file may unpack to
_LARGEST_METADATA = 1 << 21
_STEPS, _MOST_STEPS = 1_000_000, 20_000  # of SQLite's machine between two looks, and looks
_ROWS = 1000  # messages that are fetched at once


def is_ros2_bag(folder: Path) -> bool:
    """Whether a folder is a bag: it says so, or holds files of one."""
    return (folder / METADATA_FILE).is_file() or any(_storages(folder))


def load_ros2_bag(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a bag, as (layout, times [s], values), and its metadata: `damage`, `unread`, `time_shift` [s].

    Raises:
        InputError: it cannot be read, or holds nothing that could be a signal.
    """
    if path.name == METADATA_FILE:
        path = path.parent
    packing = ""
    files = [path]
    if path.is_dir():
        files, packing = _files(path)
    topics: dict[tuple[str, str], RawMessages] = {}
    damage: list[str] = []
    for file in files:
        for raw, hurt in _read(file, packed=packing == "message"):
            if hurt:
                damage.append(f"{file.name}: {hurt}" if path.is_dir() else hurt)
            for one in raw:
                known = topics.setdefault((one.topic, one.type_name), one)
                if known is not one:
                    known.larger += one.larger
                    for size, parts in one.parts.items():
                        known.parts[size] += parts
    return load_topics(list(topics.values()), path, "; ".join(damage))


def _storages(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.iterdir()) if file.is_file() and file.name.removesuffix(".zstd").endswith(_ENDINGS))


def _files(folder: Path) -> tuple[list[Path], str]:
    """The files of a bag, as its metadata.yaml names them, and how messages are packed; those that lie there without one."""
    about = folder / METADATA_FILE
    if not about.is_file():
        return list(_storages(folder)), ""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        if about.stat().st_size > _LARGEST_METADATA:
            raise InputError(f"is larger than {_LARGEST_METADATA} bytes, which is no metadata of a bag", file=about)
        content: Any = YAML(typ="safe").load(about.read_text(encoding="utf-8"))
        said = content["rosbag2_bagfile_information"]
        names = [Path(str(name)).name for name in said["relative_file_paths"]]
        packing = str(said.get("compression_mode") or "").lower()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=about) from error
    except (YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        text = " ".join(str(error).split())[:200]
        raise InputError(f"is not the metadata of a bag: {text or type(error).__name__}", file=about) from error
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise InputError(f"names the file {missing[0]!r}, which is not in the folder", file=about)
    return [folder / name for name in names], packing


def _read(file: Path, packed: bool) -> Iterator[tuple[Sequence[RawMessages], str]]:
    """Messages of a file and what is damaged about it."""
    if file.suffix == ".zstd":
        with tempfile.TemporaryDirectory(prefix="didymos_bag_") as folder:
            plain = Path(folder) / file.stem
            _unpack(file, plain)
            yield from _read(plain, packed)
    elif file.suffix == ".mcap":
        content = read_mcap(file)
        yield content.topics, content.damage
    else:
        yield _Database(file, packed).read()


def _unpack(file: Path, plain: Path) -> None:
    written = 0
    try:
        with plain.open("wb") as target:
            for piece in unpacked_pieces(file):
                written += len(piece)
                if written > _LARGEST_FILE:
                    raise InputError(f"unpacks to more than {_LARGEST_FILE} bytes", file=file)
                target.write(piece)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be unpacked: {error}", file=file) from error


class _Database:
    def __init__(self, file: Path, packed: bool) -> None:
        self.file, self.packed = file, packed
        self.looks = 0
        self.topics: dict[int, RawMessages] = {}

    def read(self) -> tuple[list[RawMessages], str]:
        """All messages as far as they can be read, and where they cannot."""
        damage, count = "", 0
        try:
            with closing(sqlite3.connect(f"{self.file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
                database.execute("PRAGMA trusted_schema = OFF")
                database.set_progress_handler(self._look, _STEPS)
                database.text_factory = lambda data: data.decode(errors="replace")
                self._declare(database)
                try:
                    for rows in self._messages(database):
                        self._add(rows)
                        count += len(rows)
                except (sqlite3.Error, ValueError, TypeError, OverflowError, MemoryError) as error:
                    damage = f"damaged after {count} messages, read up to there ({error or type(error).__name__})"
        except (sqlite3.Error, OSError, ValueError, TypeError, MemoryError) as error:
            raise InputError(f"cannot be read as a bag of ROS 2: {error}", file=self.file) from error
        return list(self.topics.values()), damage or self._missing()

    def _missing(self) -> str:
        """Whether the file has fewer bytes than its first page says."""
        with self.file.open("rb") as file:
            first = file.read(32)
        page, pages = struct.unpack_from(">H", first, 16)[0], struct.unpack_from(">I", first, 28)[0]
        wanted, size = (65_536 if page == 1 else page) * pages, self.file.stat().st_size
        return f"cut off: {size} bytes are left of {wanted}" if size < wanted else ""

    def _look(self) -> int:
        self.looks += 1
        return int(self.looks > _MOST_STEPS)

    def _declare(self, database: sqlite3.Connection) -> None:
        """Learn the topics; tables alone are asked, never a view."""
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000")}
        if not {"topics", "messages"} <= tables:
            raise InputError("is a database without the tables topics and messages, so no bag of ROS 2", file=self.file)
        definitions: dict[str, tuple[str, bytes]] = {}
        if "message_definitions" in tables:
            query = "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions LIMIT 100000"
            for name, encoding, text in database.execute(query):
                definitions[str(name)] = (str(encoding), str(text).encode())
        for number, topic, kind, encoding in database.execute(
            "SELECT id, name, type, serialization_format FROM topics LIMIT 100000"
        ):
            schema = definitions.get(str(kind), ("", b""))
            self.topics[int(number)] = RawMessages(str(topic), normal_type(str(kind)), str(encoding), *schema)

    def _messages(self, database: sqlite3.Connection) -> Iterator[list[tuple[int, int, bytes]]]:
        most = -1 if self.packed else LARGEST_MESSAGE
        query = "SELECT topic_id, timestamp, CASE WHEN ? < 0 OR length(data) <= ? THEN data END FROM messages ORDER BY id"
        cursor = database.execute(query, (most, most))
        while rows := cursor.fetchmany(_ROWS):
            yield rows

    def _add(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        by_topic: dict[int, list[tuple[int, bytes]]] = {}
        for topic, time, data in rows:
            if topic not in self.topics:
                continue
            message = self._unpacked(data) if self.packed and data is not None else data
            if message is None or len(message) > LARGEST_MESSAGE:
                self.topics[topic].larger += 1
            else:
                by_topic.setdefault(topic, []).append((int(time), bytes(message)))
        for topic, messages in by_topic.items():
            sizes = [len(data) for _, data in messages]
            starts = [0, *itertools.accumulate(sizes[:-1])]
            self.topics[topic].add(b"".join(data for _, data in messages), starts, sizes, [time for time, _ in messages])

    def _unpacked(self, data: bytes) -> bytes | None:
        """A message that was packed by itself; None where it is too large to be signals."""
        size = packed_size(data)
        return None if size is None or size > LARGEST_MESSAGE else unpack_zstd(data, size)
