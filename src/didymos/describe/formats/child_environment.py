"""What a child process that reads a stranger's file sees of the environment: where packages stand, what Python needs, no more."""

from __future__ import annotations

import os
from pathlib import Path

from didymos.describe.formats.packages import ENVIRONMENT

__all__ = ["child_environment"]

_SOURCES = Path(__file__).resolve().parents[3]
_PYTHON = ("HOME", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONUSERBASE", "SYSTEMROOT")  # what Python itself may need to start


def child_environment() -> dict[str, str]:
    """The environment of a child."""
    kept = {name: os.environ[name] for name in (*(variable for variable, _ in ENVIRONMENT), *_PYTHON) if name in os.environ}
    sources = [str(_SOURCES), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return kept | {"PYTHONPATH": os.pathsep.join(sources), "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
