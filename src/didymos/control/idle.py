"""Idle: a program that touches nothing. Whoever holds the inputs by hand, or over a wire, drives alone."""

from __future__ import annotations

import math
from typing import ClassVar

from didymos.compiled import c_function
from didymos.control.controller import CompiledController
from didymos.control.program import PROGRAM_SIGNATURE

__all__ = ["Idle"]


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    pass


class Idle(CompiledController):
    """Leaves the inputs alone, which may change before every physics step."""

    program: ClassVar = _program
    rate = math.inf
