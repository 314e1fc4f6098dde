"""Policies: what the network answers, and the files that hold it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.control.policy import Policy, new_policy
from didymos.control.policy_network import respond_all
from didymos.errors import InputError

pytestmark = pytest.mark.quick

EPS, SINGLE = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)


def example(seed: int = 0, **more: Any) -> Policy:
    """A policy with two hidden layers, numbers from a seed."""
    given: dict[str, Any] = {"hidden": (5, 4), "stack": 2} | more
    plain = new_policy(["a.x", "a.y", "setpoints.z"], {"inputs.m": (0.0, 2.0), "inputs.n": (-1.0, 1.0)}, 50.0, **given)
    numbers = np.random.default_rng(seed).normal(size=plain.numbers.size)
    made = plain.with_numbers(numbers)
    return replace(made, mean=np.array([0.5, -1.0, 2.0]), scale=np.array([2.0, 0.5, 1.0]))


def by_hand(policy: Policy, stacked: Any) -> Any:
    """The outputs by numpy, in the words of the module."""
    observed = np.asarray(stacked, dtype=np.float32).astype(float).reshape(policy.stack, -1)
    h = ((observed - policy.mean) / policy.scale).clip(-policy.clip, policy.clip).ravel()
    functions = {
        "identity": lambda x: x, "tanh": np.tanh, "relu": lambda x: np.maximum(x, 0),
        "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    }  # fmt: skip
    for weights, bias, activation in zip(policy.weights, policy.biases, policy.activations, strict=True):
        h = functions[activation](weights @ h + bias)
    y = h.astype(np.float32).astype(float).clip(policy.low, policy.high)
    return policy.least + (policy.most - policy.least) * (y + 1.0) / 2.0


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu", "identity"])
def test_the_network_answers_what_its_equations_say(activation: str) -> None:
    policy = replace(example(activation=activation), low=np.full(2, -50.0), high=np.full(2, 50.0), clip=3.0)
    for seed in range(3):
        stacked = np.random.default_rng(seed).normal(size=6) * 4.0
        # outputs of some 50 are rounded to single precision, which both do alike but where they are a rounding apart
        assert policy.act(stacked) == pytest.approx(by_hand(policy, stacked), abs=100 * SINGLE)


def test_outputs_stay_within_their_limits_and_stand_for_the_range() -> None:
    policy = replace(example(), biases=(*example().biases[:2], np.array([1e3, -1e3])))
    assert policy.act(np.zeros(6)) == pytest.approx([2.0, -1.0], abs=EPS)


def test_many_robots_at_once_answer_as_each_alone() -> None:
    policies = [example(seed) for seed in range(3)]
    stacked = np.random.default_rng(1).normal(size=(3, 6)).astype(np.float32).astype(np.float64)
    outputs = np.empty((3, 2))
    one = policies[0]
    numbers = np.array([policy.numbers for policy in policies])
    respond_all(one.layers, numbers, one.normal, one.limits, stacked, outputs)
    for i, policy in enumerate(policies):
        alone = policy.act(stacked[i])
        assert (0.5 * (policy.least * (1.0 - outputs[i]) + policy.most * (1.0 + outputs[i])) == alone).all()


def test_nonsense_is_seen_and_not_limited_away() -> None:
    assert not np.isfinite(example().act(np.full(6, np.nan))).any()


def test_a_policy_is_the_same_after_its_file(tmp_path: Path) -> None:
    policy = example(program={"program": "idle", "rate": 100.0}, about={"task": "hover"}, clip=5.0)
    back = Policy.load(policy.save(tmp_path / "p.npz"))
    assert (back.numbers == policy.numbers).all()
    for name in ("observations", "actions", "rate", "stack", "clip", "program", "about", "activations"):
        assert getattr(back, name) == getattr(policy, name)
    assert [file.name for file in tmp_path.iterdir()] == ["p.npz"]


def test_a_bare_file_of_names_and_matrices_is_enough(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "p.npz", observations=["a"], actions=["inputs.m"], rate=10, weights_0=np.ones((1, 1), np.float32), bias_0=[0]
    )
    assert Policy.load(tmp_path / "p.npz").act(np.array([0.25])) == pytest.approx([0.25], abs=EPS)


def arrays(**other: Any) -> dict[str, Any]:
    base = {"observations": ["a"], "actions": ["inputs.m"], "rate": 10.0, "weights_0": [[1.0]], "bias_0": [0.0]}
    return {name: value for name, value in (base | other).items() if value is not None}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (arrays(rate=None), "no rate"),
        (arrays(rate=-1.0), "rate"),
        (arrays(weights_0=[[1.0], [2.0]]), "found 2x1 numbers, expected 1x1"),
        (arrays(bias_0=[float("nan")]), "not a finite number"),
        (arrays(scale=[0.0]), "scale"),
        (arrays(low=[1.0], high=[0.0]), "lower limit"),
        (arrays(actions=["m"]), "inputs.NAME"),
        (arrays(actions=["setpoints.z"]), "program"),
        (arrays(activations=["gelu"]), "tanh"),
        (arrays(observations=["a", "a"], weights_0=[[1.0, 1.0]]), "twice"),
        (arrays(stack=0.5), "whole number"),
        (arrays(observations=["a +"]), "a +"),
        (arrays(program="no json"), "JSON"),
        (arrays(wieghts=[1.0]), "nothing that a policy has"),
        (arrays(observations=np.array([{}], dtype=object)), "Object arrays"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "p.npz", **given)
    with pytest.raises(InputError, match=r"p\.npz") as caught:
        Policy.load(tmp_path / "p.npz")
    assert said in str(caught.value)


def test_files_that_are_no_archives_are_refused(tmp_path: Path) -> None:
    for name, content in (("a.npz", b""), ("b.npz", b"PK\x03\x04rubbish"), ("c.npz", json.dumps({}).encode())):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="is not a policy"):
            Policy.load(tmp_path / name)
    with pytest.raises(InputError, match="no such file"):
        Policy.load(tmp_path / "missing.npz")
