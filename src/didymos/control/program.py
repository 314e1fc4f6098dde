"""The C signature of a compiled control program."""

from __future__ import annotations

from numba import types

from didymos.compiled import DOUBLES

__all__ = ["PROGRAM_SIGNATURE"]

PROGRAM_SIGNATURE = types.void(*[DOUBLES] * 7)
"""(clock, settings, gains, measured, setpoints, memory, inputs), see `CompiledController`."""
