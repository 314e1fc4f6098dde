"""Errors of the rooms name arguments; the command line spells them as its flags."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from didymos.cli.command import command
from didymos.cli.flags import in_flags
from didymos.cli.main import main
from didymos.errors import InputError, RunError


@pytest.mark.parametrize(
    ("option", "flag"), [("robot", "--robot"), ("pad_map", "--pad-map"), ("ids", "--id"), ("bounds", "--parameters")]
)
def test_an_argument_that_does_not_fit_is_named_by_its_flag(option, flag):
    error = InputError("found nothing", option=option)
    assert str(error) == f"{option}: found nothing"
    assert in_flags(error) == f"{flag}: found nothing"


def test_options_that_a_message_mentions_are_flags_as_well():
    error = InputError("bring it there, or call it so with `zero`", file="/dev/bus", option="robot")
    assert in_flags(error) == "/dev/bus: --robot: bring it there, or call it so with --zero"


def test_a_place_in_a_file_and_a_failed_run_stay_as_they_are():
    in_file = InputError("found 1", file="twin.yaml", line=3, path="firmware.rate")
    assert in_flags(in_file) == str(in_file) == "twin.yaml:3: firmware.rate: found 1"
    assert in_flags(RunError("broke", time=1.0)) == "at t = 1 s: broke"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["run", "daedalus", "--firmware", "betaflihgt"], "--firmware: found 'betaflihgt'"),
        (["run", "power_unit", "--robot", "moteus"], "--robot: found 'moteus'"),
        (["serve", "quadcopter", "--port", "ros3"], "--port: there is no port 'ros3', did you mean 'ros2'?"),
        (["run", "quadcopter", "--gamepad", "/nowhere"], "--gamepad: the pad '/nowhere' cannot be opened"),
    ],
)
def test_what_the_user_reads_names_the_flag(arguments, line, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"didymos: {line}")


def test_a_record_of_options_is_a_command_with_its_fields():
    @dataclass(frozen=True, kw_only=True)
    class Size:
        width: Annotated[int, typer.Option(metavar="N")] = 2
        height: Annotated[int, typer.Option(metavar="N")] = 3

    @dataclass(frozen=True, kw_only=True)
    class Options:
        name: str
        size: Size
        loud: bool = False

    def shout(options) -> int:
        """Say it."""
        return len(options.name) * options.size.width * options.size.height * (2 if options.loud else 1)

    shout.__annotations__["options"] = Options
    verb = command(shout)
    assert list(inspect.signature(verb).parameters) == ["name", "width", "height", "loud"]
    assert verb.__doc__ == "Say it."
    assert verb(name="ab", width=2, height=5, loud=True) == 40
