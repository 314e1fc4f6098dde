"""Who listens to a run hears every row once, as it comes, and changes nothing about the log."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

import didymos
from didymos.engine.run import Run
from didymos.record.image import Picture
from didymos.record.log import Log


def _listened(twin: Any, slices: list[int]) -> tuple[Log, dict[int, list[Any]], list[Any], list[int]]:
    run = Run(twin.simulate(seed=3))
    rows: dict[int, list[Any]] = defaultdict(list)
    pictures: list[tuple[str, Picture]] = []
    per_call: list[int] = []

    def hear(fresh: list[Any], seen: list[tuple[str, Picture]]) -> None:
        per_call.append(max((len(times) for _, times, _ in fresh), default=0))
        for index, times, values in fresh:
            rows[index].append((times, values))
        pictures.extend(seen)

    run.advance(7)  # before anybody listens
    run.listen(hear)
    for count in slices:
        run.advance(count)
        run.tell()
    log = run.log
    run.close()
    return log, rows, pictures, per_call


def test_every_row_is_heard_once_and_in_order_across_chunks():
    twin = didymos.load("quadcopter")
    slices = [1, 2, 3, 50, 160, 1, 161, 400, 1]
    log, rows, _, _ = _listened(twin, slices)
    for index, layout in ((i, layout) for i, layout in enumerate(log.layouts) if layout.signals):  # the clock has none
        times = np.concatenate([one for one, _ in rows[index]])
        values = np.concatenate([two for _, two in rows[index]])
        logged = log[layout.signals[0]].time
        first = len(logged) - len(times)  # those of the ticks before anybody listened
        assert np.array_equal(np.rint(times * 1e9) / 1e9, logged[first:])
        assert 0 <= first <= 7
        for column, name in enumerate(layout.signals):
            assert np.array_equal(log[name].values[first:].astype(np.float32), values[:, column].astype(np.float32)), name


def test_the_log_is_the_same_to_the_byte_with_and_without_an_audience():
    twin = didymos.load("quadcopter")
    log, *_ = _listened(twin, [1] * 193)
    run = Run(twin.simulate(seed=3))
    run.advance(200)
    alone = run.log
    run.close()
    assert log.sha256 == alone.sha256


def test_a_tick_is_heard_when_it_is_over_and_not_a_chunk_later():
    *_, per_call = _listened(didymos.load("quadcopter"), [1] * 50)
    assert max(per_call) == 1
