"""Efforts in /joint_states are those that the engine feels: of actuators in every law and limit, of parts by their readouts."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.ports.ros2.efforts import JointStates
from didymos.record.stream import StreamLayout

ARM = """<mujoco><option timestep="0.002"/><worldbody><body name="upper"><joint name="shoulder" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass="1"/>
  <body name="fore" pos="0 0 -.3"><joint name="elbow" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass="1"/>
  <body name="slider" pos="0 0 -.3"><joint name="push" type="slide" axis="0 0 1"/><geom size=".03" mass=".2"/>
  <body name="free" pos=".1 0 0"><joint name="idle" axis="0 1 0"/><geom size=".03" mass=".2"/></body></body></body></body>
  </worldbody>
  <actuator><position name="hold" joint="shoulder" kp="40" kv="2" gear="3"/>
  <motor name="turn" joint="elbow" gear="-5" forcelimited="true" forcerange="-.1 .1"/>
  <velocity name="speed" joint="push" kv="4"/><motor name="again" joint="elbow" gear="2"/></actuator></mujoco>"""


def recorded(simulation: Any, seconds: float) -> tuple[JointStates, Any, dict[int, Any], StreamLayout]:
    """What makes the messages, the log, its streams by number, and the layout of `joints`."""
    log = simulation.run(seconds)
    streams = {layout.name: (i, layout) for i, layout in enumerate(log.layouts)}
    layout = streams["joints"][1]
    batch = {i: log.rows(i) for i in range(len(log.layouts))}
    return JointStates(simulation.only, layout, streams), log, batch, layout


def test_actuators_of_an_mjcf_push_as_the_engine_says(make_twin: Any) -> None:
    sine = {"kind": "sine", "amplitude": 0.5, "frequency": 1.3}
    stimuli: list[dict[str, Any]] = [{"target": f"inputs.{name}", **sine} for name in ("hold", "turn", "speed")]
    stimuli.append({"target": "inputs.again", "kind": "step", "at": 0.3, "to": 0.2})
    twin = make_twin(ARM, control={"program": "idle", "rate": 100}, scenarios={"move": {"seconds": 1, "stimuli": stimuli}})
    simulation = twin.simulate(scenario="move")
    made, log, batch, layout = recorded(simulation, 1.0)
    number = [item.name for item in log.layouts].index("joints")
    found = made.with_efforts(*batch[number], batch)
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    inputs = {name: log[f"inputs.{name}"].values for name in ("hold", "turn", "speed", "again")}
    for row in range(0, len(found), 7):
        for i, joint in enumerate(layout.labels):
            data.qpos[model.joint(joint).qposadr[0]] = found[row, 3 * i]
            data.qvel[model.joint(joint).dofadr[0]] = found[row, 3 * i + 1]
        for name, values in inputs.items():
            data.ctrl[model.actuator(name).id] = values[row]
        mujoco.mj_forward(model, data)
        true = [data.qfrc_actuator[model.joint(joint).dofadr[0]] for joint in layout.labels]
        np.testing.assert_allclose(found[row, 2::3], true, atol=1e-11)
    assert np.abs(found[:, 2::3]).max(axis=0)[:3].min() > 0.01
    times, rows = (item[::5] for item in batch[number])  # joints less often than inputs, as on the wire
    np.testing.assert_array_equal(made.with_efforts(times, rows, batch), found[::5])
    assert (found[:, 3 * layout.labels.index("idle") + 2] == 0.0).all()
    assert np.abs(inputs["turn"]).max() > 0.1  # beyond the range of its force


def test_parts_tell_what_they_do_to_their_joint_and_a_gear_multiplies_it() -> None:
    for name, part, joint, readout, ratio in (
        ("power_unit", "drive", "shaft_joint", "torque", None), ("cepheus", "shoulder", "shoulder", "torque", 1.0),
    ):  # fmt: skip
        twin = didymos.load(name)
        simulation = twin.simulate(scenario=next(iter(twin.scenarios)))
        made, log, batch, layout = recorded(simulation, 1.5)
        part = part if part in twin.file.parts else next(key for key, own in twin.file.parts.items() if own.joint == joint)
        factor = twin.file.parts[part].ratio if ratio is None else ratio  # type: ignore[attr-defined]
        number = [item.name for item in log.layouts].index("joints")
        found = made.with_efforts(*batch[number], batch)[:, 3 * layout.labels.index(joint) + 2]
        np.testing.assert_array_equal(found, factor * log[f"parts.{part}.{readout}"].values)
        assert np.abs(found).max() > 0.0


def test_what_is_not_known_is_nan_and_not_zero(make_twin: Any) -> None:
    slow = '<general name="again" joint="elbow" dyntype="filter" dynprm=".1"/>'
    filtered = ARM.replace('<motor name="again" joint="elbow" gear="2"/>', slow)
    made, _, batch, layout = recorded(make_twin(filtered).simulate(), 0.1)
    number = next(i for i, rows in batch.items() if rows[1].shape[1] == 2 * len(layout.labels))
    found = made.with_efforts(*batch[number], batch)
    assert np.isnan(found[:, 3 * layout.labels.index("elbow") + 2]).all()
    assert np.isfinite(found[:, 3 * layout.labels.index("push") + 2]).all()


@pytest.mark.parametrize("name", ["meldog", "omni_base"])
def test_every_driven_joint_of_a_bundled_robot_has_an_effort(name: str) -> None:
    made, log, batch, layout = recorded(didymos.load(name).simulate(), 0.2)
    number = [item.name for item in log.layouts].index("joints")
    assert np.isfinite(made.with_efforts(*batch[number], batch)).all()
    assert layout.labels
