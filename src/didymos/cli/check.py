"""`didymos check`: read a twin or a bare description and say everything that is wrong with it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.check_ros2 import look_at_wire, print_wire
from didymos.cli.completion import complete_twins
from didymos.cli.description_options import Arguments, Packages, Reading, Repair, reading
from didymos.cli.flags import in_flags
from didymos.cli.notes import count_of, note_facts, print_notes
from didymos.cli.options import AsJson, Notes
from didymos.cli.text import print_json
from didymos.errors import DidymosError, InputError

if TYPE_CHECKING:
    from didymos import Twin
    from didymos.describe.description import Note

__all__ = ["check"]


def check(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="A twin folder, a twin.yaml or a bare description file.", autocompletion=complete_twins
        ),
    ],
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    notes: Notes = False,
    ros2: Annotated[
        bool, typer.Option("--ros2", help="Say what it would show on ROS 2, and what ROS 2's programs would miss.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Read a twin and say everything that is wrong with it; notes of one kind share a line, `--notes` and `--json` have all."""
    try:
        name, taken, mistakes = _read(path, package, arg, repair)
    except InputError as error:
        name, taken, mistakes = path, (), [in_flags(mistake) for mistake in (error, *error.others)]
    if mistakes:
        return _refuse(path, mistakes, as_json)
    wire = look_at_wire(path, reading(Reading(package=package, arg=arg, repair=repair))) if ros2 else None
    if as_json:
        shown = {} if wire is None else {"ros2": {**wire[0].facts(), "missing": wire[1]}}
        print_json({"twin": name, "ok": True, "notes": note_facts(taken), **shown})
        return 0
    print_notes(taken, all_of_them=notes)
    print(f"{name}: loads, {count_of(taken)}")
    if wire is not None:
        print_wire(*wire)
    return 0


def _read(path: str, package: list[str] | None, arg: list[str] | None, repair: bool) -> tuple[str, tuple[Note, ...], list[str]]:
    """Name, notes and mistakes of a twin, or of a file that is a description and no twin."""
    import didymos
    from didymos.describe.base_axes import base_axes_notes
    from didymos.world import find_world

    if find_world(path) is not None:
        return _read_world(path)
    read = reading(Reading(package=package, arg=arg, repair=repair))
    twin = didymos.load(path, run_code=False, **read)
    is_open = any(twin.code.is_open(name) for name in twin.code.stand_ins)
    mistakes, gains = ([], ()) if is_open else _try_out(twin)
    return twin.name if twin.bare is None else twin.bare.file.name, (*twin.notes, *base_axes_notes(twin), *gains), mistakes


def _read_world(path: str) -> tuple[str, tuple[Note, ...], list[str]]:
    """The same of a world; it is made ready to run in each of its scenarios."""
    from dataclasses import replace

    import didymos
    from didymos.describe.base_axes import base_axes_notes

    world = didymos.load_world(path, run_code=False)
    mistakes: dict[str, None] = {}
    if not any(robot.twin.code.stand_ins for robot in world.robots.values()):
        for scenario in (None, *world.scenarios):
            try:
                world.simulate(scenario=scenario).close()
            except DidymosError as error:
                mistakes[str(error)] = None
    axes = [
        replace(note, what=f"{name}: {note.what}") for name, robot in world.robots.items() for note in base_axes_notes(robot.twin)
    ]
    return world.name, (*world.notes, *axes), list(mistakes)


def _try_out(twin: Twin) -> tuple[list[str], tuple[Note, ...]]:
    """What goes wrong when the twin, alone and in each of its scenarios, is made ready to run; gains that are too stiff."""
    mistakes: dict[str, str] = {}
    gains: dict[str, Note] = {}
    for scenario in (None, *twin.scenarios):
        try:
            for note in twin.make_ready(scenario):
                gains.setdefault(note.what.partition(":")[0], note)
        except DidymosError as error:
            text = str(error)
            if not (isinstance(error, InputError) and error.file is not None):
                text = str(twin.mistake(text, *(() if scenario is None else ("scenarios", scenario))))
            mistakes.setdefault(str(error), text)  # most of them show in every scenario
    if not mistakes and twin.file.ros2 != type(twin.file.ros2)():
        mistakes |= {str(error): str(error) for error in twin.ros2_mistakes()}
    return list(mistakes.values()), tuple(gains.values())


def _refuse(path: str, mistakes: list[str], as_json: bool) -> int:
    """Say all that one reading found, a line each; other verbs stop at the first."""
    for mistake in mistakes:
        print(f"didymos: {mistake}", file=sys.stderr)
    if as_json:
        print_json({"path": path, "ok": False, "error": mistakes[0], "errors": mistakes})
    return InputError.exit_status
