"""A policy as a control program: the bits of its network, through another program too, and only where it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control.policy import Policy, new_policy
from didymos.control.values import Values
from didymos.describe.parameters import flatten
from didymos.errors import InputError

MOTORS = tuple(f"motor{i}" for i in range(1, 5))
SEEN = ("state.position.z", "state.velocity.z", "imu.gyro.x", "setpoints.z")


def hover() -> Policy:
    """A PD of the height, and noise of a gyro that it has no use for."""
    plain = new_policy(SEEN, {f"inputs.{name}": (0.0, 1.0) for name in MOTORS}, 100.0, stack=2)
    row = np.concatenate([np.zeros(4), [-0.6, -0.52, 0.003, 0.6]])
    return plain.with_numbers(np.concatenate([np.tile(row, 4), np.full(4, -0.0635)]))


class Asked(didymos.Controller):
    """The same policy, asked from Python."""

    rate = 100.0
    z = didymos.setpoint(unit="m")
    policy = hover()

    def __init__(self) -> None:
        self.past: list[Any] = []

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        now = np.array([*(measured[name] for name in SEEN[:3]), setpoints.z])
        self.past = [*(self.past or [now]), now][-2:]
        return dict(zip(MOTORS, map(float, self.policy.act(np.concatenate(self.past))), strict=True))


def truth(twin: Any, seconds: float = 3.0, **options: Any) -> Any:
    """The height and the rate about x of a run, which the policy's noisy gyro moves."""
    log = twin.simulate(scenario="hover", seed=3, **options).run(seconds)
    return np.column_stack([log["truth.position.z"].values, log["truth.angular_velocity.x"].values])


def test_in_the_compiled_loop_it_gives_the_bits_of_its_network(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(hover().save(tmp_path / "hover.npz")))
    run = truth(twin)
    assert (run == truth(didymos.load("quadcopter"), control=Asked())).all()
    assert abs(run[-1, 0] - 1.0) < 0.2
    log = twin.simulate(scenario="hover").run(0.1)
    assert "control.action.inputs.motor1" in log


def test_called_from_python_it_answers_as_in_the_loop(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(hover().save(tmp_path / "hover.npz")))
    program, asked = twin.make_program(), Asked()
    assert program is not None
    program.start(twin.simulate(scenario="hover").robot)
    for k in range(4):
        row = np.array([0.3 + 0.1 * k, 0.2, 0.01, 1.0])
        measured, setpoints = Values(dict(zip(SEEN[:3], range(3), strict=True)), row[:3]), Values({"z": 0}, row[3:])
        assert program.update(0.01 * k, measured, setpoints) == asked.update(0.01 * k, measured, setpoints)


def commanding(value: float, rate: float = 50.0) -> Policy:
    """A policy that asks the quadcopter's own program for one height, whatever it sees."""
    control = didymos.load("quadcopter").file.control
    assert control is not None
    inner = {"program": control.program, "rate": control.rate, "options": control.options, "gains": flatten(control.gains)}
    made = new_policy(["state.position.z"], {"setpoints.z": (0.0, 2.0)}, rate, program=inner)
    return made.with_numbers(np.array([0.0, value]))


def test_a_program_that_it_commands_flies_as_it_does_alone(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(commanding(0.0).save(tmp_path / "one.npz")))  # the middle of 0 and 2 m
    assert (truth(twin) == truth(didymos.load("quadcopter"))).all()
    assert twin.get("control.gains.height.kp") == 0.3
    simulation = twin.simulate(scenario="hover")
    assert simulation.program is not None
    assert "z" not in simulation.program.setpoints
    assert {"roll", "pitch", "yaw"} <= set(simulation.program.setpoints)


def test_what_it_answers_is_recorded_in_the_units_of_what_it_commands(tmp_path: Path) -> None:
    units = {}
    for policy in (hover(), commanding(0.0)):
        twin = didymos.load("quadcopter")
        twin.replace_program(str(policy.save(tmp_path / "p.npz")))
        log = twin.simulate(scenario="hover").run(0.1)
        units |= {name: log[name].unit for name in log.signals if name.startswith("control.action")}
    assert units == {**{f"control.action.inputs.{name}": "1" for name in MOTORS}, "control.action.setpoints.z": "m"}


def test_set_points_that_it_does_not_read_are_known(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(hover().save(tmp_path / "hover.npz")))
    (robot,) = twin.simulate(scenario="hover").robots.values()
    assert robot.unread_setpoints == ("roll", "pitch", "yaw", "x", "y")  # those of the twin's scenarios, too
    (robot,) = didymos.load("quadcopter").simulate(scenario="hover").robots.values()
    assert robot.unread_setpoints == ()
    (robot,) = twin.simulate(scenario="hover", control=Asked()).robots.values()  # Python may read any of them
    assert robot.unread_setpoints == ()


def test_what_it_reports_and_remembers_goes_on_after_a_restore(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(hover().save(tmp_path / "hover.npz")))
    one = twin.simulate(scenario="hover", seed=3)
    one.run(0.505)
    state = one.save()
    whole = one.run(0.5)["truth.position.z"].values[-40:]
    other = twin.simulate(scenario="hover", seed=3)
    other.restore(state)
    assert (other.run(0.5)["truth.position.z"].values[-40:] == whole).all()


def fly(file: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(str(file))
    twin.simulate(scenario="hover")


INNER = {"program": "multirotor_pd", "rate": 400.0}


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (replace(hover(), observations=("state.position.z", "state.velocity.z", "imu.gyro.q", "setpoints.z")), "'imu.gyro.q'"),
        (replace(hover(), observations=("truth.position.z", "state.velocity.z", "imu.gyro.x", "setpoints.z")), "the truth"),
        (replace(hover(), actions=("inputs.motor9", *hover().actions[1:])), "'inputs.motor9', which is no input"),
        (replace(commanding(0.0), actions=("setpoints.height",)), "no set-point of multirotor_pd"),
        (replace(commanding(0.0), observations=("control.x",)), "'control.x', which this robot does not measure"),
        (replace(commanding(0.0), program={"program": "sh.py:Evil", "rate": 400.0}), "neither comes with Didymos"),
        (replace(commanding(0.0), rate=33.0), "a whole part"),
        (replace(commanding(0.0), program=INNER | {"options": {"no": 1}}), "refuses its options"),
        (replace(commanding(0.0), program=INNER | {"gains": {"no": 1.0}}), "no gain 'no'"),
    ],
)
def test_a_robot_that_it_does_not_fit_is_refused(policy: Policy, said: str, tmp_path: Path) -> None:
    file = policy.save(tmp_path / "p.npz")
    with pytest.raises(InputError, match=r"p\.npz") as caught:
        fly(file)
    assert said in str(caught.value)


TWIN = """
title: A box that is held
description: {file: box.urdf, base: floating}
world: {step: 0.01}
parts: {pull: {kind: generic_engine, link: box, disc_area: 0.01, exit_speed: 30, direction: 1}}
sensors: {state: {kind: odometry, link: box, rate: 100}}
control: {program: policy, rate: 100, options: {file: NAME}}
"""
BOX = """<robot name="box"><link name="box"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def folder(place: Path, name: str) -> Path:
    place.mkdir()
    (place / "box.urdf").write_text(BOX)
    (place / "twin.yaml").write_text(TWIN.replace("NAME", name))
    new_policy(["state.position.z"], {"inputs.pull": (0.0, 1.0)}, 100.0).save(place / "p.npz")
    return place


def test_a_twin_file_names_it_and_needs_no_trust(tmp_path: Path) -> None:
    log = didymos.load(folder(tmp_path / "box", "p.npz")).simulate().run(0.1)
    assert (log["inputs.pull"].values[-1:] == 0.5).all()


def test_a_twin_file_names_only_policies_of_its_folder(tmp_path: Path) -> None:
    folder(tmp_path / "other", "p.npz")
    with pytest.raises(InputError, match="outside of the twin's folder"):
        didymos.load(folder(tmp_path / "box", "../other/p.npz"))
    with pytest.raises(InputError, match="named by its file"):
        didymos.load(folder(tmp_path / "third", "policy"))
