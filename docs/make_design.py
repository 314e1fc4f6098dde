"""Fill the tables of docs/design.md and draw its picture: `python docs/make_design.py [ROBOT]`; minutes, on two cores.

For each robot an experiment is designed as long as its chirp. Both are recorded twenty times by the twin itself, with noise of
other seeds, and fitted from values that are off by a tenth; intervals of those fits stand beside the predicted ones.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, stdev

import numpy as np
from PIL import Image

import didymos
from didymos.describe.schema import FreeSpec
from didymos.fitting import Channel, Column, Design, Recording, design, fit
from didymos.fitting.design_picture import plot_design

HERE = Path(__file__).parent
PAGE = HERE / "design.md"
SECONDS, SEEDS, OFF = 10.0, 20, 1.1
ARM = HERE.parent / "examples" / "three_link_arm"


@dataclass(frozen=True)
class Case:
    """A robot, what of it is asked for, and what is said on the command line."""

    name: str
    twin: str | Path
    limits: dict[str, tuple[float, float]]
    noise: dict[str, float]  # by signal


CASES = (
    Case(
        "power_unit", "power_unit", {"setpoints.position": (-1.0, 1.0)},
        {"parts.drive.output_position": 6e-5, "parts.drive.output_velocity": 0.01},
    ),
    Case("three_link_arm", ARM, {}, {}),
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A parameter in the fits of one experiment: half widths of intervals, and errors, by seed; None where nothing was told."""

    half_widths: list[float | None]
    errors: list[float]

    @property
    def half_width(self) -> float:
        """The median of what was told."""
        told = [item for item in self.half_widths if item is not None]
        return median(told) if told else math.inf

    @property
    def held(self) -> int:
        """Intervals that hold the truth."""
        return sum(
            half is not None and abs(error) <= half for half, error in zip(self.half_widths, self.errors, strict=True)
        )  # fmt: skip


def asked(twin: didymos.Twin) -> dict[str, FreeSpec]:
    """The twin's own list; a number of one recording begins near its valley, so no grid is needed."""
    return {path: spec.model_copy(update={"grid": 1}) for path, spec in twin.file.fit.parameters.items()}


def noise_of(twin: didymos.Twin, case: Case) -> dict[str, float]:
    """Standard deviation of each signal that is recorded."""
    said = {column.signal: column.sd for column in twin.file.recordings.columns.values() if column.signal and column.sd}
    return case.noise or said


def recording(twin: didymos.Twin, scenario: str, noise: dict[str, float], seed: int) -> Recording:
    """What the robot would record, with white noise of a seed."""
    log, rng = twin.simulate(scenario=scenario).run(SECONDS), np.random.default_rng(seed)
    channels = tuple(
        Channel(
            Column(name, name, weight=size**-2, sd=size), log[name].time,
            log[name].values + size * rng.standard_normal(len(log[name].time)),
        )
        for name, size in noise.items()
    )  # fmt: skip
    return Recording(Path(f"{scenario}_{seed}"), scenario, channels)


def fits(twin: didymos.Twin, scenario: str, noise: dict[str, float], paths: Sequence[str]) -> dict[str, Found]:
    """Fits to recordings of all seeds, from values that are off; the interval of a parameter is about its value."""
    found = {path: Found([], []) for path in paths}
    start = twin.copy()
    for path in paths:
        start.set(path, OFF * twin.get(path))
    for seed in range(SEEDS):
        done = fit(start, [recording(twin, scenario, noise, seed)], asked(twin), threads=2)
        for item in done.parameters:
            if item.path in found:
                ends = item.interval
                found[item.path].half_widths.append(None if ends is None else 0.5 * (ends[1] - ends[0]))
                found[item.path].errors.append(item.after - twin.get(item.path))
        print(f"  {scenario} {seed}: {done.runs} runs, {done.seconds:.0f} s", file=sys.stderr, flush=True)
    return found


def study(case: Case) -> tuple[Design, dict[str, Found], dict[str, Found]]:
    """The design, and the fits of the chirp and of it."""
    twin = didymos.load(case.twin)
    designed = design(
        twin, asked(twin), seconds=SECONDS, scenario="chirp", limits=case.limits, noise=case.noise, threads=2
    )
    print(f"{case.name}: {[f'{item.path} {item.ratio:.2f}' for item in designed.parameters]}", file=sys.stderr, flush=True)
    twin.add_scenarios({"designed": designed.plain})
    noise, paths = noise_of(twin, case), [item.path for item in designed.parameters]
    return designed, fits(twin, "chirp", noise, paths), fits(twin, "designed", noise, paths)


def table(designed: Design, chirp: dict[str, Found], better: dict[str, Found]) -> Iterator[str]:
    """The lines of one robot."""
    yield "| parameter | value | chirp: predicted, found | designed: predicted, found | ratio | found | of estimates | held |"
    yield "|---|---|---|---|---|---|---|---|"
    for x in designed.parameters:
        one, other = chirp[x.path], better[x.path]
        cells = (
            f"`{x.path}`", f"{x.value:.4g} {x.unit}", f"± {x.half_width_present:.2g}, {one.half_width:.2g}",
            f"± {x.half_width:.2g}, {other.half_width:.2g}", f"{x.ratio:.2f}", f"**{other.half_width / one.half_width:.2f}**",
            f"{stdev(other.errors) / stdev(one.errors):.2f}", f"{one.held}, {other.held} of {SEEDS}",
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield f"{designed.family.capitalize()}; {designed.evaluations} excitations tried in {designed.runs} runs."


def fill(mark: str, lines: Iterator[str]) -> None:
    """Write lines between the marks of the page."""
    page, text = PAGE.read_text(encoding="utf-8"), "\n".join(lines)
    between = re.compile(f"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(between.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page, count=1), encoding="utf-8")


def draw(designed: Design, file: Path) -> None:
    """The picture, at two thirds of its size and with few colours."""
    picture = Image.open(plot_design(designed, file)).convert("RGB")
    small = picture.resize((picture.width * 2 // 3, picture.height * 2 // 3), Image.Resampling.LANCZOS)
    small.quantize(64).save(file, optimize=True)


def main(names: Sequence[str]) -> None:
    """All robots, or those that are named."""
    for case in CASES:
        if not names or case.name in names:
            designed, chirp, better = study(case)
            fill(case.name, table(designed, chirp, better))
            if case.name == "power_unit":
                draw(designed, HERE / "pictures" / "design.png")
            told = {"chirp": chirp, "designed": better}
            print(json.dumps({name: {path: asdict(x) for path, x in found.items()} for name, found in told.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
