"""Leave one flight out at a time: the tables of docs/twins/crazyflie.md. `python docs/make_crazyflie.py FLIGHT.csv...`

The twin is fitted to all flights but one, from the values of the twin file, and predicts windows of 0.5 s of the one that was
left out. Beside it, on the same windows: the twin with the markers' tilt fitted to each flight that is judged, and a guess
without a model, velocity and rates as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import didymos
from didymos.describe.schema import FitSpec, FreeSpec
from didymos.fitting import fit, read_recordings, validate
from didymos.fitting.horizon import HorizonError, horizon_errors
from didymos.fitting.read_recording import columns_of
from didymos.fitting.segments import cut
from didymos.rotations import quaternion_product, rotation_vector_to_quaternion

WINDOW = 0.5
SIGNALS = ("position", "velocity", "attitude", "rate")
ALIGNMENT = tuple(f"recording.alignment.attitude.{axis}" for axis in "xyz")
Errors = Mapping[str, HorizonError]


def pooled(parts: Sequence[Errors]) -> Errors:
    """Errors over all windows of several flights."""
    found = {}
    for name in SIGNALS:
        counts = np.array([part[name].windows for part in parts])
        errors = np.array([part[name].errors for part in parts])
        found[name] = HorizonError(counts @ errors / counts.sum(), int(counts.sum()))
    return found


def row(name: str, errors: Errors) -> str:
    """A line of the table: sums, then errors after 0.1 s."""
    facts = [errors[signal].facts() for signal in SIGNALS]
    sums, shorts = (" | ".join(f"{item[key]:.3g}" for item in facts) for key in ("sum", "h10"))
    return f"| {name} | {errors['position'].windows} | {sums} | {shorts} |"


def guess(files: Sequence[str]) -> Errors:
    """Velocity and rates stay as they are where a window begins."""
    twin = didymos.load("crazyflie")
    recordings = read_recordings(twin, files)
    segments = cut(twin, recordings, WINDOW, twin.file.recordings.windows_every)
    said = []
    for segment in segments:
        channels = {channel.column.name: channel for channel in recordings[segment.recording].channels}
        samples = dict(zip(channels, segment.samples, strict=True))
        start = {name: channel.rows[samples[name].start - 1] for name, channel in channels.items()}
        after = {name: channel.time[samples[name]][:, None] - segment.at for name, channel in channels.items()}
        turned = rotation_vector_to_quaternion(start["rate"] * after["attitude"])
        values = {
            "position": start["position"] + start["velocity"] * after["position"],
            "velocity": np.tile(start["velocity"], (len(after["velocity"]), 1)),
            "attitude": quaternion_product(np.tile(start["attitude"], (len(turned), 1)), turned),
            "rate": np.tile(start["rate"], (len(after["rate"]), 1)),
        }
        said.append([values[name] for name in channels])
    return horizon_errors(recordings, segments, said)


def judged(files: Sequence[str], values: Mapping[str, float]) -> Errors:
    """Errors of the twin with these values; alignments add to that of the twin file."""
    twin = didymos.load("crazyflie")
    twin.set_all({path: value for path, value in values.items() if path not in ALIGNMENT})
    columns = columns_of(twin)
    given = columns["attitude"].alignment
    x, y, z = (given[i] + values.get(path, 0.0) for i, path in enumerate(ALIGNMENT))
    columns["attitude"] = replace(columns["attitude"], alignment=(x, y, z))
    return validate(twin, read_recordings(twin, files, columns), window=WINDOW).windows


def aligned(files: Sequence[str]) -> Errors:
    """Errors of the twin where the tilt of the markers is fitted to each flight, the same that is judged."""
    twin = didymos.load("crazyflie")
    own = {path: FreeSpec(bounds=(-0.1, 0.1), per_recording=True) for path in ALIGNMENT[:2]}
    twin.file = twin.file.model_copy(update={"fit": FitSpec(parameters=own)})
    return validate(twin, read_recordings(twin, files), window=WINDOW).windows


def left_out(files: Sequence[str], index: int) -> Errors:
    """Errors of one flight by a twin that was fitted to the others."""
    twin = didymos.load("crazyflie")
    others = read_recordings(twin, [file for i, file in enumerate(files) if i != index])
    found = fit(twin, others, twin.file.fit.parameters, window=WINDOW)
    return judged([files[index]], {item.path: item.after for item in found.parameters} | found.values())


def main(files: Sequence[str]) -> None:
    """All tables."""
    print("| flight | windows | sum [m] | [m/s] | [rad] | [rad/s] | 0.1 s [m] | [m/s] | [rad] | [rad/s] |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    parts = []
    for i, file in enumerate(files):
        parts.append(left_out(files, i))
        print(row(Path(file).stem, parts[-1]), flush=True)
    print(row("all, each left out once", pooled(parts)))
    print(row("all, fitted to all", judged(files, {})))
    print(row("the same, markers aligned in each flight", aligned(files)))
    print(row("velocity and rates stay", guess(files)))


if __name__ == "__main__":
    main(sys.argv[1:])
