"""Policies as ONNX graphs: a row of dense layers, read into the same form as a `.npz`, and written.

Read are graphs of one input and one output in which each step works on what the one before made:

    Gemm, MatMul, Add, Sub, Mul, Div with constants       folded into the layer's W and b
    Tanh, Relu, Elu (alpha 1)                             end a layer
    Clip with constants                                   at the very end: limits of the outputs
    Identity, Flatten, Cast                               passed over

Anything else is refused by its name. Names, rate, program and what outputs stand for are in the metadata of the model, under the
key `didymos.policy` (JSON); a graph without it needs them from whoever reads it (`read_onnx(file, observations=..., ...)`). What
is written takes raw, stacked observations in single precision, normalises them, and answers with the outputs within their limits.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.policy import Policy
from didymos.control.policy_file import policy_of
from didymos.errors import InputError

__all__ = ["read_onnx", "write_onnx"]

_KEY = "didymos.policy"
_ENDS = {"Tanh": "tanh", "Relu": "relu", "Elu": "elu"}
_ARRAYS = ("rate", "stack", "least", "most")
_PASSED = ("Identity", "Flatten", "Cast")
_OPSET = 17
_LARGEST = 64 * 2**20

Array = NDArray[np.float64]


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise InputError("a policy in ONNX needs onnx; install it with: pip install 'didymos[onnx]'") from None
    return onnx


class _Layers:
    """Collects layers while a graph is followed: W and b of the one that is being read."""

    def __init__(self, width: int) -> None:
        self.weights: list[Array] = []
        self.biases: list[Array] = []
        self.activations: list[str] = []
        self._new(width)

    def _new(self, width: int) -> None:
        self.matrix, self.bias, self.fresh = np.eye(width), np.zeros(width), True

    def multiply(self, matrix: Array, bias: Array | float = 0.0) -> None:
        if matrix.ndim != 2 or matrix.shape[1] != len(self.bias):
            raise InputError(f"found a matrix of {matrix.shape} for {len(self.bias)} numbers")
        self.matrix, self.bias, self.fresh = matrix @ self.matrix, matrix @ self.bias + bias, False

    def each(self, factor: Array | float, added: Array | float) -> None:
        size = len(self.bias)
        factor, added = (np.broadcast_to(np.asarray(item, dtype=np.float64).ravel(), size) for item in (factor, added))
        self.matrix, self.bias, self.fresh = factor[:, None] * self.matrix, factor * self.bias + added, False

    def end(self, activation: str) -> None:
        self.weights.append(np.ascontiguousarray(self.matrix))
        self.biases.append(np.ascontiguousarray(self.bias))
        self.activations.append(activation)
        self._new(len(self.bias))


def read_onnx(file: Path, **given: Any) -> Policy:
    """The policy of an ONNX file; `given` goes before what its metadata say: observations, actions, rate, ..."""
    onnx = _onnx()
    if file.stat().st_size > _LARGEST:
        raise InputError(f"is larger than {_LARGEST / 2**20:.0f} MB, which no policy is", file=file)
    try:
        model = onnx.load(str(file), load_external_data=False)
    except Exception as error:  # of a library that reads anything
        raise InputError(f"is not an ONNX model: {type(error).__name__}", file=file) from None
    about = next((item.value for item in model.metadata_props if item.key == _KEY), None)
    try:
        said = json.loads(about) if about is not None else {}
    except ValueError:
        raise InputError(f"its metadata {_KEY} are not JSON", file=file) from None
    said = {**said, **given}
    for name in ("observations", "actions", "rate"):
        if name not in said:
            what = f"does not say its {name}; give them by the metadata {_KEY!r}, or write a .npz with didymos.Policy"
            raise InputError(what, file=file)
    try:
        arrays = {name: np.asarray(value) for name, value in said.items() if name in _ARRAYS}
        arrays |= {name: np.asarray(json.dumps(said[name])) for name in ("program", "about") if name in said}
        arrays |= {name: np.array(said[name], dtype=np.str_) for name in ("observations", "actions")}
        size = int(said.get("size", len(said["observations"])))
        layers, low, high = _followed(onnx, model.graph, size * int(said.get("stack", 1)))
        arrays |= {name: np.broadcast_to(bound, len(said["actions"])) for name, bound in (("low", low), ("high", high))}
    except (ValueError, IndexError, TypeError) as error:
        raise InputError(f"its graph and its metadata do not fit together: {' '.join(str(error).split())}", file=file) from None
    for i, (weights, bias) in enumerate(zip(layers.weights, layers.biases, strict=True)):
        arrays |= {f"weights_{i}": weights, f"bias_{i}": bias}
    return policy_of(arrays | {"activations": np.array(layers.activations, dtype=np.str_)})


def _followed(onnx: Any, graph: Any, width: int) -> tuple[_Layers, Any, Any]:
    """The layers of a graph, and the limits of its outputs."""
    constants = {item.name: onnx.numpy_helper.to_array(item).astype(np.float64) for item in graph.initializer}
    given = [item.name for item in graph.input if item.name not in constants]
    if len(given) != 1 or len(graph.output) != 1:
        raise InputError(f"has {len(given)} inputs and {len(graph.output)} outputs, a policy has one of each")
    here, layers, ended = given[0], _Layers(width), False
    low: Any = -np.inf
    high: Any = np.inf
    for node in graph.node:
        options = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
        if node.op_type == "Constant" and "value" in options:
            constants[node.output[0]] = onnx.numpy_helper.to_array(options["value"]).astype(np.float64)
            continue
        if here not in node.input or ended:
            raise InputError(f"its step {node.name or node.op_type!r} does not follow on the one before: it is no row of layers")
        others = [constants.get(name) for name in node.input if name and name != here]
        if any(item is None for item in others):
            raise InputError(f"its step {node.name or node.op_type!r} joins two branches: it is no row of layers")
        if node.op_type == "Clip":
            low, high, ended = others[0] if others else low, others[1] if len(others) > 1 else high, True
        elif node.op_type in _ENDS:
            if node.op_type == "Elu" and options.get("alpha", 1.0) != 1.0:
                raise InputError(f"its Elu has alpha {options['alpha']:g}, expected 1")
            layers.end(_ENDS[node.op_type])
        elif node.op_type not in _PASSED:
            _fold(layers, node, others, options, first=node.input[0] == here)
        here = node.output[0]
    if not layers.fresh or not layers.weights:
        layers.end("identity")
    return layers, low, high


def _fold(layers: _Layers, node: Any, others: list[Any], options: dict[str, Any], *, first: bool) -> None:
    """Take an affine step into the layer that is being read."""
    kind = node.op_type
    if kind == "Gemm" and first and not options.get("transA", 0):
        matrix = others[0] if options.get("transB", 0) else others[0].T
        bias = others[1].ravel() if len(others) > 1 else 0.0
        layers.multiply(options.get("alpha", 1.0) * matrix, options.get("beta", 1.0) * bias)
    elif kind == "MatMul" and first:
        layers.multiply(others[0].T)
    elif kind == "Add":
        layers.each(1.0, others[0])
    elif kind == "Sub":
        layers.each(*((1.0, -others[0]) if first else (-1.0, others[0])))
    elif kind == "Mul":
        layers.each(others[0], 0.0)
    elif kind == "Div" and first:
        layers.each(1.0 / others[0], 0.0)
    else:
        known = "Gemm, MatMul, Add, Sub, Mul, Div, Tanh, Relu, Elu, Clip, Identity, Flatten, Cast"
        raise InputError(f"has the operator {kind!r} where a policy cannot have it (it has: {known})")


def write_onnx(policy: Policy, file: Path) -> None:
    """Write a policy as an ONNX graph in single precision."""
    onnx = _onnx()
    if np.isfinite(policy.clip):
        raise InputError("clips its normalised observations, which a graph that we read back cannot say; write a .npz")
    make, here = onnx.helper, "observation"
    kept: list[Any] = []
    nodes: list[Any] = []

    def constant(name: str, values: Any) -> str:
        kept.append(onnx.numpy_helper.from_array(np.asarray(values, dtype=np.float32), name))
        return name

    def step(kind: str, *more: str, **options: Any) -> None:
        nonlocal here
        made = f"{kind.lower()}_{len(nodes)}"
        nodes.append(make.make_node(kind, [here, *more], [made], **options))
        here = made

    step("Sub", constant("mean", np.tile(policy.mean, policy.stack)))
    step("Div", constant("scale", np.tile(policy.scale, policy.stack)))
    for i, activation in enumerate(policy.activations):
        step("Gemm", constant(f"weights_{i}", policy.weights[i]), constant(f"bias_{i}", policy.biases[i]), transB=1)
        if activation != "identity":
            step(activation.capitalize())
    if (policy.low == policy.low[0]).all() and (policy.high == policy.high[0]).all():
        step("Clip", constant("low", policy.low[0]), constant("high", policy.high[0]))
    else:
        raise InputError("has other limits for each output, which ONNX's Clip cannot say; write a .npz")
    nodes[-1].output[0] = "outputs"
    sizes = ((name, ["batch", count]) for name, count in (("observation", policy.inputs), ("outputs", len(policy.actions))))
    (given, made) = (make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in sizes)
    model = make.make_model(
        make.make_graph(nodes, "policy", [given], [made], kept), opset_imports=[make.make_opsetid("", _OPSET)], ir_version=8
    )
    said = {name: getattr(policy, name) for name in ("observations", "actions", "rate", "stack", "program", "about")}
    said |= {"size": policy.mean.size} | {name: getattr(policy, name).tolist() for name in ("least", "most")}
    make.set_model_props(model, {_KEY: json.dumps(said)})
    onnx.save(model, str(file))
