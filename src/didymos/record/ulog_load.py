"""ULog, which PX4 writes (`.ulg`) -> streams, by the library `pyulog`.

The topic `vehicle_attitude` becomes the stream of that name, `q[0]` its signal `vehicle_attitude.q.0`; a second instance of a
topic is `vehicle_attitude_1`. Times are [s] of the autopilot's clock, which begins when it is switched on. Units stand in PX4's
message files, not in the log; those that a name ends in (`accelerometer_m_s2`) are kept.

The library reads a damaged file as far as it can and tells so on the terminal; here it tells it in the metadata. It trusts a file
not to nest types for ever, nor to lead it in circles: both end here.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from didymos.errors import InputError
from didymos.record.clock import in_order
from didymos.record.stream import Kind, StreamLayout
from didymos.record.topics import NsStream, Stream, apart, in_seconds

__all__ = ["MAGIC", "load_ulog"]

MAGIC = b"ULog\x01\x125"
_MOST_FIELDS, _DEEPEST = 4096, 8  # of a topic
_MOST_READ = 8  # times the size of the file: more is a circle
_LATEST = 1 << 52  # [us]
_LONGEST_TEXT, _MOST_TEXTS = 200, 100
_SUFFIXES = {
    "_m_s2": "m/s^2", "_m_s": "m/s", "_pa": "Pa", "_rpm": "rpm", "_hz": "Hz", "voltage_v": "V", "current_a": "A",
    "_celcius": "degC",
}  # fmt: skip


def load_ulog(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata: `damage`, `unread`, `dropouts`, what PX4 says of it.

    Raises:
        InputError: the library is not installed, the file cannot be read, or holds nothing that could be a signal.
    """
    try:
        from pyulog.core import ULog, ULogException
    except ImportError:
        raise InputError("a ULog needs pyulog; install it with: pip install 'didymos[logs]'", file=path) from None
    damage = ""
    try:
        with path.open("rb") as raw, contextlib.redirect_stdout(io.StringIO()):
            file = _Metered(raw.read())
            ulog = _guarded(ULog)
            try:
                ulog._load_file(file, None)
            except ULogException as error:
                raise InputError(f"this is no ULog that can be read: {error}", file=path) from None
            except _READ_ERRORS as error:
                damage = f"damaged near byte {file.tell()}, read up to there ({error or type(error).__name__})"
            tables = [*ulog.data_list, *_unfinished(ULog, ulog)]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if not damage and file.cut:
        damage = f"cut off near byte {file.size}, read up to there"
    if not damage and ulog.file_corruption:
        damage = "some of its messages are damaged, and were left out"
    streams, unread, left_out = _streams(tables)
    if not streams:
        raise InputError(f"no signal could be read: {damage or 'there is no data in it'}", file=path)
    metadata = _texts(ulog)
    metadata |= {"damage": damage} if damage else {}
    metadata |= {"unread": "; ".join(unread)} if unread else {}
    if left_out:
        metadata["time_order"] = f"{left_out} samples left out whose stamps are out of order"
    return in_seconds(apart(streams), metadata), metadata


_READ_ERRORS = (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError)


class _Metered(io.BytesIO):
    """The bytes of a file, which can be read over and over only so often; `cut` is whether they ended too soon."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.size, self.cut, self._left = len(data), False, _MOST_READ * len(data) + 4096

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._left -= len(data) + 1
        if self._left < 0:
            raise ValueError("it leads in a circle")
        wanted = 0 if size is None else size
        self.cut = self.cut or 0 < len(data) < wanted or (wanted > 3 and not data)  # 3: where a message begins
        return data

    def close(self) -> None:
        """The library closes what it read, and we ask where it stood."""


def _guarded(base: Any) -> Any:
    """A reader whose topics have a limited number of fields; the file is not yet read."""

    class Topic(base._MessageAddLogged):
        def _parse_nested_type(self, prefix: str, type_name: str, formats: Any) -> None:
            if prefix.count(".") > _DEEPEST or len(self.field_data) > _MOST_FIELDS:
                raise ValueError(f"the type {type_name} is nested too deeply")
            super()._parse_nested_type(prefix, type_name, formats)

    class Reader(base):
        _MessageAddLogged = Topic

    return Reader(None)


def _unfinished(base: Any, ulog: Any) -> list[Any]:
    """What was read of topics before the library gave up."""
    found = []
    for topic in ulog._subscriptions.values():
        whole = len(topic.buffer) // topic.dtype.itemsize * topic.dtype.itemsize if topic.dtype.itemsize else 0
        if whole:
            topic.buffer = topic.buffer[:whole]
            found.append(base.Data(topic))
    return found


@np.errstate(invalid="ignore")  # a damaged number may be one that must not be computed with
def _streams(tables: Sequence[Any]) -> tuple[list[NsStream], list[str], int]:
    """Streams of the topics, what could not be read, and how many samples were left out for their times."""
    streams: list[NsStream] = []
    unread: list[str] = []
    left_out = 0
    for table in tables:
        name = f"{table.name}_{table.multi_id}" if table.multi_id else str(table.name)
        texts = {field.field_name for field in table.field_data if field.type_str == "char"}
        fields = [field for field in table.data if field != "timestamp" and field not in texts and "_padding" not in field]
        if "timestamp" not in table.data or not fields:
            unread.append(f"{name}: no numbers with a time in it")
            continue
        stamps = table.data["timestamp"].astype(np.int64)
        sound = np.flatnonzero((stamps >= 0) & (stamps < _LATEST))
        kept = sound[in_order(stamps[sound].tolist())]
        left_out += len(stamps) - len(kept)
        values = np.column_stack([table.data[field][kept].astype(np.float64) for field in fields])
        names = tuple(re.sub(r"\[(\d+)\]", r".\1", field) for field in fields)
        layout = StreamLayout(name, Kind.SCALARS, names, tuple(map(_unit, names)))
        streams.append((layout, stamps[kept] * 1000, values))
    return streams, unread, left_out


def _unit(name: str) -> str:
    bare = re.sub(r"\.\d+$", "", name)
    return next((unit for suffix, unit in _SUFFIXES.items() if bare.endswith(suffix)), "")


def _texts(ulog: Any) -> dict[str, str]:
    """What the autopilot says of itself, and how often it could not write."""
    said = {name: value for name, value in ulog.msg_info_dict.items() if isinstance(value, str | int | float)}
    texts = {f"ulog.{name}": str(value)[:_LONGEST_TEXT] for name, value in list(said.items())[:_MOST_TEXTS]}
    if ulog.dropouts:
        total = sum(dropout.duration for dropout in ulog.dropouts)
        texts["dropouts"] = f"{len(ulog.dropouts)} times the card was too slow, {total} ms in all"
    return texts
