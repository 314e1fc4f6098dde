"""Betaflight's blackbox: where the flights of a file begin, and what their headers say about the frames.

A file holds one flight or several, each from its marker on: lines `H NAME:VALUE`, then frames. The lines `Field X name`,
`signed`, `predictor` and `encoding` describe the fields of the frames X: I (whole), P (differences to the frames before), S
(slow), H (home of the GPS), G (GPS). P has the names of I. Written after the format's documentation, "Blackbox logging
internals" of Betaflight (docs/development/Blackbox Internals.md), and held against a log that the firmware itself wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FRAMES", "MARKER", "BlackboxError", "Flight", "FrameFields", "flights"]

MARKER = b"H Product:Blackbox flight data recorder by Nicholas Sherlock"
FRAMES = "IPSHG"
"""The frames that have fields, in the order of the tables that the decoder reads."""

_MOST_FIELDS = 256
_LONGEST_LINE = 16_384
_MIN_THROTTLE, _FIXED, _REFERENCE, _MIN_MOTOR, _HOME = 4, 8, 9, 11, 7
_ENCODINGS = {0, 1, 3, 6, 7, 8, 9, 10}
_INDEXED = re.compile(r"\[(\d+)\]")


class BlackboxError(ValueError):
    """A header that cannot be used."""


@dataclass(frozen=True, eq=False)
class FrameFields:
    """The fields of one kind of frame, shape [fields] each: names, whether signed, predictors, encodings.

    `constants` is what a predictor adds that the header knows: minthrottle, 1500, vbatref, the least motor output.
    """

    names: tuple[str, ...]
    signed: NDArray[np.bool_]
    predictors: NDArray[np.int64]
    encodings: NDArray[np.int64]
    constants: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Flight:
    """One flight: its header by name, the fields of its frames by letter, and its frames [bytes]."""

    header: Mapping[str, str]
    fields: Mapping[str, FrameFields]
    data: bytes


def flights(content: bytes) -> Iterator[Flight | BlackboxError]:
    """Every flight of a file, or why it cannot be read."""
    starts = [match.start() for match in re.finditer(re.escape(MARKER), content)]
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        try:
            header, begin = _header(content, start, end)
            yield Flight(header, _fields(header), content[begin:end])
        except BlackboxError as error:
            yield error


def _header(content: bytes, start: int, end: int) -> tuple[dict[str, str], int]:
    """The lines of a header by name, and where it ends."""
    header: dict[str, str] = {}
    position = start
    while content[position : position + 2] == b"H ":
        stop = content.find(b"\n", position, min(end, position + _LONGEST_LINE))
        line = content[position : stop if stop >= 0 else position]
        if stop < 0 or b":" not in line or not line.isascii():
            break  # no line, so perhaps a frame: the home of the GPS begins with an H as well
        name, _, value = line[2:].decode("ascii").partition(":")
        header[name.strip()] = value.strip()
        position = stop + 1
    return header, position


def _fields(header: Mapping[str, str]) -> dict[str, FrameFields]:
    found: dict[str, FrameFields] = {}
    for letter in FRAMES:
        names = tuple(_INDEXED.sub(r".\1", name) for name in header.get(f"Field {letter} name", "").split(",") if name)
        if letter == "P" and "I" in found:
            names = found["I"].names
        if not names or f"Field {letter} encoding" not in header:
            continue
        predictors, encodings = _integers(header, letter, "predictor", names), _integers(header, letter, "encoding", names)
        unknown = sorted(set(encodings.tolist()) - _ENCODINGS)
        if unknown:
            raise BlackboxError(f"fields of frame {letter} have the encoding {unknown[0]}, which is not read")
        source = "I" if letter == "P" else letter
        has_signs = f"Field {source} signed" in header
        signed = _integers(header, source, "signed", names) if has_signs else np.ones(len(names), np.int64)
        constants = np.array([_constant(header, int(predictor)) for predictor in predictors])
        found[letter] = FrameFields(names, signed != 0, predictors, encodings, constants)
    if "I" not in found or "P" not in found:
        raise BlackboxError("the header does not say what the frames I and P hold")
    for name in ("loopIteration", "time"):
        if name not in found["I"].names:
            raise BlackboxError(f"the header names no field {name!r}")
    return found


def _integers(header: Mapping[str, str], letter: str, what: str, names: tuple[str, ...]) -> NDArray[np.int64]:
    texts = header.get(f"Field {letter} {what}", "").split(",")
    try:
        numbers = np.array([int(text) for text in texts], np.int64)
    except (ValueError, OverflowError):
        raise BlackboxError(f"the header's line 'Field {letter} {what}' holds something that is no number") from None
    if len(numbers) != len(names) or len(names) > _MOST_FIELDS:
        raise BlackboxError(f"the header names {len(names)} fields of frame {letter} and gives {len(numbers)} of {what}")
    return numbers


def _constant(header: Mapping[str, str], predictor: int) -> int:
    names = {_MIN_THROTTLE: "minthrottle", _REFERENCE: "vbatref", _MIN_MOTOR: "motorOutput"}
    if predictor == _FIXED:
        return 1500
    text = header.get(names.get(predictor, ""), "0").partition(",")[0]
    return int(text) if re.fullmatch(r"-?\d{1,9}", text) else 0
