"""A program of one's own drives the twin a control period at a time."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.errors import InputError

MOTORS = ("motor1", "motor2", "motor3", "motor4")


@pytest.fixture(scope="module")
def quadcopter() -> Any:
    return didymos.load("quadcopter")


def test_readings_are_right_after_reset(quadcopter: Any) -> None:
    simulation = quadcopter.simulate(scenario="hover")
    start = quadcopter.scenarios["hover"].start or quadcopter.file.start
    measured = simulation.reset()
    np.testing.assert_allclose(np.asarray(measured.state.position), list(start.position), atol=1e-12)
    assert measured.state.orientation.w == pytest.approx(1.0)
    elsewhere = simulation.reset(start={"position.z": 7.5})
    assert elsewhere.state.position.z == pytest.approx(7.5)
    assert simulation.reset().state.position.z == pytest.approx(list(start.position)[2])


def test_steps_of_the_twins_own_program_are_a_run_to_the_same_bits(quadcopter: Any) -> None:
    stepped, run = (quadcopter.simulate(scenario="gusts", seed=3) for _ in range(2))
    for _ in range(200):
        stepped.step()
    run.run(200 * run.context.robot.control_every * run.period)
    np.testing.assert_array_equal(stepped.data.qpos, run.data.qpos)
    np.testing.assert_array_equal(stepped.data.qvel, run.data.qvel)


def test_inputs_hold_until_they_are_set_again(quadcopter: Any) -> None:
    simulation = quadcopter.simulate()
    simulation.reset(start={"position.z": 10.0})
    simulation.step(dict.fromkeys(MOTORS, 0.0), seconds=0.2)
    falling = simulation.measured.state.velocity.z
    simulation.step(dict.fromkeys(MOTORS, 1.0), seconds=0.2)
    assert simulation.measured.state.velocity.z > falling
    measured = simulation.step({}, seconds=0.2)
    assert measured.state.velocity.z > falling
    with pytest.raises(InputError, match=r"there is no input 'motor9', did you mean 'motor.'"):
        simulation.step({"motor9": 1.0})


def test_a_step_starts_no_thread_and_records_nothing(quadcopter: Any) -> None:
    simulation = quadcopter.simulate(scenario="hover")
    before = threading.active_count()
    simulation.step()
    assert threading.active_count() == before
    assert len(simulation.take()) == 0


def test_another_seed_draws_other_noise(quadcopter: Any) -> None:
    simulation = quadcopter.simulate(scenario="gusts")
    states = []
    for seed in (0, 1, 0):
        simulation.reset(seed=seed)
        simulation.advance(300)
        states.append(simulation.data.qpos.copy())
    np.testing.assert_array_equal(states[0], states[2])
    assert not np.array_equal(states[0], states[1])


def test_a_simulation_pickles_and_goes_on(quadcopter: Any) -> None:
    simulation = quadcopter.simulate(scenario="gusts", seed=5)
    simulation.advance(200)
    other = pickle.loads(pickle.dumps(simulation))
    simulation.advance(200)
    other.advance(200)
    np.testing.assert_array_equal(simulation.data.qpos, other.data.qpos)


def test_a_twin_pickles_with_what_was_set(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    twin.set("links.body_FLU.mass" if "body_FLU" in twin.description.links else next(iter(twin.parameters)), 2.0)
    twin.set("control.gains.height.kp", 0.5)
    other = pickle.loads(pickle.dumps(twin))
    assert {path: item.value for path, item in other.parameters.items()} == {
        path: item.value for path, item in twin.parameters.items()
    }


def test_a_twin_is_made_of_a_text() -> None:
    urdf = """<robot name="ball"><link name="ball"><inertial><mass value="2"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0"
    ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius=".1"/></geometry></collision></link></robot>"""
    world = {"gravity": 10.0, "integrator": "rk4"}
    still = didymos.Twin.from_urdf(urdf, world=world)
    assert pickle.loads(pickle.dumps(still)).get("links.ball.mass") == 2.0
    content = {"description": {"file": "r.urdf", "base": "floating"}, "start": {"position": [0, 0, 5]}, "world": world}
    twin = didymos.Twin.from_dict(content, {"r.urdf": urdf})
    simulation = twin.simulate()
    simulation.advance(round(0.5 / simulation.period))
    assert simulation.data.qpos[2] == pytest.approx(5.0 - 0.5 * 10.0 * simulation.time**2, abs=1e-9)


def test_all_public_names_are_listed_and_say_what_they_are() -> None:
    public = dir(didymos)
    named = "load Twin Simulation Log Controller CompiledController Gain compare fit sweep run_many bundled"
    assert set(named.split()) <= set(public)
    assert not {"Any", "TYPE_CHECKING", "annotations"} & set(public)
    for name in public:
        assert getattr(didymos, name) is not None
    assert callable(didymos.fit)
    assert callable(didymos.fit)  # also the second time, when the room is loaded
    twin = didymos.load("quadcopter")
    assert "quadcopter" in repr(twin)
    assert "<table>" in twin._repr_html_()
    assert "quadcopter" in repr(twin.simulate(scenario="hover"))
