"""Frames of a blackbox -> rows of numbers, compiled.

A frame is a letter and its fields, each a difference to a prediction, in one of eight encodings; there is neither a length nor
a checksum. So a frame counts only where another letter, or the end, follows it; where it does not, reading goes on a byte later,
and no frame P is believed before the next frame I. Numbers have 32 bits and wrap. Bytes may be anything: no read goes beyond
the end.

    predictor                         encoding
    0 nothing                         0 signed, 7 bits a byte, zigzag
    1 the frame before                1 unsigned, 7 bits a byte
    2 the line through the last two   3 14 bits, negated
    3 the mean of the last two        6 up to 8 fields: a bit each says whether it follows, as 0
    5 motor 0 of this frame           7 three fields of 2, 4, 6 bits, or of whole bytes
    6 counts on                       8 four fields of 0, 4, 8 or 16 bits
    7 home of the GPS                 9 nothing is written
    10 time of the last main frame    10 three fields of 2 bits, of 5 5 4, of 8 7 7, or of whole bytes
    4, 8, 9, 11 a constant of the header
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = ["PLAN", "ROWS", "STATE", "decode_frames"]

ROWS = np.dtype([("main", np.int64), ("slow", np.int64), ("gps", np.int64)])
STATE = np.dtype(
    [
        ("position", np.int64),  # of the next byte
        ("valid", np.int64),  # whether a frame P may be believed
        ("has_home", np.int64),
        ("last_time", np.int64),  # [us] of the last main frame, as 32 bits
        ("last_iteration", np.int64),
        ("has_time", np.int64),
        ("resumed", np.int64),  # logging was paused: time may leap
        ("bad", np.int64),  # frames that were given up
        ("ended", np.int64),  # the flight's last word was found
        ("done", np.int64),  # no byte is left
    ]
)
"""Where decoding stands; zeros begin it."""

PLAN = np.dtype(
    [
        ("version", np.int64),  # of the data
        ("main_fields", np.int64),
        ("iteration", np.int64),  # places of loopIteration, time and the first motor in a main frame
        ("time", np.int64),
        ("motor", np.int64),
        ("gps_time", np.int64),  # place of the time in a frame G; -1 where it has none
        ("i_interval", np.int64),  # loops from one frame I to the next
        ("p_some", np.int64),  # of so many loops so many are logged
        ("p_of", np.int64),
    ]
)
"""What of a header decoding needs beside the tables of fields."""

_I, _P, _S, _H, _G, _E = 0, 1, 2, 3, 4, 5  # rows of the tables, as `blackbox_header.FRAMES`; events have none
_LETTERS = np.array([73, 80, 83, 72, 71, 69], np.int64)  # I P S H G E
_LONGEST = 512  # [B] of a frame
_TIME_JUMP, _ITERATION_JUMP = 10_000_000, 5_000  # [us], loops: more between two frames was never written
_END = np.frombuffer(b"End of log\0", np.uint8).astype(np.int64)


@kernel
def _signed32(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - 0x100000000 if value >= 0x80000000 else value


@kernel
def _extended(value: int, bits: int) -> int:
    """A number of so many bits with its sign."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


@kernel
def _byte(data: Any, cursor: Any) -> int:
    """The next byte; beyond the end, zero and a cursor that stands there."""
    at = cursor[0]
    cursor[0] = at + 1
    if at >= cursor[1]:
        cursor[2] = 1
        return 0
    return int(data[at])


@kernel
def _unsigned(data: Any, cursor: Any) -> int:
    value = 0
    for i in range(5):
        byte = _byte(data, cursor)
        value |= (byte & 0x7F) << (7 * i)
        if byte < 128:
            return value & 0xFFFFFFFF
    cursor[2] = 1  # longer than any number
    return 0


@kernel
def _signed(data: Any, cursor: Any) -> int:
    value = _unsigned(data, cursor)
    return (value >> 1) ^ -(value & 1)


@kernel
def _whole_bytes(data: Any, cursor: Any, selectors: int, out: Any, first: int) -> None:
    """Three numbers of one to four bytes each, lowest byte first."""
    for i in range(3):
        count = (selectors >> (2 * i) & 3) + 1
        value = 0
        for k in range(count):
            value |= _byte(data, cursor) << (8 * k)
        out[first + i] = _extended(value, 8 * count)


@kernel
def _three(data: Any, cursor: Any, variable: bool, out: Any, first: int) -> None:
    """Encodings 7 and 10."""
    lead = _byte(data, cursor)
    size = lead >> 6
    if size == 0:
        out[first], out[first + 1], out[first + 2] = _extended(lead >> 4, 2), _extended(lead >> 2, 2), _extended(lead, 2)
    elif size == 3:
        _whole_bytes(data, cursor, lead & 63, out, first)
    elif not variable:
        bits = 4 if size == 1 else 6
        out[first] = _extended(lead, bits)
        second = _byte(data, cursor)
        if size == 1:
            out[first + 1], out[first + 2] = _extended(second >> 4, 4), _extended(second, 4)
        else:
            out[first + 1], out[first + 2] = _extended(second, 6), _extended(_byte(data, cursor), 6)
    elif size == 1:
        word = lead << 8 | _byte(data, cursor)
        out[first], out[first + 1], out[first + 2] = _extended(word >> 9, 5), _extended(word >> 4, 5), _extended(word, 4)
    else:
        word = lead << 16 | _byte(data, cursor) << 8
        word |= _byte(data, cursor)
        out[first], out[first + 1], out[first + 2] = _extended(word >> 14, 8), _extended(word >> 7, 7), _extended(word, 7)


@kernel
def _four(data: Any, cursor: Any, version: int, out: Any, first: int) -> None:
    """Encoding 8: since version 2 a row of half bytes, the highest first; before, whole bytes, two half ones in one."""
    selectors = _byte(data, cursor)
    held, has_half = 0, False
    i = 0
    while i < 4:
        size = selectors >> (2 * i) & 3
        if size == 0:
            out[first + i] = 0
        elif version < 2:
            byte = _byte(data, cursor)
            if size == 1:
                out[first + i] = _extended(byte, 4)
                if i < 3:
                    i += 1
                    out[first + i] = _extended(byte >> 4, 4)
            elif size == 2:
                out[first + i] = _extended(byte, 8)
            else:
                out[first + i] = _extended(byte | _byte(data, cursor) << 8, 16)
        else:
            halves = 1 << (size - 1)
            value = 0
            for _ in range(halves):
                if not has_half:
                    held = _byte(data, cursor)
                    value = value << 4 | held >> 4
                else:
                    value = value << 4 | (held & 15)
                has_half = not has_half
            out[first + i] = _extended(value, 4 * halves)
        i += 1


@kernel
def _differences(data: Any, cursor: Any, encodings: Any, count: int, version: int, out: Any) -> None:
    """The numbers that a frame holds, before anything is predicted; `out` has room for four more."""
    i = 0
    while i < count:
        encoding = encodings[i]
        if encoding == 0:
            out[i] = _signed(data, cursor)
        elif encoding == 1:
            out[i] = _unsigned(data, cursor)
        elif encoding == 3:
            out[i] = -_extended(_unsigned(data, cursor), 14)
        elif encoding == 6:
            group = 1
            while group < 8 and i + group < count and encodings[i + group] == 6:
                group += 1
            follows = _byte(data, cursor) if group > 1 else 1
            for k in range(group):
                out[i + k] = _signed(data, cursor) if follows >> k & 1 else 0
            i += group - 1
        elif encoding == 7 or encoding == 10:
            _three(data, cursor, encoding == 10, out, i)
            i += 2
        elif encoding == 8:
            _four(data, cursor, version, out, i)
            i += 3
        else:
            out[i] = 0
        i += 1


@kernel
def _event(data: Any, cursor: Any, state: Any) -> None:
    """Pass an event by; the end of the flight and a pause are remembered."""
    kind = _byte(data, cursor)
    if kind == 0 or kind == 15 or kind == 40:
        _unsigned(data, cursor)
    elif kind == 30:
        _unsigned(data, cursor)
        _unsigned(data, cursor)
    elif kind == 13:
        if _byte(data, cursor) & 128:
            cursor[0] += 4
        else:
            _signed(data, cursor)
    elif kind == 14:
        _unsigned(data, cursor)
        _unsigned(data, cursor)
        state.resumed = 1
    elif kind == 255:
        for i in range(len(_END)):
            if _byte(data, cursor) != _END[i]:
                cursor[2] = 1
        if cursor[2] == 0:
            state.ended = 1
    else:
        cursor[2] = 1


@kernel
def _is_letter(data: Any, at: int, end: int) -> bool:
    if at >= end:
        return True
    for letter in _LETTERS:
        if data[at] == letter:
            return True
    return False


@kernel
def _is_logged(iteration: int, plan: Any) -> bool:
    """Whether a loop is one of those that are logged."""
    return bool((iteration % plan.i_interval + plan.p_some - 1) % plan.p_of < plan.p_some)


@kernel
def _predict_main(row: int, now: Any, history: Any, tables: Any, plan: Any) -> None:
    """Turn the differences of a main frame into its numbers."""
    for i in range(plan.main_fields):
        predictor, base, before, earlier = tables[row, 1, i], tables[row, 3, i], history[0, i], history[1, i]
        if predictor == 1:
            base = before
        elif predictor == 2:
            base = 2 * before - earlier
        elif predictor == 3:
            total = _signed32(before) + _signed32(earlier)
            base = total // 2 if total >= 0 else -(-total // 2)
        elif predictor == 5:
            base = now[plan.motor] if plan.motor < i else 0
        elif predictor == 6:
            base = before + 1
            for _ in range(plan.i_interval):
                if _is_logged(base, plan):
                    break
                base += 1
        value = now[i] + base
        now[i] = _signed32(value) if tables[row, 0, i] else value & 0xFFFFFFFF


@kernel
def _take_main(kind: int, now: Any, history: Any, tables: Any, plan: Any, state: Any, main: Any, rows: Any) -> None:
    """A main frame becomes a row, unless its time leaps."""
    if kind == _P and not state.valid:
        return
    _predict_main(kind, now, history, tables, plan)
    step, loops = _signed32(now[plan.time] - state.last_time), now[plan.iteration] - state.last_iteration
    leaps = step < 0 or step > _TIME_JUMP or loops < 0 or loops > _ITERATION_JUMP
    if state.has_time and not state.resumed and leaps:
        state.bad += 1
        state.valid = 0
        if kind == _I:
            state.has_time = 0  # the next whole frame is believed
        return
    for i in range(plan.main_fields):
        history[1, i] = now[i] if kind == _I else history[0, i]
        history[0, i] = now[i]
        main[rows.main, i] = now[i]
    state.last_time, state.last_iteration = now[plan.time], now[plan.iteration]
    state.has_time, state.resumed, state.valid = 1, 0, 1
    rows.main += 1


@kernel
def _take_other(
    kind: int, count: int, now: Any, home: Any, tables: Any, plan: Any, state: Any, slow: Any, gps: Any, rows: Any
) -> None:
    """A frame S or G becomes a row with its time, a frame H the home of those that follow."""
    if kind == _H:
        for i in range(count):
            home[i] = _signed32(now[i])
        state.has_home = 1
        return
    if not state.has_time or (kind == _G and not state.has_home):
        return
    axis = 0
    for i in range(count):
        predictor, base = tables[kind, 1, i], tables[kind, 3, i]
        if predictor == 7:
            base = home[axis]
            axis = 1
        elif predictor == 10:
            base = state.last_time
        value = now[i] + base
        now[i] = _signed32(value) if tables[kind, 0, i] else value & 0xFFFFFFFF
    if kind == _S:
        for i in range(count):
            slow[rows.slow, i] = now[i]
        slow[rows.slow, count] = state.last_time
        rows.slow += 1
    else:
        for i in range(count):
            gps[rows.gps, i] = now[i]
        gps[rows.gps, count] = now[plan.gps_time] if plan.gps_time >= 0 else state.last_time
        rows.gps += 1


@kernel
def decode_frames(
    data: Any, tables: Any, counts: Any, plans: Any, states: Any, history: Any, home: Any, main: Any, slow: Any, gps: Any,
    filled: Any,
) -> None:  # fmt: skip
    """Decode frames until the bytes end, or one of the arrays of rows is full; then it is called again.

    Args:
        data: bytes of the frames.
        tables: signed, predictors, encodings and constants of each kind of frame, int64, shape [5, 4, fields].
        counts: fields of each kind of frame, shape [5]; zero where there is none.
        plans: of `PLAN`, shape [1].
        states: of `STATE`, shape [1]; zeros begin.
        history: the two main frames before, shape [2, fields].
        home: of the GPS, shape [fields], two at least.
        main, slow, gps: rows to be filled; of `slow` and `gps` the last column is the time [us].
        filled: of `ROWS`, shape [1]: how many rows were filled.
    """
    end, plan, state, rows = len(data), plans[0], states[0], filled[0]
    cursor = np.zeros(3, np.int64)  # next byte, end of the frame at the latest, whether it went wrong
    now = np.zeros(tables.shape[2] + 8, np.int64)
    rows.main, rows.slow, rows.gps = 0, 0, 0
    while state.position < end and not state.ended:
        if rows.main == len(main) or rows.slow == len(slow) or rows.gps == len(gps):
            return
        start, kind = state.position, -1
        for k in range(len(_LETTERS)):
            if data[start] == _LETTERS[k]:
                kind = k
        cursor[0], cursor[1], cursor[2] = start + 1, min(end, start + _LONGEST), 0
        if kind == _E:
            _event(data, cursor, state)
        elif kind < 0 or counts[kind] == 0:
            cursor[2] = 1
        else:
            _differences(data, cursor, tables[kind, 2], counts[kind], plan.version, now)
        if cursor[2] or cursor[0] > end or not (state.ended or _is_letter(data, cursor[0], end)):
            state.position, state.valid, state.ended = start + 1, 0, 0
            state.bad += 1
            continue
        state.position = cursor[0]
        if kind in (_I, _P):
            _take_main(kind, now, history, tables, plan, state, main, rows)
        elif kind != _E:
            _take_other(kind, counts[kind], now, home, tables, plan, state, slow, gps, rows)
    state.done = 1
