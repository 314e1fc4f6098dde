"""The program that hands commands over to drives: what it sends is what it is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.control.controller import Robot
from didymos.control.drive_command import MOST_DRIVES, drive_inputs
from didymos.control.position_command import PositionCommand
from didymos.control.values import Values
from didymos.errors import InputError

DRIVES = ("hip", "knee")


def values(numbers: dict[str, float]) -> Values:
    return Values({name: i for i, name in enumerate(numbers)}, np.array(list(numbers.values())))


def test_more_drives_than_a_program_holds_are_refused() -> None:
    drives = [f"drive{i}" for i in range(MOST_DRIVES + 1)]
    with pytest.raises(InputError, match=f"found {MOST_DRIVES + 1} set-points, PositionCommand takes at most {MOST_DRIVES}"):
        PositionCommand(drives=drives)


def test_set_points_of_several_drives_bear_their_names_and_go_through() -> None:
    program = PositionCommand(list(DRIVES))
    program.start(Robot(inputs=tuple(drive_inputs(DRIVES)), measured=(), setpoints=program.setpoints))
    asked = {name: 0.1 * i for i, name in enumerate(program.setpoints)}
    assert set(asked) == {f"{drive}_{what}" for drive in DRIVES for what in ("position", "velocity", "feedforward")}
    commands = program.update(0.0, values({}), values(asked))
    assert {name: commands[name.replace("_", ".")] for name in asked} == asked
