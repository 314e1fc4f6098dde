"""Leave one flight out at a time: the tables of docs/twins/crazyflie.md. `python docs/make_crazyflie.py FLIGHT.csv...`

The twin is fitted to all flights but one, from the values of the twin file, and predicts windows of 0.5 s of the one that was
left out: with what a flight has for itself fitted to it as `didymos validate` does, and with the means that the others have.
Beside it, on the same windows: the twin as it is filed, and a guess without a model, velocity and rates as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import optimize

import didymos
from didymos.fitting import Recording, Validation, columns_of, read_recordings, validate
from didymos.fitting.horizon import HorizonError, horizon_errors
from didymos.fitting.noise import noise_size
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.segments import cut
from didymos.rotations import quaternion_product, rotation_vector_to_quaternion

WINDOW = 0.5  # [s]
EVERY = 100  # samples between the windows of a fit: one begins each second
ENOUGH = 1e-4  # a fit ends where a step gains less than this share of the loss
STEP = 1e-3  # of its differences, as a share of the bounds
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


def judged(files: Sequence[str], values: Mapping[str, float]) -> Validation:
    """The twin with these values against flights; alignments add to that of the twin file."""
    twin = didymos.load("crazyflie")
    twin.set_all({path: value for path, value in values.items() if path not in ALIGNMENT})
    columns = columns_of(twin)
    given = columns["attitude"].alignment
    x, y, z = (given[i] + values.get(path, 0.0) for i, path in enumerate(ALIGNMENT))
    columns["attitude"] = replace(columns["attitude"], alignment=(x, y, z))
    return validate(twin, read_recordings(twin, files, columns), window=WINDOW)


def fitted(twin: didymos.Twin, recordings: Sequence[Recording]) -> dict[str, float]:
    """What a fit finds for these flights in a window of each second; of what each has for itself the mean."""
    parameters = Parameterization(free_groups(twin, twin.file.fit.parameters, recordings), len(recordings))
    problem = Problem(twin, recordings, cut(twin, recordings, WINDOW, EVERY), parameters, noise=noise_size(recordings))
    try:
        optimize.least_squares(
            problem.residuals, parameters.start, lambda point: problem.jacobian(point, STEP), bounds=(0.0, 1.0), x_scale="jac",
            ftol=ENOUGH,
        )  # fmt: skip
    finally:
        problem.close()
    each = [parameters.values(problem.best, i) for i in range(len(recordings))]
    return {path: float(np.mean([values[path] for values in each])) for path in each[0]}


def left_out(twin: didymos.Twin, recordings: Sequence[Recording], index: int) -> Validation:
    """One flight, judged by a twin that was fitted to the others."""
    others = [recording for i, recording in enumerate(recordings) if i != index]
    return judged([str(recordings[index].file)], fitted(twin, others))


def main(files: Sequence[str]) -> None:
    """All tables."""
    print("| flight | windows | sum [m] | [m/s] | [rad] | [rad/s] | 0.1 s [m] | [m/s] | [rad] | [rad/s] |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    twin = didymos.load("crazyflie")
    recordings, parts = read_recordings(twin, files), []
    for i, file in enumerate(files):
        parts.append(left_out(twin, recordings, i))
        print(row(Path(file).stem, parts[-1].windows), flush=True)
    print(row("each left out once", pooled([part.windows for part in parts])))
    print(row("the same, nothing fitted to the one left out", pooled([part.windows_as_filed for part in parts])))
    filed = judged(files, {})
    print(row("fitted to all", filed.windows))
    print(row("the same, nothing fitted to any alone", filed.windows_as_filed))
    print(row("velocity and rates stay", guess(files)))


if __name__ == "__main__":
    main(sys.argv[1:])
