"""Beside a running robot updates do not wait: the twin is linearised between them, and a stretch ends with its last reading."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.shadow import input_samples
from didymos.shadow.estimate import Frame
from didymos.shadow.first_readings import FirstReadings
from didymos.shadow.observer import Observer
from didymos.shadow.shadow import Shadow
from didymos.shadow.source import Arrival
from didymos.shadow.sources import arrivals as arrivals_module
from didymos.shadow.sources.log import LogSource
from didymos.shadow.sources.socket import SocketSource
from didymos.shadow.summary import Latency

CART = """<robot name="cart"><link name="base"/><link name="cart"><inertial><mass value="2"/>
<inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link><joint name="rail" type="prismatic"><parent link="base"/>
<child link="cart"/><axis xyz="1 0 0"/><limit lower="-100" upper="100" effort="50" velocity="300"/></joint></robot>"""
SENSORS = {"encoder": {"kind": "joints", "rate": 100, "position": {"noise": 0.01}}}
SIGNAL = "encoder.rail.position"
SPEED = 0.4  # [m/s]


@pytest.fixture
def cart(make_twin: Any) -> Any:
    return make_twin(CART, world={"step": 0.005}, sensors=SENSORS)


class Told:
    """A robot that runs, and whose words are known beforehand; each read hands over the next of them."""

    live = True
    signals = (SIGNAL,)

    def __init__(self, words: Sequence[Arrival]) -> None:
        self._words = iter(words)

    def read(self, _seconds: float) -> Sequence[Arrival]:
        return [next(self._words)]

    def notices(self) -> Sequence[str]:
        return ()

    def close(self) -> None:
        pass


def words(count: int, begin: float = 0.0) -> Iterator[Arrival]:
    """A cart that rolls, read a hundred times a second; it came a millisecond after it was read."""
    for k in range(count):
        stamp = begin + 0.01 * k
        yield Arrival(stamp, stamp + 0.001, {SIGNAL: SPEED * 0.01 * k})


def test_a_linearisation_in_pieces_is_the_one_on_the_spot_and_leaves_the_twin_where_it_was(cart: Any) -> None:
    pieces, spot = Observer(cart, (SIGNAL,)), Observer(cart, (SIGNAL,))
    pieces.ahead = True
    inputs = np.zeros((2, len(pieces.stepper.inputs)))
    reading = [(2, 0, np.array([0.01]))]
    for observer in (pieces, spot):
        for _ in range(6):
            observer.step(inputs, reading)
    before = pieces.stepper.vector.tobytes(), pieces.stepper.tick
    count = 0
    while pieces.linearize_on():
        assert (pieces.stepper.vector.tobytes(), pieces.stepper.tick) == before
        count += 1
    assert count > pieces.states  # a column at a time
    made = pieces._linear[2]
    assert made[0] == pytest.approx(0.05)  # of the stretch that was taken last
    wanted = spot._linearizer.linearize(inputs, spot.inputs, spot.time)
    assert made[1].state == pytest.approx(wanted.state, abs=1e-9)


def test_where_nobody_finds_time_to_linearise_between_updates_it_is_done_in_one(cart: Any) -> None:
    observer = Observer(cart, (SIGNAL,))
    observer.ahead = True
    inputs = np.zeros((2, len(observer.stepper.inputs)))
    ages = []
    for _ in range(100):
        begin = observer.time
        observer.step(inputs, [])
        ages.append(begin - observer._linear[2][0])
    assert observer.refresh < max(ages) < 5.0 * observer.refresh


def test_a_recording_is_followed_to_the_same_bytes_with_or_without_time_between_updates(cart: Any) -> None:
    observer = Observer(cart, (SIGNAL,))
    inputs = np.zeros((2, len(observer.stepper.inputs)))
    for _ in range(20):
        observer.step(inputs, [(2, 0, np.array([0.01]))])
        assert not observer.linearize_on()  # `ahead` is off: nothing is ever made between updates


@pytest.mark.parametrize("begin", [0.0, 0.005, 7.123])
def test_stretches_end_where_the_sensor_reads_whatever_its_clock_counts_from(cart: Any, begin: float) -> None:
    observer = Observer(cart, (SIGNAL,))
    first = FirstReadings(live=True, apart=2.0)
    told = list(words(40, begin))
    feed = next(feed for arrival in told if first.put(arrival) and (feed := first.find(observer, 2)) is not None)
    later = [arrival for arrival in told if arrival.stamp > feed.clock + 1e-6]
    feed.put(later[0].stamp, later[0].values)
    assert feed.waits
    assert feed.complete(np.inf) == pytest.approx(later[0].stamp)


def test_an_update_does_not_wait_for_the_reading_after_it(cart: Any) -> None:
    shadow = Shadow(cart, Told(()), judged=False)
    for arrival in words(60):
        shadow.hear([arrival])
    assert shadow.time == pytest.approx(0.59)
    assert shadow.estimate.qvel[0] == pytest.approx(SPEED, abs=0.2)


def test_one_who_is_told_to_stop_makes_no_further_update(cart: Any) -> None:
    shadow = Shadow(cart, Told(()), judged=False)
    for arrival in words(40):
        shadow.hear([arrival])
    frames = shadow.summary.frames
    shadow.stop()
    shadow.hear(list(words(60))[40:])
    assert shadow.summary.frames == frames + 1


def test_latency_counts_from_the_arrival_of_what_an_update_is_about_in_whatever_order_it_came() -> None:
    latency = Latency()
    latency.begin(10.0)
    latency.came(1.0, 9.0)  # it waited while the robot was looked for
    latency.came(1.02, 10.5)  # a command for the stretch after
    latency.came(1.01, 10.4)
    nothing = np.zeros(0)
    latency.compared(Frame(1.015, (SIGNAL,), nothing, nothing, nothing, 0.0, nothing), 10.7)
    latency.compared(Frame(1.025, (), nothing, nothing, nothing, 0.0, nothing), 11.0)
    assert list(latency.found) == pytest.approx([0.3])


def test_what_waited_for_a_shadow_that_was_busy_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SocketSource({SIGNAL: "m"}, 0)
    late = time.monotonic() + 100.0
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot:
            robot.sendto(b'{"stamp": 1.0, "encoder.rail.position": 0.5}', ("127.0.0.1", source.port))
        monkeypatch.setattr(arrivals_module, "time", SimpleNamespace(monotonic=lambda: late))  # the machine's stays
        assert len(source.read(10.0)) == 1
        assert not source.notices()
        assert not source.read(0.0)
        assert "silent" in source.notices()[0]
    finally:
        source.close()


def test_what_comes_all_at_once_after_a_pause_is_followed_as_if_it_had_come_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A laptop that slept, a process that got no core: inputs of seconds are known before the first of them is used."""
    monkeypatch.setattr(input_samples, "_LONGEST", 1.5)  # [s], of 60: not even those that nobody asks for any more
    twin, file = didymos.load("power_unit"), tmp_path / "sine.mcap"
    twin.simulate(scenario="sine").run(4.0, record=file)
    arrivals = LogSource(twin, [str(file)]).read(np.inf)
    followed = []
    for batch in (1, len(arrivals)):
        told = Told(())
        told.signals = tuple(arrivals[0].values)
        shadow = Shadow(twin, told, scenario="sine")
        for k in range(0, len(arrivals), batch):
            shadow.hear(arrivals[k : k + batch])
        assert shadow.alarms == []
        followed.append((shadow.time, shadow.summary.nis))
    assert followed[0] == followed[1]
