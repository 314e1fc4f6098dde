"""`didymos report`: a sweep in a folder as one HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.description_options import Reading
from didymos.cli.options import AsJson, Quiet, load_model
from didymos.cli.progress import progress
from didymos.cli.text import print_json
from didymos.errors import DidymosError, InputError

if TYPE_CHECKING:
    from didymos.studies.findings import Findings
    from didymos.studies.report_pictures import RunAgain

__all__ = ["repeat_command", "report"]


def report(
    sweep: Annotated[Path, typer.Argument(metavar="SWEEP", help="The folder of a sweep, as sweep -o FOLDER writes it.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.html", help="The page; SWEEP.html by default.")
    ] = None,
    worst: Annotated[int, typer.Option(metavar="N", min=0, max=100, help="How many of the worst runs are named.")] = 10,
    pictures: Annotated[
        int, typer.Option(metavar="N", min=0, max=20, help="Of how many of them signals are drawn; each is run again.")
    ] = 3,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """A sweep as one HTML page: pass rates, which parameters matter, where runs fail, the worst runs and how to repeat them."""
    from didymos.studies.findings import findings
    from didymos.studies.report import report_page
    from didymos.studies.stored_sweep import read_store

    finding = findings(read_store(sweep))
    places = finding.worst_runs(worst)
    drawn, note = _pictures(finding, places[:pictures], quiet or as_json) if pictures else ([], "")
    page = report_page(finding, lambda seed, values: repeat_command(finding.about, seed, values), places, drawn, note)
    file = output or sweep.with_name(f"{sweep.resolve().name}.html")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from error
    if as_json:
        rate, chance = finding.pass_rate, finding.failure_chance
        print_json({
            "sweep": sweep, "report": file, "runs": len(finding.ok), "met": rate.passed,
            "pass_rate": {"estimate": rate.estimate, "low": rate.low, "high": rate.high},
            "failure_probability": None if chance is None else chance,
            "worst": [repeat_command(finding.about, *_run(finding, place)) for place in places],
            "pictures": sum(map(len, drawn)), "no_pictures": note or None,
        })  # fmt: skip
    elif not quiet:
        print(f"report: {file}")
    return 0


def repeat_command(about: Mapping[str, Any], seed: int, values: Mapping[str, float]) -> str:
    """The command line that repeats a run of a sweep, ready to be pasted into a shell."""
    words = ["didymos", "run", str(about["twin"])]
    for key in ("variant", "scenario", "seconds", "control"):
        if about.get(key) is not None:
            words += [f"--{key}", str(about[key])]
    read = about.get("read") or {}
    for key, option in (("package", "--package"), ("arg", "--arg"), ("scenarios", "--scenarios")):
        for text in read.get(key) or ():
            words += [option, str(text)]
    words += ["--repair"] if read.get("repair") else []
    words += ["--seed", str(seed)]
    for path, value in {**about.get("set", {}), **values}.items():
        words += ["--set", f"{path}={value!r}"]
    return shlex.join(words)


def _run(finding: Findings, place: int) -> tuple[int, dict[str, float]]:
    return int(finding.seed[place]), {path: float(column[place]) for path, column in finding.values.items()}


def _pictures(finding: Findings, places: list[int], quiet: bool) -> tuple[list[list[str]], str]:
    """Charts of some runs, and of a typical one beside them; else why there are none."""
    from didymos.studies.report_pictures import pictures_of

    if not places:
        return [], ""
    try:
        again = _again(finding.about, quiet)
        typical = finding.typical_run()
        beside = None if typical is None else _run(finding, typical)
        drawn = []
        with progress(float(len(places)), quiet=quiet, text="{task.completed:.0f} of {task.total:.0f} runs drawn") as tick:
            for charts in pictures_of(again, [_run(finding, place) for place in places], beside):
                drawn.append(charts)
                tick(len(drawn))
    except DidymosError as error:  # the twin is elsewhere, was changed, or is not trusted here: the page does without
        return [], str(error)
    return drawn, ""


def _again(about: Mapping[str, Any], quiet: bool) -> RunAgain:
    """The twin of a sweep, as it was swept."""
    from didymos.studies.report_pictures import RunAgain

    control = about.get("control")
    if control is not None and ":" in str(control):
        raise InputError(f"the program {control!r} is code that this file names; the commands below run it")
    read = about.get("read") or {}
    how = Reading(package=read.get("package"), arg=read.get("arg"), repair=bool(read.get("repair")))
    files = [Path(file) for file in read.get("scenarios") or ()]
    twin = load_model(
        str(about["twin"]),
        about.get("variant"),
        about.get("set", {}),
        about.get("control"),
        read=how,
        scenarios=files,
        quiet=quiet,
    )
    return RunAgain(twin, about.get("scenario"), about.get("seconds"))
