"""Didymos: digital twins of robots. Describe, simulate, drive, compare, fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from didymos.errors import DidymosError, InputError, RunError

if TYPE_CHECKING:
    from didymos.control import CompiledController, Controller, Gain
    from didymos.describe.bundled import bundled
    from didymos.describe.twin import Twin, load
    from didymos.engine.batch import run_many
    from didymos.engine.drive import Plant, drive
    from didymos.record.compare import compare
    from didymos.record.log import Log

__version__ = "0.1.0"

__all__ = [
    "CompiledController", "Controller", "DidymosError", "Gain", "InputError", "Log", "Plant", "RunError", "Twin", "bundled",
    "compare", "drive", "load", "run_many",
]  # fmt: skip

_HOMES = {
    "CompiledController": "didymos.control",
    "Controller": "didymos.control",
    "Gain": "didymos.control",
    "Log": "didymos.record.log",
    "Plant": "didymos.engine.drive",
    "Twin": "didymos.describe.twin",
    "bundled": "didymos.describe.bundled",
    "compare": "didymos.record.compare",
    "drive": "didymos.engine.drive",
    "load": "didymos.describe.twin",
    "run_many": "didymos.engine.batch",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: the help of the command line needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'didymos' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
