"""What a twin or world file says of itself at first sight, from its lines: reading it whole would take a second."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Headline", "headline_of"]

_LONGEST = 2**20  # characters that are looked at
_QUOTED = re.compile(r"""'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)\"""")


@dataclass(frozen=True)
class Headline:
    """Title and names of the variants of a twin file; a world has none of these."""

    title: str
    variants: tuple[str, ...]


def headline_of(file: Path) -> Headline:
    """The headline of a `twin.yaml` or `world.yaml`; empty where the file cannot be read."""
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            text = stream.read(_LONGEST) + "\n"
    except OSError:
        return Headline("", ())
    title = re.search(r"^title:(.*)$", text, re.MULTILINE)
    block = re.search(r"^variants:[^\n]*\n((?:[ #][^\n]*\n|\n)*)", text, re.MULTILINE)
    variants = re.findall(r"^  ([\w-]+):", block[1], re.MULTILINE) if block else []
    return Headline(_scalar(title[1]) if title else "", tuple(variants))


def _scalar(text: str) -> str:
    """A text of YAML as it stands behind its key, without quotes and comment."""
    text = text.strip(" \t")
    quoted = _QUOTED.match(text)
    if quoted is None:
        return text.partition(" #")[0].rstrip(" \t")
    return quoted[1].replace("''", "'") if quoted[1] is not None else quoted[2].replace('\\"', '"')
