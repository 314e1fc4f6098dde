"""Texts of strangers in the panels: viser's markdown shows HTML as it is, and scripts in frames of it run.

Titles of scenarios, names of expectations, links, files: all that a twin, a description or a log says goes through `plain`, so
that every letter is shown and none is markup.
"""

from __future__ import annotations

import re

__all__ = ["plain"]

LONGEST = 300  # characters
_MARKUP = re.compile(r"([\\`*_\[\]<>|~&#])")


def plain(text: str) -> str:
    """A text as markdown that shows it letter by letter, in one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split())[:LONGEST])
