"""Measure the table of docs/fit.md: intervals of the power unit's sine by all three ways, and what they cost.

    python docs/make_fit.py sine.csv [fit.html]
"""

from __future__ import annotations

import sys
from pathlib import Path

import didymos
from didymos.fitting import Fit, fit, read_recordings
from didymos.fitting.intervals import INTERVALS
from didymos.fitting.report import save_report


def main(file: str, report: str | None = None) -> None:
    """Print the rows, each as soon as it is known."""
    twin = didymos.load("power_unit")
    recordings = read_recordings(twin, [file])
    found: dict[str, Fit] = {}
    for name in INTERVALS:
        found[name] = fit(twin, recordings, twin.file.fit.parameters, intervals=name)
        print(f"{name}: {found[name].runs - found['sandwich'].runs} runs more, {found[name].seconds:.0f} s", flush=True)
        for item in found[name].parameters:
            assert item.interval is not None
            low, high = (end - item.after for end in item.interval)
            print(f"  {item.full_name}: {item.after:.5g} {item.unit}, {low:+.3g} {high:+.3g}", flush=True)
        for text in found[name].warnings:
            print(f"  {text}")
    assert found["posterior"].samples is not None
    print(found["posterior"].samples.text)
    if report is not None:
        save_report(found["posterior"], Path(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
