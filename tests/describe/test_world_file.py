"""World files: what they may say, and one clear sentence for what they may not."""

from __future__ import annotations

from typing import Any

import pytest

from didymos import InputError

ARM = """<robot name="arm"><link name="foot"><inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0"
iyz="0"/></inertial></link><link name="upper"><inertial><origin xyz="0 0 .2"/><mass value=".5"/><inertia ixx=".01" iyy=".01"
izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="shoulder" type="revolute"><parent link="foot"/><child
link="upper"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="5"/></joint></robot>"""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("robots: {}", "robots"),
        ("robots: {a: {twin: quadcopter}, a: {twin: quadcopter}}", "the key 'a' is here twice"),
        ("robots: {world: {twin: quadcopter}}", "a robot cannot be called 'world'"),
        ("robots: {a: {twin: quadcoptr}}", "did you mean 'quadcopter'"),
        ("robots: {a: {twin: quadcopter, starts: {}}}", "unknown key, did you mean 'start'"),
        ("robots: {a: {twin: quadcopter, scenario: hovr}}", "no scenario 'hovr', did you mean 'hover'"),
        ("robots: {a: {twin: quadcopter, set: {parts.motor1.area: 1}}}", "no such parameter"),
        ("robots: {a: {twin: quadcopter, mount: {on: b}}}", "there is no robot 'b'"),
        (
            "robots: {a: {twin: quadcopter, mount: {on: b}}, b: {twin: quadcopter, mount: {on: a}}}",
            "mounted in a ring: a on b on a",
        ),
        ("robots: {a: {twin: quadcopter}, b: {twin: ./arm, mount: {on: a, link: bodi}}}", "a has no link 'bodi'"),
        ("robots: {b: {twin: ./arm, mount: {link: body_FLU}}}", "expected the key 'on' as well"),
        ("robots: {a: {twin: quadcopter}}\ncouplings: {c: {between: [a, b]}}", "there is no robot 'b'"),
        ("robots: {a: {twin: quadcopter}}\ncouplings: {c: {between: [a, a]}}", "at both ends"),
        (
            "robots: {a: {twin: quadcopter}, b: {twin: ./arm}}\ncouplings: {motor1: {between: [a, b]}}",
            "a has an input 'motor1' already",
        ),
        (
            "robots: {a: {twin: quadcopter}, b: {twin: ./arm}}\ncouplings: {c: {between: [a, b], stiffness: 1}}",
            "a weld does not use the key 'stiffness'",
        ),
        ("robots: {a: {twin: quadcopter}}\nscenarios: {s: {robots: {b: {}}}}", "there is no robot 'b'"),
        ("robots: {a: {twin: quadcopter}}\nscenarios: {s: {setpoints: {z: 1}}}", "begins with a robot's name"),
        ("robots: {a: {twin: quadcopter}}\nscenarios: {s: {set: {links.body.mass: 1}}}", "begins with a robot's name"),
        (
            "robots: {a: {twin: quadcopter}}\nscenarios: {s: {expect: [{name: d, distance: [a, b], low: 1}]}}",
            "there is no robot 'b'",
        ),
        (
            "robots: {a: {twin: quadcopter}}\nscenarios: {s: {expect: [{name: d, distance: [a, a], signal: x, low: 1}]}}",
            "exactly one of the keys",
        ),
        (
            "robots: {a: {twin: quadcopter}}\nscenarios: {s: {expect: [{name: d, relative: {of: a, to: a.bodi}, low: 1}]}}",
            "a has no link 'bodi'",
        ),
        (
            "robots: {a: {twin: quadcopter}}\nscenarios: {s: {expect: [{name: d, relative: {of: a, to: a, along: w}, low: 1}]}}",
            "along",
        ),
        ("robots: {a: {twin: quadcopter}}\nscenarios: {s: {expect: [{name: d, distance: [a], low: 1}]}}", "distance"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(make_world: Any, text: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        make_world(text, arm=(ARM, {}))
    assert "world.yaml" in str(caught.value)


@pytest.mark.parametrize(
    ("scenario", "what"),
    [("setpoints: {a.zz: 1}", "no set-point 'zz'"), ("stimuli: [{target: a.inputs.motor9, kind: constant, value: 1}]", "motor9")],
)
def test_a_mistake_in_a_scenario_is_found_when_it_runs(make_world: Any, scenario: str, what: str) -> None:
    world = make_world(f"robots: {{a: {{twin: quadcopter}}}}\nscenarios: {{s: {{{scenario}}}}}")
    with pytest.raises(InputError, match=what):
        world.simulate(scenario="s")


def test_a_program_of_the_world_is_not_told_what_the_twin_says_to_its_own(make_world: Any) -> None:
    """The quadcopter's pilot and scenarios move set-points that this program lacks; scenarios that the world names must fit."""
    text = """
robots:
  a:
    twin: quadcopter
    scenario: {scenario}
    control: {{program: multirotor_hold, rate: 400, options: {{sensor: state}}, gains: {{height: {{hover: 0.46825}}}}}}
"""
    world = make_world(text.format(scenario="side_wind"))
    assert list(world.robots["a"].twin.scenarios) == ["side_wind"]
    assert "x" in world.simulate().robots["a"].robot.setpoints
    with pytest.raises(InputError, match="no set-point 'roll'"):
        make_world(text.format(scenario="attitude_steps"))


def test_robots_in_one_place_are_refused(make_world: Any) -> None:
    world = make_world("robots: {a: {twin: quadcopter}, b: {twin: quadcopter}}")
    with pytest.raises(InputError, match=r"a and b begin 0.0.* m inside each other"):
        world.simulate()


def test_steps_that_do_not_fit_ask_for_one(make_world: Any) -> None:
    body = """<mujoco><worldbody><body name="b"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
    steps = [("0.001", {"world": {"step": 0.001}}), ("0.000997", {"world": {"step": 0.000997}})]
    text = "{}robots: {{a: {{twin: ./one}}, b: {{twin: ./two, start: {{position: [1, 0, 0]}}}}}}"
    twins = {"one": (body, steps[0][1]), "two": (body, steps[1][1])}
    with pytest.raises(InputError, match="physics steps of the robots do not fit"):
        make_world(text.format(""), **twins)
    assert make_world(text.format("world: {step: 0.0005}\n"), **twins).get("world.step") == 0.0005


def test_a_robot_is_mounted_rigidly_or_by_a_joint(make_world: Any) -> None:
    """The free joint goes; what is mounted is carried along; a hinge of the mount is a joint like any other."""
    text = """
robots:
  base: {{twin: ./foot, start: {{position: [1, 2, 3], orientation: [0, 0, 1.5707963267948966]}}}}
  arm: {{twin: ./arm, mount: {{on: base, link: upper, position: [0.1, 0, 0.2]{joint}}}}}
"""
    keys = {"description": {"file": "robot.urdf", "base": "floating"}, "world": {"gravity": 0}}
    twins = {"foot": (ARM, keys), "arm": (ARM, keys)}
    simulation = make_world(text.format(joint=""), **twins).simulate()
    root = simulation.robots["arm"].links.root_body(simulation.model)
    assert simulation.data.xpos[root] == pytest.approx([1.0, 2.1, 3.2], abs=1e-12)
    assert simulation.model.nv == 6 + 1 + 1
    turning = make_world(text.format(joint=", joint: {kind: hinge, axis: [0, 0, 1], lower: -1, upper: 1}"), **twins)
    log = turning.simulate().run(0.1)
    assert "arm.joints.mount.position" in log.signals
    assert "arm.joints.mount.damping" in turning.parameters


def test_start_of_the_world_wins_over_that_of_a_scenario(make_world: Any) -> None:
    world = make_world("robots: {a: {twin: quadcopter, scenario: side_wind, start: {position: [5, 6, 7]}}}")
    simulation = world.simulate()
    assert simulation.data.qpos[:3] == pytest.approx([5, 6, 7])


def test_what_a_twin_says_of_its_own_world_and_is_not_used_is_told(make_world: Any) -> None:
    world = make_world("robots: {a: {twin: quadcopter}, b: {twin: cepheus, start: {position: [9, 0, 1]}}}")
    assert any("gravity" in note.what and "are not used" in note.what for note in world.notes)
