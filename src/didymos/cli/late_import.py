"""Modules of others that are imported when something of them is first used."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["import_late"]


def import_late(name: str) -> None:
    """Let whoever imports a module get one that finds the real one at the first look into it."""
    if name in sys.modules or find_spec(name) is None:
        return
    late = ModuleType(name)

    def look_up(attribute: str) -> Any:
        if sys.modules.get(name) is late:
            del sys.modules[name]
        return getattr(import_module(name), attribute)

    late.__getattr__ = look_up  # type: ignore[method-assign]
    sys.modules[name] = late
