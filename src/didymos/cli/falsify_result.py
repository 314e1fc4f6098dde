"""What a search for a counter-example found, in words, as facts, and as the command line that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from didymos.cli.text import number, print_table
from didymos.cli.values import settings
from didymos.cli.verdicts import as_facts, print_verdicts

if TYPE_CHECKING:
    from didymos.cli.falsify import FalsifyOptions
    from didymos.studies.falsify import Falsification
    from didymos.studies.trial import Trial

__all__ = ["example_facts", "print_example", "print_none", "repeat"]


def repeat(options: FalsifyOptions, scenario: str | None, trial: Trial) -> str:
    """The command line that makes a run again, to the bit."""
    words = ["didymos", "run", options.twin]
    read, given = options.read, settings(options.sets or ())
    single: dict[str, object] = {
        "--variant": options.variant, "--scenario": scenario, "--control": options.control, "--with": options.values,
        "--seconds": options.seconds, "--seed": options.seed,
    }  # fmt: skip
    several = {"--package": read.package, "--arg": read.arg, "--scenarios": options.scenarios}
    words += [word for flag, items in several.items() for item in items or () for word in (flag, str(item))]
    words += [word for flag, value in single.items() if value is not None for word in (flag, str(value))]
    words += [flag for flag, chosen in (("--repair", read.repair), ("--portable", options.portable)) if chosen]
    words += [word for path, value in {**given, **trial.values}.items() for word in ("--set", f"{path}={value!r}")]
    return shlex.join(words)


def example_facts(result: Falsification, again: str) -> dict[str, Any]:
    """As `--json` prints them: the worst run, the smaller one that was made of it, and what repeats it."""
    shrunk = result.shrunk
    return {
        "found": result.found, "runs": len(result.trials), "worst": _facts(result, result.worst),
        "smallest": None if shrunk is None else {**_facts(result, shrunk.trial), "runs": shrunk.runs},
        "nominal": result.nominal, "repeat": again,
    }  # fmt: skip


def print_example(result: Falsification, again: str, files: Mapping[str, object]) -> None:
    """A counter-example: what it misses, by which values, and how to see it again."""
    runs = f"{len(result.trials)} runs" + ("" if result.shrunk is None else f", {result.shrunk.runs} more to make it smaller")
    print_table([("counter-example", f"in {runs}"), *((name, str(file)) for name, file in files.items() if file is not None)])
    small, worst = result.smallest.values, result.worst.values
    rows = [(path, number(result.nominal[path]), number(worst[path]), _shrunk(path, small)) for path in worst]
    if result.shrunk is None:
        print_table([row[:3] for row in rows], ("parameter", "nominal", "found"))
    else:
        print_table(rows, ("parameter", "nominal", "found", "smallest"))
    print_verdicts(result.smallest.verdicts)
    print(f"  again: {again}")


def print_none(result: Falsification, again: str) -> None:
    """That nothing was found, which proves nothing, and how near to it the worst run came."""
    from didymos.studies.margin import margin

    verdict = result.decisive(result.worst)
    assert verdict is not None
    least = f"least robustness {number(margin(verdict), verdict.unit)} of {verdict.name!r}"
    print(f"  no counter-example in {len(result.trials)} runs, which is no proof; {least} at:")
    print_table([(path, number(value), number(result.nominal[path])) for path, value in result.worst.values.items()],
                ("parameter", "value", "nominal"))  # fmt: skip
    print(f"  again: {again}")


def _shrunk(path: str, values: Mapping[str, float]) -> str:
    return number(values[path]) if path in values else "not needed"


def _facts(result: Falsification, trial: Trial) -> dict[str, Any]:
    from didymos.studies.margin import margin

    verdict = result.decisive(trial)
    least = None if verdict is None else margin(verdict)
    return {
        "values": trial.values, "robustness": least, "expectation": None if verdict is None else verdict.name,
        "error": trial.error, "expectations": as_facts(trial.verdicts),
    }  # fmt: skip
