"""A policy: which readings and set-points it observes, which inputs or set-points it commands, and the network between them.

Names are paths, so that a policy says itself which robots it fits:

    observations   imu.gyro.x, encoders.LFK_joint.position      what a sensor says
                   setpoints.z                                  what is asked for
                   control.x, odom.position.x                   what the program that it commands reports
                   action.motor1, time                          its own last output; the time [s]
                   setpoints.z - state.position.z, state.roll   an expression over these (`expression.py`)
    actions        inputs.motor1                                an input of the robot
                   setpoints.LFK_joint                          a set-point of the program that the policy commands (`program`)

A policy that acts on set-points brings the program that follows them: its name, rate, options and gains, as `control` of a
twin file has them. It is one that comes with Didymos or with an installed package: a policy's file never names code of a folder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.expression import parse_expression, signals_of
from didymos.control.policy_network import ACTION, ACTIVATIONS, NORMAL, layer_rows, respond
from didymos.errors import InputError

__all__ = ["INPUTS", "REPORTS", "SETPOINTS", "Policy", "new_policy"]

INPUTS, SETPOINTS = "inputs.", "setpoints."
REPORTS = ("control.", "odom.")

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy as its file holds it; all arrays float64."""

    observations: tuple[str, ...]
    actions: tuple[str, ...]
    rate: float  # [Hz] of the robot's clock
    weights: tuple[Array, ...]  # of each layer, [outputs, inputs]
    biases: tuple[Array, ...]  # of each layer, [outputs]
    activations: tuple[str, ...]  # of each layer
    mean: Array  # [numbers that are observed], in their units
    scale: Array  # [numbers that are observed]
    least: Array  # [actions], in their units: what an output of -1 stands for
    most: Array  # [actions], in their units: what an output of 1 stands for
    low: Array  # [actions], of the outputs
    high: Array  # [actions], of the outputs
    stack: int = 1  # how many of the last observations it sees
    clip: float = math.inf  # of a normalised observation
    program: Mapping[str, Any] | None = None  # name, rate, options and gains of the program whose set-points it commands
    about: Mapping[str, Any] = field(default_factory=dict)  # where it comes from: twin, task, how it was found

    def __post_init__(self) -> None:
        self._check_names()
        of_actions = dict.fromkeys(("least", "most", "low", "high"), len(self.actions))
        for name, count in {"mean": self.mean.size, "scale": self.mean.size, **of_actions}.items():
            self._check_array(name, getattr(self, name), (count,), finite=name not in ("low", "high"))
        if not (self.scale > 0.0).all():
            raise InputError("found a scale that is not above zero", path="scale")
        if not (self.low <= self.high).all():  # also where one is not a number
            raise InputError("found a lower limit above the upper one", path="low")
        if not (math.isfinite(self.rate) and self.rate > 0.0):
            raise InputError(f"found {self.rate!r}, expected a rate above zero [Hz]", path="rate")
        if self.stack < 1 or not self.clip > 0.0:
            raise InputError("expected a stack of at least 1 and a clip above zero")
        self._check_layers()

    def _check_names(self) -> None:
        if not self.observations or not self.mean.size:
            raise InputError("a policy observes something", path="observations")
        for text in self.observations:
            parse_expression(text)
        if not self.actions:
            raise InputError("a policy commands at least one input or set-point", path="actions")
        for what, names in (("observations", self.observations), ("actions", self.actions)):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise InputError(f"found {twice!r} twice", path=what)
        for name in self.actions:
            if not name.startswith((INPUTS, SETPOINTS)):
                raise InputError(f"found {name!r}, expected inputs.NAME or setpoints.NAME", path="actions")
        if self.commanded and self.program is None:
            raise InputError(f"{SETPOINTS}{self.commanded[0]} is a set-point of a program, which is missing", path="program")

    def _check_layers(self) -> None:
        if not len(self.weights) == len(self.biases) == len(self.activations) > 0:
            raise InputError("expected weights, biases and an activation for each layer", path="weights")
        width = self.inputs
        for i, (weights, bias, activation) in enumerate(zip(self.weights, self.biases, self.activations, strict=True)):
            if activation not in ACTIVATIONS:
                raise InputError(f"found {activation!r}, expected {', '.join(ACTIVATIONS)}", path=f"activations.{i}")
            outputs = len(self.actions) if i == len(self.weights) - 1 else len(bias)
            self._check_array(f"weights.{i}", weights, (outputs, width))
            self._check_array(f"biases.{i}", bias, (outputs,))
            width = outputs

    @staticmethod
    def _check_array(name: str, array: Array, shape: tuple[int, ...], *, finite: bool = True) -> None:
        if array.shape != shape or array.dtype != np.float64:
            found = "x".join(map(str, array.shape)) or "one"
            raise InputError(f"found {found} numbers, expected {'x'.join(map(str, shape))}", path=name)
        if finite and not np.isfinite(array).all():
            raise InputError("found something that is not a finite number", path=name)

    @property
    def inputs(self) -> int:
        """How many numbers the network takes."""
        return self.stack * self.mean.size

    @property
    def commanded(self) -> tuple[str, ...]:
        """Names of the set-points that it commands."""
        return tuple(name.removeprefix(SETPOINTS) for name in self.actions if name.startswith(SETPOINTS))

    @property
    def signals(self) -> tuple[str, ...]:
        """Paths of the signals in its observations, or what several of them begin with."""
        found: dict[str, None] = {}
        for text in self.observations:
            found |= dict.fromkeys(signals_of(parse_expression(text)))
        return tuple(found)

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of the set-points that it observes."""
        return tuple(name.removeprefix(SETPOINTS) for name in self.signals if name.startswith(SETPOINTS))

    @property
    def layers(self) -> NDArray[Any]:
        """The table of its layers, as compiled code reads it."""
        return layer_rows((self.inputs, *(len(bias) for bias in self.biases)), self.activations)

    @property
    def numbers(self) -> Array:
        """All weights and biases in a row, as compiled code reads them and training changes them."""
        pairs = zip(self.weights, self.biases, strict=True)
        return np.concatenate([part.ravel() for pair in pairs for part in pair])

    @property
    def normal(self) -> NDArray[Any]:
        """What normalises its observations, as compiled code reads it."""
        rows = np.zeros(self.mean.size, dtype=NORMAL)
        rows["mean"], rows["scale"], rows["clip"] = self.mean, self.scale, self.clip
        return rows

    @property
    def limits(self) -> NDArray[Any]:
        """What leads from its network's outputs to actions, as compiled code reads it."""
        rows = np.zeros(len(self.actions), dtype=ACTION)
        rows["least"], rows["most"], rows["low"], rows["high"] = self.least, self.most, self.low, self.high
        return rows

    def with_numbers(self, numbers: Array) -> Policy:
        """The same policy with other weights and biases, in a row."""
        weights, biases = [], []
        for row in self.layers:
            size, start = int(row["inputs"] * row["outputs"]), int(row["start"])
            weights.append(np.array(numbers[start : start + size]).reshape(int(row["outputs"]), int(row["inputs"])))
            biases.append(np.array(numbers[start + size : start + size + int(row["outputs"])]))
        return replace(self, weights=tuple(weights), biases=tuple(biases))

    def act(self, stacked: Array) -> Array:
        """The actions [actions] to stacked observations [stack x numbers that are observed], the newest last."""
        outputs, observed = np.empty(len(self.actions)), np.ascontiguousarray(stacked, dtype=np.float64).ravel()
        respond(self.layers, self.numbers, self.normal, self.limits, observed, outputs)
        return 0.5 * (self.least * (1.0 - outputs) + self.most * (1.0 + outputs))

    def save(self, file: str | Path) -> Path:
        """Write it to a `.npz` file, or to an `.onnx` file."""
        from didymos.control.policy_file import write_policy

        return write_policy(self, Path(file))

    @staticmethod
    def load(file: str | Path) -> Policy:
        """Read one from a `.npz` file, or from an `.onnx` file that says what it observes and commands."""
        from didymos.control.policy_file import read_policy

        return read_policy(Path(file))


def new_policy(
    observations: Sequence[str],
    actions: Mapping[str, tuple[float, float]],
    rate: float,
    *,
    size: int | None = None,
    hidden: Sequence[int] = (),
    activation: str = "tanh",
    **more: Any,
) -> Policy:
    """A policy that does nothing yet: its actions stay in the middle of their ranges, until weights are found.

    Args:
        actions: by name, what the outputs -1 and 1 stand for.
        rate: of its answers [Hz].
        size: how many numbers are observed; one for each observation by default.
        hidden: sizes of the layers between, none for a linear policy.
        more: as `Policy` has it.
    """
    size, count = len(observations) if size is None else size, len(actions)
    sizes = (int(more.get("stack", 1)) * size, *hidden, count)
    least, most = (np.array([pair[i] for pair in actions.values()], dtype=np.float64) for i in (0, 1))
    given: dict[str, Any] = {
        "mean": np.zeros(size), "scale": np.ones(size),
        "least": least, "most": most, "low": np.full(count, -1.0), "high": np.ones(count),
    }  # fmt: skip
    return Policy(
        tuple(observations), tuple(actions), float(rate),
        tuple(np.zeros((outputs, inputs)) for inputs, outputs in pairwise(sizes)),
        tuple(np.zeros(outputs) for outputs in sizes[1:]),
        (*(activation,) * len(hidden), "identity"), **(given | more),
    )  # fmt: skip
