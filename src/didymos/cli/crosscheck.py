"""`didymos crosscheck`: the same description and inputs in a second engine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_scenarios, complete_twins
from didymos.cli.options import AsJson, Quiet, Scenarios, Sets, Values, Variant, chosen_values, load_twin
from didymos.cli.progress import progress
from didymos.cli.text import number, print_json, print_table
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.crosscheck.contact_check import ContactFinding
    from didymos.crosscheck.findings import MechanismFinding

__all__ = ["crosscheck"]

_NAMED = 8  # differences that are named one by one


@dataclass(frozen=True, kw_only=True)
class CrosscheckOptions:
    """What is compared, along which run, in which cases of contact."""

    twins: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TWIN...]", help="Twins, or bare descriptions (URDF, SDF, MJCF); all bundled by default.",
            autocompletion=complete_twins,
        ),
    ] = None  # fmt: skip
    variant: Variant = None
    scenario: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Also compare forces along a run of it.", autocompletion=complete_scenarios),
    ] = None
    scenarios: Scenarios = None
    contact: Annotated[
        list[str] | None,
        typer.Option(metavar="CASE", help="Also drop, stand, slide, ramp, roll in Drake; repeatable; all: every one."),
    ] = None
    seconds: Annotated[float, typer.Option(metavar="S", min=0.1, max=100.0, help="Length of the motion that is compared.")] = 5.0
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the states and motions that are drawn.")] = 0
    sets: Sets = None
    values: Values = None
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="Draw our curves over theirs; of one twin.")
    ] = None
    as_json: AsJson = False
    quiet: Quiet = False


@dataclass(frozen=True, eq=False)
class _Row:
    twin: str
    mechanism: MechanismFinding
    contacts: tuple[ContactFinding, ...]


@dataclass(frozen=True)
class _Watch:
    """Tells the bar how far one twin is, in units of a comparison of mechanisms."""

    tick: Callable[..., None]
    before: float
    name: str

    def __call__(self, done: float) -> None:
        self.tick(self.before + 100.0 * done, self.name)


@command
def crosscheck(options: CrosscheckOptions) -> int:
    """Hold a twin against a second engine: pinocchio on Drake's reading of its description, and Drake's contacts.

    Says apart what is an error of the model and what of the engine. Exit status 1 if anything differs beyond the stated figures,
    or could not be compared.
    """
    from didymos.crosscheck.libraries import require_engines
    from didymos.describe.bundled import bundled

    require_engines()
    names = options.twins or list(bundled())
    if options.output is not None and len(names) != 1:
        raise InputError("one picture is of one twin", option="output")
    quiet = options.quiet or options.as_json
    work = (1.0 + 0.5 * len(_cases(options))) * len(names)
    rows = []
    with progress(100.0 * work, quiet=quiet, text="{task.percentage:.0f} %") as tick:
        for i, name in enumerate(names):
            rows.append(_compare(name, options, _Watch(tick, 100.0 * i * work / len(names), name)))
    if options.output is not None:
        from didymos.crosscheck.picture import plot_crosscheck

        options.output.parent.mkdir(parents=True, exist_ok=True)
        plot_crosscheck(rows[0].twin, rows[0].mechanism, rows[0].contacts, options.output)
    if options.as_json:
        print_json({"twins": [_facts(row) for row in rows], "limits": _limits(), "picture": options.output})
    elif not options.quiet:
        _print(rows, options)
    return _status(rows)


def _compare(name: str, options: CrosscheckOptions, watch: Callable[[float], None]) -> _Row:
    from didymos.crosscheck.contact_check import check_contact
    from didymos.crosscheck.mechanism_check import check_mechanism

    values, quiet = chosen_values(options.values, options.sets), options.quiet or options.as_json
    twin = load_twin(name, options.variant, values, scenarios=options.scenarios, quiet=quiet)
    mechanism = check_mechanism(twin, scenario=options.scenario, seconds=options.seconds, seed=options.seed, progress=watch)
    contacts = []
    for i, case in enumerate(_cases(options)):
        contacts.append(check_contact(twin, case))
        watch(1.0 + 0.5 * (i + 1))
    return _Row(twin.name, mechanism, tuple(contacts))


def _cases(options: CrosscheckOptions) -> tuple[str, ...]:
    from didymos.crosscheck.contact_case import CASES, known_case

    chosen = tuple(dict.fromkeys(options.contact or ()))
    if "all" in chosen:
        return CASES
    for case in chosen:
        known_case(case)
    return chosen


def _print(rows: list[_Row], options: CrosscheckOptions) -> None:
    headers = ["twin", "freedoms", "model", "engine", f"{options.seconds:g} s apart", "its step costs", "half of it"]
    headers += [f"along {options.scenario}"] if options.scenario else []
    print_table([_cells(row, options) for row in rows], [*headers, "verdict"])
    for row in rows:
        for difference in row.mechanism.differences[:_NAMED] if len(row.mechanism.differences) > 1 else ():
            print(f"  {row.twin}: {difference}")
        replay = row.mechanism.replay
        if replay is not None and replay.unbalanced > 1e-6:
            print(f"  {row.twin}: our solver of contacts left {replay.unbalanced:.1e} of a joint's largest force unbalanced")
        if row.mechanism.left_out and len(rows) == 1:
            print(f"  left out of the motion: {', '.join(row.mechanism.left_out)}")
    table = [
        (row.twin, finding.case, x.name, number(x.ours, x.unit), number(x.theirs, x.unit), number(x.closed_form, x.unit),
         "-" if x.tolerance is None else "agree" if x.agrees else "differ")
        for row in rows for finding in row.contacts for x in finding.figures
    ]  # fmt: skip
    print_table(table, ("twin", "contact", "figure", "ours", "Drake", "closed form", "within softness"))
    for row in rows:
        for finding in row.contacts:
            if finding.not_comparable is not None:
                print(f"  {row.twin} {finding.case}: {finding.verdict}")


def _cells(row: _Row, options: CrosscheckOptions) -> list[str]:
    found = row.mechanism
    if found.engine is None or found.trajectory is None:
        return [row.twin, *["-"] * (7 if options.scenario else 6), found.verdict]
    motion = found.trajectory
    errors = (found.model_error, found.engine.largest, motion.difference, motion.own_step, motion.half_step)
    along = [f"{found.replay.residual:.1e}"] if found.replay is not None else []
    return [row.twin, str(found.freedoms), *(f"{error:.1e}" for error in errors), *along, found.verdict]


def _facts(row: _Row) -> dict[str, Any]:
    found, motion = row.mechanism, row.mechanism.trajectory
    return {
        "twin": row.twin,
        "verdict": found.verdict,
        "agrees": found.agrees,
        "freedoms": found.freedoms,
        "model_error": found.model_error,
        "differences": [asdict(difference) for difference in found.differences],
        "engine": None if found.engine is None else asdict(found.engine),
        "trajectory": None
        if motion is None
        else {
            "seconds": motion.time[-1], "difference": motion.difference, "own_step": motion.own_step,
            "half_step": motion.half_step, "shaken": motion.shaken,
        },
        "replay": None if found.replay is None else asdict(found.replay),
        "left_out": found.left_out,
        "contacts": [
            {"case": x.case, "verdict": x.verdict, "agrees": x.agrees, "figures": [asdict(figure) for figure in x.figures]}
            for x in row.contacts
        ],
    }  # fmt: skip


def _limits() -> dict[str, float]:
    from didymos.crosscheck.findings import ENGINE, MODEL, TRAJECTORY

    return {"model": MODEL, "engine": ENGINE, "trajectory": TRAJECTORY}


def _status(rows: list[_Row]) -> int:
    """Exit status; what differs is said on stderr."""
    verdicts = [(row.twin, row.mechanism.agrees, row.mechanism.verdict) for row in rows]
    verdicts += [(f"{row.twin} {x.case}", x.agrees, x.verdict) for row in rows for x in row.contacts]
    apart = [(name, verdict) for name, agrees, verdict in verdicts if not agrees]
    for name, verdict in apart:
        print(f"didymos: {name}: {verdict}", file=sys.stderr)
    return 1 if apart else 0
