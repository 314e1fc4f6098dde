"""The twins and worlds that come with the package: known without loading anything else."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ROBOTS", "WORLDS", "bundled", "bundled_worlds"]

ROBOTS = Path(__file__).parent.parent / "robots"
"""Folder of the bundled twins."""

WORLDS = Path(__file__).parent.parent / "worlds"
"""Folder of the bundled worlds."""


def bundled() -> tuple[str, ...]:
    """Names of the twins that come with the package."""
    return tuple(sorted(folder.name for folder in ROBOTS.iterdir() if (folder / "twin.yaml").is_file()))


def bundled_worlds() -> tuple[str, ...]:
    """Names of the worlds that come with the package."""
    if not WORLDS.is_dir():
        return ()
    return tuple(sorted(folder.name for folder in WORLDS.iterdir() if (folder / "world.yaml").is_file()))
