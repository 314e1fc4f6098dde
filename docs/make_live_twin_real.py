"""Figures of docs/live_twin.md about recordings of real robots: one bench run of the power unit, eight flights of a Crazyflie.

    python docs/make_live_twin_real.py [DATA_FOLDER] [--folds 8] [--only NAME] [--json FILE]

A flight is judged by a calibration on others, never on itself: with 8 folds on all that are left, with 4 two flights are left out
at a time. Nobody calibrates on the one that has corrupted samples. Of each flight the longest part that the twin file allows
(`recordings.windows_where`: above 0.3 m, all motors commanded) is copied and watched as `log:FILE`; then once more with the PWM
of one motor, drawn by lot, scaled by 0.85 from a time drawn by lot on. The sine is one file: its second half is judged by a
calibration on the first.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import didymos
from didymos.shadow.calibration import Calibration, calibrate
from didymos.shadow.sources.recorded import read_table

MOTORS = tuple(f"motor_motor_m{k}" for k in (1, 2, 3, 4))
CORRUPT, CORRUPT_SINCE = "B2_circle_medium_rep3", 31.28  # [s] of the whole file: the log on board ended there
LOWEST = 0.3  # [m], as the twin file has it
WEAK = 0.85
EARLIEST, LEFT = 7.0, 6.0  # [s] of a flight before and after a fault
FOUND = 5.0  # [s] within which a fault counts as found
SAME = 0.5  # [s] between two alarms of two runs that are one
HALF = 2.0  # [s] of the sine


def read(file: Path) -> tuple[list[str], NDArray[np.float64]]:
    """The names of a file's columns and its rows."""
    names = file.open(encoding="utf-8").readline().strip().split(",")
    return names, np.loadtxt(file, delimiter=",", skiprows=1)


def write(file: Path, names: Sequence[str], rows: NDArray[np.float64]) -> None:
    np.savetxt(file, rows, delimiter=",", header=",".join(names), comments="", fmt="%.9f")


def in_the_air(file: Path, folder: Path) -> tuple[Path, float]:
    """A copy of the longest part of a flight that may be used, and when [s] of the flight it begins."""
    names, rows = read(file)
    motors = rows[:, [names.index(name) for name in MOTORS]]
    allowed = np.flatnonzero((rows[:, names.index("pz")] > LOWEST) & (motors > 0.0).all(axis=1))
    part = max(np.split(allowed, np.flatnonzero(np.diff(allowed) > 1) + 1), key=len)
    write(folder / file.name, names, rows[part])
    return folder / file.name, float(rows[part[0], 0] - rows[0, 0])


def weakened(file: Path, folder: Path, motor: int, since: float) -> Path:
    """A copy with the PWM of a motor scaled from a time [s] on."""
    names, rows = read(file)
    late = rows[:, 0] - rows[0, 0] >= since
    rows[late, names.index(MOTORS[motor - 1])] *= WEAK
    write(folder / f"weak_{file.name}", names, rows)
    return folder / f"weak_{file.name}"


def watched(twin: didymos.Twin, robot: str, calibration: Calibration, seconds: float | None = None) -> dict[str, Any]:
    """What a shadow says of a recording, or of its first seconds."""
    shadow = didymos.Shadow(twin, robot, calibration=calibration)
    summary = shadow.run(seconds)
    shadow.close()
    return {
        "seconds": round(summary.seconds, 1), "nis": round(summary.nis, 2), "alarms": [str(alarm) for alarm in summary.alarms],
        "times": [alarm.time for alarm in summary.alarms], "notices": shadow.notices,
        "causes": [str(alarm.cause) if alarm.cause is not None else "none" for alarm in summary.alarms],
    }  # fmt: skip


def first_after(times: Sequence[float], since: float, anyway: Sequence[float]) -> float | None:
    """How long [s] after a time the first one came that did not come anyway, without the fault."""
    own = [found for found in times if all(abs(found - other) > SAME for other in anyway)]
    return next((round(found - since, 2) for found in own if since <= found <= since + FOUND), None)


def flight(twin: didymos.Twin, file: Path, begin: float, folder: Path, calibration: Calibration, seed: int) -> dict[str, Any]:
    """A flight as it was, and with a motor that is told wrong."""
    found: dict[str, Any] = {"file": file.stem, "healthy": watched(twin, f"log:{file}", calibration)}
    _, rows = read(file)
    seconds = CORRUPT_SINCE - begin if file.stem == CORRUPT else float(rows[-1, 0] - rows[0, 0])
    if file.stem == CORRUPT:
        found["corrupt_since"] = seconds
    lot = np.random.default_rng(seed)
    motor, since = int(lot.integers(1, 5)), float(lot.uniform(EARLIEST, seconds - LEFT))
    result = watched(twin, f"log:{weakened(file, folder, motor, since)}", calibration, since + FOUND + 0.5)
    found["weak"] = {"motor": motor, "since": round(since, 2), **result}
    healthy = found["healthy"]
    found["alarm_after"] = first_after(result["times"], since, healthy["times"])
    return found


def flights(folder: Path, copies: Path, folds: int, only: str | None) -> list[dict[str, Any]]:
    twin, found = didymos.load("crazyflie"), []
    files = [in_the_air(file, copies) for file in sorted(folder.glob("*.csv"))]
    for fold in range(folds):
        judged = [i for i in range(len(files)) if i % folds == fold and (only is None or only in files[i][0].stem)]
        if not judged:
            continue
        others = [file for i, (file, _) in enumerate(files) if i % folds != fold and file.stem != CORRUPT]
        began = time.monotonic()
        calibration = calibrate(twin, [f"log:{file}" for file in others])
        print(f"calibrated on {len(others)} in {time.monotonic() - began:.0f} s:", dict(calibration.density), flush=True)
        print("  ", {k: float(f"{v:.3g}") for k, v in {**calibration.noise, **calibration.level}.items()}, flush=True)
        for i in judged:
            found.append(flight(twin, *files[i], copies, calibration, seed=i))
            print(json.dumps(found[-1]), flush=True)
    return found


def sine(file: Path, folder: Path) -> dict[str, Any]:
    """The sine, by a calibration on its first half; what is said in that half does not count."""
    twin = didymos.load("power_unit")
    calibration = calibrate(twin, [f"log:{half(twin, f'{file}=sine', folder / 'half.csv', 0.0, HALF)}"])
    found = watched(twin, f"log:{file}=sine", calibration)
    kept = [i for i, at in enumerate(found["times"]) if at >= HALF]
    found |= {name: [found[name][i] for i in kept] for name in ("alarms", "times", "causes")}
    return {"file": "sine, second half", "healthy": {**found, "seconds": found["seconds"] - HALF}}


def half(twin: didymos.Twin, text: str, file: Path, begin: float, end: float) -> Path:
    """A part of a recording in the twin's own words, with the inputs that its program gives."""
    table, _ = read_table(twin, text, ())
    rows = (table.stamps >= begin) & (table.stamps < end)
    write(file, ("t", *table.signals), np.column_stack([table.stamps[rows], table.values[rows]]))
    return file


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("data", nargs="?", type=Path, default=default)
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--only")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as copies:
        found = [] if options.only else [sine(options.data / "power_unit" / "sine.csv", Path(copies))]
        found += flights(options.data / "crazyflie", Path(copies), options.folds, options.only)
    for one in found:
        healthy = one["healthy"]
        since = one.get("corrupt_since", np.inf)
        false = [text for text, at in zip(healthy["alarms"], healthy["times"], strict=True) if at < since]
        columns = [one["file"], healthy["seconds"], len(false), healthy["nis"]]
        if "weak" in one:
            columns += [one["weak"]["motor"], one["weak"]["since"], one["alarm_after"], one["weak"]["causes"]]
        print("|", " | ".join(str(column) for column in columns), "|")
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
