"""What `didymos new` writes: a posture within the limits, on the ground, with drives, sensors, a program and scenarios."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import pytest

import didymos
from described_robots import BOX, arm, joint, link, quadruped, robot, rover
from didymos.describe.description import Device
from didymos.describe.new import Draft, draft_twin, twin_text, write_twin
from didymos.describe.new.body_geometry import BodyGeometry
from didymos.describe.yaml_file import read_yaml
from didymos.errors import InputError

CONTROLLED = (
    '<ros2_control name="c" type="system"><joint name="pan"><command_interface name="position"/>'
    '<state_interface name="position"><param name="initial_value">0.5</param></state_interface></joint>'
    '<joint name="elbow"><state_interface name="position"/></joint></ros2_control>'
)
TRANSMISSION = (
    '<transmission name="t"><joint name="{0}"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>'
    '</joint><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>'
)


def draft(text: str, folder: Path, suffix: str = "urdf", **reading: Any) -> Draft:
    file = folder / f"r.{suffix}"
    file.write_text(text)
    return draft_twin(file, **reading)


def part(made: Draft, name: str) -> dict[str, Any]:
    return next(device.record for device in made.parts if device.name == name)


def kinds(devices: tuple[Device, ...]) -> dict[str, str]:
    return {device.name: str(device.record["kind"]) for device in devices}


def test_an_arm_is_held_and_every_joint_has_a_servo_within_its_limits(tmp_path: Path) -> None:
    made = draft(arm(), tmp_path)
    assert kinds(made.parts) == {"pan": "servo", "shoulder": "servo", "elbow": "servo"}
    assert "says nothing of drives" in made.drives.why
    shoulder = part(made, "shoulder")
    assert (shoulder["effort_limit"], shoulder["velocity_limit"], shoulder["link"]) == (50.0, 5.0, "turret")
    assert shoulder["kp"] > 0.0
    assert (made.program.name, list(made.scenarios)) == ("joints", ["hold", "move"])
    assert made.placement.position is None
    assert made.placement.ground == 0.0
    assert kinds(made.sensors) == {"state": "odometry", "encoders": "joints"}


def test_a_joint_whose_limits_exclude_zero_starts_in_their_middle(tmp_path: Path) -> None:
    made = draft(arm(upper='lower="0.4" upper="1.0" effort="50" velocity="5"'), tmp_path)
    assert made.placement.joints["shoulder"] == pytest.approx(0.7)
    assert made.placement.joints["elbow"] == 0.0


def test_ros2_control_says_which_joints_are_driven_and_where_they_begin(tmp_path: Path) -> None:
    made = draft(arm(CONTROLLED), tmp_path)
    assert set(kinds(made.parts)) == {"pan", "shoulder"}  # of the shoulder it says nothing, but it has an effort
    assert made.drives.passive == ("elbow",)  # measured only
    assert made.placement.joints["pan"] == 0.5
    assert made.drives.why == "1 servo by <ros2_control>, 1 servo on joints of which it says nothing"


def test_a_joint_that_turns_without_end_is_passive_where_others_are_said_to_be_driven(tmp_path: Path) -> None:
    caster = (link("roller", '<sphere radius="0.02"/>'), joint("spin", "base", "roller", kind="continuous", limit=""))
    made = draft(arm(*caster, TRANSMISSION.format("pan")), tmp_path)
    assert "spin" in made.drives.passive
    assert any("mechanicalReduction 50" in note.what for note in made.description.notes)
    alone = draft(arm(*caster), tmp_path)
    assert "spin" in alone.drives.joints


def test_a_joint_that_follows_another_has_no_drive(tmp_path: Path) -> None:
    tied = joint("elbow", "upper", "fore", "0 0 0.42", inside='<mimic joint="shoulder"/>')
    made = draft(arm().replace(joint("elbow", "upper", "fore", "0 0 0.42"), tied), tmp_path)
    assert made.drives.passive == ("elbow",)


def test_a_quadruped_stands_with_bent_legs_and_its_feet_on_the_ground(tmp_path: Path) -> None:
    made = draft(quadruped(), tmp_path)
    assert (made.program.name, made.base.floating, made.step) == ("legged", True, 0.001)
    assert -2.6 <= made.placement.joints["FL_knee"] <= -0.3
    geometry = BodyGeometry(made.description)
    geometry.place(made.placement.joints)
    root = float(geometry.data.xpos[geometry.root][2])
    assert made.placement.position is not None
    height = made.placement.position[2]
    assert geometry.lowest(geometry.groups) - root + height == pytest.approx(0.0, abs=1e-12)
    hip_to_foot = 0.4  # [m] of a straight leg
    assert 0.5 * hip_to_foot < height < hip_to_foot
    efforts = next(device.record for device in made.sensors if device.name == "efforts")
    assert len(efforts["readouts"]) == 12
    assert kinds(made.sensors)["imu"] == "imu"
    low = next(row["low"] for row in made.scenarios["stand"]["expect"] if row["name"] == "stays up")
    assert low == pytest.approx(0.8 * height, abs=1e-4)


def test_wheels_are_driven_by_speed_and_by_the_program_for_wheels(tmp_path: Path) -> None:
    made = draft(rover(), tmp_path)
    assert made.program.name == "wheeled"
    left = part(made, "left_axle")
    assert "kp" not in left
    settled = (6.0 + 0.2 + 2 * 0.8) * 0.1**2 / 2 / 0.05  # each wheel carries half of the base, within 0.05 s
    assert left["kd"] == pytest.approx(settled, rel=0.05)  # the wheel's own inertia comes to it
    assert list(made.scenarios) == ["park", "circle", "square"]
    assert made.placement.position is not None
    assert made.placement.position[2] == pytest.approx(0.13)


def test_actuators_of_mjcf_are_kept_and_a_keyframe_is_the_start(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><geom type="plane" size="9 9 1" pos="0 0 -2"/><body name="a"><joint name="one"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/><body name="b" pos=".5 0 0"><joint name="two"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/><site name="s"/></body></body></worldbody>
      <actuator><position name="servo" joint="one" kp="100"/></actuator>
      <sensor><gyro site="s" noise="0.01"/><accelerometer site="s"/><jointpos joint="one"/><clock/></sensor>
      <keyframe><key qpos="9 9"/><key name="home" qpos="0.3 -0.2"/></keyframe></mujoco>"""
    made = draft(text, tmp_path, "xml")
    assert made.parts == ()
    assert (made.drives.joints, made.drives.passive) == (("one",), ("two",))
    assert made.placement.joints == pytest.approx({"one": 0.3, "two": -0.2})
    assert made.placement.ground is None  # it brings its own
    sensors = {device.name: device.record for device in made.sensors}
    assert sensors["imu"]["gyro"] == {"noise": 0.01}
    assert any("<clock> is not used" in note.what for note in made.description.notes)
    encoders = [record for record in sensors.values() if record["kind"] == "joints"]
    assert any("joints" not in record for record in encoders)  # a program needs all of them


def test_encoders_of_an_mjcf_that_read_all_joints_are_enough(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size=".1 .1 .1"/>
      <body name="pole"><joint name="hinge" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .5"/></body></body>
      </worldbody><actuator><motor name="push" joint="rail" ctrlrange="-1 1"/></actuator>
      <sensor><jointpos joint="rail"/><jointpos joint="hinge"/></sensor></mujoco>"""
    made = draft(text, tmp_path, "xml")
    assert [device.name for device in made.sensors if device.record["kind"] == "joints"] == ["encoders"]


def test_links_that_overlap_by_construction_pass_through_each_other(tmp_path: Path) -> None:
    cover = link("cover", BOX.format(0.1, 0.1, 0.1), mass=0.1)  # around the elbow, two joints from the upper arm
    on_fore = (cover, joint("wrist", "fore", "cover", axis="0 0 1"))
    made = draft(arm(*on_fore), tmp_path)
    assert made.placement.passing == (("upper", "cover"),)
    assert any("pass through each other" in warning for warning in made.warnings)
    folder, _ = write_twin("twin", tmp_path / "r.urdf", tmp_path)
    raw, _ = read_yaml(folder / "twin.yaml")
    assert raw["description"]["no_collision"] == [["upper", "cover"]]


def test_an_arm_that_lies_in_the_ground_gets_another_posture(tmp_path: Path) -> None:
    lying = arm().replace(
        joint("shoulder", "turret", "upper", "0 0 0.05"), joint("shoulder", "turret", "upper", "0 0 0.05", rpy="0 2.0 0")
    )
    made = draft(lying, tmp_path)
    geometry = BodyGeometry(made.description)
    geometry.place({})
    assert geometry.lowest(geometry.groups) < -0.1
    geometry.place(made.placement.joints)
    assert geometry.lowest(geometry.groups) > -2e-3


def test_an_arm_that_its_drives_cannot_hold_gets_another_posture(tmp_path: Path) -> None:
    weak = 'lower="-2" upper="1" effort="5" velocity="5"'
    shoulder = joint("shoulder", "turret", "upper", "0 0 0.05", rpy="0 1.5707963 0", limit=weak)
    made = draft(arm().replace(joint("shoulder", "turret", "upper", "0 0 0.05"), shoulder), tmp_path)
    load = 9.80665 * (1.0 * 0.2 + 0.5 * (0.42 + 0.2))  # [N m] of both links, stretched out
    assert load > 5.0
    lever = abs(math.cos(made.placement.joints["shoulder"]))  # of an arm that is straight
    assert made.placement.joints["elbow"] == 0.0
    assert load * lever <= 0.8 * 5.0


def test_the_ground_is_below_all_that_a_hanging_arm_reaches(tmp_path: Path) -> None:
    mount, rod = link("mount", BOX.format(0.1, 0.1, 0.1), at="0 0 0.05"), link("rod", BOX.format(0.02, 0.02, 0.4), at="0 0 -0.3")
    made = draft(robot(mount, rod, joint("pivot", "mount", "rod")), tmp_path)
    assert made.placement.joints == {"pivot": 0.0}
    assert made.placement.ground == pytest.approx(-0.5, abs=0.011)


def test_a_robot_without_collision_shapes_stands_by_what_is_seen(tmp_path: Path) -> None:
    made = draft(quadruped(collision=False), tmp_path)
    assert made.visuals
    assert "collide by what is seen of them" in made.warnings[0]
    folder, _ = write_twin("twin", tmp_path / "r.urdf", tmp_path)
    raw, _ = read_yaml(folder / "twin.yaml")
    assert raw["description"]["collision"] == "with_visuals"


def test_a_floating_robot_without_any_shape_is_held(tmp_path: Path) -> None:
    made = draft(robot(link("a"), link("b"), joint("j", "a", "b"), name="drone"), tmp_path)
    assert not made.base.floating
    assert "no shapes at all" in made.base.why
    assert made.warnings[0].startswith("no collision shapes")


def test_masses_are_estimated_from_shapes_at_a_density_or_for_a_mass(tmp_path: Path) -> None:
    ball = link("b", '<sphere radius="0.5"/>', mass=0)
    text = robot(link("a", BOX.format(1, 1, 1), mass=0), ball, joint("j", "a", "b", "0 0 2"))
    with pytest.raises(InputError, match="has mass"):
        draft(text, tmp_path)
    made = draft(text, tmp_path, density=500.0)
    weight = 500.0 * 4 / 3 * math.pi * 0.5**3
    assert made.description.links["a"].mass == pytest.approx(500.0)
    assert made.description.links["b"].mass == pytest.approx(weight)
    assert made.description.links["b"].inertia[0, 0] == pytest.approx(0.4 * weight * 0.5**2, rel=1e-6)
    given = draft(text, tmp_path, density=1000.0, mass=10.0)
    assert sum(one.mass for one in given.description.links.values()) == pytest.approx(10.0)
    assert given.reading.density == pytest.approx(10.0 / (1.0 + 4 / 3 * math.pi * 0.5**3))


def test_a_wrong_inertia_is_replaced_by_that_of_the_shape_for_the_mass_that_is_given(tmp_path: Path) -> None:
    moment = 0.4 * 1.0 * 0.05**2
    text = robot(link("a", '<sphere radius="0.1"/>').replace(f'izz="{moment}"', 'izz="9"'))
    with pytest.raises(InputError, match="no body can have"):
        draft(text, tmp_path)
    made = draft(text, tmp_path, density=1000.0).description.links["a"]
    assert made.mass == 1.0
    assert made.inertia[2, 2] == pytest.approx(0.4 * 0.1**2, rel=1e-4)


def test_the_text_says_why_and_nothing_is_written_for_it(tmp_path: Path) -> None:
    made = draft(arm(), tmp_path)
    text = twin_text("r", tmp_path / "r.urdf", made, file="r.urdf", folder=tmp_path)
    assert "base: as_described   # fixed base: one chain of joints on 'base'" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.urdf"]


def test_a_robot_drawn_with_y_upward_is_turned_onto_its_feet(tmp_path: Path) -> None:
    turn = '<link name="lying"/><joint name="turn" type="fixed"><parent link="lying"/><child link="trunk"/>'
    text = quadruped().replace("<link", f'{turn}<origin rpy="-1.5707963267948966 0 0"/></joint><link', 1)
    made = draft(text, tmp_path)
    assert made.placement.roll == pytest.approx(math.pi / 2)
    folder, _ = write_twin("twin", tmp_path / "r.urdf", tmp_path)
    simulation = didymos.load(folder, trust=True).simulate()
    mujoco.mj_kinematics(simulation.model, simulation.data)
    feet = [geom for geom in range(simulation.model.ngeom) if "foot:collision" in simulation.model.geom(geom).name]
    heights = simulation.data.geom_xpos[feet][:, 2] - 0.02
    assert len(feet) == 4
    assert heights.min() == pytest.approx(0.0, abs=2e-6)  # the twin file has six digits
    assert heights.max() < 1e-3
