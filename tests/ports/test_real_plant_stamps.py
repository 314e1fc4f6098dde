"""A program on a real robot knows a new reading by its stamp, as it does on the twin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import didymos
from didymos.control import Values
from didymos.ports.real_plant import RealPlant


class Nothing(didymos.Controller):
    """Answers nothing, a hundred times a second."""

    rate = 100.0

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        return {}


class Standing:
    """A robot on a wire that only tells the speeds of its motors, which stand still."""

    reports = tuple((f"motor{i}.speed", "rad/s") for i in range(1, 7))

    def read(self) -> Any:
        return np.zeros(6)

    def write(self, inputs: Mapping[str, float]) -> None:
        pass


def test_readings_of_a_real_robot_have_stamps() -> None:
    """Speeds that never change: every tick they are read anew, and stamped with the time at which they were."""
    robot: Any = Standing()
    plant = RealPlant(didymos.load("hexacopter").simulate(control=Nothing()), robot, None, None)
    assert "esc.stamp" in plant.robot.measured
    assert plant.robot.sensors["gps"].rate == 5.0
    plant.begin()
    stamps = []
    for tick in range(3):
        measured, _ = plant.sense(tick)
        stamps.append(measured.esc.stamp)
        assert measured.esc.motor1.speed == 0.0
    plant.close()
    assert stamps[0] >= 0.0
    assert stamps == sorted(set(stamps))  # each later than the one before
