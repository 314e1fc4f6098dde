"""Verdicts on a run, in words, as facts and as an exit status."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from didymos.cli.text import number, print_table

if TYPE_CHECKING:
    from didymos.engine.program_scope import Skipped
    from didymos.engine.verdict import Verdict

__all__ = ["as_facts", "print_skipped", "print_verdicts", "skipped_facts", "status"]

_MARKS = {True: "ok", False: "MISSED", None: "not reached"}


def as_facts(verdicts: tuple[Verdict, ...]) -> list[dict[str, Any]]:
    """As `--json` prints them."""
    return [{"name": x.name, "value": x.value, "limit": x.limit, "ok": x.ok, "unit": x.unit} for x in verdicts]


def print_verdicts(verdicts: tuple[Verdict, ...]) -> None:
    """As a table."""
    rows = [(_MARKS[x.ok], x.name, _value(x), _limit(x)) for x in verdicts]
    print_table(rows, ("", "expectation", "value", "limit"))


def skipped_facts(skipped: tuple[Skipped, ...]) -> list[dict[str, str]]:
    """What of the scenario does not apply, as `--json` prints it."""
    return [{"kind": x.kind, "name": x.name, "why": x.why} for x in skipped]


def print_skipped(skipped: tuple[Skipped, ...]) -> None:
    """What of the scenario does not apply, as a table."""
    print_table([(x.kind, x.name, x.why) for x in skipped], ("skipped", "", "why"))


def status(verdicts: tuple[Verdict, ...]) -> int:
    """Exit status; what was missed is said on stderr."""
    missed = [x for x in verdicts if x.ok is False]
    for x in missed:
        print(f"didymos: {x.name}: found {_value(x)}, expected {_limit(x)}", file=sys.stderr)
    return 1 if missed else 0


def _value(verdict: Verdict) -> str:
    return "-" if verdict.value is None else number(verdict.value, verdict.unit)


def _limit(verdict: Verdict) -> str:
    """The bound in words."""
    if isinstance(verdict.limit, tuple):
        return f"{number(verdict.limit[0])} to {number(verdict.limit[1], verdict.unit)}"
    return f"{'at least' if verdict.high is None else 'at most'} {number(verdict.limit, verdict.unit)}"
