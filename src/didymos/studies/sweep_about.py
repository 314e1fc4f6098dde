"""What is said of a sweep beside its runs: enough to know what it was, to repeat a run of it, and not to go on with another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.given import Given
from didymos.portable import mode
from didymos.studies.distribution import Range, distributions
from didymos.studies.trial_runner import TrialRunner

__all__ = ["sweep_about"]


def sweep_about(
    runner: TrialRunner,
    ranges: Mapping[str, Range],
    *,
    runs: int,
    seed: int,
    name: str,
    sampling: str = "latin",
    until: float | None = None,
    read: Mapping[str, Any] | None = None,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """Plain data for `sweep.json`; `name` is what the user calls the twin, `read` how its description is read and which files
    of scenarios came with it, `command` the command line where there was one."""
    import didymos

    twin = runner.twin
    sets = dict(Given.to(twin).values)
    by_hand = twin.program_by_hand if isinstance(twin, Twin) else None
    return {
        "version": didymos.__version__, "arithmetic": mode(), "command": list(command), "twin": name, "variant": twin.variant,
        "files": _digest(twin), "scenario": runner.scenario, "seconds": runner.seconds, "runs": runs, "seed": seed,
        "sampling": sampling, "until": until, "ranges": _facts(ranges), "set": sets,
        "read": dict(read or {}),
        "control": None if by_hand is None else by_hand["name"], "keep": list(runner.keep), "keep_rate": runner.keep_rate,
    }  # fmt: skip


def _facts(ranges: Mapping[str, Range]) -> dict[str, object]:
    return {path: given.facts() for path, given in distributions(ranges).items()}


def _digest(twin: Twin | World) -> str:
    """SHA-256 of the twin files and descriptions."""
    twins = [robot.twin for robot in twin.robots.values()] if isinstance(twin, World) else [twin]
    files = [twin.source, *(path for one in twins for path in (one.source, one.description.source))]
    total = hashlib.sha256()
    for file in dict.fromkeys(map(Path, files)):
        total.update(hashlib.sha256(file.read_bytes() if file.is_file() else b"").digest())
    return total.hexdigest()
