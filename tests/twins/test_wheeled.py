"""Bases on wheels, driven by a twist: what they do, what their odometry says, and what slip looks like."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control.wheel_finder import find_wheels
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.errors import InputError
from didymos.record.log import Log
from wheeled_robots import ackermann, differential, make_twin, mecanum, omni, skid, swerve

TURNS = {"kd": 2.0, "effort_limit": 10.0}
STEERS = {"kp": 50.0, "kd": 2.0, "effort_limit": 20.0}
CORNERS = ("fl", "fr", "rl", "rr")
HEIGHTS = {
    "differential": 0.15, "skid": 0.1, "ackermann": 0.08, "mecanum": 0.0775, "rollers": 0.0775, "omni": 0.06, "swerve": 0.06,
}  # fmt: skip
BASES: dict[str, tuple[Callable[[], str], list[str], list[str]]] = {
    "differential": (differential, ["left_joint", "right_joint"], []),
    "skid": (skid, [f"{name}_joint" for name in CORNERS], []),
    "ackermann": (ackermann, ["rear_left_joint", "rear_right_joint"], ["left_hinge_joint", "right_hinge_joint"]),
    "mecanum": (mecanum, [f"mecanum_{name}_joint" for name in CORNERS], []),
    "rollers": (lambda: mecanum(8), [f"{name}_joint" for name in CORNERS], []),
    "omni": (omni, [f"wheel_{i}_joint" for i in range(3)], []),
    "swerve": (swerve, [f"{name}_joint" for name in CORNERS], [f"{name}_pivot_joint" for name in CORNERS]),
}


def folder_of(base: str, folder: Path, **more: Any) -> Path:
    """A twin of a base, its contacts and its world as the finder of wheels advises."""
    make, wheels, steering = BASES[base]
    servos = dict.fromkeys(wheels, TURNS) | dict.fromkeys(steering, STEERS)
    (folder / "robot.urdf").write_text(make())
    found = find_wheels(robot_model(read_description(folder / "robot.urdf")), servos)
    assert found is not None
    world = {"step": 0.002, "integrator": "implicitfast", "ground": {"friction": 1.0}, **found.world}
    return make_twin(folder, make(), HEIGHTS[base], servos, **({"world": world, "contacts": found.contacts} | more))


def driven(base: str, folder: Path, seconds: float, setpoints: dict[str, float], **more: Any) -> Log:
    scenario = {"seconds": seconds, "setpoints": setpoints, "stimuli": more.pop("stimuli", [])}
    scenario |= {key: more.pop(key) for key in ("set", "gains") if key in more}
    return didymos.load(folder_of(base, folder, scenarios={"drive": scenario}, **more)).simulate(scenario="drive").run()


def late_mean(log: Log, signal: str) -> float:
    """Of the second half."""
    values = log[signal].values
    return float(np.mean(values[len(values) // 2 :]))


def motion(log: Log, stream: str = "truth") -> list[float]:
    return [late_mean(log, f"{stream}.{name}") for name in ("velocity.x", "velocity.y", "angular_velocity.z")]


@pytest.mark.parametrize(
    ("base", "twist"),
    [("mecanum", (0.2, 0.1, 0.4)), ("omni", (0.2, 0.1, 0.4)), ("swerve", (0.2, 0.1, 0.4)), ("ackermann", (0.3, 0.0, 0.2))],
)
def test_a_base_moves_as_its_twist_says(tmp_path: Path, base: str, twist: tuple[float, float, float]) -> None:
    log = driven(base, tmp_path, 4.0, dict(zip(("vx", "vy", "wz"), twist, strict=True)))
    np.testing.assert_allclose(motion(log, "odom"), twist, atol=2e-3)
    # Contacts creep by some mm/s under the centripetal force of 0.1 m/s^2 (docs/wheeled.md): 2 % of 0.2 m/s.
    np.testing.assert_allclose(motion(log), twist, atol=6e-3)


def test_wheels_that_are_wide_turn_a_base_between_their_edges(tmp_path: Path) -> None:
    vx, _, wz = motion(driven("differential", tmp_path, 4.0, {"vx": 0.3, "wz": 0.4}))
    assert vx == pytest.approx(0.3, abs=2e-3)
    assert 0.4 * 0.40 / 0.44 < wz <= 0.4  # track 0.4 m from middle to middle, 0.44 m from edge to edge


def test_a_skid_steered_base_turns_as_fast_as_told(tmp_path: Path) -> None:
    log = driven("skid", tmp_path, 4.0, {"vx": 0.2, "wz": 0.4})
    # Wheels 0.04 m wide at 0.2 m: their edges have levers of 0.18 and 0.22 m, so chi is uncertain by a tenth of 0.56.
    assert late_mean(log, "truth.angular_velocity.z") == pytest.approx(0.4, rel=0.06)
    assert late_mean(log, "control.slip") > 0.01  # and all its wheels slide sideways: 0.15 m times 0.4 rad/s, RMS over all rows


def test_rollers_carry_a_base_sideways(tmp_path: Path) -> None:
    vx, vy, wz = motion(driven("rollers", tmp_path, 2.0, {"vy": 0.2}))
    # The projected axis of a roller at p from the bottom is flatter: cos p over +-22.5 deg has a mean of 0.974.
    assert 0.2 * 0.95 < vy < 0.2
    assert (vx, wz) == pytest.approx((0.0, 0.0), abs=2e-3)


def test_odometry_is_what_the_wheels_did(tmp_path: Path) -> None:
    log = driven("differential", tmp_path, 3.0, {"vx": 0.3, "wz": 0.4})
    left, right = (0.1 * log[f"encoders.{side}_joint.position"].values for side in ("left", "right"))
    yaw = (right - left) / 0.4
    x, y = -0.1, 0.0  # of the axle, which is 0.1 m behind the root link
    for i in range(1, len(left)):
        turn = yaw[i] - yaw[i - 1]
        way = 0.5 * (left[i] + right[i] - left[i - 1] - right[i - 1]) * math.sin(turn / 2) / (turn / 2) if turn else 0.0
        x, y = x + way * math.cos(yaw[i] - turn / 2), y + way * math.sin(yaw[i] - turn / 2)
    expected = (x + 0.1 * math.cos(yaw[-1]), y + 0.1 * math.sin(yaw[-1]), yaw[-1])
    assert tuple(log[f"control.{name}"].values[-1] for name in ("x", "y", "yaw")) == pytest.approx(expected, abs=1e-9)


def test_a_wheel_that_slips_is_seen(tmp_path: Path) -> None:
    # One of four mecanum wheels is told to turn 2 rad/s faster than the others say. Were it alone, a quarter of its speed along
    # the roller would be left over in each row, 17 mm/s; its own loop brings it back within some tenths of a second.
    extra = {"target": "inputs.mecanum_fl_joint.velocity", "kind": "pulse", "start": 1.0, "end": 2.0, "value": 2.0}
    slip = driven("mecanum", tmp_path, 2.0, {"vx": 0.1}, stimuli=[extra])["control.slip"]
    before, after = slip.values[(slip.time > 0.8) & (slip.time < 0.99)], slip.values[(slip.time > 1.0) & (slip.time < 1.2)]
    assert float(np.max(before)) < 1e-3
    assert 5e-3 < float(np.max(after)) < 0.017


def test_the_gyro_tells_of_slip_that_the_wheels_agree_on(tmp_path: Path) -> None:
    log = driven("differential", tmp_path, 3.0, {"wz": 0.5}, set={"world.ground.friction": 0.0})
    assert late_mean(log, "control.slip") < 1e-9
    assert late_mean(log, "control.turn_slip") == pytest.approx(0.5, abs=0.05)  # on ice the wheels turn, the base does not


def test_twists_are_held_within_the_limits_of_the_base(tmp_path: Path) -> None:
    log = driven("differential", tmp_path, 2.0, {"vx": 3.0}, gains={"top.speed": 0.25, "top.acceleration": 0.5})
    speed = log["control.vx"].values
    assert speed[-1] == pytest.approx(0.25)
    assert np.max(np.abs(np.diff(speed))) == pytest.approx(0.5 * 0.01)
    slow = dict.fromkeys(("left_joint", "right_joint"), TURNS | {"velocity_limit": 2.0})
    parts = {name: {"kind": "servo", "link": "base", "joint": name, **numbers} for name, numbers in slow.items()}
    log = driven("differential", tmp_path, 3.0, {"vx": 0.4, "wz": 0.4}, parts=parts)
    assert log["control.share"].values[-1] == pytest.approx(0.2 / (0.4 + 0.08))  # the outer wheel may do 0.2 m/s
    assert late_mean(log, "odom.angular_velocity.z") == pytest.approx(late_mean(log, "odom.velocity.x"), rel=1e-2)


def test_a_base_whose_commander_falls_silent_stops(tmp_path: Path) -> None:
    alive = {"target": "setpoints.alive", "kind": "ramp", "start": 0, "end": 1, "from": 0, "to": 20}
    log = driven("differential", tmp_path, 3.0, {"vx": 0.3}, gains={"timeout": 0.5}, stimuli=[alive])
    assert log["control.late"].values[-1] == 1.0
    assert abs(log["truth.velocity.x"].values[-1]) < 2e-3


def test_a_car_does_not_turn_on_the_spot(tmp_path: Path) -> None:
    log = driven("ackermann", tmp_path, 1.0, {"wz": 0.5})
    assert motion(log) == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    log = driven("ackermann", tmp_path, 4.0, {"vx": 0.3, "wz": 2.0})
    assert late_mean(log, "control.wz") == pytest.approx(0.3 / (0.5 / math.tan(0.6) + 0.2), rel=3e-3)


def test_an_arm_on_a_base_is_held_where_it_was(tmp_path: Path) -> None:
    arm = (
        '<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/><inertia ixx="0.001" iyy="0.005" izz="0.005"'
        ' ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>'
        '<origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="5"/></joint></robot>'
    )
    folder = folder_of("skid", tmp_path, scenarios={"drive": {"seconds": 2.0, "setpoints": {"vx": 0.2}}})
    (folder / "robot.urdf").write_text(skid().replace("</robot>", arm))
    twin = (folder / "twin.yaml").read_text()
    servo = "parts:\n  shoulder: {kind: servo, link: base, joint: shoulder, kp: 400, kd: 8}\n"
    (folder / "twin.yaml").write_text(twin.replace("parts:\n", servo))
    log = didymos.load(folder).simulate(scenario="drive").run()
    sag = 0.5 * 9.80665 * 0.2 / 400  # [rad] under its weight
    assert abs(log["joints.shoulder.position"].values[-1]) < 1.1 * sag + 1e-3
    assert late_mean(log, "truth.velocity.x") == pytest.approx(0.2, abs=2e-3)


def test_tyres_that_roll_along_y_drive_ahead_by_vx(tmp_path: Path) -> None:
    turned = skid().replace('<link name="base">', '<link name="root"/><link name="base">', 1).replace(
        "</robot>",
        '<joint name="mount" type="fixed"><parent link="root"/><child link="base"/>'
        '<origin rpy="0 0 1.5707963267948966"/></joint></robot>',
    )  # fmt: skip
    folder = folder_of("skid", tmp_path, scenarios={"drive": {"seconds": 2.0, "setpoints": {"vx": 0.2}}})
    (folder / "robot.urdf").write_text(turned)
    log = didymos.load(folder).simulate(scenario="drive").run()
    assert motion(log) == pytest.approx([0.0, 0.2, 0.0], abs=2e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "mecanun"}, "did you mean 'mecanum'"),
        ({"wheels": {"lft_joint": {}}}, "did you mean 'left_joint'"),
        ({"wheels": {"left_joint": {"radios": 0.1}}}, "did you mean 'radius'"),
        ({"radius": -0.1}, "expected more than 0"),
    ],
)
def test_a_wrong_option_is_told(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    folder = folder_of("differential", tmp_path, control={"program": "wheeled", "rate": 100, "options": options})
    with pytest.raises(InputError, match=message):
        didymos.load(folder).simulate()


def test_a_robot_without_wheels_is_told_what_a_wheel_is(tmp_path: Path) -> None:
    folder = folder_of("differential", tmp_path)
    boxes = differential().replace('cylinder radius="0.1" length="0.04"', 'box size="0.1 0.1 0.1"')
    (folder / "robot.urdf").write_text(boxes)
    with pytest.raises(InputError, match="found no wheels"):
        didymos.load(folder).simulate()


def test_options_say_what_the_description_does_not(tmp_path: Path) -> None:
    options = {"wheels": {"left_joint": {"radius": 0.2, "y": 0.4}, "right_joint": {"radius": 0.2, "y": -0.4}}}
    control = {"program": "wheeled", "rate": 100, "options": options}
    log = driven("differential", tmp_path, 2.0, {"vx": 0.2, "wz": 0.2}, control=control)
    assert late_mean(log, "encoders.right_joint.velocity") == pytest.approx((0.2 + 0.4 * 0.2) / 0.2, rel=1e-2)


def test_a_cylinder_and_a_sphere_grip_alike_along_a_direction(tmp_path: Path) -> None:
    moved = []
    for name, shape in (("cylinder", None), ("sphere", 'sphere radius="0.0475"')):
        (tmp_path / name).mkdir()
        folder = folder_of("mecanum", tmp_path / name, scenarios={"drive": {"seconds": 2.0, "setpoints": {"vy": 0.2}}})
        if shape is not None:
            urdf = (folder / "robot.urdf").read_text()
            (folder / "robot.urdf").write_text(urdf.replace('cylinder radius="0.0475" length="0.04"', shape))
        moved.append(motion(didymos.load(folder).simulate(scenario="drive").run()))
    np.testing.assert_allclose(moved[0], moved[1], atol=1e-12)
    assert moved[0][1] == pytest.approx(0.2, abs=4e-3)


def test_a_wheel_of_another_form_needs_a_radius(tmp_path: Path) -> None:
    boxes = mecanum().replace('cylinder radius="0.0475" length="0.04"', 'box size="0.05 0.05 0.04"')
    folder = folder_of("mecanum", tmp_path)
    (folder / "robot.urdf").write_text(boxes)
    with pytest.raises(InputError, match="of another form than sphere, cylinder, capsule or ellipsoid; give the 'radius'"):
        didymos.load(folder).simulate()
    twin = (folder / "twin.yaml").read_text()
    (folder / "twin.yaml").write_text(twin.replace("across: 0.01\n", "across: 0.01\n    radius: 0.0475\n"))
    signs = zip(CORNERS, (-1, 1, 1, -1), strict=True)
    wheels = ", ".join(f"mecanum_{name}_joint: {{radius: 0.0475, roller: {sign * math.pi / 4}}}" for name, sign in signs)
    twin = (folder / "twin.yaml").read_text()
    options = f"program: wheeled\n  options: {{kind: mecanum, wheels: {{{wheels}}}}}"
    (folder / "twin.yaml").write_text(twin.replace("program: wheeled", options))
    simulation = didymos.load(folder).simulate()
    heights = simulation.run(1.0)["truth.position.z"].values
    assert heights[-1] == pytest.approx(HEIGHTS["mecanum"], abs=1e-3)  # it stands on spheres, not on boxes


MJCF = """<mujoco><worldbody><body name="base" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.12 0.04" mass="6"/>
  <body name="l" pos="-0.1 0.2 0"><joint name="left" axis="0 1 0"/>
    <geom type="cylinder" size="0.1 0.01" euler="90 0 0" mass="0.4"/></body>
  <body name="r" pos="-0.1 -0.2 0"><joint name="right" axis="0 1 0"/>
    <geom type="cylinder" size="0.1 0.01" euler="90 0 0" mass="0.4"/></body>
  <body name="caster" pos="0.15 0 -0.05"><geom type="sphere" size="0.05" mass="0.2"/></body></body></worldbody>
  <actuator>{actuators}</actuator></mujoco>"""


@pytest.mark.parametrize("kind", ['motor gear="20" ctrllimited="true" ctrlrange="-1 1"', 'velocity kv="1"'])
def test_actuators_of_an_mjcf_turn_the_wheels(tmp_path: Path, kind: str) -> None:
    drive = {"seconds": 3.0, "setpoints": {"vx": 0.3}}
    ball = {"link": "caster", "frame": "base", "along": 0.01, "across": 0.01, "softness": 0.05}
    folder = folder_of("differential", tmp_path, parts={}, contacts={"ball": ball}, scenarios={"drive": drive})
    actuators = "".join(f'<{kind} joint="{side}" name="{side}"/>' for side in ("left", "right"))
    (folder / "robot.xml").write_text(MJCF.format(actuators=actuators))
    twin = (folder / "twin.yaml").read_text()
    (folder / "twin.yaml").write_text(twin.replace("robot.urdf\n  base: floating", "robot.xml").replace("- 0.15", "- 0.1"))
    log = didymos.load(folder).simulate(scenario="drive").run()
    assert late_mean(log, "odom.velocity.x") == pytest.approx(0.3, abs=2e-3)
    assert late_mean(log, "truth.velocity.x") == pytest.approx(0.3, abs=5e-3)
