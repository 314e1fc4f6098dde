"""/diagnostics of a shadow, heard by a participant that shares no code with it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from didymos.ports.ros2.node import Node
from didymos.shadow.alarm import Alarm, Likely
from didymos.shadow.diagnostics import ERROR, OK, STALE, WARN, Diagnostics
from didymos.shadow.estimate import Frame

PEER = Path(__file__).with_name("diagnostics_peer.py")
ALARM = Alarm(1, 12.5, 12.25, ("imu.gyro.x",), 40.0, 30.0, (Likely("actuator", "motor1", -0.15, 0.02, "1", 0.9),))


class Wall:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def in_step(topic: Diagnostics) -> None:
    shadow: Any = None  # nothing of it is looked at
    topic.frame(Frame(12.5, ("imu.gyro.x",), np.ones(1), np.ones(1), np.ones(1), 1.5, np.ones(1)), shadow)


@contextmanager
def diagnostics(domain: int) -> Iterator[tuple[Diagnostics, Wall]]:
    wall = Wall()
    topic = Diagnostics("quadcopter", "ros2:", domain, clock=wall)
    try:
        yield topic, wall
    finally:
        topic.close()


def heard(domain: int, level: int, alarms: int) -> Any:
    words = [sys.executable, str(PEER), str(domain), str(level), str(alarms)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def test_a_robot_is_stale_until_it_is_heard_then_in_step_and_an_alarm_is_an_error_with_its_causes(domain: int) -> None:
    with diagnostics(domain) as (topic, _):
        assert heard(domain, STALE, 0)["status"][0]["message"] == "nothing has been heard yet"
        in_step(topic)
        told = heard(domain, OK, 0)
        assert told["header"]["stamp"] == {"sec": 12, "nanosec": 500_000_000}
        assert told["status"][0]["name"] == "didymos: quadcopter"
        assert {"key": "nis", "value": "1.5"} in told["status"][0]["values"]
        topic.alarm(ALARM)
        whole, alarm = heard(domain, ERROR, 1)["status"]
        assert (whole["level"], whole["message"], whole["hardware_id"]) == (ERROR, str(ALARM), "ros2:")
        assert (alarm["level"], alarm["name"]) == (ERROR, "didymos: quadcopter: alarm 1")
        assert {"key": "cause 1", "value": "actuator of motor1 -15 % (90 %)"} in alarm["values"]


def test_a_notice_is_a_warning_for_a_while_and_silence_is_stale(domain: int) -> None:
    with diagnostics(domain) as (topic, wall):
        in_step(topic)
        topic.notice("the line was lost for 5 s")
        assert heard(domain, WARN, 0)["status"][0]["message"] == "the line was lost for 5 s"
        wall.now += 9.0
        assert heard(domain, STALE, 0)["status"][0]["message"] == "the line was lost for 5 s"


def test_a_process_that_is_in_the_domain_already_tells_there_as_well(domain: int) -> None:
    other = Node(domain, network=False)
    with diagnostics(domain) as (topic, _):
        in_step(topic)
        other.close()
        assert heard(domain, OK, 0)["status"][0]["message"] == "in step"
    Node(domain, network=False).close()  # and can come again
