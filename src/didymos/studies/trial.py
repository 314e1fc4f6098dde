"""One run of many: what was drawn for it, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from didymos.engine.program_scope import Skipped
from didymos.engine.verdict import Verdict

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """One run of a sweep: its seed, the values that were varied, its verdicts, what ended it if it failed, what was skipped.

    `signals` are samples of signals that were kept, by name (`trial_runner.py`).
    """

    seed: int
    values: Mapping[str, float]
    verdicts: tuple[Verdict, ...]
    error: str | None
    skipped: tuple[Skipped, ...] = ()
    signals: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the run came to its end and fell short of nothing."""
        return self.error is None and all(verdict.ok is not False for verdict in self.verdicts)
