"""`didymos new`: start a twin from a robot description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.description_options import Arguments, Packages, Repair, description_arguments, description_packages
from didymos.cli.notes import note_facts, print_notes
from didymos.cli.options import AsJson, Notes
from didymos.cli.text import print_json
from didymos.errors import DidymosError, InputError

if TYPE_CHECKING:
    from didymos.describe.new import Draft
    from didymos.engine.trial import Trial

__all__ = ["new"]

TRIAL = 1.0  # [s] that a new twin is run for


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The twin's name; its folder is called the same.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A URDF, xacro, SDF or MJCF file.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the twin's folder is made.")] = Path("."),
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> int:
    """Start a twin from a URDF, xacro, SDF or MJCF: a robot that stands, drives or holds its posture at once.

    Whether its base is fixed, its posture, drives, sensors and program are decided from the description, and said. The twin is
    run for a second before it is called ready; where that fails the folder stays, for you to look at.
    """
    from didymos.describe.new import write_twin
    from didymos.describe.trust import remember

    arguments, packages = description_arguments(arg), description_packages(package)
    folder, draft = write_twin(name, source, into, arguments=arguments, packages=packages, repair=repair)
    try:
        remember(folder)  # what was made here is the user's own, and so is the code that will come into it
    except InputError as error:
        print(f"didymos: the folder is there, but was not noted as trusted: {error}", file=sys.stderr)
    return _try_out(name, folder, draft, all_notes=notes, as_json=as_json)


def _try_out(name: str, folder: Path, draft: Draft, *, all_notes: bool, as_json: bool) -> int:
    """Run the twin that was made, and say what it is and how that went."""
    import didymos
    from didymos.engine.trial import try_twin

    try:
        twin = didymos.load(folder)
        for scenario in twin.scenarios:
            twin.make_ready(scenario)
        trial = try_twin(twin, twin.simulate(scenario=next(iter(twin.scenarios))), TRIAL)
    except DidymosError as error:
        print(f"didymos: {folder} was made, but does not run: {error}", file=sys.stderr)
        if as_json:
            print_json({"twin": name, "folder": folder, "ready": False, "error": str(error), **_decisions(draft)})
        return 1
    if as_json:
        made = {"parts": list(twin.file.parts), "sensors": list(twin.file.sensors), "notes": note_facts(twin.notes)}
        print_json({"twin": name, "folder": folder, "ready": True, **_decisions(draft), "trial": _facts(trial), **made})
        return 0
    for warning in draft.warnings:
        print(f"didymos: {warning}", file=sys.stderr)
    print_notes(twin.notes, all_of_them=all_notes)
    for line in _lines(draft, list(twin.file.sensors)):
        print(f"{folder}: {line}")
    print(f"{folder}: ran for {TRIAL:g} s: {trial.verdict}")
    print(f"{folder} is {'ready' if trial.well else 'made, but look at it'}: next, didymos run {folder}")
    return 0


def _lines(draft: Draft, sensors: list[str]) -> list[str]:
    joints = draft.placement.joints
    start = [f"{len(joints)} joints"] if joints else []
    if draft.placement.position is not None:
        start.append(f"root {draft.placement.position[2]:.3g} m high")
    elif draft.placement.ground is not None:
        start.append(f"ground at {draft.placement.ground:.3g} m")
    passive = f"; passive: {', '.join(draft.drives.passive)}" if draft.drives.passive else ""
    program = draft.program.name or "none"
    return [
        str(draft.base),
        f"starts with {', '.join(start)}" if start else "starts as described",
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


def _facts(trial: Trial) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(trial)
