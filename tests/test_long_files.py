"""The files that begin first are there."""

from pathlib import Path

from long_files import FIRST


def test_what_begins_first_is_there_and_named_once() -> None:
    assert [name for name in FIRST if not (Path(__file__).parent / name).is_file()] == []
    assert len(set(FIRST)) == len(FIRST)
