"""Units that people log in, turned into ours (SI, radians).

    unit_factor("deg/s", "rad/s")                    0.0174533
    convert([1500.0], "1000..2000", "1")             [0.5]     a range is mapped to 0..1
    convert([25.0], "degC", "K")                     [298.15]

A unit is a product of words: `m/s^2`, `m/s/s`, `N m`, `N*m`, `deg/s`. A word is one of `WORDS`, in any case where that leaves no
doubt. Three of them have several meanings in the field, and one here: `g` is standard gravity (an accelerometer's; the mass is
`gram`), `rad` is a dimension of its own (so that rev/s and Hz are not mistaken for each other), and `%` is 0.01. A range
`LOW..HIGH` (PWM: `0..65535`, `1000..2000`) is a number 0..1 that was written in other digits; it may run backwards.

Every unit is x_SI = factor x + offset; a factor alone exists where both offsets are zero.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, nearest

__all__ = ["WORDS", "Unit", "convert", "read_unit", "unit_factor"]

_BASES = ("m", "kg", "s", "A", "K", "rad")
_Powers = tuple[int, ...]  # of each of `_BASES`


@dataclass(frozen=True)
class Unit:
    """x_SI = factor x + offset, in the product of the base units m, kg, s, A, K, rad to their `powers`."""

    factor: float
    powers: _Powers
    offset: float = 0.0

    @property
    def base(self) -> str:
        """The same quantity in base units, for people: `m/s^2`, `rad/s`; `a number` where it has none."""
        up, down = ([(name, abs(n)) for name, n in zip(_BASES, self.powers, strict=True) if n * sign > 0] for sign in (1, -1))
        above, below = ([f"{name}^{n}" if n > 1 else name for name, n in part] for part in (up, down))
        if not above and not below:
            return "a number"
        return " ".join(above or ["1"]) + "".join(f"/{name}" for name in below)


def _unit(factor: float, offset: float = 0.0, **powers: int) -> Unit:
    return Unit(factor, tuple(powers.get(name, 0) for name in _BASES), offset)


_G = 9.80665  # [m/s^2], standard gravity (CGPM 1901)
_FORCE, _POWER, _FIELD, _PRESSURE, _VOLTAGE = (
    {"kg": 1, "m": 1, "s": -2}, {"kg": 1, "m": 2, "s": -3}, {"kg": 1, "s": -2, "A": -1}, {"kg": 1, "m": -1, "s": -2},
    {"kg": 1, "m": 2, "s": -3, "A": -1},
)  # fmt: skip
_TORQUE = _ENERGY = {"kg": 1, "m": 2, "s": -2}

WORDS: Mapping[str, Unit] = MappingProxyType(
    {
        "1": _unit(1.0), "%": _unit(0.01), "percent": _unit(0.01), "ppm": _unit(1e-6),
        "m": _unit(1.0, m=1), "km": _unit(1e3, m=1), "cm": _unit(1e-2, m=1), "mm": _unit(1e-3, m=1), "um": _unit(1e-6, m=1),
        "in": _unit(0.0254, m=1), "ft": _unit(0.3048, m=1),
        "s": _unit(1.0, s=1), "ms": _unit(1e-3, s=1), "us": _unit(1e-6, s=1), "ns": _unit(1e-9, s=1), "min": _unit(60.0, s=1),
        "h": _unit(3600.0, s=1), "Hz": _unit(1.0, s=-1), "kHz": _unit(1e3, s=-1),
        "rad": _unit(1.0, rad=1), "mrad": _unit(1e-3, rad=1), "deg": _unit(math.pi / 180, rad=1),
        "mdeg": _unit(math.pi / 180e3, rad=1), "cdeg": _unit(math.pi / 180e2, rad=1), "rev": _unit(2 * math.pi, rad=1),
        "dps": _unit(math.pi / 180, rad=1, s=-1), "rpm": _unit(2 * math.pi / 60, rad=1, s=-1),
        "krpm": _unit(2 * math.pi / 60e-3, rad=1, s=-1),
        "kph": _unit(1 / 3.6, m=1, s=-1), "kmh": _unit(1 / 3.6, m=1, s=-1), "knot": _unit(1852 / 3600, m=1, s=-1),
        "mph": _unit(0.44704, m=1, s=-1), "fps": _unit(0.3048, m=1, s=-1),
        "g": _unit(_G, m=1, s=-2), "mg": _unit(1e-3 * _G, m=1, s=-2),
        "kg": _unit(1.0, kg=1), "gram": _unit(1e-3, kg=1), "lb": _unit(0.45359237, kg=1),
        "N": _unit(1.0, **_FORCE), "mN": _unit(1e-3, **_FORCE), "kN": _unit(1e3, **_FORCE), "kgf": _unit(_G, **_FORCE),
        "gf": _unit(1e-3 * _G, **_FORCE), "lbf": _unit(4.4482216152605, **_FORCE),
        "Nm": _unit(1.0, **_TORQUE), "mNm": _unit(1e-3, **_TORQUE), "Nmm": _unit(1e-3, **_TORQUE), "Ncm": _unit(1e-2, **_TORQUE),
        "J": _unit(1.0, **_ENERGY), "Wh": _unit(3600.0, **_ENERGY), "W": _unit(1.0, **_POWER), "mW": _unit(1e-3, **_POWER),
        "A": _unit(1.0, A=1), "mA": _unit(1e-3, A=1), "cA": _unit(1e-2, A=1), "Ah": _unit(3600.0, A=1, s=1),
        "mAh": _unit(3.6, A=1, s=1), "V": _unit(1.0, **_VOLTAGE), "mV": _unit(1e-3, **_VOLTAGE), "cV": _unit(1e-2, **_VOLTAGE),
        "Pa": _unit(1.0, **_PRESSURE), "hPa": _unit(100.0, **_PRESSURE), "kPa": _unit(1e3, **_PRESSURE),
        "bar": _unit(1e5, **_PRESSURE), "mbar": _unit(100.0, **_PRESSURE),
        "T": _unit(1.0, **_FIELD), "mT": _unit(1e-3, **_FIELD), "uT": _unit(1e-6, **_FIELD), "gauss": _unit(1e-4, **_FIELD),
        "mgauss": _unit(1e-7, **_FIELD),
        "K": _unit(1.0, K=1), "degC": _unit(1.0, 273.15, K=1), "degF": _unit(5 / 9, 273.15 - 32 * 5 / 9, K=1),
    }
)  # fmt: skip
"""Every word that a unit may be made of."""

_ALIASES = {
    "degree": "deg", "degrees": "deg", "°": "deg", "radian": "rad", "radians": "rad", "revolution": "rev", "revolutions": "rev",
    "turn": "rev", "turns": "rev", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "sec": "s", "second": "s",
    "seconds": "s", "msec": "ms", "usec": "us", "nsec": "ns", "µs": "us", "μs": "us", "minute": "min", "hour": "h", "hr": "h",
    "kn": "knot", "kt": "knot", "kts": "knot", "knots": "knot", "gs": "g", "volt": "V", "volts": "V", "amp": "A", "amps": "A",
    "ampere": "A", "newton": "N", "newtons": "N", "watt": "W", "tesla": "T", "µT": "uT", "°C": "degC", "celsius": "degC",
    "°F": "degF", "kelvin": "K", "pascal": "Pa", "inch": "in", "feet": "ft", "foot": "ft", "hertz": "Hz", "grams": "gram",
    "none": "1", "norm": "1", "normalized": "1", "normalised": "1",
}  # fmt: skip
_BY_LOWER: dict[str, list[str]] = {}
for _word in (*WORDS, *_ALIASES):
    _BY_LOWER.setdefault(_word.lower(), []).append(_word)

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*")
_FACTOR = re.compile(r"\s*(?P<by>[*·/]?)\s*(?P<word>[^\s*·/^\d²³]+|1)(?:\^?(?P<power>-?\d|²|³))?")
_POWERS = {None: 1, "²": 2, "³": 3}


def unit_factor(from_unit: str, to_unit: str) -> float:
    """What a number in one unit is multiplied with to be in another.

    Raises:
        InputError: a word that is no unit, units of different quantities, or one with an offset (a range, degC): see `convert`.
    """
    source, target = _pair(from_unit, to_unit)
    if source.offset or target.offset:
        raise InputError(f"between {from_unit!r} and {to_unit!r} lies an offset, not a factor alone: convert the values")
    return source.factor / target.factor


def convert(values: ArrayLike, from_unit: str, to_unit: str) -> NDArray[np.float64]:
    """Values in another unit, of the same shape: (factor x + offset - offset') / factor'."""
    source, target = _pair(from_unit, to_unit)
    numbers = np.asarray(values, np.float64)
    if source == target:
        return numbers.copy()
    if source.offset == target.offset:
        return numbers * (source.factor / target.factor)
    return (numbers * source.factor + (source.offset - target.offset)) / target.factor


def _pair(from_unit: str, to_unit: str) -> tuple[Unit, Unit]:
    source, target = read_unit(from_unit), read_unit(to_unit)
    if source.powers != target.powers:
        raise InputError(f"{from_unit!r} cannot become {to_unit!r}: one is {source.base}, the other {target.base}")
    return source, target


@lru_cache(maxsize=512)
def read_unit(text: str) -> Unit:
    """A unit from its text; an empty one is a plain number."""
    limits = _RANGE.fullmatch(text)
    if limits:
        low, high = float(limits[1]), float(limits[2])
        if not 1e-12 < abs(high - low) < 1e12:
            raise InputError(f"the range {text!r} cannot be, expected two different numbers such as 1000..2000")
        return _unit(1.0 / (high - low), -low / (high - low))
    if not text.strip():
        return WORDS["1"]
    factor, powers, offset, position = 1.0, [0] * len(_BASES), 0.0, 0
    while position < len(text.rstrip()):
        part = _FACTOR.match(text, position)
        if part is None:
            raise InputError(f"{text!r} is not a unit: expected words such as m/s^2, deg/s, N m, or a range such as 0..65535")
        word = _word_of(part["word"], text)
        power = _POWERS[part["power"]] if part["power"] in _POWERS else int(part["power"])
        power *= -1 if part["by"] == "/" else 1
        factor *= word.factor**power
        powers = [had + power * new for had, new in zip(powers, word.powers, strict=True)]
        offset = word.offset if part.end() >= len(text.rstrip()) and position == 0 and power == 1 else 0.0
        position = part.end()
    return Unit(factor, tuple(powers), offset)


def _word_of(word: str, text: str) -> Unit:
    known = [word] if word in WORDS or word in _ALIASES else _BY_LOWER.get(word.lower(), [])
    units = {WORDS[_ALIASES.get(name, name)] for name in known if not _is_mega(word, name)}
    if len(units) == 1:
        return units.pop()
    of = f" in {text!r}" if word != text else ""
    raise InputError(f"{word!r}{of} is no unit that is known{nearest(word, (*WORDS, *_ALIASES))}")


def _is_mega(word: str, name: str) -> bool:
    """Whether a word that would be known in other case begins with mega where the known one has milli."""
    return word[0] == "M" and name[0] == "m" and name[1:] in WORDS
