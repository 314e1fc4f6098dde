"""The C signature of a compiled control program."""

from __future__ import annotations

from didymos.compiled import DOUBLES
from numba import types

__all__ = ["PROGRAM_SIGNATURE"]

PROGRAM_SIGNATURE = types.void(*[DOUBLES] * 7)
"""(clock, settings, gains, sensed, wanted, memory, inputs), see `CompiledController`."""
