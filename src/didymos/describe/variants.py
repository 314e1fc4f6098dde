"""Variants: further faces of one robot in one folder, as overlays on the twin file.

    variants:
      rollers:
        title: Twelve rollers per wheel
        description: {arguments: {wheels: rollers}}
        contacts: null

A mapping is merged key by key, unless it names another `kind`; anything else replaces what stood there, and null takes it
away. Several variants may be joined by a plus sign and are laid over each other from left to right: `rollers+rigid`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from didymos.describe.yaml_file import Lines
from didymos.errors import InputError, nearest

__all__ = ["apply_variant", "overlaid"]


def apply_variant(raw: dict[str, Any], lines: Lines, variant: str, file: Path) -> tuple[dict[str, Any], Lines]:
    """The plain data of a twin file with the overlays of a variant, and the lines of all that it then holds."""
    known = raw.get("variants")
    known = known if isinstance(known, dict) else {}
    for name in variant.split("+"):
        overlay = known.get(name)
        if not isinstance(overlay, dict):
            names = ", ".join(known) or "none"
            raise InputError(f"there is no variant {name!r}{nearest(name, known)} (it has: {names})", file=file)
        lines = dict(lines)
        raw = overlaid(raw, overlay, lines, ("variants", name), ())
    return raw, lines


def overlaid(
    under: dict[str, Any], over: dict[str, Any], lines: Lines, source: tuple[str | int, ...], place: tuple[str | int, ...]
) -> dict[str, Any]:
    """Data with an overlay; `lines` gets where in the file, at `source`, what now stands at `place` was written."""
    found = dict(under)
    for key, value in over.items():
        here, there = (*place, key), (*source, key)
        if value is None:
            found.pop(key, None)
        elif isinstance(value, dict) and isinstance(found.get(key), dict) and _same_kind(found[key], value):
            found[key] = overlaid(found[key], value, lines, there, here)
        else:
            found[key] = value
            for path, line in list(lines.items()):
                if path[: len(there)] == there:
                    lines[here + path[len(there) :]] = line
    return found


def _same_kind(under: dict[str, Any], over: dict[str, Any]) -> bool:
    return "kind" not in over or over["kind"] == under.get("kind")
