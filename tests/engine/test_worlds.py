"""Worlds: robots in one model move as they do alone, draw as they do alone, and are known by their names."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos import InputError, load, load_world

STATE = ("qpos", "qvel", "act", "qacc", "sensordata")
PAIR = """
robots:
  a: {twin: quadcopter, start: {position: [0, 0, 10]}}
  b: {twin: quadcopter, start: {position: [3, 0, 10]}}
scenarios:
  gusts: {seconds: 60, robots: {a: {scenario: gusts}, b: {scenario: gusts}}}
"""


def _signal(log: Any, robot: str, name: str) -> Any:
    head, _, rest = name.partition(".")
    return log[f"tf.{robot}/{rest}" if head == "tf" else f"{robot}.{name}"].values


@pytest.mark.parametrize("name", didymos.bundled())
def test_a_world_of_one_is_the_twin_alone_to_the_bit(name: str, make_world: Any) -> None:
    """Noise, control, contacts and gusts included: state, readings and log."""
    twin = load(name)
    world = make_world(f"robots: {{solo: {{twin: {name}}}}}")
    for scenario in (None, *list(twin.scenarios)[:2]):
        alone, inside = twin.simulate(seed=3, scenario=scenario), world.simulate(seed=3, scenario=scenario)
        log, other = alone.run(0.5), inside.run(0.5)
        for field in STATE:
            assert np.array_equal(getattr(alone.data, field), getattr(inside.data, field)), (scenario, field)
        for signal in log.signals:
            assert np.array_equal(log[signal].values, _signal(other, "solo", signal)), (scenario, signal)


def test_a_robot_far_from_others_flies_as_alone(make_world: Any) -> None:
    """Rounding of a larger mass matrix apart: 20 s of Dryden gusts amplify it by less than 1e6."""
    world = make_world(PAIR)
    log = world.simulate(seed=5, scenario="gusts").run(5.0)
    twin = load("quadcopter")
    alone = twin.simulate(seed=5, scenario="gusts")
    own = alone.run(5.0)
    for axis in "xyz":
        assert log[f"a.truth.position.{axis}"].values == pytest.approx(own[f"truth.position.{axis}"].values, abs=1e-9)


def test_a_robot_that_is_added_changes_no_draw_of_the_others(make_world: Any) -> None:
    """Readings of robots that stand far apart and are not driven by their noise."""
    two = make_world(PAIR.partition("scenarios")[0])
    three = make_world(PAIR.partition("scenarios")[0] + "  c: {twin: quadcopter, start: {position: [6, 0, 10]}}\n")
    logs = [world.simulate(seed=2).run(1.0) for world in (two, three)]
    for signal in ("a.imu.gyro.x", "a.gps.position.y", "b.imu.gyro.x", "b.baro.pressure"):
        assert logs[0][signal].values == pytest.approx(logs[1][signal].values, abs=1e-9), signal
    assert np.abs(logs[1]["b.imu.gyro.x"].values - logs[1]["c.imu.gyro.x"].values).max() > 1e-4
    assert np.abs(logs[1]["a.imu.gyro.x"].values - logs[1]["b.imu.gyro.x"].values).max() > 1e-4


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(make_world: Any) -> None:
    world = make_world(PAIR)
    runs = [
        didymos.run_many(world, seeds=[1, 2], scenario="gusts", seconds=1.0, threads=threads) for threads in (1, 2)
    ]
    assert [run.log.sha256 for run in runs[0]] == [run.log.sha256 for run in runs[1]]
    assert runs[0][0].log.sha256 != runs[0][1].log.sha256


def test_robots_keep_their_own_rates(make_world: Any) -> None:
    """A base of 2 ms steps and 100 Hz, a bench of 1 ms and 200 Hz: a common step, each program called as often as alone."""
    world = make_world("robots:\n  base: {twin: omni_base}\n  bench: {twin: power_unit, start: {position: [5, 0, 1]}}\n")
    simulation = world.simulate()
    every = {name: robot.context.robot.control_every * simulation.period for name, robot in simulation.robots.items()}
    assert every == pytest.approx({name: 1.0 / robot.twin.file.control.rate for name, robot in world.robots.items()})
    place = simulation.data.xpos[simulation.robots["bench"].links.root_body(simulation.model)]
    assert place == pytest.approx([5, 0, 1])  # one that does not float stands where its start says


def test_a_python_program_flies_beside_compiled_ones(make_world: Any) -> None:
    class Half(didymos.Controller):
        rate = 100.0

        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            assert 8.0 < measured.state.position.z < 12.0
            return {f"motor{i}": 0.5 for i in (1, 2, 3, 4)}

    world = make_world(PAIR.partition("scenarios")[0])
    simulation = world.simulate(control={"b": Half()})
    log = simulation.run(0.5)
    assert set(log["b.inputs.motor1"].values[1:]) == {0.5}
    assert set(log["a.inputs.motor1"].values[1:]) != {0.5}
    alone = load("quadcopter")
    alone.set_all({"start.position.x": 3.0, "start.position.z": 10.0})
    own = alone.simulate(control=Half()).run(0.5)
    assert log["b.truth.position.z"].values == pytest.approx(own["truth.position.z"].values, abs=1e-9)


def test_inputs_of_one_robot_by_hand_leave_the_others_to_their_programs(make_world: Any) -> None:
    simulation = make_world(PAIR + "  hold: {setpoints: {a.z: 10.0, b.z: 10.0}}\n").simulate(scenario="hold")
    for _ in range(40):
        measured = simulation.step({f"b.motor{i}": 0.0 for i in (1, 2, 3, 4)})
    fall = 0.5 * 9.81 * simulation.time**2
    assert measured.b.state.position.z == pytest.approx(10.0 - fall, abs=0.02 * fall)  # drag takes a little
    assert measured.a.state.position.z > 10.0 - 0.7 * fall
    simulation.step()
    with pytest.raises(InputError, match="no robot 'd'"):
        simulation.step({"d.motor1": 0.1})


def test_a_run_is_saved_restored_and_pickled(make_world: Any) -> None:
    simulation = make_world(PAIR).simulate(seed=4, scenario="gusts")
    simulation.run(0.3)
    simulation.set("b.parts.drag.area_x", 0.02)
    state, other = simulation.save(), pickle.loads(pickle.dumps(simulation))
    simulation.run(0.3)
    other.run(0.3)
    assert np.array_equal(simulation.data.qpos, other.data.qpos)
    end = simulation.data.qpos.copy()
    simulation.restore(state)
    simulation.run(0.3)
    assert np.array_equal(simulation.data.qpos, end)


def test_parameters_of_robots_and_of_the_world(make_world: Any) -> None:
    world = make_world(PAIR)
    world.set("b.links.body_FLU.mass", 1.5)
    world.set("world.wind.speed", 7.0)
    world.set("*.parts.drag.area_x", 0.03)
    assert world.get("a.links.body_FLU.mass") != 1.5
    assert world.get("b.parts.drag.area_x") == world.get("a.parts.drag.area_x") == 0.03
    simulation = world.simulate()
    assert [robot.twin.get("world.wind.speed") for robot in simulation.robots.values()] == [7.0, 7.0]
    simulation.set("world.gravity", 3.0)
    assert simulation.model.opt.gravity[2] == -3.0
    before = simulation.get("a.parts.drag.area_x")
    with pytest.raises(InputError, match="did you mean"):
        simulation.set_all({"a.parts.drag.area_x": 0.1, "b.parts.drag.aera_x": 0.1})
    assert simulation.get("a.parts.drag.area_x") == before


def test_a_log_of_a_world_holds_every_robot_as_its_twin_alone_would(make_world: Any, tmp_path: Path) -> None:
    log = make_world(PAIR).simulate().run(0.2, record=tmp_path / "pair.mcap")
    loaded = didymos.Log.load(tmp_path / "pair.mcap")
    assert loaded.robots == log.robots == ("a", "b")
    alone = load("quadcopter").simulate().run(0.2)
    assert loaded.of_robot("b").signals == tuple(name for name in alone.signals)
    layouts = {layout.name: layout for layout in loaded.layouts}
    assert layouts["b.imu"].frame == "b/body_FLU"
    assert layouts["b.truth"].child_frame == "b/body_FLU"
    assert layouts["b.joints"].topics == ("/b/joint_states",)
    assert [layout.name for layout in loaded.layouts].count("clock") == 1
    with pytest.raises(InputError, match="holds no robot 'c'"):
        loaded.of_robot("c")


def test_robots_collide(make_world: Any) -> None:
    """One falls on the other, and takes it along."""
    text = """
world: {ground: null}
robots:
  upper: {twin: ./ball, start: {position: [0, 0, 1.0], velocity: [0, 0, -2]}}
  lower: {twin: ./ball, start: {position: [0, 0, 0]}}
"""
    ball = """<mujoco><worldbody><body name="ball"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
    world = make_world(text, ball=(ball, {"world": {"gravity": 0, "step": 0.001}}))
    log = world.simulate().run(1.0)
    total = log["upper.truth.velocity.z"].values + log["lower.truth.velocity.z"].values
    assert total == pytest.approx(-2.0, abs=1e-9)
    assert log["lower.truth.velocity.z"].values[-1] < -0.5


def test_expectations_relate_robots(make_world: Any) -> None:
    scenario = """
  apart:
    seconds: 1
    expect:
      - {name: near, distance: [a, b], measure: min, low: 2.9}
      - {name: motors, distance: [a.motor1, b.motor1], measure: final, high: 1.0}
"""
    simulation = make_world(PAIR + scenario).simulate(scenario="apart")
    near, motors = simulation.judge(simulation.run())
    assert near.ok
    assert near.value == pytest.approx(3.0, abs=0.05)
    assert near.unit == "m"
    assert motors.ok is False
    assert motors.value == pytest.approx(3.0, abs=0.05)


def test_a_bundled_name_and_a_folder_are_found(make_world: Any, tmp_path: Path) -> None:
    world = make_world(PAIR)
    assert load_world(world.folder / "world.yaml").name == load_world(world.folder).name == world.name
    with pytest.raises(InputError, match="is a world of robots, not a twin"):
        load(world.folder)
    with pytest.raises(InputError, match="there is no world"):
        load_world(tmp_path / "nothing")


def test_an_option_of_the_engine_that_is_not_used_is_told(make_world: Any) -> None:
    """The first robot's hold for all: here the medium that the second one's description asks for."""
    body = """<mujoco>{}<worldbody><body name="b"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
    twins = {"dry": (body.format(""), {}), "wet": (body.format('<option density="1000"/>'), {})}
    world = make_world("robots: {a: {twin: ./dry}, b: {twin: ./wet, start: {position: [1, 0, 0]}}}", **twins)
    (note,) = world.simulate().options_left_out
    assert "b: of the engine's options density those of a hold" in note.what
    assert load("quadcopter").simulate().options_left_out == ()
