"""Reach and reference of the capture, against plane geometry written with complex numbers."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import pytest

from didymos.control import capture_stages as st
from didymos.control.capture import Capture
from didymos.control.capture_observe import _out_of_reach
from didymos.control.capture_path import _reference


def _record(layout: Any) -> Any:
    return np.zeros(1, dtype=layout)[0]


def test_the_wrist_is_out_of_reach_where_the_stretched_arm_ends() -> None:
    """Wrist: the port less the hand along its direction. Shoulder: the base and its offset, turned with it."""
    rng, both = np.random.default_rng(3), [0, 0]
    robot, estimate = _record(Capture.setting_layout["robot"]), _record(Capture.memory_layout["estimate"])
    for _ in range(2000):
        sizes = rng.uniform(0.1, 0.3, 8)
        robot["base"]["shoulder_x"], robot["base"]["shoulder_y"] = sizes[:2] - 0.2
        robot["links"]["to_center"], robot["links"]["to_end"] = sizes[2:5], sizes[5:]
        for name in ("base", "port"):
            estimate[name]["position"] = rng.uniform(-0.8, 0.8, 3) * (1, 1, 4)
        (x, y, turn), (px, py, toward) = estimate["base"]["position"], estimate["port"]["position"]
        shoulder = complex(x, y) + cmath.rect(1.0, turn) * complex(*(sizes[:2] - 0.2))
        wrist = complex(px, py) - cmath.rect(sizes[4] + sizes[7], toward)
        length = sizes[2] + sizes[3] + sizes[5] + sizes[6]
        beyond = bool(abs(wrist - shoulder) > length)
        assert bool(_out_of_reach(robot, estimate)) is beyond
        both[beyond] += 1
    assert min(both) > 200


@pytest.mark.parametrize("stage", [st.APPROACH, st.CONTACT])
def test_the_rate_of_the_reference_is_its_derivative_while_the_port_moves(stage: int) -> None:
    """By central differences over 2e-5 s: their error is of the order of 1e-10 of the third derivative, below 10 m/s^3."""
    rng, step = np.random.default_rng(4), 1e-5
    gains = _record(Capture.gain_layout)
    gains["path_seconds"], gains["path_clearance"], gains["contact_creep"], gains["contact_overrun"] = 5.0, 0.3, 0.02, 0.5
    for _ in range(20):
        memory = _record(Capture.memory_layout)
        memory["stage"] = stage
        memory["approach_start"]["offset"] = rng.normal(size=3)
        port = memory["estimate"]["port"]
        port["position"], port["velocity"] = rng.normal(size=3), rng.normal(size=3)
        since, found = rng.uniform(1.0, 4.0), []
        for k in (-1, 0, 1):
            port["lag"] = k * step  # where the port is then
            reference, rate, _ = _reference(memory, gains, since + k * step)
            found.append((np.array(reference), np.array(rate)))
        slope = (found[2][0] - found[0][0]) / (2.0 * step)
        np.testing.assert_allclose(found[1][1], slope, atol=2e-8)
