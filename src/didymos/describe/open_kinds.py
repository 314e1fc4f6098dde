"""What nobody can be blamed for naming: numbers of kinds of which not all is known, because their code was only read.

See `stand_in.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from didymos.control import CompiledController

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["has_open_program", "is_of_open_part", "knows_setpoints", "may_be_parameter"]


def is_of_open_part(twin: Twin, name: str) -> bool:
    """Whether a name may be an input, a readout or a parameter of a part of which not all is known (see `stand_in.py`)."""
    part = name.removeprefix("parts.").partition(".")[0]
    return part in twin.file.parts and twin.code.is_open(twin.file.parts[part].kind)


def has_open_program(twin: Twin) -> bool:
    """Whether the program may have gains and set-points that are not known."""
    return twin.file.control is not None and twin.code.is_open(twin.file.control.program)


def may_be_parameter(twin: Twin, path: str) -> bool:
    """Whether a path may lead to a parameter of a part or program of which not all is known."""
    if path.startswith("control.gains."):
        return has_open_program(twin)
    return path.startswith("parts.") and is_of_open_part(twin, path)


def knows_setpoints(twin: Twin) -> bool:
    """Whether the program reads no other set-points than it declares; what one in Python reads cannot be known."""
    program = twin.program
    compiled = program is not None and issubclass(program, CompiledController) and program.runs_compiled()
    return compiled and not has_open_program(twin)
