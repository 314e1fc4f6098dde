"""A program in the place of a kindred one: it takes over the options, the gains and the rate that the twin's file has for that.

Two programs are kindred where their options have the same names and the one knows every gain that the file gives the other:
`multirotor_commander` flies by all that is written for `multirotor_hold`. Where the twin's own program is not kindred, that of
the first scenario is taken that brings one: the loops of a hold in gusts, say, of a twin whose own program only holds its tilt.
"""

from __future__ import annotations

from didymos.control import PROGRAMS
from didymos.control.controller import Controller
from didymos.describe.parameters import flatten
from didymos.describe.program import option_names
from didymos.describe.schema import ControlSpec
from didymos.describe.twin import Twin

__all__ = ["kindred_control", "replace_by_kindred", "take_kindred_program"]


def kindred_control(twin: Twin, program: type[Controller]) -> ControlSpec | None:
    """What the twin's file says for itself, or for the first scenario, of a program that is kindred to another; None for none."""
    scenarios = (item.control for item in twin.file.scenarios.values())
    written = [item for item in (twin.file.control, *scenarios) if item is not None]
    return next((item for item in written if _is_kindred(item, program)), None)


def take_kindred_program(twin: Twin, name: str) -> bool:
    """Let a shipped program drive a twin whose file has gains for it; whether it drives now. One that does so already stays."""
    program = PROGRAMS[name]
    if twin.program is not None and issubclass(twin.program, program):
        return True
    return replace_by_kindred(twin, name)


def replace_by_kindred(twin: Twin, name: str) -> bool:
    """Put a shipped program in the place of the twin's, in every scenario; whether the twin's file has gains for it."""
    written = kindred_control(twin, PROGRAMS[name]) if name in PROGRAMS else None
    if written is not None:
        twin.replace_program(name, rate=written.rate, gains=written.gains, options=written.options)
    return written is not None


def _is_kindred(written: ControlSpec, program: type[Controller]) -> bool:
    other = PROGRAMS.get(written.program)
    options = option_names(program)
    if other is None or not options or option_names(other) != options:
        return False
    known = {gain.path for gain in program.gain_table}
    return known.issuperset(flatten(written.gains))
