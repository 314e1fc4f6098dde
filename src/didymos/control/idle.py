"""Idle: a program that touches nothing. Whoever holds the inputs by hand, or over a wire, drives alone."""

from __future__ import annotations

import math

from didymos.control.compiled_controller import CompiledController, program

__all__ = ["Idle"]


class Idle(CompiledController):
    """Leaves the inputs alone, which may change before every physics step."""

    rate = math.inf

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        pass
