"""Writes a blackbox as the format's documentation has it ("Blackbox logging internals"), sharing no code with the reader."""

from __future__ import annotations

from collections.abc import Sequence

MARKER = b"H Product:Blackbox flight data recorder by Nicholas Sherlock\n"
END = b"E\xffEnd of log\0"

# name, signed, predictor and encoding in frames I, predictor and encoding in frames P
FIELDS = [
    ("loopIteration", 0, 0, 1, 6, 9), ("time", 0, 0, 1, 2, 0), ("axisP[0]", 1, 0, 0, 1, 0), ("axisI[0]", 1, 0, 0, 1, 7),
    ("axisI[1]", 1, 0, 0, 1, 7), ("axisI[2]", 1, 0, 0, 1, 7), ("rcCommand[0]", 1, 0, 0, 1, 8), ("rcCommand[1]", 1, 0, 0, 1, 8),
    ("rcCommand[2]", 1, 0, 0, 1, 8), ("rcCommand[3]", 0, 0, 1, 1, 8), ("vbatLatest", 0, 9, 3, 1, 6),
    ("amperageLatest", 1, 0, 0, 1, 6), ("baroAlt", 1, 0, 0, 1, 6), ("gyroADC[0]", 1, 0, 0, 3, 0), ("gyroADC[1]", 1, 0, 0, 3, 0),
    ("gyroADC[2]", 1, 0, 0, 3, 0),
    ("accSmooth[0]", 1, 0, 0, 1, 10), ("accSmooth[1]", 1, 0, 0, 1, 10), ("accSmooth[2]", 1, 0, 0, 1, 10),
    ("motor[0]", 0, 11, 1, 3, 0), ("motor[1]", 0, 5, 0, 3, 0), ("servo[5]", 0, 8, 6, 1, 6),
]  # fmt: skip
VBATREF, MIN_MOTOR = 1600, 158


def unsigned(value: int) -> bytes:
    value &= 0xFFFFFFFF
    out = b""
    while value > 127:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def signed(value: int) -> bytes:
    value = (value + 2**31) % 2**32 - 2**31  # numbers of 32 bits wrap
    return unsigned(value << 1 ^ value >> 31)


def eight(values: Sequence[int]) -> bytes:
    """TAG8_8SVB."""
    if len(values) == 1:
        return signed(values[0])
    head = sum(1 << i for i, value in enumerate(values) if value)
    return bytes([head]) + b"".join(signed(value) for value in values if value)


def whole_bytes(values: Sequence[int]) -> bytes:
    sizes = [next(n for n in (1, 2, 3, 4) if -(1 << 8 * n - 1) <= value < 1 << 8 * n - 1) for value in values]
    head = 0xC0 | sum(size - 1 << 2 * i for i, size in enumerate(sizes))
    parts = (value.to_bytes(size, "little", signed=True) for value, size in zip(values, sizes, strict=True))
    return bytes([head]) + b"".join(parts)


def three(values: Sequence[int]) -> bytes:
    """TAG2_3S32."""
    a, b, c = values
    if all(-2 <= value < 2 for value in values):
        return bytes([(a & 3) << 4 | (b & 3) << 2 | c & 3])
    if all(-8 <= value < 8 for value in values):
        return bytes([0x40 | a & 15, (b & 15) << 4 | c & 15])
    if all(-32 <= value < 32 for value in values):
        return bytes([0x80 | a & 63, b & 63, c & 63])
    return whole_bytes(values)


def three_variable(values: Sequence[int]) -> bytes:
    """TAG2_3SVARIABLE: 2 bits each, 5 5 4, 8 7 7, or bytes."""
    a, b, c = values
    if all(-2 <= value < 2 for value in values):
        return bytes([(a & 3) << 4 | (b & 3) << 2 | c & 3])
    if -16 <= a < 16 and -16 <= b < 16 and -8 <= c < 8:
        return (0x4000 | (a & 31) << 9 | (b & 31) << 4 | c & 15).to_bytes(2, "big")
    if -128 <= a < 128 and -64 <= b < 64 and -64 <= c < 64:
        return (0x800000 | (a & 255) << 14 | (b & 127) << 7 | c & 127).to_bytes(3, "big")
    return whole_bytes(values)


def four(values: Sequence[int]) -> bytes:
    """TAG8_4S16 of data version 2: a row of half bytes, the highest first."""
    sizes = [0 if value == 0 else 1 if -8 <= value < 8 else 2 if -128 <= value < 128 else 3 for value in values]
    halves: list[int] = []
    for value, size in zip(values, sizes, strict=True):
        count = (0, 1, 2, 4)[size]
        halves += [value >> 4 * (count - 1 - k) & 15 for k in range(count)]
    halves += [0] * (len(halves) % 2)
    head = sum(size << 2 * i for i, size in enumerate(sizes))
    return bytes([head]) + bytes(high << 4 | low for high, low in zip(halves[::2], halves[1::2], strict=True))


def encode(encodings: Sequence[int], values: Sequence[int]) -> bytes:
    out, i = b"", 0
    while i < len(values):
        kind = encodings[i]
        if kind == 6:
            group = next((k for k in range(1, 8) if i + k >= len(values) or encodings[i + k] != 6), 8)
            out += eight(values[i : i + group])
            i += group
        elif kind in (7, 10):
            out += (three if kind == 7 else three_variable)(values[i : i + 3])
            i += 3
        elif kind == 8:
            out += four(values[i : i + 4])
            i += 4
        else:
            out += {0: signed, 1: unsigned, 3: lambda value: unsigned(-value & 0x3FFF), 9: lambda value: b""}[kind](values[i])
            i += 1
    return out


def half(a: int, b: int) -> int:
    """(a + b) / 2 as C has it: towards zero."""
    return int((a + b) / 2)


def header(extra: str = "") -> bytes:
    names, signs, ip, ie, pp, pe = (",".join(str(field[k]) for field in FIELDS) for k in range(6))
    lines = f"""Data version:2
Field I name:{names}
Field I signed:{signs}
Field I predictor:{ip}
Field I encoding:{ie}
Field P predictor:{pp}
Field P encoding:{pe}
Field S name:flightModeFlags,stateFlags,failsafePhase,rxSignalReceived,rxFlightChannelsValid
Field S signed:0,0,0,0,0
Field S predictor:0,0,0,0,0
Field S encoding:1,1,7,7,7
Field H name:GPS_home[0],GPS_home[1]
Field H signed:1,1
Field H predictor:0,0
Field H encoding:0,0
Field G name:time,GPS_numSat,GPS_coord[0],GPS_coord[1]
Field G signed:0,0,1,1
Field G predictor:10,0,7,7
Field G encoding:1,1,0,0
Firmware type:Betaflight
Firmware revision:Betaflight 4.5.1 (77d01ba3b) STM32F7X2
I interval:32
P interval:1
motorOutput:{MIN_MOTOR},2047
gyro_scale:0x3f800000
acc_1G:2048
vbatref:{VBATREF}
{extra}"""
    return MARKER + b"".join(b"H " + line.encode() + b"\n" for line in lines.splitlines() if line)


def blackbox(rows: Sequence[Sequence[int]], *, extra: str = "", interval: int = 1, end: bool = True, gps: bool = False) -> bytes:
    """A flight of main frames, a row of numbers in the order of FIELDS each; every 32nd loop is a frame I."""
    out = header(extra + (f"\nP interval:1/{interval}" if interval > 1 else ""))
    history: list[Sequence[int]] = []
    motor = [field[0] for field in FIELDS].index("motor[0]")
    for number, row in enumerate(rows):
        whole = row[0] % 32 == 0 or not history
        predicted = []
        for i, (_, _, i_predictor, _, p_predictor, _) in enumerate(FIELDS):
            kind = i_predictor if whole else p_predictor
            one, two = (history[-1][i], history[-2][i]) if len(history) > 1 else (history[-1][i],) * 2 if history else (0, 0)
            of_kind = {
                0: 0, 1: one, 2: 2 * one - two, 3: half(one, two), 5: row[motor], 6: row[i], 8: 1500, 9: VBATREF, 11: MIN_MOTOR,
            }  # fmt: skip
            predicted.append(of_kind[kind])
        differences = [value - base for value, base in zip(row, predicted, strict=True)]
        encodings = [field[3 if whole else 5] for field in FIELDS]
        out += (b"I" if whole else b"P") + encode(encodings, differences)
        history = [row, row] if whole else [*history, row][-2:]
        if number % 50 == 10:
            out += b"S" + encode([1, 1, 7, 7, 7], [number, 1, 0, 1, 1]) + b"E\x00" + unsigned(row[1])
        if gps and number % 40 == 5:
            out += b"H" + encode([0, 0], [473_976_000, 85_455_000])
            out += b"G" + encode([1, 1, 0, 0], [7, 12, number, -number])
    return out + (END if end else b"")
