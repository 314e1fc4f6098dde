"""A stimulus moves any live parameter, also one that the compiled loop cannot reach by itself, and the log shows its value."""

from __future__ import annotations

from typing import Any

import pytest

ARM = """<mujoco><worldbody><body name="arm"><joint name="shaft" type="hinge" axis="0 0 1"/>
  <geom type="box" size=".1 .02 .02" mass="1"/></body></worldbody></mujoco>"""


def test_a_body_falls_only_while_there_is_gravity(make_twin: Any) -> None:
    step = {"target": "world.gravity", "kind": "step", "at": 0.5, "from": 9.0, "to": 0.0}
    log = make_twin(scenarios={"fall": {"seconds": 1.001, "stimuli": [step]}}).simulate(scenario="fall").run()
    assert log["truth.velocity.z"].values[-1] == pytest.approx(-4.5, abs=1e-9)
    moved = log["parameters.world.gravity"]
    assert set(moved.values[moved.time < 0.4999]) == {9.0}
    assert set(moved.values[moved.time > 0.4999]) == {0.0}


def test_friction_that_a_drive_lends_to_its_joint_follows_a_stimulus(make_twin: Any) -> None:
    drive = {"kind": "drive", "link": "arm", "joint": "shaft", "ratio": 2.0, "kp": 0.0, "peak_torque": 1.0, "coulomb": 0.1}
    step = {"target": "parts.drive.coulomb", "kind": "step", "at": 0.01, "from": 0.1, "to": 0.3}
    twin = make_twin(ARM, parts={"drive": drive}, scenarios={"stiffen": {"stimuli": [step]}})
    simulation = twin.simulate(scenario="stiffen")
    before = simulation.model.dof_frictionloss[0]
    simulation.run(0.02)
    assert before > 0.0
    assert simulation.model.dof_frictionloss[0] == pytest.approx(3.0 * before, rel=1e-12)
