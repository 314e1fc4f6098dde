"""What the shell offers as a word is completed: twins, worlds, their scenarios, variants and parameters, kinds, signals of logs.

Nothing of a twin runs for it. Paths of parameters are kept (`kept_paths.py`), names of signals come from a log's first bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from didymos.kinds import Kinds

__all__ = [
    "KINDS", "complete_kinds", "complete_limits", "complete_log_robots", "complete_parameters", "complete_robots",
    "complete_scenarios", "complete_settings", "complete_signals", "complete_sources", "complete_twins", "complete_variants",
    "complete_views", "kinds_of",
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

_SCREEN = 60  # words that a shell shows at once


def kinds_of(role: str) -> Kinds[Any]:
    """All kinds of a role."""
    module, _, name = KINDS[role].partition(":")
    found: Kinds[Any] = getattr(import_module(module), name)
    return found


def complete_twins(incomplete: str) -> list[str]:
    """Bundled twins and worlds, folders on the way to one, and descriptions."""
    from didymos.describe.bundled import bundled, bundled_worlds

    return [*_begun((*bundled(), *bundled_worlds()), incomplete), *_paths(incomplete)]


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
    """The scenarios of the twin or world that stands before."""
    return _begun(_keys(context, "scenarios"), incomplete)


def complete_views(incomplete: str) -> list[str]:
    """Names of views of a robot."""
    return _begun(("follow", "fixed", "top", "side", "front"), incomplete)


def complete_variants(context: typer.Context, incomplete: str) -> list[str]:
    """The variants of the twin that stands before; several are joined by a plus sign."""
    before, plus, last = incomplete.rpartition("+")
    return [before + plus + name for name in _begun(_keys(context, "variants"), last)]


def complete_settings(context: typer.Context, incomplete: str) -> list[str]:
    """Parameter paths of the twin or world that stands before, with the sign behind which the value stands."""
    if "=" in incomplete:
        return []
    from didymos.cli.kept_paths import kept_paths

    return _next_parts((f"{path}=" for path in kept_paths(_model(context))), incomplete)


def complete_parameters(context: typer.Context, incomplete: str) -> list[str]:
    """The same without the sign; several are joined by commas."""
    from didymos.cli.kept_paths import kept_paths

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in _next_parts(kept_paths(_model(context)), last)]


def complete_signals(context: typer.Context, incomplete: str) -> list[str]:
    """Signals of the log that stands before, up to the next dot where many begin alike."""
    return _next_parts(_signals(context), incomplete)


def complete_limits(context: typer.Context, incomplete: str) -> list[str]:
    """The same with the sign behind which a value stands."""
    return [] if "=" in incomplete else _next_parts((f"{name}=" for name in _signals(context)), incomplete)


def complete_log_robots(context: typer.Context, incomplete: str) -> list[str]:
    """The robots of the world whose log stands before."""
    names = _signals(context)
    return _begun(dict.fromkeys(name.partition(".")[0] for name in names if ".truth." in name), incomplete)


def _next_parts(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin so; where there are more than a screen holds, as far as their next dot."""
    found = _begun(names, incomplete)
    if len(found) <= _SCREEN:
        return found
    ends = {name: name.find(".", len(incomplete)) for name in found}
    return list(dict.fromkeys(name if end < 0 else name[: end + 1] for name, end in ends.items()))


def _signals(context: typer.Context) -> list[str]:
    from didymos.record.signal_names import signal_names

    params = context.params
    given = [params.get("log"), params.get("a"), *(params.get("logs") or ()), *context.args]
    logs = [Path(str(word)) for word in given if word is not None and not str(word).startswith("-")]
    return next((names for names in (signal_names(log) for log in logs if log.is_file()) if names), [])


def _model(context: typer.Context) -> str:
    """The twin or world that a command line names."""
    left = [word for word in context.args if not word.startswith("-")]  # of a line whose last option has no value yet
    return str(context.params.get("twin") or next(iter(left), ""))


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
    """The keys below a key of the twin file, or world file, that a command line names."""
    from didymos.cli.kept_paths import model_file
    from didymos.describe.yaml_file import read_yaml
    from didymos.errors import InputError

    file = model_file(_model(context))
    try:
        raw = read_yaml(file)[0] if file is not None else {}
    except InputError:
        return []
    inner = raw.get(key)
    return list(inner) if isinstance(inner, dict) else []
