"""Whether 95 % intervals hold the truth in 95 % of cases: `OMP_NUM_THREADS=1 python docs/make_coverage.py`; about an hour.

Fits the recordings of `coverage_cases.py` as a user would, from the file's values, and writes the tables of docs/coverage.md.
Results are kept line by line in `--results`, so that a run that was stopped goes on; `--fits N` does the first N only, `--robot`
those of one.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from coverage_cases import NOISES, ROBOTS, SAMPLES, Case, cases, make, twin_of
from scipy import stats

from didymos.fitting import fit, read_recordings

HERE = Path(__file__).parent
PAGE = HERE / "coverage.md"
Row = dict[str, Any]


def run(case: Case) -> Row:
    """What a fit of one case says, beside the truth."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        made, twin = make(case, Path(folder)), twin_of(case.robot)
        recordings = read_recordings(twin, [made.file], ROBOTS[case.robot].columns)
        found = fit(twin, recordings, made.free, threads=2, units=False)  # units are right; few samples can look otherwise
    parameters = {
        item.path: {"truth": made.truth[item.path], "after": item.after, "interval": item.interval, "bounds": item.bounds}
        for item in found.parameters
    }
    return {
        "key": case.key, "robot": case.robot, "noise": case.noise, "samples": case.samples, "parameters": parameters,
        "converged": found.converged, "refuted": any(item.refuted for item in found.misfits), "lags": len(found.lags),
        "warnings": found.warnings, "seconds": time.perf_counter() - began,
    }  # fmt: skip


def collect(file: Path, fits: int, robots: list[str]) -> list[Row]:
    """Results of the first cases, those from the file and those that it lacks."""
    lines = file.read_text().splitlines() if file.exists() else []
    known = {row["key"]: row for row in map(json.loads, lines)}
    chosen = [case for case in cases() if case.robot in robots][:fits]
    with file.open("a") as kept:
        for i, case in enumerate(chosen):
            if case.key not in known:
                known[case.key] = run(case)
                print(json.dumps(known[case.key]), file=kept, flush=True)
                print(f"{i + 1} of {len(chosen)}: {case.key}: {known[case.key]['seconds']:.1f} s", flush=True)
    return [known[case.key] for case in chosen]


def holds(item: Row) -> bool | None:
    """Whether an interval holds the truth; None where there is none, or it holds all between the bounds and cannot miss."""
    ends = item["interval"]
    return None if ends is None or is_blank(item) else bool(ends[0] <= item["truth"] <= ends[1])


def is_blank(item: Row) -> bool:
    """Whether an interval says no more than the bounds did."""
    ends, bounds = item["interval"], item["bounds"]
    return ends is not None and bool(ends[0] <= bounds[0] and bounds[1] <= ends[1])


def name_of(robot: str, path: str) -> str:
    """A line of the first table; lags of all columns are one kind."""
    return f"{robot}: {'lag of a column' if path.startswith('recording.delay') else path}"


def share(hits: list[bool | None]) -> str:
    """Cells: how many intervals, how many hold the truth, and the binomial 95 % interval of that share."""
    given = [hit for hit in hits if hit is not None]
    if not given:
        return "0 | | "
    low, high = stats.binomtest(sum(given), len(given)).proportion_ci(0.95)
    return f"{len(given)} | {100 * sum(given) / len(given):.1f} % | {100 * low:.1f} to {100 * high:.1f} %"


def by_parameter(rows: list[Row]) -> Iterator[str]:
    """The first table: coverage, and the median half width beside the median of what it claims to bound."""
    yield "| parameter | intervals | hold the truth | binomial 95 % | half width / 1.96 sd of errors | none |"
    yield "|---|---|---|---|---|---|"
    found: dict[str, list[Row]] = {}
    for row in rows:
        for path, item in row["parameters"].items():
            found.setdefault(name_of(row["robot"], path), []).append(item)
    for name in sorted(found):
        items = [item for item in found[name] if holds(item) is not None]
        scores = [2.0 * (item["after"] - item["truth"]) / np.ptp(item["interval"]) for item in items]
        ratio = 1.0 / (1.96 * 1.4826 * float(np.median(np.abs(scores))))
        none = len(found[name]) - len(items)
        yield f"| {name} | {share([holds(item) for item in found[name]])} | {ratio:.2f} | {none} |"


def by_kind(rows: list[Row], title: str, kinds: tuple[Any, ...], kind_of: Callable[[Row], Any]) -> Iterator[str]:
    """Coverage over all parameters of some rows, one robot to a column."""
    yield f"| {title} | " + " | ".join([*ROBOTS, "all", "intervals"]) + " |"
    yield "|---|" + "---|" * (len(ROBOTS) + 2)
    for kind in kinds:
        hits = {
            robot: [
                holds(item) for row in rows if kind_of(row) == kind and row["robot"] == robot
                for item in row["parameters"].values() if holds(item) is not None
            ]
            for robot in ROBOTS
        }  # fmt: skip
        whole = [hit for part in hits.values() for hit in part]
        cells = [f"{100 * float(np.mean(part)):.1f} %" if part else "" for part in (*hits.values(), whole)]  # type: ignore[arg-type]
        yield f"| {kind} | {' | '.join(cells)} | {len(whole)} |"


def why_none(rows: list[Row]) -> Iterator[str]:
    """Why parameters have no interval."""
    reasons: Counter[str] = Counter()
    for row in rows:
        for path, item in row["parameters"].items():
            if holds(item) is None:
                why = "the twin was refuted" if row["refuted"] else "not determined"
                why = "as wide as its bounds" if is_blank(item) else why
                reasons[f"{name_of(row['robot'], path)}: {why}, {row['samples']} samples"] += 1
    fails = sum(not row["converged"] for row in rows)
    yield f"{len(rows)} fits, of which {fails} searches did not converge. Without an interval: {sum(reasons.values())}."
    asked = [row["lags"] > 0 for row in rows if "lags" in row]
    yield f"A lag that is none, or was free, was told in {sum(asked)} of {len(asked)} fits."
    yield ""
    yield from (f"- {text}: {count}" for text, count in reasons.most_common())


def fill(text: str, name: str, lines: Iterator[str]) -> str:
    """A page with what stands between two markers made anew."""
    between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return between.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text)


def main() -> None:
    """Fit what is not fitted yet, print and write the tables."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--results", type=Path, default=Path("coverage.jsonl"))
    words.add_argument("--fits", type=int, default=len(cases()))
    words.add_argument("--robot", choices=ROBOTS, action="append")
    words.add_argument("--dry", action="store_true", help="print the tables and leave the page as it is")
    given = words.parse_args()
    rows = collect(given.results, given.fits, given.robot or list(ROBOTS))
    tables = {
        "parameters": list(by_parameter(rows)),
        "noises": list(by_kind(rows, "noise", NOISES, lambda row: row["noise"])),
        "samples": list(by_kind(rows, "samples", SAMPLES, lambda row: row["samples"])),
        "none": list(why_none(rows)),
    }
    text = PAGE.read_text() if PAGE.exists() else ""
    for name, lines in tables.items():
        print("\n".join(lines), end="\n\n")
        text = fill(text, name, iter(lines))
    if not given.dry:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
