"""Numbers, vectors and names out of XML text; whatever cannot be read is an `InputError` with its line."""

from __future__ import annotations

import math
import re

import numpy as np

from didymos.describe.formats.xml_file import Element

__all__ = ["flag", "limit", "name_of", "number", "number_in_text", "parse_numbers", "rounding", "text_of", "vector"]

# Python's own float() also takes "1_0", "nan" and "infinity", which no description means.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(r"([+-]?)inf(inity)?", re.IGNORECASE)
_LARGEST = 1e15  # beyond it the engine's own sums lose the metres


def parse_numbers(element: Element, text: str, what: str, count: int | None, *, infinite: bool = False) -> np.ndarray:
    """Exactly `count` finite numbers, shape [count], out of text such as "0 0.1 -2"; `what` names them in an error."""
    numbers = text.split()
    if count is not None and len(numbers) != count:
        raise element.error(f"{what} of {element} has {len(numbers)} numbers in {text.strip()!r}, expected {count}")
    return np.array([_parse_number(element, piece, what, infinite) for piece in numbers], dtype=float)


def _parse_number(element: Element, text: str, what: str, infinite: bool) -> float:
    match = _INFINITE.fullmatch(text)
    if match and infinite:
        return -math.inf if match[1] == "-" else math.inf
    if not _NUMBER.fullmatch(text):
        raise element.error(f"{what} of {element} is {text!r}, expected a finite number")
    value = float(text)
    if abs(value) > _LARGEST and not infinite:
        raise element.error(f"{what} of {element} is {text!r}, expected a number of at most {_LARGEST:g}")
    return value


def rounding(text: str) -> float:
    """Half a unit of the last digit of a number as it is written; none for a zero, which nobody rounds to."""
    match = re.fullmatch(r"\s*[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?\s*", text)
    if match is None or not (match[1] + (match[2] or "")).strip("0"):
        return 0.0
    return 0.5 * 10.0 ** (int(match[3] or 0) - len(match[2] or ""))


def number(element: Element, attribute: str, default: float | None = None) -> float:
    """A finite number from an attribute; without a default the attribute is needed."""
    text = element.attributes.get(attribute)
    if text is None:
        if default is None:
            raise element.error(f"{element} has no attribute {attribute!r}, which it needs")
        return default
    return float(parse_numbers(element, text, repr(attribute), 1)[0])


def limit(element: Element, attribute: str, default: float) -> float:
    """A number from an attribute that may also say ``inf`` or ``-inf``."""
    text = element.attributes.get(attribute)
    return default if text is None else float(parse_numbers(element, text, repr(attribute), 1, infinite=True)[0])


def vector(element: Element, attribute: str, default: tuple[float, ...]) -> np.ndarray:
    """As many finite numbers as the default has, from an attribute."""
    text = element.attributes.get(attribute)
    return np.array(default) if text is None else parse_numbers(element, text, repr(attribute), len(default))


def number_in_text(element: Element, *, infinite: bool = False) -> float:
    """The number that stands between an element's tags."""
    return float(parse_numbers(element, element.text, "the text", 1, infinite=infinite)[0])


def text_of(element: Element, attribute: str) -> str:
    """A needed attribute that is not empty."""
    text = element.attributes.get(attribute, "").strip()
    if not text:
        raise element.error(f"{element} has no attribute {attribute!r}, which it needs")
    return text


def name_of(element: Element) -> str:
    """The needed attribute `name`."""
    return text_of(element, "name")


def flag(element: Element) -> bool:
    """The truth value that stands between an element's tags."""
    text = element.text.strip().lower()
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    raise element.error(f"{element} says {element.text.strip()!r}, expected true or false")
