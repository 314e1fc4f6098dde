"""The program `joints` on arms of six and seven joints, one of them with a slide: modes, paths, compensation, names, mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arms import ENCODERS, SEVEN, SIX, SLIDING, arm, make_arm, name, posture

from didymos.control.joint_gains import joint_gains
from didymos.control.path_layout import path_point
from didymos.errors import InputError
from didymos.parts.servo import servo_is_stable


def driven(make_twin: Any, axes: tuple[str, ...] = SIX, options: Any = None, **keys: Any) -> Any:
    control = {"program": "joints", "rate": 500, "options": options or {}}
    return make_arm(make_twin, axes, control=control, **keys)


def joint_positions(simulation: Any, axes: tuple[str, ...]) -> np.ndarray:
    model = simulation.robot.model
    return np.array([simulation.data.qpos[model.joint(name(i)).position_index] for i in range(len(axes))])


@pytest.mark.parametrize("motors", [False, True], ids=["servos", "motors"])
@pytest.mark.parametrize("axes", [SIX, SEVEN, SLIDING], ids=["six", "seven", "slide"])
def test_a_path_is_followed_within_five_milliradians(make_twin: Any, axes: tuple[str, ...], motors: bool) -> None:
    """With noise; also where servos have no gains and the program closes every loop by the robot's model."""
    begin = posture(axes)
    points = [
        {"positions": {key: value + (0.1 if "slide" in axes and key == name(1) else 0.4) for key, value in begin.items()}},
        {"positions": begin},
    ]
    twin = driven(make_twin, axes, {"waypoints": points}, motors=motors)
    simulation = twin.simulate(seed=3)
    path = simulation.program.settings["path"][()]
    squares, rows = np.zeros(len(axes)), 0
    while simulation.time < float(path["end"]) + 0.2:
        simulation.step(seconds=0.01)
        wish = [path_point(path, axis, simulation.time)[0] for axis in range(len(axes))]
        squares += (joint_positions(simulation, axes) - wish) ** 2
        rows += 1
    assert np.sqrt(squares / rows).max() < 0.005


def test_without_a_word_the_robot_stays_where_it_begins(make_twin: Any) -> None:
    """Gravity is compensated: nothing sags, with gains or without."""
    for motors in (False, True):
        simulation = driven(make_twin, motors=motors, sensors={"encoders": {"kind": "joints", "rate": 1000}}).simulate()
        simulation.step(seconds=1.0)
        assert joint_positions(simulation, SIX) == pytest.approx(list(posture(SIX).values()), abs=1e-4)
        assert [simulation.setpoints[name(i)] for i in range(6)] == list(posture(SIX).values())


def test_without_compensation_a_joint_sags_by_its_load_over_its_stiffness(make_twin: Any) -> None:
    twin = driven(make_twin, options={"compensate": []})
    simulation = twin.simulate()
    simulation.step(seconds=2.0)
    q = joint_positions(simulation, SIX)
    load = simulation.robot.model.at(q).gravity
    stiffness = np.array([actuator.kp for actuator in simulation.robot.actuators])
    assert q - list(posture(SIX).values()) == pytest.approx(-load / stiffness, abs=1e-6)


def test_set_points_bear_the_names_of_joints_and_jump_without_harm(make_twin: Any) -> None:
    scenario = {"seconds": 3.0, "setpoints": {name(1): 1.2, name(0): -0.4}}
    twin = driven(make_twin, scenarios={"move": scenario})
    log = twin.simulate(scenario="move").run()
    for joint, target in scenario["setpoints"].items():  # type: ignore[attr-defined]
        positions, speed = log[f"joints.{joint}.position"].values, log[f"joints.{joint}.velocity"].values
        assert positions[-1] == pytest.approx(target, abs=1e-3)
        assert np.abs(speed).max() < 2.0 * 1.02
        assert np.abs(log[f"control.error.{joint}"].values).max() < 0.01
    assert log[f"joints.{name(2)}.position"].values[-1] == pytest.approx(posture(SIX)[name(2)], abs=1e-3)


def test_modes_are_chosen_joint_by_joint(make_twin: Any) -> None:
    """0.02 N m turn the last link, I = m l^2 / 3 + 1e-4 about its axis, as if there were no gravity; all others hold still."""
    mode = {name(0): "velocity", name(5): "effort"}
    scenario = {"seconds": 2.0, "setpoints": {name(5): 0.02}}
    exact = {"encoders": {"kind": "joints", "rate": 1000}}
    twin = driven(make_twin, options={"mode": mode}, scenarios={"go": scenario}, sensors=exact)
    simulation = twin.simulate(scenario="go")
    before = joint_positions(simulation, SIX)
    simulation.step(seconds=0.1)
    turned = joint_positions(simulation, SIX) - before
    assert turned[5] == pytest.approx(0.5 * 0.02 / (0.5 * 0.08**2 / 3.0 + 1e-4) * 0.1**2, rel=0.05)
    assert turned[:5] == pytest.approx(np.zeros(5), abs=1e-3)


def test_a_velocity_is_reached(make_twin: Any) -> None:
    scenario = {"seconds": 2.0, "setpoints": {name(0): 0.5}}
    simulation = driven(make_twin, options={"mode": {name(0): "velocity"}}, scenarios={"go": scenario}).simulate(scenario="go")
    simulation.step(seconds=1.0)
    assert simulation.data.qvel[0] == pytest.approx(0.5, abs=0.01)


def test_an_impedance_gives_way_by_force_over_stiffness(make_twin: Any) -> None:
    options = {"mode": {name(0): "impedance"}, "stiffness": {name(0): 200.0}, "damping": {name(0): 20.0}}
    simulation = driven(make_twin, options=options, sensors={"encoders": {"kind": "joints", "rate": 1000}}).simulate()
    simulation.data.qfrc_applied[0] = 10.0  # about the vertical: no gravity in it
    simulation.step(seconds=3.0)
    assert simulation.data.qpos[0] - posture(SIX)[name(0)] == pytest.approx(10.0 / 200.0, rel=0.01)


def test_a_velocity_ends_before_the_limit_of_a_joint(make_twin: Any) -> None:
    scenario = {"seconds": 5.0, "setpoints": {name(0): 1.0}}
    twin = driven(make_twin, options={"mode": {name(0): "velocity"}}, scenarios={"on": scenario})
    log = twin.simulate(scenario="on").run()
    assert log[f"joints.{name(0)}.position"].values.max() < 2.9 + 0.01
    assert log[f"joints.{name(0)}.velocity"].values[-1] == pytest.approx(0.0, abs=0.05)


def test_dry_friction_is_compensated_along_the_way(make_twin: Any) -> None:
    errors = []
    for compensate in (["gravity", "inertia"], ["gravity", "inertia", "friction"]):
        options = {"waypoints": [{"positions": {name(0): 1.0}}], "compensate": compensate}
        simulation = driven(make_twin, options=options, model=arm(friction=4.0)).simulate()
        path, worst = simulation.program.settings["path"][()], 0.0
        for _ in range(20):
            simulation.step(seconds=0.02)
            worst = max(worst, abs(simulation.data.qpos[0] - path_point(path, 0, simulation.time)[0]))
        errors.append(worst)
    kp = simulation.robot.actuators[0].kp
    assert errors[0] == pytest.approx(4.0 / kp, rel=0.3)
    assert errors[1] < 0.5 * errors[0]


def test_the_pace_slows_a_path_down(make_twin: Any) -> None:
    options = {"waypoints": [{"positions": {name(0): 1.0}}]}
    twin = driven(make_twin, options=options)
    twin.set("control.gains.pace", 0.5)
    simulation = twin.simulate()
    path = simulation.program.settings["path"][()]
    simulation.step(seconds=0.5)
    assert simulation.data.qpos[0] == pytest.approx(path_point(path, 0, 0.25)[0], abs=2e-3)


def test_a_path_may_stand_in_a_file(make_twin: Any) -> None:
    twin = driven(make_twin, options={"waypoints": "way.csv"}, files={"way.csv": f"time,{name(0)}\n1.5,0.6\n"})
    simulation = twin.simulate()
    simulation.step(seconds=2.0)
    assert simulation.data.qpos[0] == pytest.approx(0.6, abs=1e-3)
    assert name(0) not in simulation.robot.setpoints


def test_default_gains_are_stable_and_follow_effort_and_inertia(make_twin: Any) -> None:
    model = make_arm(make_twin).model
    mass = model.at(np.array(list(posture(SIX).values()))).mass_matrix
    for i, (kp, kd) in enumerate(joint_gains(model, 0.001, posture=posture(SIX)).values()):
        felt = 1.0 / np.linalg.inv(mass)[i, i]
        assert kp == pytest.approx(min(80.0 / 0.05, (0.5 / 0.001) ** 2 * felt))
        assert kd == pytest.approx(2.0 * np.sqrt(kp * mass[i, i]))
        assert servo_is_stable(kp, 0.0, felt / 6.0, 0.001)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"mode": "positon"}, "found 'positon' for joint 'axis 0/a', expected position, velocity"),
        ({"mode": {"axis 0/b": "effort"}}, "there is no joint 'axis 0/b', did you mean 'axis 0/a'"),
        ({"joints": ["axis 0"]}, "there is no joint 'axis 0', did you mean 'axis 0/a'"),
        ({"spline": "linear"}, "found 'linear', expected cubic or quintic"),
        ({"compensate": ["gravty"]}, "found 'gravty', did you mean 'gravity'"),
        ({"waypoints": [{"positions": {"axis 0/a": "far"}}]}, "expected positions, a number for each of some joints"),
        ({"waypoints": [{"position": {}}]}, "found 'position', expected time or positions"),
        ({"waypoints": [{"positions": {"axis 0/a": 1.0}}], "mode": "effort"}, "is controlled by effort, expected position"),
    ],
)
def test_mistakes_in_options_are_said(make_twin: Any, options: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        driven(make_twin, options=options)


def test_a_way_point_beyond_a_limit_and_a_robot_without_encoders_are_refused(make_twin: Any) -> None:
    with pytest.raises(InputError, match=r"expected a position from -2\.9 to 2\.9"):
        driven(make_twin, options={"waypoints": [{"positions": {name(0): 4.0}}]}).simulate()
    few = {"encoders": ENCODERS | {"joints": [name(0)]}}
    with pytest.raises(InputError, match="expected a sensor of kind joints that reads joint"):
        driven(make_twin, sensors=few).simulate()


def test_an_unknown_set_point_is_refused_by_its_nearest_name(make_twin: Any) -> None:
    with pytest.raises(InputError, match=r"no set-point 'shoulder-pan\.joint\.2', did you mean 'shoulder-pan"):
        driven(make_twin, scenarios={"x": {"seconds": 1.0, "setpoints": {"shoulder-pan.joint.2": 0.1}}})
