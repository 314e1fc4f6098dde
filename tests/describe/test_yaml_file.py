"""YAML as a twin file is read: plain data, and the line of every key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from didymos.describe.yaml_file import Lines, read_yaml
from didymos.errors import InputError


def _read(folder: Path, text: str) -> tuple[dict[str, Any], Lines]:
    file = folder / "a.yaml"
    file.write_text(text, encoding="utf-8")
    return read_yaml(file)


def test_values_are_plain_and_typed_as_yaml_1_2_says(tmp_path: Path) -> None:
    text = "{a: 1, b: 1.5, c: 1e-3, d: yes, e: true, f: ~, g: 0x1F, h: 1_000, i: '5', j: .5, k: -.inf}"
    data, _ = _read(tmp_path, text)
    assert data == {
        "a": 1, "b": 1.5, "c": 1e-3, "d": "yes", "e": True, "f": None, "g": 31, "h": 1000, "i": "5", "j": 0.5, "k": -float("inf"),
    }  # fmt: skip
    kinds = [int, float, float, str, bool, type(None), int, int, str, float, float]
    assert [type(value) for value in data.values()] == kinds


def test_every_key_and_item_has_its_line(tmp_path: Path) -> None:
    _, lines = _read(tmp_path, "# comment\na:\n  b: 1\n  c:\n  - 5\n  - {d: 6}\n")
    assert lines == {("a",): 2, ("a", "b"): 3, ("a", "c"): 4, ("a", "c", 0): 5, ("a", "c", 1): 6, ("a", "c", 1, "d"): 6}


def test_merged_keys_give_way_to_a_mappings_own_and_keep_the_line_they_stand_on(tmp_path: Path) -> None:
    text = "a: &a\n  x: 1\n  y: 2\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  x: 5\n"
    data, lines = _read(tmp_path, text)
    assert data["c"] == {"x": 5, "y": 2, "z": 4}  # of two that are merged, the first counts
    assert (lines["c", "x"], lines["c", "y"], lines["c", "z"]) == (7, 3, 4)


def test_an_alias_is_a_copy(tmp_path: Path) -> None:
    data, _ = _read(tmp_path, "a: &a {x: [1]}\nb: *a\n")
    data["a"]["x"].append(2)
    assert data["b"] == {"x": [1]}


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert _read(tmp_path, "\ufeffa: 1")[0] == {"a": 1}


def test_an_anchor_that_is_used_again_says_nothing_on_stderr(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    assert _read(tmp_path, "a: &x 1\nb: &x 2\nc: *x\n")[0]["c"] == 2
    assert len(recwarn) == 0


def test_a_number_that_no_float_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.yaml:1: a: found a number beyond"):
        _read(tmp_path, f"a: 1{'0' * 400}")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "nowhere.yaml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_yaml(tmp_path)
