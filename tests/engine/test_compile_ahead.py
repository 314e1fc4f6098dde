"""The helper of a first run: what it compiles is what the loop needs, and nothing hangs on it."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("before", ["", "compile_ahead._HELPER = 'raise SystemExit(1)'"], ids=["helped", "helper fails"])
def test_a_first_run_compiles_the_same_loop_whatever_becomes_of_its_helper(before: str, tmp_path: Path, run_python: Any) -> None:
    done = run_python(RUN.format(before=before), tmp_path)
    loops, ends, time = done.stdout.split()
    assert int(loops) == 1, done.stderr
    assert int(ends) == 1, "what was compiled ahead has another signature than what the loop calls"
    assert float(time) == pytest.approx(0.01)
