"""Words of 0.1.0 that have another name now: whoever writes the old one is told the new one.

`nearest` of errors.py asks here first, so every complaint about an unknown key, path or signal knows the table.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["RENAMED", "renamed"]

RENAMED = {
    "wanted": "setpoints",
    "sensed": "measured",
    "grip": "friction_scale",
    "upstream": "input_from",
    "told": "needs",
    "wants": "setpoints",
    "slip_speed": "presliding",  # a way, no speed
    "minimum_pulse": "minimum_impulse_bit",  # times the thrust
}
"""Old word -> new word: keys of a twin file, steps of a path, first words of a signal."""

_ROOTS = frozenset({"wanted", "sensed"})
"""Old words that began the names of many things; what follows them is known to nobody but the program."""


def renamed(name: str, known: Iterable[str]) -> str | None:
    """What a name with an old word in it is called now, None where it has none or nothing of that name is known."""
    steps = name.split(".")
    new = ".".join(RENAMED.get(step, step) for step in steps)
    if new == name:
        return None
    return new if new in set(known) or (len(steps) > 1 and steps[0] in _ROOTS) else None
