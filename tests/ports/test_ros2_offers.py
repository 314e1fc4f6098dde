"""Parts of the simulation services that need no wire: filters, lists of what is offered."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time

import pytest

from didymos.errors import InputError
from didymos.ports.ros2.posix_regex import PosixRegex


@pytest.mark.parametrize(
    ("expression", "text", "found"),
    [
        ("a+", "xaay", True), ("^a", "ba", False), ("a$", "ba", True), ("^a{2,3}$", "aaaa", False), ("^a{2,}$", "aaaa", True),
        ("(ab|cd)+$", "xxabcd", True), ("[[:digit:]]+", "ab3", True), ("[^a-z]", "abc", False), ("[]a]", "]", True),
        ("a{0}b", "b", True), (r"a\.b", "axb", False), ("^(robot|arm)[0-9]{1,2}$", "arm12", True), ("a|", "zz", True),
    ],
)  # fmt: skip
def test_extended_regular_expressions_are_those_of_posix(expression: str, text: str, found: bool) -> None:
    assert PosixRegex(expression).search(text) is found


def test_expressions_that_python_has_too_find_the_same() -> None:
    dice, compared = random.Random(1), 0
    for _ in range(3000):
        text = "".join(dice.choice("ab|()*+?.^$") for _ in range(dice.randint(1, 7)))
        if re.search(r"[*+?][*+?]|\(\?|\(\*|\^[*+?]|\$[*+?]", text):  # what one of the two has in its own way
            continue
        try:
            theirs = re.compile(text)
        except re.error:
            with pytest.raises(InputError):
                PosixRegex(text)
            continue
        for word in ("", "a", "b", "ab", "ba", "aab", "abb"):
            assert PosixRegex(text).search(word) is bool(theirs.search(word)), (text, word)
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize(
    "expression",
    ["(", ")", "[a", "[[:none:]]", "a{", "a{3,2}", "a{999}", "*", "\\", "(" * 60 + ")" * 60, "(){255}{255}{255}{255}",
     "a" + "*" * 900, "a{255}{255}", "x" * 2000],
)  # fmt: skip
def test_what_is_no_expression_or_grows_without_bounds_is_refused(expression: str) -> None:
    with pytest.raises(InputError):
        PosixRegex(expression)


def test_the_time_of_a_search_grows_with_the_text_alone() -> None:
    began = time.process_time()
    assert not PosixRegex("(a+)+$").search("a" * 2000 + "b")  # 2^2000 ways for one that tries them one by one
    assert time.process_time() - began < 10.0  # [s] of CPU; it takes 0.04


def test_what_is_offered_is_listed_without_dds() -> None:
    code = """
import sys
sys.modules["cyclonedds"] = None
from didymos.ports.ros2.offers import offered_by
whole, robot = offered_by("/yard", whole=True), offered_by("/drone/quadcopter", whole=False)
print(len(whole.services), len(robot.services), *whole.actions, *robot.topics, *robot.actions)
print(whole.services["/yard/get_entities"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first.split() == ["28", "6", "/yard/simulate_steps", "/rosout", "/parameter_events"]
    assert second == "simulation_interfaces/srv/GetEntities"
