"""What a twin or a world was given since its files were read: values and programs; a log tells both.

    set       {"links.trunk.mass": 2.0}                     as JSON by path
    control   policy.npz, or in a world drone=policy.npz    as the option of that name takes it

A log is given away, so that it tells the names of files without their folders.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

__all__ = ["CONTROL", "SET", "Given"]

SET, CONTROL = "set", "control"


@dataclass(frozen=True)
class Given:
    """Values by path, and the programs that took the place of the files' own."""

    values: Mapping[str, float] = field(default_factory=dict)
    control: str | None = None

    @classmethod
    def to(cls, what: Any) -> Self:
        """What a twin or a world was given; a program that was put in is no value."""
        paths = (path for path in sorted(what.set_by_hand) if path != "control" and not path.endswith(".control"))
        return cls({path: float(what.get(path)) for path in paths}, _programs(what))

    @classmethod
    def told(cls, metadata: Mapping[str, Any]) -> Self:
        """What a log's metadata, or a file of interventions, tells; nothing where it does not, or cannot be read."""
        try:
            found = metadata.get(SET) or {}
            found = json.loads(found) if isinstance(found, str) else found
            values = {str(path): float(value) for path, value in found.items()}
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            values = {}
        control = metadata.get(CONTROL)
        return cls({path: value for path, value in values.items() if math.isfinite(value)}, str(control) if control else None)

    @property
    def metadata(self) -> dict[str, str]:
        """What a log says of it."""
        said = {SET: json.dumps(self.values, separators=(",", ":"))} if self.values else {}
        control = self.without_folders.control
        return said | ({CONTROL: control} if control else {})

    @property
    def without_folders(self) -> Given:
        """The same, programs by the names of their files alone."""
        if self.control is None:
            return self
        return Given(self.values, ",".join(_without_folder(item) for item in self.control.split(",")))

    @property
    def options(self) -> list[tuple[str, str]]:
        """The options that give the same, by their names: `set` once for each value, `control`."""
        values = [(SET, f"{path}={value!r}") for path, value in self.values.items()]
        return values + ([(CONTROL, self.control)] if self.control else [])


def _without_folder(program: str) -> str:
    """ROBOT=FOLDER/FILE.py:NAME without its folder."""
    robot, given, file = program.rpartition("=")
    return robot + given + re.split(r"[/\\]", file)[-1]


def _programs(what: Any) -> str | None:
    """The program of a twin, or programs of a world by robot, that are not those of its files."""
    robots = getattr(what, "robots", None)
    if robots is None:
        return None if what.program_by_hand is None else str(what.program_by_hand["name"])
    named = {name: robot.twin.program_by_hand for name, robot in robots.items()}
    return ",".join(f"{name}={by_hand['name']}" for name, by_hand in named.items() if by_hand is not None) or None
