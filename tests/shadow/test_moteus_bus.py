"""What messages of a moteus bus mean for the twin's drives; commands made by the public client, replies by hand."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

import pytest

import didymos
from didymos.ports.moteus.line import Message
from didymos.shadow.sources.moteus_bus import QUESTION, HeardBus

moteus = pytest.importorskip("moteus")
HOST_ASKS, DRIVE = 0x8001, 0x0100  # host 0 to drive 1, which answers; drive 1 to host 0


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bus(said: list[str]) -> HeardBus:
    return HeardBus(didymos.load("power_unit"), {"drive": 1}, said.append)


def command(bus: HeardBus, **what: float) -> list[dict[str, float]]:
    """The inputs that a command of the client is, by their short names."""
    data = moteus.Controller(id=1).make_position(**what, query=True).data
    return [short(values) for values in bus.hear(Message(HOST_ASKS, data), asked=False)]


def stop(bus: HeardBus) -> list[dict[str, float]]:
    return [short(row) for row in bus.hear(Message(HOST_ASKS, moteus.Controller(id=1).make_stop().data), asked=False)]


def reply(bus: HeardBus, mode: int, *floats: float, asked: bool = False) -> list[dict[str, float]]:
    """What a drive says: its mode, and floats from register 1 on."""
    data = struct.pack("<BBb", 0x21, 0x00, mode)
    if floats:
        data += struct.pack(f"<BBB{len(floats)}f", 0x2C, len(floats), 0x01, *floats)
    return [short(values) for values in bus.hear(Message(DRIVE, data), asked=asked)]


def short(values: Mapping[str, float]) -> dict[str, float]:
    return {name.replace(".drive.", "."): value for name, value in values.items()}


def test_readings_have_the_scale_of_their_type(bus: HeardBus) -> None:
    # int16: 0.0001 rev, 0.00025 rev/s and 0.01 N m a count (moteus reference manual); the lowest says that there is no number
    data = struct.pack("<BBb", 0x21, 0x00, 10) + struct.pack("<BB3h", 0x27, 0x01, 12345, -400, -32768)
    (found,) = bus.hear(Message(DRIVE, data), asked=False)
    assert short(found) == {"parts.position": pytest.approx(1.2345), "parts.velocity": pytest.approx(-0.1), "parts.mode": 10.0}


def test_a_set_point_with_a_limit_moves_on_by_itself(bus: HeardBus) -> None:
    reply(bus, 0, 0.5, 0.0, 0.0)
    (first,) = command(bus, position=2.5, velocity_limit=2.0, watchdog_timeout=math.nan)
    assert first["inputs.position"] == pytest.approx(0.5)  # from where the drive stands
    assert bus.moving
    found = [short(row) for _ in range(10) for row in bus.advance(0.05)]
    last = found[-1]
    assert last["inputs.position"] == pytest.approx(0.5 + 2.0 * 0.5)
    assert last["inputs.beat"] == 1.0 + len(found)
    while bus.moving:
        found = [short(row) for row in bus.advance(0.05)] or found
    assert found[-1]["inputs.position"] == pytest.approx(2.5)


def test_positions_count_from_where_the_drive_does_whatever_its_host_calls_them(bus: HeardBus) -> None:
    reply(bus, 0, 0.5, 0.0, 0.0)
    bus.hear(Message(HOST_ASKS, moteus.Controller(id=1).make_set_output_exact(position=5.0).data), asked=False)
    (found,) = reply(bus, 0, 5.25, 0.0, 0.0)
    assert found["parts.position"] == pytest.approx(0.75)
    (told,) = command(bus, position=6.0)
    assert told["inputs.position"] == pytest.approx(1.5)


@pytest.mark.parametrize("mode", [1, 11])
def test_only_a_stop_leads_a_drive_out_of_a_fault_or_a_timeout(bus: HeardBus, mode: int) -> None:
    assert len(command(bus, position=0.1)) == 1
    (found,) = reply(bus, mode, 0.1, 0.0, 0.0)
    assert found["parts.mode"] == (0.0 if mode == 1 else 11.0)
    assert command(bus, position=0.2) == []
    (stopped,) = stop(bus)
    assert (stopped["inputs.mode"], stopped["inputs.beat"]) == (0.0, 2.0)
    reply(bus, 0)
    (told,) = command(bus, position=0.3)
    assert (told["inputs.position"], told["inputs.mode"]) == (pytest.approx(0.3), 10.0)


def test_a_drive_that_is_asked_says_what_it_was_commanded_once_for_each_command(bus: HeardBus) -> None:
    def answer(*commanded: float) -> list[dict[str, float]]:
        data = struct.pack("<BBbBB3fBBB8f", 0x21, 0, 10, 0x2F, 1, 0.1, 0.2, 0.3, 0x2C, 8, 0x20, *commanded)
        return [short(values) for values in bus.hear(Message(DRIVE, data), asked=True)]

    numbers = (0.25, 0.5, 0.125, 0.75, 0.5, 1.5, math.nan, math.nan)
    told, measured = answer(*numbers)
    assert told == {
        "inputs.position": 0.25, "inputs.velocity": 0.5, "inputs.feedforward": 0.125, "inputs.kp_scale": 0.75,
        "inputs.kd_scale": 0.5, "inputs.mode": 10.0, "inputs.torque_limit": 1.5, "inputs.watchdog": -1.0, "inputs.beat": 1.0,
    }  # fmt: skip
    assert measured["parts.torque"] == pytest.approx(0.3)
    (again,) = answer(*numbers)
    assert again == measured
    told, _ = answer(0.5, *numbers[1:])
    assert (told["inputs.position"], told["inputs.beat"]) == (0.5, 2.0)


def test_the_question_reads_and_writes_nothing() -> None:
    place, reads = 0, []
    while place < len(QUESTION):
        what = QUESTION[place]
        assert 0x10 <= what < 0x20  # subframes that read; those below write
        count, place = (what & 3, place + 1) if what & 3 else (QUESTION[place + 1], place + 2)
        reads += [(what >> 2 & 3, QUESTION[place] + i) for i in range(count)]
        place += 1
    assert reads == [(0, 0x000), *((3, number) for number in (1, 2, 3, *range(0x20, 0x28)))]


def test_a_host_that_configures_a_drive_is_told_of(bus: HeardBus, said: list[str]) -> None:
    text = b"conf set servo.pid_position.kp 7.5\n"
    bus.hear(Message(HOST_ASKS, bytes([0x40, 1, len(text)]) + text), asked=False)
    assert said == ["drive was given kp = 7.5 by its host; the twin keeps its own"]
