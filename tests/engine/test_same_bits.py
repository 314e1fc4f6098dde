"""The same bits: in another process, on threads, beside others, in the bare engine and in its batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import mujoco
import mujoco.batch
import numpy as np
import pytest

import didymos
from didymos.engine.plugin import install

NOISY = {
    "sensors.state.position.noise": 0.01,
    "sensors.state.orientation.noise": 0.002,
    "sensors.state.velocity.noise": 0.02,
    "sensors.state.angular_velocity.noise": 0.005,
}


@pytest.fixture(scope="module")
def noisy(quadcopter: Any) -> Any:
    twin = quadcopter.copy()
    for path, value in NOISY.items():
        twin.set(path, value)
    return twin


RUN = """
import json, sys, didymos
twin = didymos.load("quadcopter")
for path, value in json.loads(sys.argv[1]).items():
    twin.set(path, value)
print(twin.simulate(scenario="climb", seed=7).run(2.0).sha256)
"""


def test_two_fresh_processes_and_this_one_record_the_same(noisy: Any, run_python: Callable[..., Any]) -> None:
    here = noisy.simulate(scenario="climb", seed=7).run(2.0).sha256
    others = [run_python(RUN, json.dumps(NOISY)).stdout.strip() for _ in range(2)]
    assert others == [here, here]


def test_many_runs_at_once_give_the_bits_of_single_runs_on_any_number_of_threads(noisy: Any) -> None:
    seeds, values = [1, 2, 3, 4], [{}, {}, {"world.wind.speed": 4.0}, {"links.body_FLU.mass": 0.7}]
    one, two = (didymos.run_many(noisy, seeds=seeds, values=values, seconds=1.0, threads=n) for n in (1, 2))
    for i, (a, b) in enumerate(zip(one, two, strict=True)):
        alone = noisy.copy()
        for path, value in values[i].items():
            alone.set(path, value)
        simulation = alone.simulate(seed=seeds[i])
        sha256 = simulation.run(1.0).sha256
        assert a.log.sha256 == b.log.sha256 == sha256
        np.testing.assert_array_equal(a.state.vector, b.state.vector)
        np.testing.assert_array_equal(a.state.vector, simulation.save().vector)
        assert (a.seed, a.values) == (seeds[i], values[i])
    assert len({outcome.log.sha256 for outcome in one}) == 4


def test_the_seed_matters_exactly_where_something_is_random(quadcopter: Any, noisy: Any) -> None:
    assert noisy.simulate(seed=1).run(0.3).sha256 != noisy.simulate(seed=2).run(0.3).sha256
    silent = quadcopter.copy()
    for sensor in silent.file.sensors:
        silent.set(f"sensors.{sensor}.errors", 0.0)
    assert silent.simulate(seed=1).run(0.3).sha256 == silent.simulate(seed=2).run(0.3).sha256


IMU = {
    "kind": "imu", "link": "body", "rate": 100, "drop_out": 0.2, "gyro": {"noise": 0.1, "bias": 1},
    "accel": {"noise": 1},
}  # fmt: skip


def test_adding_a_sensor_changes_no_other_sensors_noise(make_twin: Any) -> None:
    alone = make_twin(sensors={"imu": IMU}).simulate(seed=3).run(1.0)
    pose = {"kind": "odometry", "link": "body", "rate": 30}
    beside = make_twin(sensors={"first": IMU, "imu": IMU, "pose": pose})
    both = beside.simulate(seed=3).run(1.0)
    for name in [f"imu.gyro.{axis}" for axis in "xyz"] + [f"imu.accel.{axis}" for axis in "xyz"]:
        np.testing.assert_array_equal(alone[name].values, both[name].values)
        np.testing.assert_array_equal(alone[name].time, both[name].time)
    assert not np.array_equal(both["first.gyro.x"].values[:9], both["imu.gyro.x"].values[:9])


def test_interleaved_simulations_do_not_disturb_each_other(noisy: Any, make_twin: Any) -> None:
    other = make_twin(sensors={"imu": IMU}, parts={"drag": {"kind": "body_drag", "link": "body", "area_z": 1.0}})
    makers = [
        lambda: noisy.simulate(scenario="climb", seed=1),
        lambda: noisy.simulate(scenario="attitude_steps", seed=2),
        lambda: other.simulate(seed=3),
    ]
    whole = [make() for make in makers]
    pieces = [make() for make in makers]
    for simulation in whole:
        simulation.run(1.0)
    for _ in range(10):
        for simulation in pieces:
            simulation.run(0.1)
    for a, b in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(a.save().vector, b.save().vector)


CONTACT = """<mujoco><worldbody><body name="body" pos="0 0 .3" euler="20 30 0"><freejoint name="free"/>
  <geom type="box" size=".1 .07 .05" mass="1"/><site name="hub" euler="0 -90 0" pos="0 0 .05"/>
  <body name="leg" pos=".1 0 0"><joint name="hip" axis="0 1 0" damping=".01"/>
  <geom type="capsule" size=".02 .05" mass=".1"/></body></body></worldbody></mujoco>"""


@pytest.fixture(scope="module", params=["rk4", "implicitfast"])
def hopper(request: pytest.FixtureRequest, make_twin: Any) -> Any:
    """A body with a leg that falls to the ground, with a rotor with lag, drag in the wind, and an IMU."""
    return make_twin(
        CONTACT,
        world={"integrator": request.param, "step": 0.002, "ground": {}, "wind": {"speed": 3.0}},
        parts={
            "rotor": {
                "kind": "rotor", "link": "hub", "direction": 1, "thrust_coefficient": 1e-5, "torque_coefficient": 1e-7,
                "speed_per_input": 900.0, "time_constant": 0.05,
            },
            "drag": {"kind": "body_drag", "link": "leg", "area_x": 0.05, "area_y": 0.02, "area_z": 0.01},
        },
        sensors={"imu": {"kind": "imu", "link": "hub", "rate": 100}},
        scenarios={"fall": {"stimuli": [{"target": "inputs.rotor", "kind": "constant", "value": 0.6}]}},
    )  # fmt: skip


def _physics(model: Any, data: Any) -> np.ndarray:
    """Time, positions, velocities, activations and the solver's warm start."""
    kind = int(mujoco.mjtState.mjSTATE_TIME | mujoco.mjtState.mjSTATE_PHYSICS | mujoco.mjtState.mjSTATE_WARMSTART)
    found = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, found, kind)
    return found


def _first_tick(hopper: Any) -> Any:
    simulation = hopper.simulate(scenario="fall")
    simulation.run(simulation.period)  # the inputs are handed over; from here on they are constant
    return simulation


def test_the_loop_steps_with_the_bits_of_mj_step(hopper: Any) -> None:
    simulation = _first_tick(hopper)
    bare = mujoco.MjData(simulation.model)
    vector = simulation.save().vector
    mujoco.mj_setState(simulation.model, bare, vector, int(mujoco.mjtState.mjSTATE_INTEGRATION))
    simulation.run(1.0)
    for _ in range(500):
        mujoco.mj_step(simulation.model, bare)
    assert bare.ncon > 0  # it came down
    np.testing.assert_array_equal(_physics(simulation.model, simulation.data), _physics(simulation.model, bare))


def test_the_engines_batches_step_our_models_to_the_same_bits_on_any_number_of_threads(hopper: Any) -> None:
    simulation = _first_tick(hopper)
    model, steps, size = simulation.model, 300, 6
    kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    starts = np.repeat(simulation.save().vector[None], size, axis=0)
    spare = mujoco.MjData(model)
    expected = []
    place = simulation.built.assembly.state.starts["inputs:rotor"]
    for i in range(size):
        mujoco.mj_setState(model, spare, starts[i], kind)
        spare.qvel[:3] += 0.1 * i
        spare.plugin_state[place] = 0.1 * i
        mujoco.mj_getState(model, spare, starts[i], kind)
        for _ in range(steps):
            mujoco.mj_step(model, spare)
        expected.append(_physics(model, spare))
    assert len({row.tobytes() for row in expected}) == size
    for threads in (1, 2):
        batch = mujoco.batch.Batch(model, nsim=size, nthread=threads)
        batch.state[:] = starts
        batch.step(nstep=steps)
        for row, alone in zip(batch.state, expected, strict=True):
            mujoco.mj_setState(model, spare, row, kind)
            np.testing.assert_array_equal(_physics(model, spare), alone)


def test_a_model_of_another_is_stepped_as_if_we_were_not_there() -> None:
    install()
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option integrator="RK4"/><worldbody><body><freejoint/><geom size=".1" mass="2"/></body></worldbody>
        <custom><numeric name="own" data="1 2 3"/></custom></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qfrc_applied[:3] = [1.0, 2.0, 3.0]  # ours is rewritten in every step; another's is another's
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert data.qfrc_applied[:3].tolist() == [1.0, 2.0, 3.0]
    # constant force: RK4 is exact but for roundings
    np.testing.assert_allclose(data.qvel[:3], np.array([0.5, 1.0, 1.5 - 9.81]) * data.time, rtol=1e-12)
    np.testing.assert_array_equal(model.numeric("own").data, [1, 2, 3])
