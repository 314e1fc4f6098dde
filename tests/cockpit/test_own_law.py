"""A twin with a force law of its own in the cockpit: it opens where it is trusted, and its numbers are turned while it falls."""

from __future__ import annotations

import http.client
from collections.abc import Callable
from pathlib import Path

import pytest

import didymos
from didymos.cockpit.session import Session
from didymos.describe.trust import remember

from .conftest import Started, wait_until

EXAMPLE = Path(__file__).parents[2] / "examples" / "parachute"


def test_the_numbers_of_an_own_law_are_turned_while_it_runs(tmp_path: Path) -> None:
    session = Session(didymos.load(EXAMPLE, trust=True), scenario="drop", folder=tmp_path)
    try:
        assert "parts.canopy.drag_coefficient" in session.twin.parameters
        session.set_speed(4.0)
        session.set("parts.canopy.opening_time", 0.1)
        session.play()
        wait_until(lambda: session.live.snapshot.time >= 3.5, "the parachute has been released for half a second")
        session.pause()
        session.wait()
        log = session.live.run.log
        assert log["parts.canopy.opened"].values[-1] > 0.99  # 1 - exp(-5); with the twin's own second it would be 0.4
    finally:
        session.close()


def test_the_page_of_a_trusted_twin_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_cockpit: Callable[..., Started]
) -> None:
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    remember(EXAMPLE)
    started = start_cockpit(str(EXAMPLE))
    connection = http.client.HTTPConnection("127.0.0.1", started.port, timeout=60)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    assert started.end() == 0
