"""Where flight programs turn to: onto a line through any point, and with no more tilt than their limit in any direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.control.course import line_course
from didymos.control.fixed_wing import FixedWing
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.multirotor_loops import tilt_setpoints


def _record(layout: Any) -> Any:
    return np.zeros(1, dtype=layout)[0]


def test_a_course_leads_onto_the_line_from_either_side_wherever_it_begins() -> None:
    """course - approach 2/pi atan(gain beside), `beside` to the left of a line through any point."""
    gains, estimate, rng = _record(FixedWing.gain_layout), _record([("position", np.float64, 3)]), np.random.default_rng(2)
    gains["path_approach"], gains["path_gain"] = 1.2, 0.05
    for _ in range(200):
        course, along, beside = rng.uniform(-3.0, 3.0), rng.normal() * 50.0, rng.normal() * 30.0
        start = rng.normal(size=2) * 100.0
        toward, left = np.array([math.cos(course), math.sin(course)]), np.array([-math.sin(course), math.cos(course)])
        estimate["position"][:2] = start + along * toward + beside * left
        expected = course - 1.2 * 2.0 / math.pi * math.atan(0.05 * beside)
        assert line_course(gains, estimate, start, course) == pytest.approx(expected, abs=1e-12)


def test_a_multirotor_tilts_toward_its_place_and_never_beyond_its_limit() -> None:
    """Far away in any direction: the thrust leans toward the place, in the body's axes, by exactly the limit."""
    gains, rng = _record(MultirotorHold.gain_layout), np.random.default_rng(3)
    gains["position_kp"], gains["position_limit"], gains["velocity_kp"], gains["tilt_limit"] = 1.0, 50.0, 2.0, 0.3
    for _ in range(200):
        toward, yaw = rng.uniform(-math.pi, math.pi), rng.uniform(-math.pi, math.pi)
        error = (30.0 * math.cos(toward), 30.0 * math.sin(toward))
        roll, pitch = tilt_setpoints(0.01, gains, error, (0.0, 0.0), np.zeros(3), yaw, np.zeros(2))
        lean = complex(math.tan(pitch), -math.tan(roll))  # along the body's x and y, of gravity
        assert abs(lean) == pytest.approx(math.tan(0.3), rel=1e-12)
        assert lean / abs(lean) == pytest.approx(complex(math.cos(toward - yaw), math.sin(toward - yaw)), abs=1e-9)
