"""Lengths of a description are fitted through the arguments of its xacro file."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting import Column, fit, read_recording

PENDULUM = """<robot name="pendulum" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/><xacro:arg name="bob" default="1.0"/><xacro:arg name="name" default="rod"/>
  <xacro:property name="l" value="$(arg length)"/>
  <link name="base"/>
  <link name="$(arg name)"><inertial><origin xyz="0 0 ${-l}"/><mass value="$(arg bob)"/>
    <inertia ixx="${1e-6 * l}" iyy="${1e-6 * l}" izz="${1e-6 * l}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="$(arg name)"/><axis xyz="0 1 0"/></joint></robot>"""
LENGTH = "description.arguments.length"
GRAVITY, SWING, TRUE = 9.80665, 0.01, 0.8  # [m/s^2], [rad], [m]


@pytest.fixture(scope="module")
def pendulum(make_twin: Callable[..., Twin]) -> Twin:
    return make_twin(
        description={"file": "pendulum.urdf.xacro", "arguments": {"bob": 2.0}},
        files={"pendulum.urdf.xacro": PENDULUM},
        world={"step": 0.005, "integrator": "rk4"},
        start={"joints": {"hinge": SWING}},
        scenarios={"swing": {"seconds": 3.0}},
        recordings={"columns": {"angle": {"signal": "joints.hinge.position"}}},
    )


def test_the_length_of_a_pendulum_is_found_from_its_period(pendulum: Twin, tmp_path: Path) -> None:
    time = np.linspace(0.0, 2.9, 60)
    swing = SWING * np.cos(math.sqrt(GRAVITY / TRUE) * time)  # small angles: 1 - cos is 5e-5
    np.savetxt(tmp_path / "swing.csv", np.column_stack([time, swing]), delimiter=",", header="time,angle", comments="")
    recording = read_recording(pendulum, tmp_path / "swing.csv")
    found = fit(pendulum, [recording], {LENGTH: (0.3, 1.2)})
    assert found.values() == pytest.approx({LENGTH: TRUE}, rel=1e-4)
    (parameter,) = found.parameters
    assert parameter.interval is not None
    assert parameter.before == 0.5
    longer = pendulum.copy()
    longer.set_all(found.values())
    assert longer.get("links.rod.com.z") == pytest.approx(-TRUE, rel=1e-4)
    with pytest.raises(InputError, match="is fixed for a run"):
        fit(pendulum, [recording], {"world.step": (0.001, 0.01)})


def test_lengths_that_no_description_can_have_count_as_far_away(pendulum: Twin, tmp_path: Path) -> None:
    time = np.linspace(0.0, 1.0, 30)
    swing = SWING * np.cos(math.sqrt(GRAVITY / 0.1) * time)
    np.savetxt(tmp_path / "swing.csv", np.column_stack([time, swing]), delimiter=",", header="time,angle", comments="")
    recording = read_recording(pendulum, tmp_path / "swing.csv", {"angle": Column("angle", "joints.hinge.position")})
    start = pendulum.copy()
    start.set(LENGTH, 0.15)
    found = fit(start, [recording], {LENGTH: (-1.0, 0.3)})  # with an inertia of 1e-6 length, nothing below 0 is a body
    assert found.values()[LENGTH] == pytest.approx(0.1, rel=1e-2)
