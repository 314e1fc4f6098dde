"""Notes on parts that ask more of a joint than it bears: the joint's limits win (see engine/joint_limits.py), in no silence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from didymos.describe.description import Note

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["limit_notes"]

_DIGITS = 1e-3  # relative: what people round a limit by


def limit_notes(twin: Twin) -> Iterator[Note]:
    """A note for every part whose own numbers (`Part.at_most`) ask for more than its joint's effort or velocity.

    A part whose belt runs over a second joint turns the sum of both, which no velocity of one joint says anything about.
    """
    for name, part in twin.file.parts.items():
        demand = part.contract.at_most(part)
        if demand is None or part.joint is None:
            continue
        asked = [("effort", demand.effort, demand.effort_by)]
        if part.belt is None:
            asked.append(("velocity", demand.velocity, demand.velocity_by))
        for limit, most, by in asked:
            borne = twin.parameters.get(f"joints.{part.joint}.{limit}")
            if borne is not None and 0.0 < borne.value * (1.0 + _DIGITS) < most:
                what = f"{most:.4g} {borne.unit} ({by})"
                held = f"joint {part.joint!r} bears {borne.value:.4g} ({limit} of its limits): the joint's limit holds"
                where = twin.mistake("", "parts", name, by)
                yield Note(str(twin.source), where.line, f"part {name!r} asks for up to {what}, {held}")
