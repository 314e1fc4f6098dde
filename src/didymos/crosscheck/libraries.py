"""The second engines: pinocchio (rigid bodies) and Drake (readers of descriptions, contact), which an extra installs."""

from __future__ import annotations

import logging
from importlib import import_module
from importlib.util import find_spec

from didymos.errors import InputError

__all__ = ["require_engines"]


def require_engines() -> None:
    """Refuse with the command that installs them where they are missing; Drake keeps its warnings about files to itself."""
    missing = [name for name, module in (("pin", "pinocchio"), ("drake", "pydrake")) if find_spec(module) is None]
    if missing:
        raise InputError(f"a second engine needs {' and '.join(missing)}; install with: pip install 'didymos[crosscheck]'")
    import_module("pydrake")  # sets a level of its own
    logging.getLogger("drake").setLevel(logging.ERROR)
