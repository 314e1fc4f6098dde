"""The notebooks of the documentation run from their first cell to their last."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import didymos

DOCS = Path(__file__).parents[1] / "docs"
MAKER = runpy.run_path(str(DOCS / "make_notebooks.py"))


@pytest.mark.parametrize("name", ["first_flight", "a_fit"])
def test_a_notebook_runs_and_shows_what_it_showed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(didymos.__file__).parents[1]))
    file = DOCS / "notebooks" / f"{name}.ipynb"
    kept, now = MAKER["nbformat"].read(file, as_version=4), MAKER["executed"](file, tmp_path)
    assert [kinds(cell) for cell in now.cells] == [kinds(cell) for cell in kept.cells]
    assert any("image/png" in shown for cell in now.cells for shown in kinds(cell))


def kinds(cell: Any) -> list[set[str]]:
    """What kinds of things a cell shows: words, tables, pictures."""
    return [set(output.get("data", {"text": ""})) for output in cell.get("outputs", [])]
