"""What the verbs print."""

import json
from pathlib import Path

import numpy as np

from didymos.cli.text import number, print_json, print_table


def test_json_is_one_line_without_nan_and_with_plain_numbers(capsys):
    print_json(
        {"a": np.float64(1.5), "b": float("nan"), "c": np.arange(3), "d": Path("x/y"), "e": (True, None), "f": np.inf}
    )
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"a": 1.5, "b": None, "c": [0, 1, 2], "d": "x/y", "e": [True, None], "f": None}


def test_columns_line_up_and_are_never_cut(capsys):
    long = "x" * 300
    print_table([("a", long, "1"), ("bbb", "y", "22")], ("name", "text", "n"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == f"  a     {long}  1"
    assert {line.rindex(" ") for line in lines} == {lines[0].rindex(" ")}


def test_a_table_without_rows_prints_nothing(capsys):
    print_table([], ("name", "kind"), title="parts")
    assert capsys.readouterr().out == ""


def test_a_number_has_six_digits_its_unit_or_a_dash():
    assert number(1.23456789, "m/s") == "1.23457 m/s"
    assert number(None) == "-"
