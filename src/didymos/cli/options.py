"""Arguments and options that several verbs share, and the twin that they describe."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import (
    complete_kinds,
    complete_log_robots,
    complete_scenarios,
    complete_settings,
    complete_twins,
    complete_variants,
)
from didymos.cli.description_options import Reading, reading
from didymos.cli.late_import import import_late
from didymos.cli.notes import count_of
from didymos.cli.values import duration, settings
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.describe.twin import Twin as DescribedTwin
    from didymos.record.rotation import RotatedFile
    from didymos.twin import Twin
    from didymos.world import World

__all__ = [
    "AsJson", "BusNumbers", "Cluster", "Control", "Keep", "Layout", "LogFile", "Notes", "Portable", "Quiet", "RecordEvery",
    "RobotName", "Scenario",
    "Scenarios", "Seed", "Sets", "Threads", "TwinName", "Values", "Variant", "chosen_values", "load_model", "load_twin",
    "rotated",
]  # fmt: skip

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
BusNumbers = Annotated[
    list[str] | None, typer.Option("--id", metavar="DRIVE=N", help="Number on the bus, 1, 2, ... by default; repeatable.")
]
Control = Annotated[
    str | None,
    typer.Option(
        metavar="MODULE:CLASS", help="Your control program; also FILE.py:CLASS, or a policy, FILE.npz.",
        autocompletion=complete_kinds("program"),
    ),
]
Keep = Annotated[int | None, typer.Option("--keep", metavar="N", help="With --record-every: remove all but the newest N files.")]
Layout = Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write a layout of panels for Foxglove to import.")]
LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="A log of any kind that didymos log reads.")]
Notes = Annotated[bool, typer.Option("--notes", "-v", help="Every note on the description, instead of one for each kind.")]
Portable = Annotated[bool, typer.Option("--portable", help="The same bytes on every x86-64 Linux with this glibc; slower.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, no table.")]
RecordEvery = Annotated[
    str | None, typer.Option(metavar="TIME", help="Go on in a new numbered file every 30s, 10m, 1h, ... of the twin's clock.")
]
RobotName = Annotated[
    str | None,
    typer.Option(
        "--robot", metavar="NAME", help="Of a world's log: only this robot, by the names of its twin.",
        autocompletion=complete_log_robots,
    ),
]  # fmt: skip
Scenario = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Start, stimuli and expectations; the twin's first by default.", autocompletion=complete_scenarios
    ),
]
Scenarios = Annotated[
    list[Path] | None,
    typer.Option("--scenarios", metavar="FILE.yaml", help="Further scenarios, as design writes them; repeatable."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Of all noise: same seed, same bytes.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter; repeatable.", autocompletion=complete_settings),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE", help="Work on a cluster: ray or dask on this machine, ray://HOST:PORT, or Dask's tcp://HOST:PORT."
    ),
]
Threads = Annotated[int | None, typer.Option(metavar="N", min=1, help="All cores by default; same result.")]
TwinName = Annotated[
    str,
    typer.Argument(
        metavar="TWIN",
        help="A bundled name, a folder of a twin or a world, or a URDF, xacro, SDF or MJCF file.",
        autocompletion=complete_twins,
    ),
]
Values = Annotated[Path | None, typer.Option("--with", metavar="FILE.yaml", help="Set a file's parameters, before --set.")]
# a parameter set of the same robot is a variant like any other; one option, which answers to both words
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant", "--set-from", metavar="NAME[+NAME]", help="A variant or parameter set of the twin, or several.",
        autocompletion=complete_variants,
    ),
]  # fmt: skip


def chosen_values(values: Path | None, sets: list[str] | None) -> dict[str, float]:
    """Numbers by parameter path, from `--with` and `--set`; the latter win."""
    from didymos.describe.values_file import read_values

    return {**(read_values(values) if values else {}), **settings(sets or ())}


def rotated(record: Path | None, every: str | None, keep: int | None) -> RotatedFile | None:
    """The row of files that the options ask for, None where they ask for one file or none; nonsense is an `InputError`."""
    if every is None:
        if keep is not None:
            raise InputError("goes with --record-every only", option="keep")
        return None
    if record is None:
        raise InputError("goes with --record only: it says how often a new file begins", option="record_every")
    from didymos.record.rotation import RotatedFile

    return RotatedFile(record, duration(every, "--record-every"), keep)


def load_twin(
    name: str,
    variant: str | None,
    chosen: Mapping[str, float],
    control: str | None = None,
    firmware: str | None = None,
    *,
    read: Reading | None = None,
    scenarios: Sequence[Path] | None = None,
    quiet: bool = False,
) -> Twin:
    """The twin that the options of these names describe, ready to run; unless `quiet`, a line says what code of its own runs."""
    if control is not None and firmware is not None:
        raise InputError("cannot go with --control: both take the place of the twin's program", path="--firmware")
    twin = _load(name, variant, read, quiet)
    if scenarios:
        from didymos.describe.scenario_file import add_scenarios

        for file in scenarios:
            add_scenarios(twin, file)
    if control is not None:
        try:
            _replace_program(twin, control, "--control")
        except InputError as error:
            raise InputError(str(error), path="--control") from None
    if firmware is not None:
        from didymos.ports.firmware import use_firmware

        use_firmware(twin, firmware)
    for path, value in chosen.items():
        twin.set(path, value)
    return twin


def load_model(
    name: str,
    variant: str | None,
    chosen: Mapping[str, float],
    control: str | None = None,
    firmware: str | None = None,
    *,
    read: Reading | None = None,
    scenarios: Sequence[Path] | None = None,
    quiet: bool = False,
) -> Twin | World:
    """The twin or the world that the options of these names describe, ready to run."""
    import_late("glfw")  # as in `_load`

    from didymos.world import find_world

    if find_world(name) is None:
        return load_twin(name, variant, chosen, control, firmware, read=read, scenarios=scenarios, quiet=quiet)
    for option, given in (("variant", variant), ("scenarios", scenarios)):
        if given:
            raise InputError("goes with a twin; a world says so for each robot in its file", option=option)
    return _load_world(name, chosen, control, firmware, quiet)


def _load_world(name: str, chosen: Mapping[str, float], control: str | None, firmware: str | None, quiet: bool) -> World:
    import didymos
    from didymos.cli.trust import ask
    from didymos.describe.trust import NotTrusted

    try:
        world = didymos.load_world(name)
    except NotTrusted as refusal:
        if not ask(refusal):
            raise
        world = didymos.load_world(name, trust=True)
    for option, given in (("--control", control), ("--firmware", firmware)):
        for item in given.split(",") if given is not None else ():
            robot, _, program = item.partition("=")
            if not program:
                what = "ROBOT=MODULE:CLASS" if option == "--control" else "ROBOT=FIRMWARE"
                raise InputError(f"expected {what}, several joined by commas: a world has several robots", path=option)
            try:
                world.change(robot, partial(_replace_program, name=program, option=option))
            except InputError as error:
                raise InputError(str(error), path=option) from None
    for path, value in chosen.items():
        world.set(path, value)
    ran = [f"{robot}: {', '.join(item.twin.code.ran)}" for robot, item in world.robots.items() if item.twin.code.ran]
    if ran and not quiet:
        print(f"didymos: runs code of {world.folder}: {'; '.join(ran)}", file=sys.stderr)
    return world


def _replace_program(twin: DescribedTwin, name: str, option: str) -> None:
    """Let a program, or a firmware, take the place of a robot's own."""
    if option == "--control":
        from didymos.describe.kindred_program import replace_by_kindred

        if not replace_by_kindred(twin, name):
            twin.replace_program(name)
        return
    from didymos.ports.firmware import use_firmware

    use_firmware(twin, name)


def _tell_made(twin: Twin, name: str) -> None:
    """What matters most about a twin that was made of a description for this once, and how to keep it."""
    for note in twin.notes_of_its_own:
        print(f"didymos: {note}", file=sys.stderr)
    word = shlex.quote(name)  # as a shell takes it
    more = f"; {count_of(twin.notes)}, see didymos check {word}" if twin.notes else ""
    print(f"didymos: {name}: {twin.decided}; didymos new NAME --from {word} keeps it{more}", file=sys.stderr)


def _load(name: str, variant: str | None, read: Reading | None, quiet: bool) -> Twin:
    import_late("glfw")  # the engine imports it to open windows, which we never do, and it starts two processes to do so

    import didymos
    from didymos.cli.trust import ask
    from didymos.describe.trust import NotTrusted
    from didymos.describe.twin import hides_bundled

    try:
        twin = didymos.load(name, variant=variant, **reading(read))
    except NotTrusted as refusal:
        if not ask(refusal):
            raise
        twin = didymos.load(name, variant=variant, trust=True)
    if hides_bundled(name):
        print(f"didymos: takes {twin.source}, not the bundled twin of the same name", file=sys.stderr)
    if twin.bare is not None and not quiet:
        _tell_made(twin, name)
    if twin.code.ran and not quiet:
        print(f"didymos: runs code of {twin.folder}: {', '.join(twin.code.ran)}", file=sys.stderr)
    return twin
