"""A joint that slides has metres and newtons wherever its numbers show: parts, set-points, reports, readings, parameters."""

from __future__ import annotations

import pytest

import didymos

LINK = """<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="50" velocity="1"/></joint>"""
LIFT = (LINK.format("base"), LINK.format("column"), LINK.format("hand"),
        JOINT.format("lift", "prismatic", "base", "column"), JOINT.format("turn", "revolute", "column", "hand"))  # fmt: skip


@pytest.fixture(scope="module")
def lift(tmp_path_factory: pytest.TempPathFactory) -> didymos.Twin:
    file = tmp_path_factory.mktemp("lift") / "lift.urdf"
    file.write_text(f"<robot name='lift'>{''.join(LIFT)}</robot>", encoding="utf-8")
    return didymos.load(file)


UNITS = {
    "setpoints.lift": "m", "setpoints.turn": "rad", "control.error.lift": "m", "control.error.turn": "rad",
    "inputs.lift.position": "m", "inputs.lift.velocity": "m/s", "inputs.lift.effort": "N", "inputs.turn.effort": "N m",
    "parts.lift.effort": "N", "parts.lift.error": "m", "parts.turn.error": "rad",
    "joints.lift.position": "m", "encoders.lift.velocity": "m/s", "encoders.turn.velocity": "rad/s",
}  # fmt: skip


def test_what_is_recorded_of_a_slider_is_in_metres_and_newtons(lift: didymos.Twin) -> None:
    log = lift.simulate().run(0.05)
    assert {name: log[name].unit for name in UNITS} == UNITS


def test_a_program_is_told_the_units_of_a_slider(lift: didymos.Twin) -> None:
    (run,) = lift.simulate().robots.values()
    told = run.robot.units
    assert [told[f"{kind}.lift{rest}"] for kind, rest in (("inputs", ".effort"), ("setpoints", ""))] == ["N", "m"]


def test_parameters_of_a_sliders_servo_are_in_its_units(lift: didymos.Twin) -> None:
    found = {name: lift.parameters[f"parts.{name}"].unit for name in ("lift.kp", "lift.kd", "lift.velocity_limit", "turn.kp")}
    assert found == {"lift.kp": "N/m", "lift.kd": "N s/m", "lift.velocity_limit": "m/s", "turn.kp": "N m/rad"}
