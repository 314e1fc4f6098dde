"""Couplings: springs keep energy and momentum, welds keep momentum when they close and open, and hold what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

HULL = """<robot name="hull"><link name="hull"><inertial><origin xyz="0.01 0.02 -0.01"/><mass value="20"/>
<inertia ixx="1.2" iyy="1.7" izz="0.9" ixy="0.05" ixz="0.02" iyz="-0.03"/></inertial></link>
<joint name="port" type="fixed"><parent link="hull"/><child link="port"/><origin xyz="0.3 0.05 0.02"/></joint>
<link name="port"/></robot>"""
BOX = """<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
FREE: dict[str, Any] = {
    "world": {"step": 0.001, "integrator": "rk4", "gravity": 0},
    "record": {"rate": 100, "tf_rate": 100},
}
HULLS = """
robots:
  a: {twin: ./hull, start: {position: [0, 0, 0], angular_velocity: [0.05, -0.03, 0.02], velocity: [0.01, 0, 0.02]}}
  b: {twin: ./hull, start: {position: [1.2, 0, 0], orientation: [0, 0, 3.1], angular_velocity: [0.01, 0.02, -0.04]}}
  box: {twin: ./box, start: {position: [0.45, 0.05, 0.02], velocity: [0, 0.03, 0], angular_velocity: [0.1, 0.2, 0]}}
record: {momentum: true}
"""


def _free(description: str) -> tuple[str, dict[str, Any]]:
    return description, {**FREE, "description": {"file": "robot.urdf", "base": "floating"}}


@pytest.fixture
def hulls(make_world: Any) -> Any:
    return lambda couplings: make_world(HULLS + couplings, hull=_free(HULL), box=_free(BOX))


def _vector(log: Any, name: str) -> Any:
    return np.column_stack([log[f"{name}.{axis}"].values for axis in "xyz"])


def _drift(log: Any, name: str) -> float:
    """The largest change of a vector, by its size."""
    values = _vector(log, name)
    return float(np.abs(values - values[0]).max() / np.linalg.norm(values[0]))


@pytest.mark.parametrize("pushes_only", [False, True])
def test_a_spring_between_two_keeps_energy_and_momentum(hulls: Any, pushes_only: bool) -> None:
    """By RK4 of 1 ms: errors of (omega h)^4, omega 2 rad/s; in the step in which a plunger lets go, of k (v h)^2 in energy."""
    about = f"{{kind: spring, between: [a.port, b.port], stiffness: 30, length: 0.8, pushes_only: {str(pushes_only).lower()}}}"
    log = hulls(f"couplings: {{plunger: {about}}}").simulate().run(5.0)
    assert _drift(log, "world.momentum.linear") < 1e-10
    assert _drift(log, "world.momentum.angular") < 1e-10
    length = np.linalg.norm(_vector(log, "tf.a/port.position") - _vector(log, "tf.b/port.position"), axis=1)
    pull = length - 0.8
    energy = log["world.momentum.energy"].values + 15.0 * (np.minimum(pull, 0.0) if pushes_only else pull) ** 2
    assert length.max() - length.min() > 0.1
    fastest = np.abs(np.diff(length)).max() / 0.01
    assert np.abs(energy - energy[0]).max() < (30.0 * (fastest * 0.001) ** 2 if pushes_only else 1e-10 * energy[0])


def test_a_payload_is_handed_over_and_momentum_stays(hulls: Any) -> None:
    """Held by one, let go, taken by the other, which takes its motion away."""
    couplings = """
couplings:
  hold: {between: [a.port, box], attached: true}
  take: {between: [b.port, box]}
scenarios:
  exchange:
    seconds: 4
    stimuli:
      - {target: a.inputs.hold, kind: step, at: 1, from: 0, to: -1}
      - {target: b.inputs.take, kind: step, at: 2, from: 0, to: 1}
"""
    simulation = hulls(couplings).simulate(scenario="exchange")
    log = simulation.run()
    assert _drift(log, "world.momentum.linear") < 1e-9
    assert _drift(log, "world.momentum.angular") < 1e-9
    time, energy = log["world.momentum.energy"].time, log["world.momentum.energy"].values
    assert np.ptp(energy[time < 1.0][1:]) < 1e-6 * energy[1]  # the engine's weld yields a little
    assert energy[0] > energy[1] > energy[-1]  # a latch takes energy when it closes
    apart = np.linalg.norm(_vector(log, "tf.b/port.position") - _vector(log, "tf.box/box.position"), axis=1)
    poses = log["tf.box/box.position.x"].time
    assert np.ptp(apart[poses > 2.05]) < 1e-6
    assert np.ptp(apart[poses < 2.0]) > 1e-3
    assert set(log["a.inputs.hold"].values) == {0.0, 1.0}


def test_a_weld_that_closes_is_a_plastic_impact(hulls: Any) -> None:
    """Point masses along a line would keep m v; here the closed form is the projection onto the common motion of a rigid body."""
    simulation = hulls("couplings: {hold: {between: [a, box], attached: true}}").simulate()
    model, data = simulation.model, simulation.data
    simulation.advance(1)
    first, second = (simulation.robots[name].links.root_body(model) for name in ("a", "box"))
    twists = []
    import mujoco

    mujoco.mj_forward(model, data)
    for body in (first, second):
        jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacp, jacr, data.xpos[second], body)
        twists.append(np.concatenate([jacp @ data.qvel, jacr @ data.qvel]))
    assert twists[0] == pytest.approx(twists[1], abs=1e-7)


def test_a_program_releases_what_it_holds(hulls: Any) -> None:
    import didymos

    class LetGo(didymos.Controller):
        rate = 100.0

        def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
            return {"hold": float(t < 0.5)}

    log = hulls("couplings: {hold: {between: [a.port, box]}}").simulate(control={"a": LetGo()}).run(1.0)
    held = log["a.inputs.hold"]
    assert held.values[held.time < 0.49].min() == 1.0
    assert held.values[held.time > 0.51].max() == 0.0


def test_a_run_with_a_weld_goes_on_where_it_was_saved(hulls: Any) -> None:
    simulation = hulls("couplings: {hold: {between: [a.port, box], attached: true}}").simulate()
    simulation.run(0.2)
    state = simulation.save()
    simulation.run(0.5)
    end = simulation.data.qpos.copy()
    other = hulls("couplings: {hold: {between: [a.port, box], attached: true}}").simulate()
    other.restore(state)
    other.run(0.5)
    assert np.array_equal(other.data.qpos, end)
