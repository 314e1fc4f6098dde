"""What a format of robot descriptions is, and the formats that there are.

A format knows its files by the ends of their names or by the tag with which an XML file begins, and reads one. The easy way is to
answer with the text of a URDF, an SDF or an MJCF, which is then read as such; the full way is a `Description`. An installed
package adds formats by entry points of the group `didymos.formats`:

    DH_TABLE = Format("Denavit-Hartenberg table", read=urdf_of_table, suffixes=(".dh.csv",))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from didymos.describe.description import Description
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xml_file import Element
from didymos.kinds import Objects

__all__ = ["FORMATS", "DescriptionFile", "Format"]


@dataclass(frozen=True)
class DescriptionFile:
    """A file to be read: what is said about it, and, of one that begins with a tag, its root element.

    `text` is what it expands to, where that is not what it holds (xacro); `repair` asks for what `inertia_repair.py` mends,
    `density` [kg/m^3] and `inertia_from_shapes` for what `estimated_inertia.py` estimates.
    """

    path: Path
    packages: Packages
    arguments: Mapping[str, str] = field(default_factory=dict)
    root: Element | None = None
    text: str | None = None
    repair: bool = False
    density: float | None = None
    inertia_from_shapes: bool = False


@dataclass(frozen=True)
class Format:
    """A format: its title, the function that reads a file of it, the ends of names and the tags by which a file is known."""

    title: str
    read: Callable[[DescriptionFile], Description | str]
    suffixes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


FORMATS: Objects[Format] = Objects(
    "a format",
    "didymos.formats",
    "didymos.describe.formats.format:Format",
    {
        "urdf": "didymos.describe.formats.urdf:URDF",
        "sdf": "didymos.describe.formats.sdf:SDF",
        "mjcf": "didymos.describe.formats.mjcf:MJCF",
    },
)
