"""Long runs: one that is killed, and what they cost in memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import didymos

ENDLESS = """
import sys, didymos
def tell(t):
    print(f"{t:.9f}", flush=True)
didymos.load("quadcopter").simulate().run(1e6, record=sys.argv[1], progress=tell, keep=False)
"""


def test_a_run_killed_in_the_middle_keeps_all_but_its_last_second(tmp_path: Path) -> None:
    file = tmp_path / "run.mcap"
    environment = os.environ | {"PYTHONPATH": str(Path(didymos.__file__).parent.parent)}
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(file)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    told = [float(child.stdout.readline()) for _ in range(30)]  # 30 pieces of 0.8 s have been run
    size = file.stat().st_size
    while file.stat().st_size == size:  # in the middle of writing, not at rest
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    assert child.returncode == -signal.SIGKILL
    told += [float(line) for line in rest.splitlines() if re.fullmatch(r"\d+\.\d{9}", line)]
    log = didymos.Log.load(file)
    for name in ("truth.position.z", "state.position.z", "inputs.motor1"):
        stamps = log[name].time
        assert stamps[0] == 0.0
        assert stamps[-1] > told[-1] - 1.0, name
        assert len(stamps) == round(stamps[-1] * (400 if name.startswith("state") else 100)) + 1  # without a gap


LONG = """
import sys, didymos
from didymos.engine.bench import peak_memory
keep = sys.argv[2] == "keep"
log = didymos.load("quadcopter").simulate(scenario="hover").run(600.0, record=sys.argv[1], keep=keep)
print(peak_memory())
"""


@pytest.mark.parametrize("keep", ["keep", "stream"])
def test_ten_recorded_minutes_stay_below_500_mb(tmp_path: Path, run_python: Callable[..., Any], keep: str) -> None:
    megabytes = float(run_python(LONG, tmp_path / "long.mcap", keep).stdout)
    print(f"{keep}: {megabytes:.0f} MB")
    assert megabytes < 500
