"""`didymos new`: start a twin from a robot description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.description_options import Arguments, Packages, Repair, description_arguments, description_packages
from didymos.cli.notes import note_facts, print_notes
from didymos.cli.options import AsJson
from didymos.cli.text import print_json
from didymos.errors import DidymosError, InputError

__all__ = ["new"]

TRIAL = 1.0  # [s] that a new twin is run for


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The twin's name; its folder is called the same.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A URDF, xacro, SDF or MJCF file.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the twin's folder is made.")] = Path("."),
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    as_json: AsJson = False,
) -> int:
    """Start a twin from a URDF, xacro, SDF or MJCF.

    Its sensors and Gazebo plugins become sensors and parts where there is a law for them. The twin is run for a second before it
    is called ready; where that fails the folder stays, for you to look at.
    """
    from didymos.describe.new import new_twin
    from didymos.describe.trust import remember

    arguments, packages = description_arguments(arg), description_packages(package)
    folder = new_twin(name, source, into, arguments=arguments, packages=packages, repair=repair)
    try:
        remember(folder)  # what was made here is the user's own, and so is the code that will come into it
    except InputError as error:
        print(f"didymos: the folder is there, but was not noted as trusted: {error}", file=sys.stderr)
    return _try_out(name, folder, as_json)


def _try_out(name: str, folder: Path, as_json: bool) -> int:
    """Run the twin that was made, and say what it is and how that went."""
    import didymos

    try:
        twin = didymos.load(folder)
        twin.simulate().run(TRIAL)
    except DidymosError as error:
        print(f"didymos: {folder} was made, but does not run: {error}", file=sys.stderr)
        if as_json:
            print_json({"twin": name, "folder": folder, "ready": False, "error": str(error)})
        return 1
    base = "floating" if twin.description.floating else "held"
    parts, sensors = list(twin.file.parts), list(twin.file.sensors)
    if as_json:
        made = {"base": base, "parts": parts, "sensors": sensors, "notes": note_facts(twin.notes)}
        print_json({"twin": name, "folder": folder, "ready": True, **made})
        return 0
    print_notes(twin.notes)
    print(f"{folder}: {base}, parts: {', '.join(parts) or 'none'}; sensors: {', '.join(sensors)}")
    print(f"{folder} is ready, it ran for {TRIAL:g} s: next, didymos check {folder}")
    return 0
