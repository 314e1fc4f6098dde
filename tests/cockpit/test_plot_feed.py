"""The cockpit's side of the plots: fewer samples that draw the same, pieces that make the whole, pages that ask for anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from websockets.sync.client import ClientConnection

from didymos import Log
from didymos.cockpit.decimation import last_stretch, thinned
from didymos.cockpit.layouts import MOST_LAYOUTS, Layouts
from didymos.cockpit.plot_feed import MOST_REQUESTS, STRETCHES, Event, PlotFeed
from didymos.cockpit.plot_source import of_replay, of_run
from didymos.cockpit.server import Server
from didymos.record import Kind, StreamLayout

from .conftest import wait_until
from .test_feed import decode, join

Array = NDArray[np.float64]
WINDOW = 10.0  # [s]


def noise(count: int, seed: int = 0) -> tuple[Array, Array]:
    """A curve with 1024 samples a second, whose times are exact."""
    return np.arange(count) / 1024.0, np.random.default_rng(seed).normal(size=count)


def test_of_each_stretch_the_lowest_and_the_highest_are_kept() -> None:
    times, values = noise(10_000)
    values[4_321], values[7_654] = 99.0, -99.0
    t, y = thinned(times, values, 0.125)
    assert len(t) <= 2 * 79 + 1
    for begin in np.arange(0.0, times[-1], 0.125):
        here, there = ((x >= begin) & (x < begin + 0.125) for x in (times, t))
        assert y[there].max() == values[here].max()
        assert y[there].min() == values[here].min()
    assert (t[-1], y[-1]) == (times[-1], values[-1])
    assert np.isin(t, times).all()


def test_few_samples_are_kept_as_they_are_and_what_is_unknown_stays_a_gap() -> None:
    times, values = noise(100)
    for kept in (thinned(times, values, 1 / 512), thinned(times[:2], values[:2], 1.0), thinned(times[:0], values[:0], 1.0)):
        assert np.array_equal(kept[1], values[: len(kept[1])])
        assert len(kept[0]) in (100, 2, 0)
    values[40:60] = np.nan
    t, y = thinned(times, values, 8 / 1024)
    assert np.isnan(y[(t >= times[40]) & (t < times[60])]).all()
    assert np.isfinite(y[t < times[40]]).all()
    assert len(t) == 10 * 2 + 2 * 1 + 3  # stretches of 8 that are known, unknown, and half known


def test_a_curve_in_pieces_has_the_samples_of_the_whole() -> None:
    times, values = noise(5_000)
    t, y = np.empty(0), np.empty(0)
    begin = -np.inf
    for end in sorted(np.random.default_rng(1).choice(np.arange(1, 5_000), 60, replace=False).tolist()):
        first = int(np.searchsorted(times, begin))
        piece = thinned(times[first:end], values[first:end], 0.05)
        keep = t < begin
        t, y = np.concatenate([t[keep], piece[0]]), np.concatenate([y[keep], piece[1]])
        begin = last_stretch(times[first:end], 0.05)
    whole = thinned(times[:end], values[:end], 0.05)
    assert np.array_equal(t, whole[0])
    assert np.array_equal(y, whole[1])


class Page:
    """A page as it hears of plots: what it would draw."""

    def __init__(self, line: ClientConnection, feed: PlotFeed, server: Server) -> None:
        self._line, self._feed, self._server = line, feed, server
        self.curves: dict[str, tuple[Array, Array]] = {}
        self.about: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []

    def say(self, topic: str, **fields: Any) -> None:
        self._line.send(json.dumps({"topic": topic, **fields}))

    def read(self, until: str) -> dict[str, Any]:
        """Take messages up to the next of a topic."""
        while True:
            message = decode(self._line.recv())
            self.heard.append(message)
            if message["topic"] == "plots.signals":
                if message["run"] != self.about.get("run"):
                    self.curves = {}
                self.about = message
            for i, (name, begin) in enumerate(zip(message.get("names", ()), message.get("from", ()), strict=False)):
                t, y = self.curves.get(name, (np.empty(0), np.empty(0)))
                keep = np.zeros(len(t), dtype=bool) if begin is None else t < begin
                self.curves[name] = np.concatenate([t[keep], message[f"t{i}"]]), np.concatenate([y[keep], message[f"y{i}"]])
            if message["topic"] == until:
                return message


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[[], tuple[Page, PlotFeed]]]:
    """served(): a page that has said that it is there, and the feed that answers it."""
    server = Server(port=0, receive=lambda text: None)
    feed = PlotFeed(server.feed, "robot", Layouts(tmp_path / "layouts.json"), lambda title, text: None)
    lines: list[ClientConnection] = []

    def serve() -> tuple[Page, PlotFeed]:
        lines.append(join(server))
        page = Page(lines[-1], feed, server)
        page.say("plots.hello")
        wait_until(lambda: len(feed.guests) == len(lines), "the page is heard")
        return page, feed

    yield serve
    for line in lines:
        line.close()
    server.stop()


def log_of(*names: str) -> Log:
    return Log([StreamLayout("a", Kind.SCALARS, names, ("m",) * len(names))])


def no_events() -> tuple[Event, ...]:
    return ()


Serve = Callable[[], tuple[Page, PlotFeed]]


def test_a_page_gets_what_there_is_at_once_and_then_what_is_new(served: Serve) -> None:
    page, feed = served()
    log = log_of("x", "y")
    times, values = noise(8_000)
    log.append(0, times[:5_000], np.column_stack([values, -values])[:5_000])
    source = of_run(log)
    page.say("plots.want", names=["a.x", "a.none"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names, "it is heard")
    for end in (5_000, 5_001, 5_400, 7_999, 8_000):
        log.append(0, times[len(log["a.x"].time) : end], np.column_stack([values, -values])[len(log["a.x"].time) : end])
        feed.update(source, times[end - 1], no_events)
        assert page.read("plots.samples")["now"] == times[end - 1]
        whole = thinned(log["a.x"].time, log["a.x"].values, WINDOW / STRETCHES)
        assert np.array_equal(page.curves["a.x"], whole)
    assert list(page.curves) == ["a.x"]  # nothing of what nobody draws
    assert page.about["names"] == ["a.x", "a.y"]
    page.say("plots.want", names=["a.x", "a.y"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names == ("a.x", "a.y"), "it is heard")
    feed.update(source, times[-1], no_events)
    assert page.read("plots.samples")["names"] == ["a.y"]  # the other is known already
    assert np.array_equal(page.curves["a.y"], thinned(log["a.y"].time, log["a.y"].values, WINDOW / STRETCHES))


def test_few_samples_arrive_to_the_bit(served: Serve) -> None:
    page, feed = served()
    log = log_of("x")
    log.append(0, np.arange(300) * 0.01, np.random.default_rng(3).normal(size=(300, 1)))
    page.say("plots.want", names=["a.x"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names, "it is heard")
    feed.update(of_run(log), 2.99, no_events)
    page.read("plots.samples")
    assert np.array_equal(page.curves["a.x"], (log["a.x"].time, log["a.x"].values))


def test_of_a_log_all_is_there_wherever_its_replay_stands(served: Serve) -> None:
    """It used to be the last seconds before the end, for a page that was opened there."""
    log = log_of("x")
    times, values = noise(100_000)
    log.append(0, times, values[:, None])
    page, feed = served()
    page.say("plots.want", names=["a.x"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names, "it is heard")
    feed.update(of_replay(log, None, None, "a.x"), float(times[-1]), no_events)
    page.read("plots.samples")
    kept = log["a.x"]
    assert np.array_equal(page.curves["a.x"], thinned(kept.time, kept.values, float(kept.time[-1]) / STRETCHES))
    assert len(page.curves["a.x"][0]) <= 2 * STRETCHES + 2


def test_another_run_takes_the_place_of_the_first_and_a_page_that_comes_later_sees_as_much(served: Serve) -> None:
    page, feed = served()
    first, second = log_of("x", "y"), log_of("x", "z")
    for log, offset in ((first, 0.0), (second, 100.0)):
        log.append(0, np.arange(50) * 0.1, offset + np.arange(100.0).reshape(50, 2))
    page.say("plots.want", names=["a.x", "a.y"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names, "it is heard")
    feed.update(of_run(first), 4.9, no_events)
    page.read("plots.samples")
    source = of_run(second)
    feed.update(source, 4.9, lambda: ((1.0, "hand", "pushed"),))
    page.read("plots.samples")
    late, _ = served()
    late.say("plots.want", names=["a.x"], window=WINDOW)
    wait_until(lambda: len(feed.guests) == 2 and feed.guests[1].names, "it is heard")
    feed.update(source, 5.0, lambda: ((1.0, "hand", "pushed"),))
    late.read("plots.samples")
    for one in (page, late):
        assert np.array_equal(one.curves["a.x"][1], second["a.x"].values)
        assert one.about["names"] == ["a.x", "a.z"]
        assert [message["events"] for message in one.heard if message["topic"] == "plots.events"][-1] == [[1.0, "hand", "pushed"]]
    assert "a.y" not in page.curves


def test_a_stretch_is_fetched_whole_or_thinned_and_values_are_told_to_those_who_look(served: Serve) -> None:
    page, feed = served()
    log = log_of("x", "y")
    times, values = noise(20_000)
    log.append(0, times, np.column_stack([values, values]))
    source = of_run(log)
    page.say("plots.fetch", id=7, names=["a.y"], **{"from": 3.0, "to": 4.0}, points=0)
    page.say("plots.fetch", id=8, names=["a.y"], **{"from": 0.0, "to": 20.0}, points=100)
    page.say("plots.glance", names=["a.y", "a.none"])
    wait_until(lambda: feed.guests[0].glanced, "it is heard")
    for _ in range(5):
        feed.update(source, 19.999, no_events)
    exact, thin = page.read("plots.stretch"), page.read("plots.stretch")
    assert (exact["id"], thin["id"]) == (7, 8)
    inside = (times >= 3.0) & (times <= 4.0)
    assert np.array_equal(exact["y0"], values[inside])
    assert 100 <= len(thin["t0"]) <= 203
    assert (thin["y0"].max(), thin["y0"].min()) == (values.max(), values.min())
    assert page.read("plots.values")["values"].tolist() == [values[-1]]


@pytest.mark.parametrize(
    "message",
    [
        {"topic": "plots.want"},
        {"topic": "plots.want", "names": "a.x", "window": 1},
        {"topic": "plots.want", "names": [3], "window": 1},
        {"topic": "plots.want", "names": ["a.x"], "window": "wide"},
        {"topic": "plots.want", "names": ["a.x"] * 10_000, "window": 1},
        {"topic": "plots.want", "names": ["a.x"], "window": 1e999},
        {"topic": "plots.glance", "names": {"a": 1}},
        {"topic": "plots.fetch", "id": 1},
        {"topic": "plots.fetch", "id": "one", "names": ["a.x"], "from": 0, "to": 1, "points": 2},
        {"topic": "plots.fetch", "id": 1, "names": ["a.x"], "from": 1, "to": -1, "points": 2},
        {"topic": "plots.fetch", "id": 1, "names": ["a.x"], "from": 0, "to": 1, "points": -5},
        {"topic": "plots.save", "name": "", "layout": {"plots": []}},
        {"topic": "plots.save", "name": "n", "layout": {"plots": [{"signals": [1]}]}},
        {"topic": "plots.save", "name": "n", "layout": {"plots": [], "window": "x"}},
        {"topic": "plots.forget"},
        {"topic": "plots.forget", "name": []},
    ],
)
def test_a_page_that_asks_for_anything_is_still_served(served: Serve, message: dict[str, Any]) -> None:
    page, feed = served()
    log = log_of("x")
    log.append(0, [0.0, 1.0], [[1.0], [2.0]])
    for _ in range(2 * MOST_REQUESTS):
        page.say(**message)
    page.say("plots.want", names=["a.x"], window=WINDOW)
    wait_until(lambda: feed.guests[0].names == ("a.x",), "it is heard")
    feed.update(of_run(log), 1.0, no_events)
    page.read("plots.samples")
    assert page.curves["a.x"][1].tolist() == [1.0, 2.0]


def test_a_layout_is_kept_under_its_name_and_offered_to_others(tmp_path: Path) -> None:
    layouts = Layouts(tmp_path / "new" / "layouts.json")
    plot = {"signals": ["truth.position.y"], "x": "truth.position.x", "unknown": 1}
    layouts.save("duck", " path ", {"plots": [plot, {"kind": "table"}], "window": 30, "statistics": True, "more": 2})
    layouts.save("goose", "path", {"plots": []})
    offered = Layouts(tmp_path / "new" / "layouts.json").offered("goose")
    assert [(one["name"], one["twin"], one["own"]) for one in offered] == [("path", "goose", True), ("path", "duck", False)]
    assert offered[1]["layout"] == {
        "plots": [{"signals": ["truth.position.y"], "x": "truth.position.x"}, {"signals": [], "kind": "table"}], "window": 30,
        "statistics": True,
    }  # fmt: skip
    layouts.forget("duck", "path")
    for i in range(MOST_LAYOUTS + 3):
        layouts.save("duck", f"{i}", {"plots": []})
    kept = [one["name"] for one in layouts.offered("duck") if one["own"]]
    assert kept == [f"{i}" for i in range(3, MOST_LAYOUTS + 3)]
    (tmp_path / "new" / "layouts.json").write_text("[1, 2")
    assert layouts.offered("duck") == []


def test_a_replay_shows_its_ghost_and_their_difference_first() -> None:
    log, ghost, difference = log_of("x", "y"), log_of("x", "y"), log_of("x")
    assert of_replay(log, None, None, "a.x").first == (("a.x",),)
    flight = Log([StreamLayout(name, Kind.SCALARS, columns, ("m",) * len(columns)) for name, columns in (
        ("truth", ("position.x", "position.z")), ("setpoints", ("z",)), ("inputs", ("motor1", "motor2")),
    )])  # fmt: skip
    inputs = "inputs.motor1", "inputs.motor2"
    assert of_replay(flight, None, None, "truth.position.z").first == (("truth.position.z", "setpoints.z"), inputs)
    assert of_replay(flight, None, None, "inputs.motor2").first == (inputs, ("truth.position.z", "setpoints.z"))
    both = of_replay(log, ghost, difference, "a.x")
    assert both.first == (("a.x", "ghost.a.x"), ("difference.a.x",))
    assert "ghost.a.y" in both
