"""The sensor of joints: which joints it reads, in which unit."""

from __future__ import annotations

from typing import Any

import pytest

from didymos.errors import InputError

MIXED = """<mujoco><worldbody><body name="base"><freejoint name="free"/><geom size=".1" mass="1"/>
  <body name="arm"><joint name="turn" axis="0 1 0"/><geom size=".1" mass="1"/>
    <body name="rod"><joint name="slide" type="slide" axis="0 0 1"/><geom size=".1" mass="1"/></body></body>
  <body name="bob"><joint name="ball" type="ball"/><geom size=".1" mass="1"/></body></body></worldbody></mujoco>"""


def test_without_a_list_every_joint_that_turns_or_slides_is_read_in_its_unit(make_twin: Any) -> None:
    twin = make_twin(
        MIXED,
        world={"gravity": 0.0},
        sensors={"encoders": {"kind": "joints", "rate": 100}},
        start={"joints": {"turn": 0.3, "slide": -0.2}},
    )
    log = twin.simulate().run(0.05)
    units = {name: log[name].unit for name in log.signals if name.startswith("encoders.")}
    assert units == {
        "encoders.turn.position": "rad",
        "encoders.slide.position": "m",
        "encoders.turn.velocity": "rad/s",
        "encoders.slide.velocity": "m/s",
    }
    assert log["encoders.turn.position"].values[0] == 0.3
    assert log["encoders.slide.position"].values[0] == -0.2


def test_a_robot_without_moving_joints_cannot_have_encoders(make_twin: Any) -> None:
    with pytest.raises(InputError, match="no joint that turns or slides"):
        make_twin(sensors={"encoders": {"kind": "joints", "rate": 100}}).simulate()
    with pytest.raises(InputError, match="'ball' does not turn or slide"):
        make_twin(MIXED, sensors={"encoders": {"kind": "joints", "rate": 100, "joints": ["ball"]}}).simulate()
