"""What must not reach the engine's own reader of MJCF, because it would hang or break off the process."""

from __future__ import annotations

from didymos.describe.xml_file import Element

__all__ = ["refuse_the_dangerous"]


def refuse_the_dangerous(root: Element) -> None:
    """An `InputError` for a file that the engine does not survive."""
