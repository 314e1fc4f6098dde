"""What the shell offers when a word is completed: twins, their scenarios and variants, kinds. Nothing of a twin runs for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from didymos.kinds import Kinds

__all__ = [
    "KINDS", "complete_kinds", "complete_robots", "complete_scenarios", "complete_sources", "complete_twins", "complete_variants",
    "kinds_of",
]  # fmt: skip

KINDS = {
    "part": "didymos.parts:PARTS",
    "sensor": "didymos.sensors:SENSORS",
    "program": "didymos.control:PROGRAMS",
    "port": "didymos.ports:PORTS",
    "source": "didymos.shadow.sources:SOURCES",
    "format": "didymos.describe.formats.format:FORMATS",
    "measure": "didymos.measures:MEASURES",
}
"""Where the kinds of each role are listed."""


def kinds_of(role: str) -> Kinds[Any]:
    """All kinds of a role."""
    module, _, name = KINDS[role].partition(":")
    found: Kinds[Any] = getattr(import_module(module), name)
    return found


def complete_twins(incomplete: str) -> list[str]:
    """Bundled twins, folders on the way to one, and descriptions."""
    from didymos.describe.bundled import bundled

    return [*_begun(bundled(), incomplete), *_paths(incomplete)]


def complete_kinds(role: str) -> Callable[[str], list[str]]:
    """The kinds of a role."""
    return lambda incomplete: _begun(kinds_of(role), incomplete)


def complete_robots(incomplete: str) -> list[str]:
    """The ports that lead to a real robot, with the colon behind which its address stands."""
    return _begun((f"{name}:" for name, port in kinds_of("port").items() if port.robot is not None), incomplete)


def complete_sources(incomplete: str) -> list[str]:
    """Where a shadow may hear of its robot, with the colon behind which the address stands."""
    return _begun((f"{name}:" for name in kinds_of("source")), incomplete)


def complete_scenarios(context: typer.Context, incomplete: str) -> list[str]:
    """The scenarios of the twin that stands before."""
    return _begun(_keys(context, "scenarios"), incomplete)


def complete_variants(context: typer.Context, incomplete: str) -> list[str]:
    """The variants of the twin that stands before; several are joined by a plus sign."""
    before, plus, last = incomplete.rpartition("+")
    return [before + plus + name for name in _begun(_keys(context, "variants"), last)]


def _begun(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _paths(incomplete: str) -> list[str]:
    """Folders and descriptions whose path begins so."""
    parent, name = (Path(incomplete), "") if incomplete.endswith("/") else (Path(incomplete).parent, Path(incomplete).name)
    try:
        inside = sorted(entry for entry in parent.iterdir() if entry.name.startswith(name) and _may_be_given(entry))
    except OSError:
        return []
    return [str(entry) for entry in inside if name or not entry.name.startswith(".")]


def _may_be_given(path: Path) -> bool:
    return path.is_dir() or path.suffix.lower() in (".urdf", ".xacro", ".sdf", ".world", ".mjcf", ".xml")


def _keys(context: typer.Context, key: str) -> list[str]:
    """The keys below a key of the twin file that a command line names."""
    from didymos.describe.twin import find_twin
    from didymos.describe.yaml_file import read_yaml
    from didymos.errors import InputError

    left = [word for word in context.args if not word.startswith("-")]  # of a line whose last option has no value yet
    try:
        raw, _ = read_yaml(find_twin(context.params.get("twin") or next(iter(left), "")))
    except InputError:
        return []
    inner = raw.get(key)
    return list(inner) if isinstance(inner, dict) else []
