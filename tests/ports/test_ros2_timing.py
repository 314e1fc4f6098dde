"""Messages reach a ROS 2 peer when they are due: a process of its own, with types of its own, notes when each one came."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from didymos import Log
from didymos.cli.main import main

PEER = Path(__file__).parents[2] / "tools" / "ros2_timing_peer.py"
SECONDS, RATE = 6.0, 500.0
COMMON = [
    "--set", "world.step=0.002", "--set", "sensors.imu.rate=500", "--set", "record.rate=500", "--set", "control.rate=500",
    "--set", "record.inputs_rate=500",
    "--scenario", "hover", "--seconds", str(SECONDS),
]  # fmt: skip


@pytest.fixture(scope="module")
def measured(serve, tmp_path_factory):
    """What a peer measured of a served quadcopter, and the recording of the run."""
    record = tmp_path_factory.mktemp("timing") / "served.mcap"
    with serve("quadcopter", *COMMON, "--record", str(record)) as server:
        listener = subprocess.Popen(
            [sys.executable, str(PEER), str(server.domain), str(RATE)], stdout=subprocess.PIPE, text=True
        )
        heard = json.loads(listener.communicate()[0])
        server.process.communicate()
        assert server.process.returncode == 0
    return heard, record


def test_messages_come_one_by_one_and_not_in_bursts_of_a_chunk(measured):
    heard, _ = measured
    # A log takes rows in chunks of 0.4 s: were they sent from there, half of them would be more than 0.2 s old, and most would
    # come together with the one before. A slice is 2 ms here; between the two there is room for a machine that is busy.
    for topic in ("imu", "joint_states"):
        facts = heard[topic]
        assert facts["age_p50_ms"] < 100.0, facts
        assert facts["spacing_p50_ms"] > 0.1, facts
        assert facts["lost"] == 0, facts  # reliable, from the first one that came to the last


def test_the_log_of_a_run_that_was_listened_to_is_the_same_to_the_byte(measured, tmp_path):
    alone = tmp_path / "alone.mcap"
    assert main(["run", "quadcopter", *COMMON, "--record", str(alone)]) == 0
    assert measured[1].read_bytes() == alone.read_bytes()
    assert Log.load(alone).metadata["scenario"] == "hover"
