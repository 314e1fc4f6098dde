"""`didymos bench`: speed, beside the bare engine's on the same model."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from didymos.cli.completion import complete_twins
from didymos.cli.options import AsJson, Portable, load_model
from didymos.cli.text import number, print_json, print_table

__all__ = ["bench"]


def bench(
    twins: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TWIN...]", help="Twins or worlds; all bundled twins by default.", autocompletion=complete_twins),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option("--variant", metavar="NAME[+NAME]", help="A variant of the twin; repeat it to compare several."),
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", metavar="NAME", help="The first one by default; may be repeated.")
    ] = None,
    portable: Portable = False,
    as_json: AsJson = False,
) -> int:
    """Speed, beside the bare engine's on the leanest model of the same motion."""
    from didymos.describe.bundled import bundled
    from didymos.engine.bench import measure

    rows = []
    for name in twins or bundled():
        for face in variant or (None,):
            twin = load_model(name, face, {}, quiet=as_json)
            for motion in scenario or (None,):
                print("measuring", *filter(None, (name, face, motion)), file=sys.stderr)
                rows.append(measure(twin, scenario=motion))
    if as_json:
        print_json({"twins": [asdict(row) for row in rows]})
        return 0
    table = [
        (
            row.twin,
            row.variant or "",
            row.scenario or "",
            str(row.robots),
            f"{row.engine_steps_per_s:,.0f}",
            f"{row.twin_steps_per_s:,.0f}",
            f"{row.us_per_robot_step:.1f}",
            f"{row.ratio:.2f}",
            f"{row.untimed_ratio:.2f}",
            number(row.real_time_factor),
            f"{row.peak_memory_mb:.0f}",
            "" if row.scan_ms is None else number(row.scan_ms),
        )
        for row in rows
    ]
    speeds = ("engine [steps/s]", "twin [steps/s]", "us per robot and step", "ratio", "untimed", "real-time factor")
    print_table(table, ("twin", "variant", "scenario", "robots", *speeds, "memory [MB]", "scan [ms]"))
    return 0
