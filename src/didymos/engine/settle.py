"""Which program a new twin keeps: it is tried for a while, and a robot on legs that does not stay up under `legged` holds its
posture instead, where that keeps it up.

`didymos new` and a bare description in the place of a twin come through here, so that both are driven by the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.describe.new import Draft, write_again
from didymos.engine.trial import Trial, try_twin
from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.twin import Twin

__all__ = ["TRIAL", "Made", "Settled", "settle"]

TRIAL = 2.0  # [s] that a new twin is run for


@dataclass(frozen=True)
class Made:
    """A twin that was written into a folder, of a description and by a draft; `standing` drafts one that does not walk."""

    folder: Path
    source: Path
    draft: Draft
    standing: Callable[[], Draft]


@dataclass(frozen=True)
class Settled:
    """The draft that stays and is in the folder, its twin as it was loaded, and what that did."""

    draft: Draft
    twin: Twin
    trial: Trial


def settle(made: Made, load: Callable[[Path], Twin], tell: Callable[[str], None] = lambda _: None) -> Settled:
    """Try a new twin out; what ends its run, and that of the one which does not walk, is raised. `tell` hears what is done."""
    why, found = "", None
    try:
        found = _run(made.folder, load, tell)
        if found[1].well or made.draft.program.name != "legged":
            return Settled(made.draft, *found)
        why = found[1].verdict
    except (RunError, InputError) as error:  # also a leg that the program cannot have
        if made.draft.program.name != "legged":
            raise
        why = str(error) if isinstance(error, RunError) else error.message
    still = made.standing()
    write_again(made.folder, made.source, still)
    try:
        second = _run(made.folder, load, tell)
    except (RunError, InputError):
        second = None
    if second is not None and (second[1].well or found is None):
        warning = f"under the program legged it does not stay up ({why}): it holds its posture instead"
        return Settled(replace(still, warnings=(warning, *still.warnings)), *second)
    write_again(made.folder, made.source, made.draft)
    return Settled(made.draft, *(found or _run(made.folder, load, tell)))


def _run(folder: Path, load: Callable[[Path], Twin], tell: Callable[[str], None]) -> tuple[Twin, Trial]:
    tell("loading the twin")
    twin = load(folder)
    for scenario in list(twin.scenarios)[1:]:
        tell(f"making {scenario} ready")
        twin.make_ready(scenario)
    tell("trying it out")
    return twin, try_twin(twin, twin.simulate(scenario=next(iter(twin.scenarios), None)), TRIAL)
