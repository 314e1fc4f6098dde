"""Commands on their way to a drive: kept whole, in order, as many as there is room for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law, record, step

from didymos.parts.drive import COMMAND, COMMAND_INPUTS, POSITION, ZERO_VELOCITY, Drive

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
    assert {name: arrived[name] for name in COMMAND.names or ()} == SAID | {"arrival": 2.0 + DELAY, "enabled": 2.0 + DELAY}


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


GAINS = {"kp": 40.0, "ki": 7.0, "kd": 0.8, "integral_limit": 0.6}


def torque(time: float, turns: float, speed: float, integral: float = 0.0, **said: float) -> tuple[float, float, float]:
    """Torque [N m], mode and rate of the integral [N m/s] of a drive at a motor position and speed, `time` after a command."""
    law = Law(Drive, joint="shaft", ratio=9.0, peak_torque=500.0, watchdog=0.1, **GAINS)
    commands = np.zeros(law.part.memory_layout["commands"].shape, COMMAND)
    for name, value in (SAID | {"arrival": 0.0} | said).items():
        commands[name][0] = value
    motion = {"joint_position": 2.0 * math.pi * turns / 9.0, "joint_velocity": 2.0 * math.pi * speed / 9.0, "time": time}
    found = law(memory={"sent": 1.0, "commands": commands}, state={"integral": integral}, **motion)
    return found.readouts["torque"], found.readouts["mode"], float(found.rate["integral"])


@pytest.mark.parametrize("integral", [0.4, -0.4, 0.9, -0.9])
def test_it_asks_for_the_torque_of_its_controller(integral: float) -> None:
    """s_p k_p (p + v t - x) + s_d k_d (v - speed) + I + tau_ff; I is held at its limit and winds up no further."""
    given, mode, wound = torque(0.02, 0.1, 0.7, integral, torque_limit=0.0)
    error = 0.25 - 1.5 * 0.02 - 0.1
    held = min(max(integral, -0.6), 0.6)
    assert given == pytest.approx(0.5 * 40.0 * error + 0.75 * 0.8 * (-1.5 - 0.7) + held + 0.3, rel=1e-12)
    assert mode == POSITION
    assert wound == pytest.approx(0.0 if integral == 0.9 else 7.0 * error)


@pytest.mark.parametrize("limit", [0.2, 2.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_command_limits_its_own_torque_both_ways(limit: float, side: float) -> None:
    assert torque(0.02, -3.0 * side, 0.0, torque_limit=limit)[0] == pytest.approx(side * limit, rel=1e-12)
    small = torque(0.02, 0.25 - 0.03, -1.5, feedforward=0.1 * side, torque_limit=limit)[0]
    assert small == pytest.approx(0.1 * side, rel=1e-9)  # within the limit nothing is changed


def test_without_commands_it_damps_and_stopped_it_lets_go() -> None:
    assert torque(0.2, 0.0, 0.7, watchdog=0.0)[:2] == (pytest.approx(-0.8 * 0.7), 11.0)  # the drive's own: 0.1 s
    assert torque(0.2, 0.0, 0.7, watchdog=0.3)[1] == POSITION
    assert torque(0.4, 0.0, 0.7, watchdog=0.3)[1] == 11.0
    assert torque(900.0, 0.0, 0.7, watchdog=-1.0)[1] == POSITION
    assert torque(0.2, 0.0, 0.7, mode=ZERO_VELOCITY)[:2] == (pytest.approx(-0.75 * 0.8 * 0.7), ZERO_VELOCITY)
    assert torque(0.2, 0.0, 0.7, integral=0.4, mode=0.0) == (0.0, 0.0, pytest.approx(-0.4 / 0.01))
