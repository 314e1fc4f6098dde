"""The engine's stopwatches stand still while the loop runs, and only then; a user's own clock goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np

import didymos

_STEP = int(mujoco.mjtTimer.mjTIMER_FORWARD)


def _forward_seconds(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    data.timer[_STEP].duration = 0.0
    mujoco.mj_forward(model, data)
    return float(data.timer[_STEP].duration)


def test_runs_are_not_timed_and_the_engine_is_timed_again_after_them() -> None:
    simulation = didymos.load("quadcopter").simulate()
    simulation.data.timer[_STEP].duration = 0.0
    simulation.run(0.1)
    assert simulation.data.timer[_STEP].duration == 0.0
    assert _forward_seconds(simulation.model, simulation.data) > 0.0


def test_a_users_own_clock_is_read_in_runs_too() -> None:
    simulation = didymos.load("quadcopter").simulate()
    looks = [0.0]

    def clock() -> float:
        looks[0] += 1.0
        return looks[0]

    mujoco.set_mjcb_time(clock)
    try:
        simulation.advance(2)
        assert looks[0] > 0.0
    finally:
        mujoco.set_mjcb_time(None)
    assert _forward_seconds(simulation.model, simulation.data) > 0.0


def test_runs_in_threads_give_the_clock_back_once() -> None:
    simulations = [didymos.load("quadcopter").simulate() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda simulation: [simulation.advance(3) for _ in range(200)], simulations))
    assert len({simulation.data.qpos.tobytes() for simulation in simulations}) == 1
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    data = mujoco.MjData(model)
    assert _forward_seconds(model, data) > 0.0
    assert np.isfinite(data.qacc).all()
