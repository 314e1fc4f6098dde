"""Many recordings are walked through in stretches: the same numbers as at once, and no more memory for more of them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.schema import FreeSpec, PriorSpec
from didymos.describe.twin import Twin
from didymos.fitting import residual_rows
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.read_recording import read_recording
from didymos.fitting.recording import Recording
from didymos.fitting.segments import whole
from didymos.fitting.tall_skinny import turned

STEP = 1e-3
FREE = {
    "parts.drive.coulomb": FreeSpec(bounds=(0.0, 0.2), prior=PriorSpec(mean=0.07, sd=0.01)),
    "parts.drive.kd": FreeSpec(bounds=(0.01, 0.2)),
    "recording.bias.pos": FreeSpec(bounds=(-0.1, 0.1), per_recording=True),
}


@pytest.fixture
def recording(bench: Twin, record: Callable[..., Path]) -> Recording:
    return read_recording(bench, record())


def problem_of(twin: Twin, recordings: list[Recording], free: dict[str, FreeSpec] = FREE) -> Problem:
    parameters = Parameterization(free_groups(twin, free, recordings), len(recordings))
    return Problem(twin, recordings, [whole(i, item) for i, item in enumerate(recordings)], parameters, noise=0.01, threads=2)


def test_stretches_say_the_same_as_all_recordings_at_once(
    bench: Twin, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings = [
        replace(recording, channels=tuple(replace(item, values=item.values + 0.01 * i) for item in recording.channels))
        for i in range(5)
    ]
    problem = problem_of(bench, recordings)
    try:
        point = problem.start + 0.05
        residual, slopes = problem.residuals(point), problem.jacobian(point, STEP)
        assert len(slopes) > problem.samples  # a prior has a row of its own
        rows = problem.samples // 5
        for room, count in ((10**9, 1), (2 * rows, 3), (1, 5)):
            monkeypatch.setattr(residual_rows, "_ROOM", room)
            assert len(residual_rows.ResidualRows(recordings, problem.segments).stretches(1)) == count
            assert problem.losses(point)[0] == pytest.approx(residual @ residual, rel=1e-12)
            assert problem.jacobian(point, STEP) == pytest.approx(slopes, rel=1e-12, abs=1e-12)
            size, turned_slopes = turned(problem.triangle(point, STEP))
            assert size**2 == pytest.approx(residual @ residual, rel=1e-12)
            scale = np.linalg.norm(slopes, axis=0)
            assert turned_slopes.T @ turned_slopes == pytest.approx(slopes.T @ slopes, abs=1e-12 * float(scale.max()) ** 2)
            assert size * turned_slopes[0] == pytest.approx(slopes.T @ residual, abs=1e-12 * float(scale.max()) * size)
            by_recording = problem.losses_by_recording(point[:, None])[:, 0]
            parts = np.split(residual[: problem.samples], 5)
            assert by_recording == pytest.approx([part @ part for part in parts], rel=1e-12)
    finally:
        problem.close()


def test_more_recordings_take_no_more_memory_in_a_search(
    bench: Twin, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = {path: spec for path, spec in FREE.items() if not spec.per_recording}
    peaks = []
    for count in (6, 36):
        problem = problem_of(bench, [recording] * count, free)
        monkeypatch.setattr(residual_rows, "_ROOM", 6 * problem.samples // count)  # residuals of six recordings
        try:
            problem.triangle(problem.start, STEP)  # what is made once
            tracemalloc.start()
            problem.losses(problem.start)
            problem.triangle(problem.start, STEP)
            peaks.append(tracemalloc.get_traced_memory()[1])
            residual_of_the_rest = 8 * problem.samples * (count - 6) // count
        finally:
            tracemalloc.stop()
            problem.close()
    assert peaks[1] - peaks[0] < 0.2 * residual_of_the_rest  # tasks, and nothing of the size of a residual
