"""Programs that command drives joint by joint: what they send follows from what they are asked for, by closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Robot
from didymos.control.drive_command import MOST_DRIVES, drive_inputs
from didymos.control.joint_trajectory import JointTrajectory
from didymos.control.position_command import PositionCommand
from didymos.control.values import Values
from didymos.errors import InputError
from didymos.parts.drive import POSITION

DRIVES = ("hip", "knee")
RATIO, DELAY, ROTOR, INERTIA, HOLD = 10.0, 0.004, 0.03, (0.017, 0.006), (0.5, 0.2)
PERIOD, ACCELERATION = 0.01, (3.0, -2.0)


def values(numbers: dict[str, float]) -> Values:
    return Values({name: i for i, name in enumerate(numbers)}, np.array(list(numbers.values())))


def started(program: CompiledController) -> CompiledController:
    readings = tuple(f"encoders.{name}_joint.position" for name in DRIVES)
    program.rate = 1.0 / PERIOD
    program.start(Robot(inputs=tuple(drive_inputs(DRIVES)), measured=readings, setpoints=program.setpoints))
    return program


def accelerated(belts: tuple[str, ...] = ()) -> tuple[CompiledController, dict[str, float]]:
    """The program and its commands after ten calls along w = a t^2 / 2, joints lagging by 0.01 rad."""
    program = started(JointTrajectory(DRIVES, RATIO, 0.0, DELAY, ROTOR, INERTIA, HOLD, belts))
    for call in range(10):
        t = call * PERIOD
        asked = {name: 0.5 * a * t * t for name, a in zip(DRIVES, ACCELERATION, strict=True)}
        before = {name: 0.5 * a * max(t - PERIOD, 0.0) ** 2 for name, a in zip(DRIVES, ACCELERATION, strict=True)}
        measured = {f"encoders.{name}_joint.position": before[name] - 0.01 for name in DRIVES}
        commands = dict(program.update(t, values(measured), values(asked)))
    return program, commands


def test_a_drive_is_told_where_its_joint_shall_be_when_the_command_arrives() -> None:
    _, commands = accelerated()
    t = 9 * PERIOD
    for name, a, inertia, hold in zip(DRIVES, ACCELERATION, INERTIA, HOLD, strict=True):
        velocity = a * (t - 0.5 * PERIOD)  # a difference of two positions is the velocity half way between them
        to_motor = RATIO / (2.0 * math.pi)
        assert commands[f"{name}.position"] == pytest.approx((0.5 * a * t * t + DELAY * velocity) * to_motor)
        assert commands[f"{name}.velocity"] == pytest.approx(velocity * to_motor)
        assert commands[f"{name}.feedforward"] == pytest.approx(((inertia + ROTOR) * a + hold) / RATIO)
        assert (commands[f"{name}.mode"], commands[f"{name}.beat"]) == (POSITION, 10.0)


def test_a_belt_over_the_hip_turns_both_joints_and_relieves_the_hip() -> None:
    _, plain = accelerated()
    _, commands = accelerated(belts=("knee",))
    assert commands["knee.position"] == pytest.approx(plain["hip.position"] + plain["knee.position"])
    own = INERTIA[1] * ACCELERATION[1] + HOLD[1]
    assert commands["knee.feedforward"] == pytest.approx((own + ROTOR * sum(ACCELERATION)) / RATIO)
    assert commands["hip.feedforward"] == pytest.approx(plain["hip.feedforward"] - own / RATIO)


def test_errors_are_reported_by_the_names_of_the_drives() -> None:
    program, _ = accelerated()
    assert [name for item in program.reports for name in item.names] == ["error.hip", "error.knee"]
    assert program.reported() == pytest.approx([0.01, 0.01])


@pytest.mark.parametrize("kind", [JointTrajectory, PositionCommand])
def test_more_drives_than_a_program_holds_are_refused(kind: type[CompiledController]) -> None:
    drives = [f"drive{i}" for i in range(MOST_DRIVES + 1)]
    with pytest.raises(InputError, match=f"found {MOST_DRIVES + 1} set-points, {kind.__name__} takes at most {MOST_DRIVES}"):
        kind(drives=drives, ratio=RATIO)


def test_a_trajectory_without_drives_is_refused() -> None:
    with pytest.raises(InputError, match="expected at least one drive"):
        JointTrajectory((), RATIO)


def test_set_points_of_several_drives_bear_their_names_and_go_through() -> None:
    program = started(PositionCommand(list(DRIVES)))
    asked = {name: 0.1 * i for i, name in enumerate(program.setpoints)}
    assert set(asked) == {f"{drive}_{what}" for drive in DRIVES for what in ("position", "velocity", "feedforward")}
    commands = program.update(0.0, values({}), values(asked))
    assert {name: commands[name.replace("_", ".")] for name in asked} == asked
