"""A robot that its twin's program drives while a shadow listens, here the drive of a served twin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

import didymos
from didymos import InputError, Log
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.parts.drive import STOPPED
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions
from didymos.shadow.source import Arrival
from didymos.shadow.sources.driven import DrivenSource, Driving


@contextmanager
def served(twin: Twin, folder: Path) -> Iterator[Path]:
    """A twin on a bus until the end of the block; the bus."""
    ready, stop, link = Event(), Event(), folder / "bus"
    options = ServeOptions(link=link, record=folder / "served.mcap", say=lambda _: ready.set(), stop=stop, step_locked=True)
    thread = Thread(target=serve, args=(twin.simulate(control=Idle()), options))
    thread.start()
    try:
        while not ready.wait(0.1):
            assert thread.is_alive()
        yield link
    finally:
        stop.set()
        thread.join()


def test_what_is_read_and_commanded_arrives_and_a_shadow_that_leaves_stops_the_motors(tmp_path: Path) -> None:
    twin = didymos.load("power_unit")
    with served(twin, tmp_path) as bus:
        source = DrivenSource(twin, Driving(f"moteus:{bus}", "sine"))
        try:
            assert {"parts.drive.position", "inputs.drive.position", "setpoints.position"} <= set(source.signals)
            found: list[Arrival] = []
            while len(found) < 200:
                found += source.read(1.0)
        finally:
            source.close()
    stamps = np.array([item.stamp for item in found])
    assert (np.diff(stamps) > 0.0).all()
    assert len({item.received - item.stamp for item in found}) > 1  # each came at a time of its own
    robot = Log.load(tmp_path / "served.mcap")
    told = {np.float32(item.values["inputs.drive.position"]) for item in found}  # as the bus carries it
    assert len(told) > 1
    assert told <= {np.float32(value) for value in robot["inputs.drive.position"].values}
    assert max(robot["parts.drive.mode"].values) > STOPPED
    assert robot["parts.drive.mode"].values[-1] == STOPPED


def test_a_robot_that_nothing_can_drive_is_refused_before_a_process_starts() -> None:
    with pytest.raises(InputError, match="moteus"):
        DrivenSource(didymos.load("power_unit"), Driving("moteos:/dev/bus"))
