"""`didymos export fmu`: a twin as a Functional Mock-up Unit, for co-simulation elsewhere."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.description_options import Reading
from didymos.cli.options import AsJson, Quiet, Sets, TwinName, Values, Variant, chosen_values, load_model
from didymos.cli.text import print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.ports.fmi.script import Chosen
    from didymos.twin import Twin
    from didymos.world import World

__all__ = ["fmu"]


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What the command takes."""

    twin: TwinName
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The file to write.")]
    fmi: Annotated[int, typer.Option(metavar="2|3", min=2, max=3, help="Version of FMI.")] = 2
    scenario: Annotated[str | None, typer.Option(metavar="NAME", help="Start and stimuli; none by default.")] = None
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of all noise; a parameter of the FMU, too.")] = 0
    variant: Variant = None
    sets: Sets = None
    values: Values = None
    read: Reading
    quiet: Quiet = False
    as_json: AsJson = False


@command
def fmu(options: Exported) -> int:
    """Write a twin as an FMU (FMI 2.0 or 3.0, co-simulation), for tools that know nothing of Didymos.

    An FMU holds the twin's folder and needs a Python with didymos where it runs; of a bundled twin it holds the name. A folder
    whose twin names code of its own has to be trusted (`didymos trust`), and whoever loads the FMU runs that code.
    """
    if options.out.suffix != ".fmu":
        raise InputError(f"found {str(options.out)!r}, expected a file that ends in .fmu", option="out")
    from didymos.ports.fmi.package import export_fmu

    chosen = chosen_values(options.values, options.sets)
    model = load_model(options.twin, options.variant, chosen, read=options.read, quiet=options.as_json)
    if not (options.quiet or options.as_json):
        print(f"didymos: makes {options.out}, and runs it once", file=sys.stderr)
    made = export_fmu(options.fmi, _chosen(options, model, chosen), model.folder, options.out, _code(model))
    if options.as_json:
        print_json(asdict(made))
    elif not options.quiet:
        size = f"{made.size / 1e6:.1f} MB"
        numbers = f"{made.inputs} inputs, {made.parameters} parameters, {made.outputs} outputs"
        print_table([(str(made.file), f"FMI {made.fmi}.0, {numbers}, step {made.step:g} s, {size}")])
    return 0


def _chosen(options: Exported, model: Twin | World, values: dict[str, float]) -> Chosen:
    from didymos.describe.bundled import ROBOTS, WORLDS
    from didymos.ports.fmi.script import Chosen
    from didymos.world import World

    is_world = isinstance(model, World)
    bundled = model.folder.resolve().parent in (ROBOTS.resolve(), WORLDS.resolve())
    twin = model.folder.name if bundled else ""
    name = Path(options.twin).stem if not is_world and getattr(model, "bare", None) is not None else model.name
    return Chosen(name, twin, is_world, model.title, options.variant, options.scenario, options.seed, values)


def _code(model: Twin | World) -> tuple[str, ...]:
    """The code of its own that a twin, or a robot of a world, names."""
    from didymos.world import World

    twins = [item.twin for item in model.robots.values()] if isinstance(model, World) else [model]
    return tuple(dict.fromkeys(name for twin in twins for name in twin.code.ran))
