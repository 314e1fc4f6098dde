"""Training: the same on any number of threads and after an interruption, better with time; its policy flies as it was trained."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.control.policy import Policy
from didymos.errors import InputError
from didymos.learning.evaluation import Episodes, Evaluation
from didymos.learning.train import Trained, train

pytest.importorskip("cma")

TWIN = """
title: A mass on a rail
description: {file: rail.urdf}
world: {step: 0.005, integrator: implicitfast, ground: null}
sensors: {encoder: {kind: joints, joints: [rail], rate: 200, position: {noise: 0.002}}}
parts: {push: {kind: servo, link: base, joint: rail, effort_limit: 50, kp: 40, kd: 12}}
control: {program: joints, rate: 200}
scenarios: {stay: {seconds: 2}}
tasks:
  hold:
    seconds: 2
    rate: 20
    observe: [encoder.rail.position - 0.1, encoder.rail.velocity, action]
    act: {joints.rail: [-1, 1]}
    reward: exp(-5 * abs(joints.rail.position - 0.1))
    terminate: abs(joints.rail.position) > 0.9
    start: {joints.rail: [-0.3, 0.3]}
    randomize: {parts.push.kp: {uniform: [0.8, 1.2], scale: true}}
  peek:
    seconds: 1
    rate: 20
    observe: [joints.rail.position]
    act: {joints.rail: [-1, 1]}
    reward: "1"
"""
RAIL = """<robot name="rail"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="cart"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="50" velocity="10"/></joint></robot>"""


@pytest.fixture
def rail(tmp_path: Path) -> Path:
    folder = tmp_path / "rail"
    folder.mkdir()
    (folder / "twin.yaml").write_text(TWIN)
    (folder / "rail.urdf").write_text(RAIL)
    return folder


def trained(rail: Path, folder: str, **more: Any) -> Trained:
    options: dict[str, Any] = {"generations": 4, "population": 8, "validation": 2, "seed": 5} | more
    return train(didymos.load(rail), "hold", rail.parent / folder, **options)


def test_the_policy_is_the_same_on_any_threads_and_after_an_interruption(rail: Path) -> None:
    whole = trained(rail, "whole", threads=1)
    other = trained(rail, "other", threads=2)
    trained(rail, "parts", generations=2)
    parts = trained(rail, "parts", generations=4, resume=True)
    for again in (other, parts):
        assert (again.policy.numbers == whole.policy.numbers).all()
        assert (again.policy.scale == whole.policy.scale).all()
        assert again.value == whole.value
    assert (trained(rail, "seed", seed=6).policy.numbers != whole.policy.numbers).any()


def test_an_interrupt_leaves_what_was_found(rail: Path) -> None:
    def interrupt(now: Any) -> None:
        if now.generation == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(rail, "cut", progress=interrupt)
    assert {item.name for item in (rail.parent / "cut").iterdir()} == {
        "training.json", "progress.npz", "policy.npz", "curve.csv", "curve.png",
    }  # fmt: skip
    assert (trained(rail, "cut", resume=True).policy.numbers == trained(rail, "whole").policy.numbers).all()


@pytest.mark.parametrize("method", ["cma", "ars"])
def test_it_learns(rail: Path, method: str) -> None:
    found = trained(rail, method, method=method, generations=25, population=16, episodes=2, noise=0.2)
    curve = np.loadtxt(rail.parent / method / "curve.csv", delimiter=",", skiprows=1)
    assert len(curve) == 25
    # 40 steps that are worth 1 at the goal; doing nothing stays at 0, worth exp(-0.5) each
    assert curve[0, 1] < 40 * np.exp(-0.5) + 2.0  # it is drawn where it begins
    assert found.value > 40 * 0.8


def test_the_policy_flies_in_a_run_to_the_bits_of_the_environment(rail: Path) -> None:
    found = trained(rail, "fly", generations=3)
    twin = didymos.load(rail)
    spec = twin.file.tasks["hold"].model_copy(update={"start": {}, "randomize": {}})
    evaluation = Evaluation("here", twin, spec, 2, 1)
    evaluation(Episodes(found.policy, np.array([found.policy.numbers] * 2), np.array([9, 10])))
    ended = [evaluation.batch.signal("joints.rail.position")[i] for i in (0, 1)]
    evaluation.close()
    for seed, position in zip((9, 10), ended, strict=True):
        flown = didymos.load(rail)
        flown.replace_program(str(found.folder / "policy.npz"))
        simulation = flown.simulate(seed=seed, scenario="stay")
        simulation.run(2.0)
        assert simulation.data.qpos[0] == position


def test_what_it_may_not_observe_as_a_program_is_said(rail: Path) -> None:
    twin = didymos.load(rail)
    found = train(twin, "peek", rail.parent / "peek", generations=1, population=4, validation=1)
    assert found.unmeasured == ("joints.rail.position",)
    twin.replace_program(str(found.folder / "policy.npz"))
    with pytest.raises(InputError, match="the truth, which no robot can measure"):
        twin.simulate()


def test_the_command_at_the_end_flies_the_policy_where_it_was_trained(rail: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(rail.parent)
    text = TWIN.replace("start: {joints.rail: [-0.3, 0.3]}", "start: {joints.rail: [0.1, 0.5]}\n    set: {parts.push.kp: 30}")
    (rail / "twin.yaml").write_text(text.replace("seconds: 2\n    rate", "seconds: 1\n    scenario: stay\n    rate"))
    given = ["--generations", "1", "--population", "2", "--validation", "1", "--set", "parts.push.kd=9"]
    assert main(["train", "rail", *given]) == 0
    said = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert said[:5] == ["didymos", "run", "rail", "--control", "rail_hold/policy.npz"]
    rest = set(zip(said[5::2], said[6::2], strict=True))
    assert rest == {
        ("--scenario", "stay"), ("--seconds", "1"), ("--set", "parts.push.kd=9"), ("--set", "parts.push.kp=30"),
        ("--set", "start.joints.rail=0.3"),
    }  # fmt: skip
    assert main([*said[1:], "--record", "flown.mcap", "--quiet"]) == 0
    assert didymos.Log.load("flown.mcap")["joints.rail.position"].values[0] == 0.3


def test_a_policy_to_begin_with_has_to_be_of_the_task(rail: Path) -> None:
    first = trained(rail, "first", generations=1)
    again = trained(rail, "again", generations=1, start=first.folder / "policy.npz")
    assert again.value >= first.value
    twin = didymos.load(rail)
    with pytest.raises(InputError, match="policy for something else"):
        train(twin, "peek", rail.parent / "other", generations=1, start=first.folder / "policy.npz")


def test_the_command_trains_and_says_where_it_went_wrong(rail: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(rail.parent)
    given = ["train", "rail", "--task", "hold", "--generations", "2", "--population", "4", "--validation", "1", "--json"]
    assert main([*given, "-o", "out"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["generations"] == 2
    assert Policy.load(said["policy"]).actions == ("setpoints.rail",)
    assert main(["run", "rail", "--control", said["policy"], "--quiet"]) == 0
    for wrong, why in (
        ([*given, "-o", "out"], "--resume"),
        ([*given, "-o", "out", "--resume", "--seed", "3"], "begun with seed 0"),
        ([*given, "--task", "hop", "-o", "new"], "no task 'hop'"),
        ([*given, "--method", "sgd", "-o", "new"], "--method"),
        ([*given, "--hidden", "a", "-o", "new"], "--hidden"),
        ([*given, "--cluster", "nowhere", "-o", "new"], "--cluster"),
    ):
        capsys.readouterr()
        assert main(wrong) == 2
        assert why in capsys.readouterr().err
    (rail.parent / "out" / "progress.npz").write_bytes(b"cut")
    assert main([*given, "-o", "out", "--resume"]) == 2
