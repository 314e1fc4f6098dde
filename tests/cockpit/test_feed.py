"""Our line to the page: what is sent arrives, nothing that a page sends does harm, nobody waits for one that does not read."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from didymos.cockpit.feed import MOST_WAITING, Visitor
from didymos.cockpit.server import Server

from .conftest import wait_until


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(port=0, receive=lambda text: None)
    yield made
    made.stop()


def join(server: Server) -> ClientConnection:
    return connect(f"ws://127.0.0.1:{server.port}/feed", max_size=None, open_timeout=None)


def decode(raw: str | bytes) -> dict[str, Any]:
    """A message as the page reads it, by the words of feed.js."""
    if isinstance(raw, str):
        return dict(json.loads(raw))
    (length,) = struct.unpack_from("<I", raw)
    head = json.loads(raw[4 : 4 + length])
    begin = (4 + length + 7) // 8 * 8
    for name, count in head["arrays"].items():
        head[name] = np.frombuffer(raw, dtype="<f8", count=count, offset=begin)
        begin += 8 * count
    assert begin == len(raw)
    return dict(head)


def test_words_and_numbers_arrive_as_they_were_sent(server: Server) -> None:
    asked: list[dict[str, Any]] = []

    def answer(visitor: Visitor, message: dict[str, Any]) -> None:
        asked.append(message)
        visitor.send("told", {"name": "größe"}, t=np.array([0.0, 0.1]), y=np.array([[np.nan, -1e-300]]), none=np.zeros(0))
        server.feed.tell("words", {"n": 1})

    server.feed.on("ask", answer)
    with join(server) as page:
        page.send(json.dumps({"topic": "ask", "names": ["a.b"]}))
        told, words = decode(page.recv()), decode(page.recv())
    assert asked == [{"topic": "ask", "names": ["a.b"]}]
    assert told["name"] == "größe"
    assert told["t"].tolist() == [0.0, 0.1]
    np.testing.assert_array_equal(told["y"], [np.nan, -1e-300])
    assert len(told["none"]) == 0
    assert words == {"topic": "words", "n": 1}


@pytest.mark.parametrize(
    "raw", [b"\x00\xff", "", "{", "[]", "null", '"ask"', '{"topic": 3}', '{"topic": "nobody"}', '{"topic": "ask"}', "[" * 100_000]
)
def test_a_page_that_sends_anything_is_still_served(server: Server, raw: str | bytes) -> None:
    server.feed.on("ask", lambda visitor, message: visitor.send("told", {"twice": 2 * int(message["number"])}))
    with join(server) as page:
        page.send(raw)
        page.send('{"topic": "ask", "number": 21}')
        assert decode(page.recv())["twice"] == 42


def test_who_left_is_said_once_and_gets_nothing_more(server: Server) -> None:
    gone: list[Visitor] = []
    server.feed.left(gone.append)
    with join(server):
        wait_until(lambda: server.feed.visitors, "the page is there")
        (visitor,) = server.feed.visitors
    wait_until(lambda: gone == [visitor] and not server.feed.visitors, "the page is gone")
    visitor.send("told")
    server.feed.tell("told")


def test_nobody_waits_for_a_page_that_does_not_read(server: Server) -> None:
    with join(server):
        wait_until(lambda: server.feed.visitors, "the page is there")
        (visitor,) = server.feed.visitors
        for _ in range(4 * MOST_WAITING):
            server.feed.tell("much", {}, values=np.zeros(2**14))
        wait_until(lambda: visitor.waiting > 0, "it has not read all")
        assert visitor.waiting <= MOST_WAITING
