"""The tool that watches long runs: it sees what grows, and what is missing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from didymos.record import Kind, RotatedFile, StreamLayout
from didymos.record.rotation import RotatingRecorder
from soaking.measure import growth
from soaking.runs import _check_log


def test_growth_is_that_of_the_second_half() -> None:
    times = [0.25 * i for i in range(400)]
    begins = [min(i, 100) * 1e6 for i in range(400)]  # what fills up at first, and then is flat
    assert growth(times, begins) == pytest.approx(0.0, abs=1.0)
    assert growth(times, [3.0 * t for t in times]) == pytest.approx(3.0 * 0.25 * 199)
    assert math.isnan(growth([0.0, 1.0], [0.0, 0.0]))


@pytest.mark.parametrize(
    ("left_out", "complaint"), [((), ""), ((57,), "rows are missing or double"), ((98, 99), "the log ends at 97 s")]
)
def test_a_row_that_is_missing_is_seen(tmp_path: Path, left_out: tuple[int, ...], complaint: str) -> None:
    target = RotatedFile(tmp_path / "a.mcap", every=40.0, keep=3)
    recorder = RotatingRecorder(target, [StreamLayout("a", Kind.SCALARS, ("x",), ("m",))], {})
    for second in range(100):
        if second not in left_out:
            recorder.write(0, [float(second)], np.zeros((1, 1)))
            recorder.flush()
    recorder.close()
    wrong: list[str] = []
    counted = _check_log(target, "a.x", 1.0, 100.0, wrong)
    assert counted == {"files": 3, "rows kept": 100 - len(left_out)}
    assert "; ".join(wrong).startswith(complaint)
    assert bool(wrong) == bool(complaint)
