"""A shipped program in the place of a kindred one flies by the options and gains that the twin's file has for that."""

from __future__ import annotations

import pytest

import didymos
from didymos.cli.main import main
from didymos.control.multirotor_commander import MultirotorCommander
from didymos.describe.kindred_program import replace_by_kindred, take_kindred_program


@pytest.mark.parametrize(
    ("twin", "written"), [("hexacopter", lambda file: file.control), ("daedalus", lambda file: file.scenarios["gusts"].control)]
)
def test_options_gains_and_rate_are_those_of_the_twins_own_program_or_of_a_scenarios(twin, written) -> None:
    model = didymos.load(twin)
    about = written(model.file)
    assert take_kindred_program(model, "multirotor_commander")
    assert model.program is MultirotorCommander
    assert (model.file.control.options, model.file.control.rate) == (about.options, about.rate)
    assert model.get("control.gains.height.hover") == about.gains["height"]["hover"]


def test_a_twin_that_has_the_program_keeps_it_and_one_without_gains_is_left_alone() -> None:
    own = didymos.load("crazyflie")
    assert take_kindred_program(own, "multirotor_commander")
    assert own.program_by_hand is None
    for name in ("power_unit", "plane_1wing"):
        other = didymos.load(name)
        before = other.program
        assert not take_kindred_program(other, "multirotor_commander")
        assert other.program is before
    assert not replace_by_kindred(didymos.load("hexacopter"), "idle")  # it has no options: nothing to take over


def test_a_program_named_on_the_command_line_flies(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "run",
        "hexacopter",
        "--control",
        "multirotor_commander",
        "--scenario",
        "hover",
        "--seconds",
        "20",
        "--quiet",
        "--json",
    ]
    assert main(words) == 0
    assert '"height error"' in capsys.readouterr().out
