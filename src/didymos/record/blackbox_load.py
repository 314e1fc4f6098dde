"""A blackbox file of Betaflight (`.bbl`, `.bfl`) -> streams: `main`, `slow` and `gps` of each flight in it.

    main.gyroADC.0   deg/s         main.motor.0   as the header's motorOutput says, which the metadata keeps
    main.accSmooth.0 g             times          of the flight controller's own clock, which begins when it is switched on

A second flight in the file is `main_2`, and so on. With `blackbox_high_resolution` Betaflight writes ten times as fine; both are
the same here. Fields whose scale the header does not say (PID terms, debug) stay as they are.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.blackbox_header import FRAMES, MARKER, BlackboxError, Flight, flights
from didymos.record.clock import in_order
from didymos.record.stream import Kind, StreamLayout
from didymos.record.topics import NsStream, Stream, apart, in_seconds

__all__ = ["load_blackbox"]

_BLOCK = 8192  # rows that are decoded at once
_MOST_PER_BYTE = 16  # numbers that a byte of a flight may become
_KEPT = (
    "Firmware type", "Firmware revision", "Board information", "Craft name", "Log start datetime", "motorOutput", "looptime",
    "gyro_sync_denom", "pid_process_denom", "motor_poles", "vbatref",
)  # fmt: skip
_FINE = ("gyroADC", "gyroUnfilt", "rcCommand", "setpoint")  # ten times as fine in high resolution


def load_blackbox(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata: `damage`, and what the header says of the craft.

    Raises:
        InputError: the file cannot be read, or no flight of it can.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    if MARKER not in content:
        raise InputError("this is no blackbox of Betaflight: 'H Product:Blackbox flight data recorder' is not in it", file=path)
    streams: list[NsStream] = []
    metadata: dict[str, str] = {}
    damage: list[str] = []
    for number, flight in enumerate(flights(content), 1):
        of = f"flight {number}: "
        if isinstance(flight, BlackboxError):
            damage.append(f"{of}{flight}")
            continue
        found, bad, ended = _streams(flight)
        if not found:
            damage.append(f"{of}no frame in it can be read")
            continue
        if not streams:
            metadata |= {f"blackbox.{name}": flight.header[name][:200] for name in _KEPT if flight.header.get(name)}
        if bad:
            damage.append(f"{of}{bad} pieces that are no frames were left out")
        elif not ended:
            damage.append(f"{of}it ends without its last word, so its last frames may be missing")
        streams += found
    if not streams:
        raise InputError(f"no flight could be read: {'; '.join(damage)}", file=path)
    if damage:
        metadata["damage"] = "; ".join(damage)
    return in_seconds(apart(streams), metadata), metadata


def _streams(flight: Flight) -> tuple[list[NsStream], int, bool]:
    """Streams of a flight, how many pieces of it are no frames, and whether it ended as it should."""
    main, slow, gps, bad, ended = _decoded(flight)
    if not len(main):
        return [], bad, ended
    fields = flight.fields
    time = fields["I"].names.index("time")
    streams = []
    for name, letter, rows, stamps in (
        ("main", "I", main, main[:, time]), ("slow", "S", slow[:, :-1], slow[:, -1]), ("gps", "G", gps[:, :-1], gps[:, -1])
    ):  # fmt: skip
        if len(rows):
            clock = _unwrapped(np.concatenate((main[:1, time], stamps)))[1:]
            kept = in_order(clock.tolist())  # after a pause the time may be anything
            bad += len(rows) - len(kept)
            streams.append(_stream(name, fields[letter].names, clock[kept], rows[kept], flight.header))
    return streams, bad, ended


def _decoded(flight: Flight) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int, bool]:
    """All rows of a flight, as they were logged, then the number of pieces that are no frames, and whether its end was found."""
    from didymos.record.blackbox_frames import PLAN, ROWS, STATE, decode_frames

    counts = np.array([len(flight.fields[letter].names) if letter in flight.fields else 0 for letter in FRAMES])
    tables = np.zeros((len(FRAMES), 4, int(counts.max())), np.int64)
    for row, letter in enumerate(FRAMES):
        if letter in flight.fields:
            of = flight.fields[letter]
            tables[row, :, : counts[row]] = of.signed, of.predictors, of.encodings, of.constants
    plan, state, filled = _plan(flight, PLAN), np.zeros(1, STATE), np.zeros(1, ROWS)
    history, home = np.zeros((2, tables.shape[2]), np.int64), np.zeros(max(tables.shape[2], 2), np.int64)
    widths = [counts[FRAMES.index(letter)] + more for letter, more in (("I", 0), ("S", 1), ("G", 1))]  # with a time
    blocks = [np.zeros((_BLOCK, width), np.int64) for width in widths]
    found: tuple[list[NDArray[np.int64]], ...] = ([], [], [])
    data, total, most = np.frombuffer(flight.data, np.uint8), 0, _MOST_PER_BYTE * len(flight.data) + _BLOCK
    while not state["done"].all() and total < most:
        decode_frames(data, tables, counts, plan, state, history, home, blocks[0], blocks[1], blocks[2], filled)
        for kept, block, count in zip(found, blocks, filled[0].tolist(), strict=True):
            kept.append(block[:count].copy())
            total += block[:count].size
    main, slow, gps = (np.concatenate([block[:0], *kept]) for kept, block in zip(found, blocks, strict=True))
    (end,) = state  # the record of one row that the decoder keeps
    return main, slow, gps, int(end["bad"] + (end["done"] == 0)), bool(end["ended"])


def _plan(flight: Flight, kind: np.dtype[np.void]) -> NDArray[np.void]:
    """What of the header decoding needs beside the tables of fields."""
    names = flight.fields["I"].names
    gps = flight.fields["G"].names if "G" in flight.fields else ()
    some, _, of = flight.header.get("P interval", "1/1").partition("/")
    p_some, p_of = (_whole(some, 1), _whole(of, 1)) if of else (1, _whole(some, 1))
    plan = np.zeros(1, kind)
    plan[0] = (
        _whole(flight.header.get("Data version", "2"), 2), len(names), names.index("loopIteration"), names.index("time"),
        names.index("motor.0") if "motor.0" in names else len(names), gps.index("time") if "time" in gps else -1,
        _whole(flight.header.get("I interval", "32"), 32), min(p_some, p_of), p_of,
    )  # fmt: skip
    return plan


def _whole(text: str, otherwise: int) -> int:
    """A whole number from one on."""
    return max(int(text), 1) if text.isdigit() and len(text) < 7 else otherwise


def _unwrapped(stamps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Stamps [us] of 32 bits, which begin anew every 71 minutes, in a row."""
    steps = np.diff(stamps).astype(np.int32).astype(np.int64)
    return np.concatenate((stamps[:1], stamps[:1] + np.cumsum(steps)))


def _stream(
    name: str, fields: Sequence[str], clock: NDArray[np.int64], rows: NDArray[np.int64], header: Mapping[str, str]
) -> NsStream:
    kept = [i for i, field in enumerate(fields) if field != "time"]
    scaled = [_scale(fields[i], header) for i in kept]
    values = np.column_stack([rows[:, i] * scale for i, (scale, _) in zip(kept, scaled, strict=True)])
    layout = StreamLayout(name, Kind.SCALARS, tuple(fields[i] for i in kept), tuple(unit for _, unit in scaled))
    return layout, clock * 1000, values


def _scale(field: str, header: Mapping[str, str]) -> tuple[float, str]:
    """What a number of a field is multiplied with, and the unit that it has then; no unit where the header does not say it."""
    quantity = field.partition(".")[0]
    fine = 0.1 if quantity in _FINE and header.get("blackbox_high_resolution", "0") not in ("0", "") else 1.0
    gravity = _whole(header.get("acc_1G", ""), 0)
    if quantity in ("gyroADC", "gyroUnfilt"):
        return fine * _float_of_bits(header.get("gyro_scale", "")), "deg/s"
    if quantity in ("accSmooth", "accADC") and gravity:
        return 1.0 / gravity, "g"
    if quantity == "imuQuaternion":
        return 1.0 / 0x7FFF, ""
    if quantity == "setpoint" and field != "setpoint.3":
        return fine, "deg/s"
    if quantity == "baroAlt":
        return 1.0, "cm"
    if quantity == "GPS_coord":
        return 1e-7, "deg"
    return fine, ""


def _float_of_bits(text: str) -> float:
    """A number that the header gives as the bits of a float, `0x3f800000`; one where it gives none."""
    try:
        value = float(struct.unpack("<f", struct.pack("<I", int(text, 16)))[0])
    except (ValueError, struct.error):
        return 1.0
    return value if np.isfinite(value) and value != 0.0 else 1.0
