"""`didymos cockpit` and `didymos run --view` as commands."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from didymos.cli.main import main

from .conftest import Started


@pytest.mark.parametrize(
    "words",
    [
        ["cockpit", "no_such_twin"],
        ["cockpit", "quadcopter", "--scenario", "nothing"],
        ["cockpit", "quadcopter", "--set", "world.gravity=-1"],
        ["cockpit", "quadcopter", "--control", "nothing.py:Nothing"],
        ["cockpit", "quadcopter", "--token", "short"],
        ["cockpit", "quadcopter", "--port", "70000"],
        ["cockpit", "quadcopter", "--host", "192.0.2.1", "--port", "0"],  # an address that no machine has
        ["run", "quadcopter", "--view", "--record", "a.mcap"],
        ["run", "quadcopter", "--view", "--seconds", "3"],
    ],
)
def test_bad_input_is_refused_with_one_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--json"]) == 2
    printed = capsys.readouterr()
    assert len(printed.err.strip().splitlines()) == 1
    assert set(json.loads(printed.out)) == {"error"}


def test_another_address_warns_and_needs_the_token(start_cockpit: Callable[..., Started]) -> None:
    started = start_cockpit("quadcopter", "--host", "0.0.0.0")
    assert "?token=" in started.url
    for path, status in (("/", 403), ("/?" + urlsplit(started.url).query, 200)):
        connection = http.client.HTTPConnection("127.0.0.1", started.port)
        connection.request("GET", path)
        assert connection.getresponse().status == status
    assert started.end() == 0
    assert started.process.stderr is not None
    assert "WARNING" in started.process.stderr.read()


def test_the_end_of_the_process_completes_nothing_that_was_not_begun(start_cockpit: Callable[..., Started]) -> None:
    started = start_cockpit("quadcopter", "--play")
    assert started.url == f"http://127.0.0.1:{started.port}/"
    assert started.end() == 0
    assert not started.folder.exists()
