"""Expressions of tasks: what can be read, what is said of the rest, and that nothing of it runs."""

from __future__ import annotations

import pytest

from didymos.control.expression import Call, Literal, Signal, is_signal_pattern, parse_expression
from didymos.describe.task_file import DrawSpec, TaskSpec
from didymos.errors import InputError


def test_a_dotted_name_is_a_signal_in_quotes_or_not() -> None:
    assert parse_expression("truth.position.z") == Signal("truth.position.z")
    assert parse_expression('"scan.ranges.12"') == Signal("scan.ranges.12")


def test_operators_and_functions_become_calls() -> None:
    assert parse_expression("2 * imu.gyro.x") == Call("multiply", (Literal(2.0), Signal("imu.gyro.x")))
    assert parse_expression("0 < a < 1") == parse_expression("0 < a and a < 1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("norn(a)", "did you mean 'norm'?"),
        ("a +", "cannot be read as an expression"),
        ("", "cannot be read as an expression"),
        ("a[0]", "expected signals, numbers, operators and functions"),
        ("lambda: 1", "expected signals, numbers, operators and functions"),
        ("(1).__class__", "expected signals, numbers, operators and functions"),
        ("__import__('os').system('true')", "expected signals, numbers, operators and functions"),
        ("a.system('true')", "there is no function 'a.system'"),
        ("[x for x in a]", "expected signals, numbers, operators and functions"),
        ("clip(a, 1)", "expected clip of 3 arguments"),
        ("abs(x=a)", "expected abs of 1 arguments"),
        ("1" + " + 1" * 2000, "expected at most 4000"),
        ("-" * 500 + "1", "too deep"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace("?", r"\?")):
        parse_expression(text)


def test_a_star_multiplies_where_that_can_be_read() -> None:
    assert is_signal_pattern("encoders.*.position")
    assert is_signal_pattern("motor?")
    assert not is_signal_pattern("0.5*state.velocity")
    assert not is_signal_pattern("2 * time")


def test_a_task_reads_short_forms() -> None:
    task = TaskSpec.model_validate({"observe": ["imu.gyro"], "act": {"inputs.a": [0, 1]}, "reward": "1 - time"})
    assert task.observe.signals == ("imu.gyro",)
    assert (task.act["inputs.a"].low, task.act["inputs.a"].high) == (0.0, 1.0)
    assert task.reward == {"reward": "1 - time"}
    assert DrawSpec.model_validate([1, 2]).pair == (1.0, 2.0)


@pytest.mark.parametrize(
    "raw",
    [
        {"uniform": [2, 1]}, {"log_uniform": [0, 1]}, {"normal": [0, -1]}, {"uniform": [0, 1], "normal": [0, 1]}, {},
        {"log_uniform": [1, 2], "begin": [0, 1]},
    ],
)  # fmt: skip
def test_a_draw_that_nothing_can_follow_is_refused(raw: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match=r"found|expected"):
        DrawSpec.model_validate(raw)
