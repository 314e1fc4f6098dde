"""The space robot under the original's topics: the same control program drives it from another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos import Log

SRC = Path(didymos.__file__).parent.parent
PEER = Path(__file__).with_name("capture_peer.py")


def test_the_capture_program_catches_the_target_over_the_wire(serve: Any, tmp_path: Path) -> None:
    record = tmp_path / "wire.mcap"
    with serve("cepheus", "--variant", "driven", "--step-locked", "--record", str(record)) as server:
        words = [sys.executable, str(PEER), str(server.domain)]
        done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(SRC)})
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        facts = server.stop()
    assert found["stages"] == ["approach", "contact", "soft grip", "hard grip", "hold"]
    assert found["reason"] == ""
    assert found["gripped"] == 2.0
    assert found["base"] < 8.7e-3  # 0.5 deg
    assert facts["refused"] == facts["lost"] == 0
    log = Log.load(record)
    assert log["parts.gripper.stage"].values[-1] == 2.0
    assert np.abs(log["inputs.wheel"].values).max() > 1e-3  # the torques did come over the wire
