"""Raw messages of a topic -> columns.

Messages of known types become the columns of `messages.TABLE`; of all others every number becomes one. Messages that
agree in all their lengths are decoded together; the few groups that this leaves are joined column by column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.cdr import CdrError, CdrMap, Leaf, read_map
from didymos.record.message_types import parse_definition, parse_idl, ros2_types
from didymos.record.messages import KINDS, TABLE, fields_of
from didymos.record.raw_messages import LARGEST_MESSAGE, RawMessages
from didymos.record.stream import Kind

__all__ = ["Column", "decode"]

_LONGEST_ARRAY = 64
_NUMBER, _NO_HEADER = 1, ("header.stamp.", "header.seq")
# ROS 1 knows times without a definition
_ROS1_TIMES: dict[str, Any] = {
    f"builtin_interfaces/msg/{name}": ([], [("sec", (_NUMBER, (whole, 0))), ("nanosec", (_NUMBER, (part, 0)))])
    for name, whole, part in (("Time", "uint32", "uint32"), ("Duration", "int32", "int32"))
}
_Group = tuple[CdrMap, NDArray[np.uint8], NDArray[np.int64]]


@dataclass
class Column:
    """One signal of a topic: pieces of times [ns] and values, shape [n] each, in the order found."""

    unit: str = ""
    label: str = ""
    frame: str = ""
    child_frame: str = ""
    times: list[NDArray[np.int64]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)

    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Times [ns] and values in order of time."""
        times, values = np.concatenate(self.times), np.concatenate(self.values)
        if np.any(np.diff(times) < 0):
            order = np.argsort(times, kind="stable")
            times, values = times[order], values[order]
        return times, values


def decode(raw: RawMessages) -> tuple[Kind, dict[str, Column], list[str]]:
    """The kind of a topic, its columns by name, and what could not be read.

    A clock has one column without a name, for its times.
    """
    unread = []
    if raw.larger:
        unread.append(f"{raw.topic}: {raw.larger} messages of over {LARGEST_MESSAGE} bytes")
    kind = KINDS.get(raw.type_name, Kind.SCALARS)
    if kind is Kind.TF and raw.topic.endswith("tf_static"):
        kind = Kind.TF_STATIC
    columns: dict[str, Column] = {}
    try:
        if raw.encoding not in ("cdr", "ros1"):
            raise CdrError(f"messages in {raw.encoding!r}, expected 'cdr' or 'ros1'")
        types = _types(raw.schema_encoding, raw.schema, raw.type_name)
        for group in _groups(raw, types):
            if raw.type_name not in KINDS:
                unread += _decode_any(raw, group, columns)
            else:
                _decode_known(kind, group, columns)
    except CdrError as error:
        unread.append(f"{raw.topic} ({raw.type_name}): {error}")
    except KeyError as error:
        columns.clear()
        unread.append(f"{raw.topic} ({raw.type_name}): its definition has no field {error}")
    if raw.parts and not columns:
        unread.append(f"{raw.topic} ({raw.type_name}): no numbers in it")
    return kind, columns, list(dict.fromkeys(unread))


@lru_cache(maxsize=256)
def _types(encoding: str, schema: bytes, type_name: str) -> Any:
    """Definitions of a message and all that it contains, from the text that the file carries."""
    text = schema.decode(errors="replace")
    try:
        if encoding == "ros2msg":
            return SimpleNamespace(fielddefs=parse_definition(text, type_name))
        if encoding in ("ros2idl", "omgidl"):
            return SimpleNamespace(fielddefs=parse_idl(text))
        if encoding == "ros1msg":
            return SimpleNamespace(fielddefs=_ROS1_TIMES | parse_definition(text, type_name))
    except ValueError as error:
        raise CdrError(f"its definition cannot be parsed: {error}") from error
    if not encoding:  # a bag of before 2023: only the name of the type is in it
        return ros2_types()
    raise CdrError(f"its definition is in {encoding!r}, expected 'ros2msg', 'ros2idl' or 'ros1msg'")


def _groups(raw: RawMessages, types: Any) -> Iterator[_Group]:
    known = raw.type_name in KINDS
    for parts in raw.parts.values():
        rows, times = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        while len(rows):
            message = read_map(types, raw.type_name, rows[0].tobytes(), raw.encoding)
            fixed = [offset + i for offset in message.lengths for i in range(4)]
            if known:  # names of joints, links and frames are part of what a column means
                fixed += [offset + i for offset, size in message.strings.values() for i in range(size)]
            alike = (rows[:, fixed] == rows[0, fixed]).all(axis=1)
            yield message, rows[alike], times[alike]
            rows, times = rows[~alike], times[~alike]


def _numbers(rows: NDArray[np.uint8], leaf: Leaf) -> NDArray[np.float64]:
    """Values of a leaf in every row; shape [n, count]."""
    width = int(leaf.dtype[-1]) * leaf.count
    return np.ascontiguousarray(rows[:, leaf.offset : leaf.offset + width]).view(leaf.dtype).astype(np.float64)


def _stamps(group: _Group, path: str) -> NDArray[np.int64]:
    """Times [ns] of the messages: their stamps, or the times of logging where they have none or left them at zero."""
    message, rows, logged = group
    if f"{path}.sec" not in message.numbers:
        return logged
    seconds, nanoseconds = (_numbers(rows, message.leaf(f"{path}.{part}"))[:, 0] for part in ("sec", "nanosec"))
    stamps = seconds.astype(np.int64) * 1_000_000_000 + nanoseconds.astype(np.int64)
    return stamps if stamps.any() or not logged.any() else logged


def _decode_known(kind: Kind, group: _Group, columns: dict[str, Column]) -> None:
    table, (message, rows, _) = TABLE[kind], group
    if kind in (Kind.SCALARS, Kind.CLOCK):
        times = _stamps(group, table.stamp)
        column = columns.setdefault("" if kind is Kind.CLOCK else "data", Column())
        column.times.append(times)
        column.values.append(np.zeros(len(times)) if kind is Kind.CLOCK else _numbers(rows, message.leaf("data"))[:, 0])
        return
    count = message.counts.get(table.labels, 0)
    labels = tuple(message.text(table.label.format(i=i)) if table.label else str(i) for i in range(count))
    owners = [(i, label) for i, label in enumerate(labels) for _ in table.label_fields]
    owners = [(0, "")] * len(table.fields) + owners
    stamps = {i: _stamps(group, table.stamp.format(i=i)) for i in {0, *(range(count) if "{i}" in table.stamp else ())}}
    covariance = message.numbers.get("orientation_covariance") if kind is Kind.IMU else None
    oriented = _numbers(rows, covariance)[:, 0] != -1.0 if covariance is not None else None
    for (name, path, unit), (i, label) in zip(fields_of(kind, labels), owners, strict=True):
        array = path.rpartition(".")[0]
        if array in message.numbers and int(path.rpartition(".")[2]) >= message.numbers[array].count:
            continue  # a JointState may leave out velocities or efforts
        if array not in message.numbers and path not in message.numbers:
            continue  # an older definition of the message
        times, values = stamps[i if i in stamps else 0], _numbers(rows, message.leaf(path))[:, 0]
        if oriented is not None and name.startswith("orientation."):
            times, values = times[oriented], values[oriented]
        if not len(times):
            continue
        column = columns.setdefault(name, Column(unit, label))
        column.frame = column.frame or message.text(table.frame.format(i=i))
        column.child_frame = message.text(table.child_frame) if table.child_frame else ""
        column.times.append(times)
        column.values.append(values)


def _decode_any(raw: RawMessages, group: _Group, columns: dict[str, Column]) -> list[str]:
    message, rows, _ = group
    unread, times = [], _stamps(group, "header.stamp")
    frame = message.text("header.frame_id") if "header.frame_id" in message.strings else ""
    for path, leaf in message.numbers.items():
        if path.startswith(_NO_HEADER):
            continue
        if leaf.count > _LONGEST_ARRAY:
            unread.append(f"{raw.topic}.{path}: an array of over {_LONGEST_ARRAY} numbers")
            continue
        values = _numbers(rows, leaf)
        is_array = path in message.counts or leaf.count != 1
        for i in range(leaf.count):
            column = columns.setdefault(f"{path}.{i}" if is_array else path, Column(frame=frame))
            column.times.append(times)
            column.values.append(values[:, i])
    return unread
