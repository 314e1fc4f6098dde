"""A model in compiled programs: the same numbers as in Python, the same bytes again, and a workspace for each."""

from __future__ import annotations

import threading

import numpy as np

import didymos
from didymos.contract import command, measurement, report, setting
from didymos.control import CompiledController, program
from didymos.model import (
    MODEL,
    READING,
    bias,
    center_of_mass,
    frame_position,
    frame_rotation,
    gravity,
    jacobian,
    mass_matrix,
    momentum,
    place,
    read,
)
from didymos.twin import Twin

ARM = """<robot name="arm">
  <link name="stand"/>
  <link name="upper"><inertial><origin xyz=".2 0 0"/><mass value="2"/>
    <inertia ixx=".001" iyy=".03" izz=".03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz=".15 0 0"/><mass value="1"/>
    <inertia ixx=".001" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="continuous"><parent link="stand"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz=".4 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz=".3 0 0"/></joint>
</robot>"""


class Float(CompiledController):
    """Carries the weight of the arm's links, and tells what it knows."""

    rate = 1000
    model = setting(layout=MODEL)
    tool = setting()
    state = measurement(layout=READING)
    tip = report(columns="xyz", unit="m")
    center = report(columns="xyz", unit="m")
    forces = report(count=2, unit="N m")
    inertia = report(count=4, unit="kg m^2")
    effort = command(count=2, unit="N m")

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        model = settings.model
        q, v = np.empty(model.nq), np.empty(model.nv)
        read(model, measured.state, q, v)
        place(model, q, v)
        memory.tip[0], memory.tip[1], memory.tip[2] = frame_position(model, int(settings.tool))
        memory.center[0], memory.center[1], memory.center[2] = center_of_mass(model)
        bias(model, memory.forces)
        mass_matrix(model, memory.inertia.reshape(2, 2))
        gravity(model, inputs.effort)

    def start(self, robot: didymos.control.Robot) -> None:
        self.settings["model"] = robot.model.record()
        self.settings["tool"] = robot.model.frame("tool")
        self.reads = robot.model.reads("state")
        self.writes = {"effort": robot.model.joints}


def arm() -> Twin:
    limbs = {"shoulder": "upper", "elbow": "lower"}
    parts = {joint: {"kind": "joint_drive", "joint": joint, "link": link} for joint, link in limbs.items()}
    return Twin.from_urdf(
        ARM, world={"step": 0.001, "integrator": "rk4"}, sensors={"encoders": {"kind": "joints", "rate": 1000}}, parts=parts,
        start={"joints": {"shoulder": 0.4, "elbow": -1.1}},
    )  # fmt: skip


def test_an_arm_whose_weight_is_carried_stays_where_it_is() -> None:
    """Rounding of torques around 10 N m, 2e-15 N m, on inertias of 0.03 kg m^2 or more: 4e-14 rad in a second; 25 times that."""
    log = arm().simulate(control=Float()).run(1.0)
    for joint, angle in (("shoulder", 0.4), ("elbow", -1.1)):
        np.testing.assert_allclose(log[f"joints.{joint}.position"].values, angle, rtol=0, atol=1e-12)


def test_the_loop_and_python_say_the_same() -> None:
    """Of an arm that is pushed, at the readings that were recorded."""
    twin = arm()
    twin.set("sensors.encoders.position.noise", 0.01)
    log = twin.simulate(control=Float()).run(0.3)
    encoders, reports = log["encoders.shoulder.position"].time, log["control.tip.x"].time
    for time in (0.1, 0.29):
        at, row = np.argmin(np.abs(encoders - time)), np.argmin(np.abs(reports - time))
        told = {name: log[name].values[at] for names in twin.model.readings.values() for name in names}
        state = twin.model.at(*twin.model.read(told))
        for signal, expected in (
            ("tip", state.position("tool")), ("center", state.center_of_mass), ("forces", state.bias),
            ("inertia", state.mass_matrix.ravel()),
        ):  # fmt: skip
            names = [f"control.{signal}.{name}" for name in ("xyz" if signal in ("tip", "center") else range(len(expected)))]
            np.testing.assert_allclose([log[name].values[row] for name in names], expected, rtol=1e-14, atol=1e-14)


def test_the_same_run_has_the_same_bytes() -> None:
    first, again = (arm().simulate(control=Float(), seed=4).run(0.2).sha256 for _ in range(2))
    assert first == again


def test_programs_in_two_threads_share_no_workspace() -> None:
    """Two runs of one twin and its one model at once, with other noise each: to the byte what each is alone."""
    twin = arm()
    twin.set("sensors.encoders.position.noise", 0.01)
    alone = {seed: twin.simulate(control=Float(), seed=seed).run(0.5).sha256 for seed in (1, 2)}
    together: dict[int, str] = {}

    def run(seed: int) -> None:
        together[seed] = twin.simulate(control=Float(), seed=seed).run(0.5).sha256

    threads = [threading.Thread(target=run, args=(seed,)) for seed in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone
    assert alone[1] != alone[2]


def test_records_of_one_model_stand_at_states_of_their_own() -> None:
    model = arm().model
    one, other, out = model.record(), model.record(), np.zeros((2, 6, 2))
    place(one, np.array([0.3, 0.2]), np.zeros(2))
    place(other, np.array([1.3, -0.2]), np.zeros(2))
    for record, jacobians in zip((one, other), out, strict=True):
        jacobian(record, model.frame("tool"), jacobians)
    np.testing.assert_array_equal(out[0], model.at([0.3, 0.2]).jacobian("tool"))
    np.testing.assert_array_equal(out[1], model.at([1.3, -0.2]).jacobian("tool"))
    rotation, whole = np.zeros((3, 3)), np.zeros(6)
    frame_rotation(one, model.frame("lower"), rotation)
    momentum(one, whole)
    np.testing.assert_allclose(rotation[0], [np.cos(0.5), 0.0, np.sin(0.5)], atol=1e-15)
    np.testing.assert_array_equal(whole, 0.0)
