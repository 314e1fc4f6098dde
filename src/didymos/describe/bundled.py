"""The twins that come with the package: known without loading anything else."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ROBOTS", "bundled"]

ROBOTS = Path(__file__).parent.parent / "robots"
"""Folder of the bundled twins."""


def bundled() -> tuple[str, ...]:
    """Names of the twins that come with the package."""
    return tuple(sorted(folder.name for folder in ROBOTS.iterdir() if (folder / "twin.yaml").is_file()))
