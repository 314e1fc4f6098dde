"""Policies in ONNX: written ones answer the same in another library, what cannot be read is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.control.policy import Policy, new_policy
from didymos.control.policy_onnx import read_onnx
from didymos.errors import InputError

onnx = pytest.importorskip("onnx")
SINGLE = float(np.finfo(np.float32).eps)


def example(activation: str) -> Policy:
    plain = new_policy(
        ["a.x", "a.y"], {"inputs.m": (0.0, 2.0), "inputs.n": (-3.0, 1.0)}, 50.0, hidden=(6, 5), activation=activation, stack=2,
        mean=np.array([0.5, -1.0]), scale=np.array([2.0, 0.5]), about={"task": "none"},
    )  # fmt: skip
    return plain.with_numbers(np.random.default_rng(2).normal(size=plain.numbers.size) * 0.4)


@pytest.mark.parametrize("activation", ["tanh", "relu", "elu"])
def test_a_written_graph_answers_the_same_in_onnxruntime_and_here(activation: str, tmp_path: Path) -> None:
    policy = example(activation)
    file = policy.save(tmp_path / "p.onnx")
    back = Policy.load(file)
    assert (back.observations, back.actions, back.rate, back.stack) == (policy.observations, policy.actions, 50.0, 2)
    observed = np.random.default_rng(3).normal(size=(20, 4)).astype(np.float32)
    answers = np.array([policy.act(row) for row in observed])
    # three layers of at most 6 products each of numbers near 1, in single precision: below 100 roundings, times a range of 2
    assert np.array([back.act(row) for row in observed]) == pytest.approx(answers, abs=200 * SINGLE)
    runtime = pytest.importorskip("onnxruntime")
    outputs = runtime.InferenceSession(str(file), providers=["CPUExecutionProvider"]).run(None, {"observation": observed})[0]
    actions = policy.least + (policy.most - policy.least) * (outputs + 1.0) / 2.0
    assert actions == pytest.approx(answers, abs=200 * SINGLE)


def graph(*nodes: Any, **constants: Any) -> Any:
    helper, info = onnx.helper, onnx.helper.make_tensor_value_info
    kept = [onnx.numpy_helper.from_array(np.asarray(value, dtype=np.float32), name) for name, value in constants.items()]
    ends = [info("x", onnx.TensorProto.FLOAT, [1, 2]), info("y", onnx.TensorProto.FLOAT, [1, 1])]
    return helper.make_model(helper.make_graph(list(nodes), "g", ends[:1], ends[1:], kept), ir_version=8)


def test_a_strangers_graph_is_read_with_names_that_are_given(tmp_path: Path) -> None:
    node = onnx.helper.make_node
    nodes = (node("MatMul", ["x", "w"], ["a"]), node("Add", ["b", "a"], ["c"]), node("Tanh", ["c"], ["y"]))
    onnx.save(graph(*nodes, w=[[0.5], [0.25]], b=[0.1]), str(tmp_path / "s.onnx"))
    policy = read_onnx(tmp_path / "s.onnx", observations=["a", "b"], actions=["inputs.m"], rate=10)
    assert policy.act(np.array([1.0, 2.0])) == pytest.approx([np.tanh(1.1)], abs=4 * SINGLE)
    with pytest.raises(InputError, match="does not say its observations"):
        Policy.load(tmp_path / "s.onnx")


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([("Softmax", ["x"], ["y"])], "operator 'Softmax'"),
        ([("Tanh", ["x"], ["a"]), ("Relu", ["x"], ["b"]), ("Add", ["a", "b"], ["y"])], "no row of layers"),
        ([("MatMul", ["x", "w"], ["y"])], "found a matrix"),
    ],
)
def test_what_cannot_be_read_is_named(nodes: list[Any], said: str, tmp_path: Path) -> None:
    onnx.save(graph(*(onnx.helper.make_node(*item) for item in nodes), w=np.ones((3, 1))), str(tmp_path / "s.onnx"))
    with pytest.raises(InputError) as caught:
        read_onnx(tmp_path / "s.onnx", observations=["a", "b"], actions=["inputs.m"], rate=10)
    assert said in str(caught.value)


def test_rubbish_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "s.onnx").write_bytes(b"\x00rubbish")
    with pytest.raises(InputError, match=r"s\.onnx"):
        Policy.load(tmp_path / "s.onnx")
