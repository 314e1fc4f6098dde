"""The sandwich beside its own formula, and what it costs of a long recording."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from didymos.fitting.sandwich import sandwich

NO_BELIEF = np.empty((0, 1))


def test_observations_in_a_row_are_summed_over_the_slowest_cosines() -> None:
    count = 300
    residual = np.random.default_rng(0).standard_normal(count)
    found, freedom = sandwich(np.ones((count, 1)), residual, np.arange(count), beliefs=NO_BELIEF, in_a_row=True)
    scores = residual * count / (count - 0.999)  # each pulls at the mean of the others; 0.999 of it is left out
    cosines = np.cos(np.pi * np.outer(np.arange(1, freedom + 1), (np.arange(count) + 0.5) / count))
    expected = np.mean(2.0 * (cosines @ scores) ** 2) / count**2
    assert freedom == round(0.41 * count ** (2.0 / 3.0))
    assert found[0, 0] == pytest.approx(expected, rel=1e-12)


def test_a_long_recording_takes_no_more_memory_than_some_copies_of_it() -> None:
    count, copies = 60_000, 20
    residual, slopes = np.random.default_rng(1).standard_normal((2, count))
    tracemalloc.start()
    sandwich(slopes[:, None], residual, np.arange(count), beliefs=NO_BELIEF, in_a_row=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < copies * residual.nbytes  # a table of all cosines is 628 of them
