"""Logs that a Crazyflie writes on its micro-SD card -> streams.

    0xBC, version (1 or 2), number of kinds of events           uint8, uint16, uint16, little endian
    of each kind: its id, name\\0, number of variables, and of each its name and type: `stateEstimate.x(f)\\0`
    events: id, time ([ms] uint32 in version 1, [us] uint64 in version 2), the variables one after the other
    CRC-32 of all before                                        uint32

The kind `fixedFrequency` holds the variables that were asked for in the card's config.txt; they keep their names. Those of
another kind have its name before theirs. The format is that of tools/usdlog/cfusdlog.py of bitcraze/crazyflie-firmware; types
are those of Python's struct module. Units are those of the firmware's list of log variables.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from didymos.errors import InputError
from didymos.record.clock import in_order
from didymos.record.stream import Kind, StreamLayout
from didymos.record.topics import NsStream, Stream, apart, in_seconds

__all__ = ["MAGIC", "load_crazyflie_card"]

MAGIC = 0xBC
_VERSIONS = {1: (struct.Struct("<HI"), 1_000_000), 2: (struct.Struct("<HQ"), 1_000)}  # id and time, and [ns] of a unit of it
_TYPES = {
    "b": "i1", "B": "u1", "?": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "q": "i8", "Q": "u8", "e": "f2",
    "f": "f4", "d": "f8",
}  # fmt: skip
_LATEST = 1 << 62  # [ns]
_VARIABLE = re.compile(r"(.+)\((.)\)")
_PLAIN = "fixedFrequency"
_MOST_VARIABLES = 1000
_UNITS = (
    (r"(stateEstimate|ctrltarget|kalman\.state|locSrv|lighthouse)\.?[xyzXYZ]", "m"),
    (r"(stateEstimate|ctrltarget)\.v[xyz]", "m/s"),
    (r"(stateEstimate|stabilizer|controller|ctrltarget)\.(roll|pitch|yaw)", "deg"),
    (r"gyro\.[xyz]", "deg/s"),
    (r"(acc\.[xyz]|stateEstimate\.a[xyz])", "g"),
    (r"motor\.m[1-4]", "0..65535"),
    (r"pm\.vbat", "V"),
    (r"baro\.pressure", "mbar"),
    (r"baro\.asl", "m"),
    (r"baro\.temp", "degC"),
)


@dataclass
class _Event:
    """A kind of event: names and types of its variables, and where in the file its rows stand, with their times."""

    name: str
    names: tuple[str, ...]
    row: np.dtype[np.void]
    starts: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)


class _CardError(ValueError):
    """Bytes that are no such log."""


def load_crazyflie_card(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata: `damage`.

    Raises:
        InputError: the file cannot be read, is of another kind, or holds no event.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    try:
        version, events, position = _header(data)
    except (_CardError, struct.error, ValueError) as error:
        why = str(error) if isinstance(error, _CardError) else "it ends inside its header"
        raise InputError(f"this is no log of a Crazyflie's card: {why}", file=path) from None
    whole = len(data) > position + 4 and struct.unpack("<I", data[-4:])[0] == zlib.crc32(data[:-4])
    stopped = _events(data, position, len(data) - 4 if whole else len(data), version, events)
    damage = "" if whole else f"its checksum is wrong, so it was cut off or damaged; read up to byte {stopped}"
    streams, left_out = _streams(data, events, _VERSIONS[version][1])
    if not streams:
        raise InputError("no event could be read" + (f": {damage}" if damage else ""), file=path)
    metadata = {"damage": damage} if damage else {}
    if left_out:
        metadata["time_order"] = f"{left_out} events left out whose stamps are out of order"
    return in_seconds(apart(streams), metadata), metadata


def _header(data: bytes) -> tuple[int, dict[int, _Event], int]:
    """Version, the kinds of events by id, and where the events begin."""
    if data[:1] != bytes([MAGIC]):
        raise _CardError("it does not begin with 0xBC")
    version, kinds = struct.unpack_from("<HH", data, 1)
    if version not in _VERSIONS:
        raise _CardError(f"found version {version}, expected 1 or 2")
    events: dict[int, _Event] = {}
    position = 5
    for _ in range(kinds):
        (number,) = struct.unpack_from("<H", data, position)
        name, position = _text(data, position + 2)
        (count,) = struct.unpack_from("<H", data, position)
        position += 2
        if count > _MOST_VARIABLES:
            raise _CardError(f"found {count} variables in one event")
        variables = []
        for _ in range(count):
            text, position = _text(data, position)
            variable = _VARIABLE.fullmatch(text)
            if variable is None or variable[2] not in _TYPES:
                raise _CardError(f"found the variable {text!r}, expected a name and a type such as 'gyro.x(f)'")
            variables.append((variable[1], _TYPES[variable[2]]))
        row = np.dtype([(f"f{i}", "<" + kind) for i, (_, kind) in enumerate(variables)])
        events[number] = _Event(name, tuple(name for name, _ in variables), row)
    return version, events, position


def _text(data: bytes, position: int) -> tuple[str, int]:
    """The text that ends with a zero, and where the next thing begins."""
    end = data.find(b"\0", position, position + 256)
    if end < 0:
        raise _CardError("a name in its header does not end")
    return data[position:end].decode("ascii", "replace"), end + 1


def _events(data: bytes, position: int, end: int, version: int, events: dict[int, _Event]) -> int:
    """Find the rows of every kind; where reading ended."""
    head = _VERSIONS[version][0]
    while position + head.size <= end:
        number, time = head.unpack_from(data, position)
        event = events.get(number)
        if event is None or position + head.size + event.row.itemsize > end or time * _VERSIONS[version][1] > _LATEST:
            break
        event.starts.append(position + head.size)
        event.times.append(time)
        position += head.size + event.row.itemsize
    return position


@np.errstate(invalid="ignore")  # a damaged number may be one that must not be computed with
def _streams(data: bytes, events: dict[int, _Event], unit: int) -> tuple[list[NsStream], int]:
    """A stream of each kind of event that happened, and how many events were left out for their times."""
    plain = np.frombuffer(data, np.uint8)
    streams: list[NsStream] = []
    left_out = 0
    for event in events.values():
        if not event.starts or not event.names:
            continue
        kept = in_order(event.times)
        left_out += len(event.times) - len(kept)
        rows = plain[np.array(event.starts)[kept][:, None] + np.arange(event.row.itemsize)]
        table = np.ascontiguousarray(rows).view(event.row)[:, 0]
        values = np.column_stack([table[name].astype(np.float64) for name in event.row.names or ()])
        times = np.array([event.times[i] * unit for i in kept], np.int64)
        stream = "" if event.name == _PLAIN else event.name
        names = _distinct(event.names)
        streams.append((StreamLayout(stream, Kind.SCALARS, names, tuple(map(_unit, event.names))), times, values))
    return streams, left_out


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of which no two are equal: a config may ask for a variable twice."""
    return tuple(f"{name}_{names[:i].count(name) + 1}" if name in names[:i] else name for i, name in enumerate(names))


def _unit(name: str) -> str:
    return next((unit for pattern, unit in _UNITS if re.fullmatch(pattern, name)), "")
