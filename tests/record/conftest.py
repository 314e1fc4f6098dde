"""A small log with a stream of every kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from didymos.record import Log

from .examples import ALL_LAYOUTS, rows_of


@pytest.fixture
def full_log() -> Log:
    """Every kind, each at its own rate, for about two seconds."""
    log = Log(ALL_LAYOUTS, {"twin": "quadcopter", "seed": "7"})
    for i, layout in enumerate(ALL_LAYOUTS):
        log.append(i, *rows_of(layout, 40 + 13 * i, 20.0 + 7.0 * i, seed=i))
    return log


@pytest.fixture
def assert_same() -> Callable[[Log, Log], None]:
    def check(a: Log, b: Log) -> None:
        assert set(a.signals) == set(b.signals)
        for name in a.signals:
            assert a[name].time.tobytes() == b[name].time.tobytes(), name
            assert a[name].values.tobytes() == b[name].values.tobytes(), name
            assert a[name].unit == b[name].unit, name

    return check
