"""Commands on their way to a drive: kept whole, in order, as many as there is room for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import record, step

from didymos.parts.drive import COMMAND, COMMAND_INPUTS, POSITION, Drive

DELAY = 0.01
SAID = {
    "position": 0.25, "velocity": -1.5, "feedforward": 0.3, "kp_scale": 0.5, "kd_scale": 0.75, "mode": POSITION,
    "torque_limit": 2.0, "watchdog": -1.0,
}  # fmt: skip


@pytest.fixture
def bench() -> tuple[Any, Any, Any]:
    """Numbers, memory and readouts of a drive that has not heard a command."""
    numbers = Drive.spec(link="arm", joint="shaft", ratio=9.0, kp=1.0, peak_torque=5.0, delay=DELAY).record()
    return np.array([numbers]), np.zeros(1, Drive.memory_layout), np.zeros(1, Drive.output_layout)


def send(bench: tuple[Any, Any, Any], time: float, beat: float, **said: float) -> None:
    numbers, memory, output = bench
    step(Drive, numbers, record(Drive.input_layout, SAID | {"beat": beat} | said), memory, output, time=time)


def test_all_that_a_command_says_travels_with_it(bench: tuple[Any, Any, Any]) -> None:
    assert {*COMMAND_INPUTS, "torque_limit", "watchdog"} == {*SAID, "beat"} == {item.name for item in Drive.inputs}
    send(bench, 2.0, 1.0)
    arrived = bench[1]["commands"][0, 0]
    assert {name: arrived[name] for name in COMMAND.names or ()} == SAID | {"arrival": 2.0 + DELAY}


def test_without_a_new_beat_nothing_was_sent(bench: tuple[Any, Any, Any]) -> None:
    send(bench, 2.0, 1.0)
    send(bench, 2.1, 1.0, position=9.0)
    assert bench[1]["sent"] == 1.0
    assert bench[1]["commands"]["position"][0, :2].tolist() == [0.25, 0.0]


def test_the_oldest_command_gives_way_to_the_newest(bench: tuple[Any, Any, Any]) -> None:
    room = bench[1]["commands"].size
    for beat in range(1, room + 2):
        send(bench, 0.001 * beat, float(beat), position=float(beat))
    assert bench[1]["sent"] == room + 1
    assert bench[1]["commands"]["position"][0].tolist() == [room + 1.0, *(float(i) for i in range(2, room + 1))]
