"""A twin of plain data: numbers of numpy are numbers, and what no twin file can hold is one sentence with its place."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from didymos import Twin
from didymos.errors import InputError

BALL = '<mujoco><worldbody><body name="ball"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def test_numbers_and_arrays_of_numpy_stand_for_plain_ones() -> None:
    sections = {
        "world": {"step": np.float64(0.002), "gravity": np.float32(2.0), "ground": {"friction": np.int64(1)}},
        "start": {"position": np.array([0.0, 0.5, 1.0])},
        "record": {"rate": np.float64(100.0)},
    }
    twin = Twin.from_urdf(BALL, **sections)
    assert (twin.file.world.step, twin.file.world.gravity) == (0.002, 2.0)
    assert tuple(twin.file.start.position) == (0.0, 0.5, 1.0)
    assert pickle.loads(pickle.dumps(twin)).file.world.gravity == 2.0


@pytest.mark.parametrize("wrong", [object(), 1j, {1, 2}, np.array([1j])])
def test_what_a_twin_file_cannot_hold_is_refused_with_its_place(wrong: object) -> None:
    with pytest.raises(InputError, match=r"^start\.position\.?\d?: found a (object|complex|set), expected a number"):
        Twin.from_urdf(BALL, start={"position": wrong})


def test_a_path_is_its_text() -> None:
    assert Twin.from_dict({"description": {"file": Path("ball.xml")}}, {"ball.xml": BALL}).name == "robot"
