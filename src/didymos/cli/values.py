"""Values out of arguments of the command line: `PATH=VALUE`, `PATH=LOW:HIGH`, `PATH=log:LOW:HIGH`, `DRIVE=N`, `NAME=NAME`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.studies.distribution import Distribution

__all__ = ["bus_numbers", "drawn_from", "duration", "finite", "limits", "pairs", "ranges", "settings", "udp_ports"]

_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def pairs(texts: Iterable[str], option: str) -> dict[str, str]:
    """`A=B` texts as a mapping; `option` names where they came from."""
    joined: dict[str, str] = {}
    for text in texts:
        left, equals, right = (piece.strip() for piece in text.partition("="))
        if not (left and equals and right):
            raise InputError(f"found {text!r}, expected two names or values joined by '='", path=option)
        if left in joined:
            raise InputError(f"{left!r} is given twice", path=option)
        joined[left] = right
    return joined


def settings(texts: Iterable[str], option: str = "--set") -> dict[str, float]:
    """`PATH=VALUE` texts as numbers by parameter path."""
    return {path: finite(value, f"{option} {path}") for path, value in pairs(texts, option).items()}


def ranges(texts: Iterable[str], option: str) -> dict[str, tuple[float, float]]:
    """`PATH=LOW:HIGH` texts as pairs of numbers by parameter path."""
    return {path: limits(value, f"{option} {path}") for path, value in pairs(texts, option).items()}


def drawn_from(texts: Iterable[str], option: str) -> dict[str, Distribution]:
    """`PATH=LOW:HIGH`, `PATH=log:LOW:HIGH` and `PATH=normal:MEAN:SD` texts as distributions by parameter path."""
    from didymos.studies.distribution import LogUniform, Normal, Uniform

    kinds = {"log": LogUniform, "normal": Normal}
    found: dict[str, Distribution] = {}
    for path, text in pairs(texts, option).items():
        place = f"{option} {path}"
        word, colon, rest = text.partition(":")
        kind = kinds.get(word) if colon else None
        if kind is None and word[:1].isalpha() and word not in ("inf", "nan"):
            raise InputError(f"found {text!r}, expected LOW:HIGH, log:LOW:HIGH or normal:MEAN:SD", path=place)
        try:
            found[path] = Uniform(*limits(text, place)) if kind is None else kind(*limits(rest, place))
        except InputError as error:
            raise error if error.path else InputError(str(error), path=place) from None
    return found


def limits(text: str, path: str) -> tuple[float, float]:
    """`LOW:HIGH` as two numbers; `path` names where it came from."""
    low, colon, high = text.partition(":")
    if not colon:
        raise InputError(f"found {text!r}, expected LOW:HIGH", path=path)
    return finite(low, path), finite(high, path)


def bus_numbers(texts: Iterable[str]) -> dict[str, int]:
    """`DRIVE=N` texts as whole numbers by name."""
    numbers = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals or not name or not (number.isascii() and number.isdigit()):
            raise InputError(f"found {text!r}, expected DRIVE=N", path="--id")
        numbers[name] = int(number)
    return numbers


def udp_ports(texts: Sequence[str], world: bool) -> dict[str, int]:
    """`PORT`, in a world `ROBOT=PORT` texts, as whole numbers by the robot's name, which is empty for a port of all."""
    if not world and len(texts) > 1:
        raise InputError("found several, expected one: a twin alone has one UDP port", path="--udp")
    ports = {}
    of_all = not world or (len(texts) == 1 and "=" not in texts[0])
    for name, port in [("", text) for text in texts] if of_all else pairs(texts, "--udp").items():
        if not (port.isascii() and port.isdigit() and int(port) < 65536):
            raise InputError(f"found {port!r}, expected a UDP port from 0 to 65535", path="--udp")
        ports[name] = int(port)
    return ports


def duration(text: str, path: str) -> float:
    """`30s`, `10m`, `1.5h` or `2d` as seconds; `path` names where it came from."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)", text.strip())
    if match is None:
        raise InputError(f"found {text!r}, expected a duration such as 30s, 10m, 1h or 2d", path=path)
    return float(match[1]) * _SECONDS[match[2]]


def finite(text: str, path: str) -> float:
    """A text as a finite number; `path` names where it came from."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"found {text!r}, expected a finite number", path=path)
    return value
