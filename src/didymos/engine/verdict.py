"""Which expectations of a scenario a run can answer; what its log says of them is found by `record/verdict.py`."""

from __future__ import annotations

from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.engine.program_scope import ProgramScope
from didymos.errors import InputError, nearest
from didymos.record.log import Log
from didymos.record.verdict import Verdict, measure

__all__ = ["Verdict", "check_expected", "knows", "measure"]


def check_expected(twin: Twin, scenario: str | None, log: Log, scope: ProgramScope) -> tuple[ExpectationSpec, ...]:
    """The expectations that no run of this program can answer and that are not its to answer.

    Others that no run can meet are refused, before it has run; `log` is that of the run to come, still empty.
    """
    others = []
    for index, item in enumerate(twin.scenarios[scenario].expect if scenario is not None else ()):
        place = ("scenarios", scenario or "", "expect", index)
        if item.signals:
            missing = [signal for signal in item.signals if not knows(log, signal if item.point is None else f"{signal}.x")]
            if any(scope.lacks(signal) for signal in missing):
                others.append(item)
            elif missing:
                hint = nearest(missing[0], log.signals)
                key = "signal" if item.stl is None else "stl"
                raise twin.mistake(f"no run records {missing[0]!r}{hint}", *place, key)
        elif twin.file.world.gravity == 0.0:
            raise twin.mistake("found no gravity, so there is no weight to compare with", *place, "figure")
    return tuple(others)


def knows(log: Log, signal: str) -> bool:
    """Whether a log has a signal, or can find it from others."""
    try:
        log[signal]
    except InputError:
        return False
    return True
