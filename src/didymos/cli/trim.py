"""`didymos trim`: steady flight over airspeed, its linear models and modes, and the gains that follow from them."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_scenarios
from didymos.cli.description_options import Reading
from didymos.cli.options import AsJson, Quiet, Sets, TwinName, Values, Variant, chosen_values, load_twin
from didymos.cli.progress import progress
from didymos.cli.text import number, print_json
from didymos.cli.trim_gains import print_gains
from didymos.cli.trim_text import as_json, print_survey
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.engine.flight_survey import Survey

__all__ = ["trim"]

_MOST = 1000  # airspeeds


@dataclass(frozen=True, kw_only=True)
class TrimOptions:
    """Which flights, and what is told of them."""

    twin: TwinName
    variant: Variant = None
    airspeed: Annotated[
        str | None,
        typer.Option(metavar="V|LO:HI[:STEP]", help="m/s; 0 hovers; from the slowest to the fastest flight by default."),
    ] = None
    height: Annotated[float, typer.Option(metavar="M", help="Above the world's zero.")] = 50.0
    climb: Annotated[float, typer.Option(metavar="RAD", min=-1.5, max=1.5, help="Angle of climb.")] = 0.0
    bank: Annotated[
        float | None,
        typer.Option(metavar="RAD", min=-1.4, max=1.4, help="A coordinated turn, to the right; straight by default."),
    ] = None
    reduced: Annotated[
        bool, typer.Option("--reduced", help="The eight classical states: engines settled, height constant.")
    ] = False
    fly: Annotated[
        bool, typer.Option("--fly", help="Fly each mode in the simulation and hold its log against it.")
    ] = False
    gains: Annotated[
        bool, typer.Option("--gains", help="The gains that follow from the model, as a block for the twin file.")
    ] = False
    scenario: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --gains: of the program of a scenario.", autocompletion=complete_scenarios),
    ] = None
    sets: Sets = None
    values: Values = None
    read: Reading
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw roots, angle of attack, commands and power over airspeed.")
    ] = None
    as_json: AsJson = False
    quiet: Quiet = False


@command
def trim(options: TrimOptions) -> int:
    """Steady flight over airspeed: trims, linear models (A, B) and modes.

    Exit status 1 where there is no trim at an airspeed that was asked for.
    """
    if options.scenario is not None and not options.gains:
        raise InputError("goes with --gains only", option="scenario")
    speeds = None if options.airspeed is None else _speeds(options.airspeed)
    chosen = chosen_values(options.values, options.sets)
    twin = load_twin(options.twin, options.variant, chosen, read=options.read, quiet=options.as_json)
    if options.gains:
        return print_gains(twin, options.scenario, as_json=options.as_json)
    from didymos.engine.flight_survey import survey
    from didymos.engine.trim import Steady

    flight = Steady(0.0, options.height, options.climb, options.bank)
    with progress(100.0, quiet=options.quiet or options.as_json, text="{task.completed:.0f} %") as tell:
        found = survey(
            twin, speeds, flight, reduced=options.reduced, fly=options.fly, envelope=options.plot is not None,
            progress=lambda share: tell(100.0 * share),
        )  # fmt: skip
    picture = _picture(found, options.plot)
    if options.as_json:
        print_json({"twin": twin.name, "variant": twin.variant, **as_json(found, flight), "plot": picture})
    elif not options.quiet:
        print_survey(found)
        if picture is not None:
            print(f"picture: {picture}")
    for speed in found.missing:
        print(f"didymos: {twin.name} has no steady flight at {number(speed)} m/s", file=sys.stderr)
    return 1 if found.missing else 0


def _picture(found: Survey, path: Path | None) -> Path | None:
    if path is None or not found.points:
        return None
    from didymos.engine.trim_picture import plot_survey

    path.parent.mkdir(parents=True, exist_ok=True)
    return plot_survey(found, path)


def _speeds(text: str) -> list[float]:
    """Airspeeds [m/s] of V, LO:HI or LO:HI:STEP."""
    try:
        numbers = [float(item) for item in text.split(":")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not all(math.isfinite(value) and value >= 0.0 for value in numbers):
        raise InputError(f"found {text!r}, expected an airspeed of 0 m/s or more, LO:HI or LO:HI:STEP", option="airspeed")
    if len(numbers) == 1:
        return numbers
    low, high, step = (*numbers, (numbers[1] - numbers[0]) / 10.0)[:3]
    count = math.floor((high - low) / step + 1e-9) + 1 if step > 0.0 else 0
    if not 1 <= count <= _MOST:
        raise InputError(f"found {text!r}, expected LO below HI and at most {_MOST} airspeeds", option="airspeed")
    return [low + i * step for i in range(count)]
