"""Policies in files: `.npz` of numpy, which needs nothing more, and `.onnx` (`policy_onnx.py`).

| array | shape | |
|---|---|---|
| observations | [t] | names or expressions, as text; one may give several of the o numbers that are observed |
| actions | [a] | names, as text |
| weights_0, bias_0, weights_1, ... | [outputs, inputs], [outputs] | of each layer |
| activations | [layers] | tanh, relu, elu or identity; tanh and a last identity where it is missing |
| rate | | [Hz] |
| mean, scale | [o] | 0 and 1 where they are missing |
| least, most | [a] | what outputs of -1 and 1 stand for; -1 and 1 where they are missing |
| low, high | [a] | limits of the outputs; none where they are missing |
| stack, clip | | 1 and none where they are missing |
| program, about | | JSON: the program that is commanded, and where the policy comes from |

Nothing of a file is run or unpickled: arrays of objects are refused.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from didymos.control.policy import Policy
from didymos.errors import InputError

__all__ = ["SUFFIXES", "is_policy", "policy_of", "read_policy", "write_policy"]

SUFFIXES = (".npz", ".onnx")
_LARGEST = 64 * 2**20  # bytes of all arrays of a file
_TEXTS = ("observations", "actions", "activations")
_SCALARS = ("rate", "stack", "clip")
_ARRAYS = ("mean", "scale", "least", "most", "low", "high")
_JSON = ("program", "about")


def is_policy(name: str) -> bool:
    """Whether a name is that of a policy's file."""
    return name.endswith(SUFFIXES) and name not in SUFFIXES


def read_policy(file: Path) -> Policy:
    """The policy of a file; what is wrong with it is an `InputError`."""
    try:
        if not file.is_file():
            raise InputError("there is no such file", file=file)
        if file.suffix == ".onnx":
            from didymos.control.policy_onnx import read_onnx

            return read_onnx(file)
        return policy_of(_arrays(file))
    except InputError as error:
        raise error if error.file is not None else InputError(error.message, file=file, path=error.path) from None
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, NotImplementedError, MemoryError) as error:
        raise InputError(f"is not a policy: {' '.join(str(error).split())}", file=file) from None


def write_policy(policy: Policy, file: Path) -> Path:
    """Write a policy; a file that was there stays whole until the new one is."""
    if not is_policy(file.name):
        raise InputError(f"found {file.name!r}, expected a file that ends in {' or '.join(SUFFIXES)}", file=file)
    beside = file.with_name(f".{file.stem}.part{file.suffix}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".onnx":
            from didymos.control.policy_onnx import write_onnx

            write_onnx(policy, beside)
        else:
            np.savez(beside, allow_pickle=False, **_as_arrays(policy))
        os.replace(beside, file)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=file) from None
    finally:
        beside.unlink(missing_ok=True)
    return file


def _as_arrays(policy: Policy) -> dict[str, Any]:
    arrays: dict[str, Any] = {name: np.array(getattr(policy, name), dtype=np.str_) for name in _TEXTS}
    arrays |= {name: getattr(policy, name) for name in (*_SCALARS, *_ARRAYS)}
    for i, (weights, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
        arrays[f"weights_{i}"], arrays[f"bias_{i}"] = weights, bias
    return arrays | {name: json.dumps(getattr(policy, name)) for name in _JSON}


def _arrays(file: Path) -> dict[str, Any]:
    with zipfile.ZipFile(file) as archive:
        size = sum(item.file_size for item in archive.infolist())
    if size > _LARGEST:
        raise InputError(f"holds {size / 2**20:.0f} MB, a policy has at most {_LARGEST / 2**20:.0f} MB", file=file)
    with np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def policy_of(arrays: Mapping[str, Any]) -> Policy:
    """The policy of named arrays, as a `.npz` holds them."""
    given: dict[str, Any] = {name: _names(arrays[name], name) for name in _TEXTS if name in arrays}
    layers = sum(name.startswith("weights_") for name in arrays)
    known = {*_TEXTS, *_SCALARS, *_ARRAYS, *_JSON, *(f"{what}_{i}" for i in range(layers) for what in ("weights", "bias"))}
    for name in ("observations", "actions", "rate", "weights_0", "bias_0"):
        if name not in arrays:
            raise InputError(f"is not a policy: it has no {name}")
    unknown = next((name for name in arrays if name not in known), None)
    if unknown is not None:
        raise InputError("is nothing that a policy has", path=unknown)
    given.setdefault("activations", ("tanh",) * (layers - 1) + ("identity",))
    given |= {name: _number(arrays[name], name) for name in _SCALARS if name in arrays}
    if not 1 <= given.get("stack", 1) <= 1000 or given.get("stack", 1) != int(given.get("stack", 1)):
        raise InputError(f"found {given['stack']:g}, expected a whole number from 1 to 1000", path="stack")
    given["stack"] = int(given.get("stack", 1))
    observations, actions = _numbers(arrays["weights_0"], "weights_0").shape[-1] // given["stack"], len(given["actions"])
    plain = {
        "mean": np.zeros(observations), "scale": np.ones(observations), "least": np.full(actions, -1.0), "most": np.ones(actions),
        "low": np.full(actions, -np.inf), "high": np.full(actions, np.inf),
    }  # fmt: skip
    given |= {name: _numbers(arrays.get(name, array), name) for name, array in plain.items()}
    given["weights"] = tuple(_numbers(arrays.get(f"weights_{i}"), f"weights_{i}") for i in range(layers))
    given["biases"] = tuple(_numbers(arrays.get(f"bias_{i}"), f"bias_{i}") for i in range(layers))
    for name in _JSON:
        if name in arrays:
            given[name] = _mapping(arrays[name], name)
    if given.get("about", {}) is None:
        given["about"] = {}
    return Policy(**given)


def _names(array: Any, name: str) -> tuple[str, ...]:
    found = np.asarray(array)
    if found.ndim != 1 or (found.dtype.kind != "U" and found.size):
        raise InputError("expected a row of names", path=name)
    return tuple(str(item) for item in found)


def _numbers(array: Any, name: str) -> Any:
    found = np.asarray(array)
    if found.dtype.kind not in "fiu":
        raise InputError("expected numbers", path=name)
    return np.ascontiguousarray(found, dtype=np.float64)


def _number(array: Any, name: str) -> float:
    found = _numbers(array, name)
    if found.size != 1:
        raise InputError("expected one number", path=name)
    return float(found.ravel()[0])


def _mapping(text: Any, name: str) -> dict[str, Any] | None:
    try:
        found = json.loads(str(text))
    except ValueError:
        raise InputError("is not JSON", path=name) from None
    if found is not None and not isinstance(found, dict):
        raise InputError("expected a mapping", path=name)
    return found
