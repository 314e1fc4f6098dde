"""The helper of a first run: what it compiles is what the loop needs, and nothing hangs on it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from didymos.engine import compile_ahead

RUN = """
import os, sys
os.environ["DIDYMOS_CACHE"] = sys.argv[1]
import didymos
from didymos.engine import compile_ahead
from didymos.engine.loop import _end_tick, run_ticks
{before}
simulation = didymos.load("quadcopter").simulate()
simulation.run(0.01)
print(len(run_ticks.overloads), len(_end_tick.linked.overloads), simulation.time)
"""


def test_a_helper_that_cannot_start_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("no processes here")

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert compile_ahead._start_helper() is None


def test_a_program_that_is_no_python_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", "/usr/bin/blender")
    assert compile_ahead._start_helper() is None


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory, run_python: Any) -> tuple[Path, Any]:
    """The folder of kernels that a first run filled with its helper, and what it said."""
    folder = tmp_path_factory.mktemp("kernels")
    return folder, run_python(RUN.format(before=""), folder)


@pytest.mark.parametrize("how", ["helped", "helper fails"])
def test_a_first_run_compiles_the_same_loop_whatever_becomes_of_its_helper(
    how: str, helped: tuple[Path, Any], tmp_path: Path, run_python: Any
) -> None:
    folder, done = helped
    if how == "helper fails":
        assert list(folder.rglob("loop.run_ticks*")), "the loop is kept under another name"
        shutil.copytree(folder, tmp_path / "kernels", ignore=shutil.ignore_patterns("loop.*"))  # what the loop calls stays
        done = run_python(RUN.format(before="compile_ahead._HELPER = 'raise SystemExit(1)'"), tmp_path / "kernels")
    loops, ends, time = done.stdout.split()
    assert int(loops) == 1, done.stderr
    assert int(ends) == 1, "what was compiled ahead has another signature than what the loop calls"
    assert float(time) == pytest.approx(0.01)
