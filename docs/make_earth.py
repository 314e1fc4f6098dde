"""NASA's check cases, flown as twins: the tables of docs/earth.md. `python docs/make_earth.py` prints them (10 s)."""

from __future__ import annotations

import sys
from pathlib import Path

import didymos

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from nasa_cases import SPREAD, in_their_units, reference  # noqa: E402

UNITS = {"height": "ft", "p": "deg/s", "q": "deg/s", "r": "deg/s"}


def main() -> None:
    """Fly all cases and print a row for each number that NASA's tools differ in."""
    print("| case | after 30 s | ours | NASA's least to largest | from their middle [half spreads] | from the integration |")
    print("|---|---|---|---|---|---|")
    for case, spread in SPREAD.items():
        log = didymos.load(ROOT / "examples" / "nasa_check_cases" / f"case_{case}").simulate().run(30.1)
        expected = reference(case)
        for name, (least, largest) in spread.items():
            found = float(log[f"earth.{name}"].values[-1])
            ours, away = in_their_units(name, found), in_their_units(name, found - expected[name])
            far = abs(ours - (least + largest) / 2) / ((largest - least) / 2)
            unit = "ft/s" if name.startswith("velocity") else UNITS.get(name, "deg")
            print(f"| {case} | {name} [{unit}] | {ours:.9g} | {least:.9g} to {largest:.9g} | {far:.4f} | {away:.0e} |")


if __name__ == "__main__":
    main()
