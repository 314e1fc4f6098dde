"""`didymos new`: start a twin from a robot description."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.description_options import Arguments, Packages, Repair, description_arguments, description_packages
from didymos.cli.flags import with_flags
from didymos.cli.notes import note_facts, print_notes, sum_up_notes
from didymos.cli.options import AsJson, Notes
from didymos.cli.progress import progress
from didymos.cli.text import print_json
from didymos.errors import DidymosError, InputError

if TYPE_CHECKING:
    from didymos.describe.new import Draft

__all__ = ["new"]

_STAGES = 7


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The twin's name; its folder is called the same.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A URDF, xacro, SDF or MJCF file.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the twin's folder is made.")] = Path("."),
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    estimate: Annotated[
        bool, typer.Option("--estimate-inertia", help="Give links without mass that of their shapes, at 1000 kg/m^3 or --mass.")
    ] = False,
    mass: Annotated[
        float | None, typer.Option(metavar="KG", min=0.0, help="With --estimate-inertia: what the whole robot weighs.")
    ] = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> int:
    """Start a twin from a URDF, xacro, SDF or MJCF: a robot that stands, drives or holds its posture at once.

    Whether its base is fixed, its posture, drives, sensors and program are decided from the description, and said. The twin is
    run for two seconds before it is called ready; where that fails the folder stays, for you to look at.
    """
    import didymos
    from didymos.describe.formats.estimated_inertia import TRIED
    from didymos.describe.new import draft_twin, write_twin
    from didymos.describe.trust import remember
    from didymos.engine.settle import Made, settle

    if mass is not None and not estimate:
        raise InputError("goes with --estimate-inertia only", option="mass")
    how: dict[str, Any] = {"arguments": description_arguments(arg), "packages": description_packages(package), "repair": repair}
    how |= {"density": TRIED if estimate else None, "mass": mass}
    with progress(_STAGES, quiet=as_json, text="") as reached:
        stage = _Stage(reached)
        folder, draft = write_twin(name, source, into, **how, tell=stage.next)
        try:
            remember(folder)  # what was made here is the user's own, and so is the code that will come into it
        except InputError as error:
            print(f"didymos: the folder is there, but was not noted as trusted: {error}", file=sys.stderr)
        try:
            tried = Made(folder, source, draft, lambda: draft_twin(source, **how, walks=False))
            settled = settle(tried, lambda folder: didymos.load(folder, trust=True), stage.next)  # ours, without code
        except DidymosError as error:
            print(f"didymos: {folder} was made, but does not run: {error}", file=sys.stderr)
            if as_json:
                print_json({"twin": name, "folder": folder, "ready": False, "error": str(error), **_decisions(draft)})
            return 1
    draft, twin, trial = settled.draft, settled.twin, settled.trial
    if as_json:
        made = {"parts": list(twin.file.parts), "sensors": list(twin.file.sensors), "notes": note_facts(twin.notes)}
        print_json({"twin": name, "folder": folder, "ready": True, **_decisions(draft), "trial": asdict(trial), **made})
        return 0
    for warning in draft.warnings:
        print(f"didymos: {with_flags(warning)}", file=sys.stderr)
    for line in _lines(draft, list(twin.file.sensors)):
        print(f"{folder}: {line}")
    if notes:
        print_notes(twin.notes, all_of_them=True)
    else:
        sum_up_notes(twin.notes)
    print(f"{folder}: ran for {trial.seconds:g} s: {trial.verdict}")
    print(f"{folder} is {'ready' if trial.well else 'made, but look at it'}: next, didymos run {folder}")
    return 0


class _Stage:
    """Counts what is being done, for the bar."""

    def __init__(self, reached: Callable[..., None]) -> None:
        self._reached, self._count = reached, 0

    def next(self, what: str) -> None:
        self._reached(self._count, what)
        self._count += 1


def _lines(draft: Draft, sensors: list[str]) -> list[str]:
    moved = sum(abs(value) > 1e-6 for value in draft.placement.joints.values())
    posture = f"{moved} of {len(draft.placement.joints)} joints are not at zero" if moved else "all joints are at zero"
    where = "held where the description has it"
    if draft.placement.position is not None:
        where = f"with its lowest point on the ground, its root {abs(round(draft.placement.position[2], 3)):g} m high"
    elif draft.placement.ground:
        where += f", the ground below it at z = {draft.placement.ground:.3g} m"
    passive = f"; passive: {', '.join(draft.drives.passive)}" if draft.drives.passive else ""
    program = draft.program.name or "none"
    return [
        str(draft.base),
        f"starts {where}" + (f"; {posture}" if draft.placement.joints else ""),
        f"drives: {draft.drives.why}{passive}",
        f"program: {program}{f' ({draft.program.why})' if draft.program.why else ''}; sensors: {', '.join(sensors)}",
    ]


def _decisions(draft: Draft) -> dict[str, Any]:
    return {
        "base": "floating" if draft.base.floating else "held",
        "why": draft.base.why,
        "warnings": list(draft.warnings),
        "start": {"position": draft.placement.position, "joints": dict(draft.placement.joints)},
        "ground": draft.placement.ground,
        "no_collision": [list(pair) for pair in draft.placement.passing],
        "drives": {"why": draft.drives.why, "joints": list(draft.drives.joints), "passive": list(draft.drives.passive)},
        "program": draft.program.name,
    }
