"""A policy for a task: names, ranges and rate from the task's run, its shape as the task or the user says, no weights yet."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from didymos.control.expression import is_signal_pattern, parse_expression, signals_of
from didymos.control.policy import SETPOINTS, Policy, new_policy
from didymos.control.policy_observation import is_true
from didymos.describe.policy_spec import BIAS, PolicySpec
from didymos.engine.robot_run import RobotRun
from didymos.errors import InputError, nearest
from didymos.learning.batch import Batch

__all__ = ["policy_for", "unmeasured"]


def policy_for(batch: Batch, spec: PolicySpec, *, about: dict[str, Any]) -> Policy:
    """The policy of a batch's task that does nothing yet, or what the weights of `spec` say."""
    bound = batch.bound
    plain = new_policy(
        tuple(_texts(batch)), {_name(item.target): (item.low, item.high) for item in bound.actions}, bound.rate,
        size=len(bound.labels), hidden=spec.hidden, activation=spec.activation, stack=bound.tables.stack,
        program=_commanded(batch, _robot(batch)), about=about,
    )  # fmt: skip
    return _begun(plain, [item.target for item in bound.actions], bound.labels, spec)


def unmeasured(batch: Batch) -> tuple[str, ...]:
    """What the task observes that only a simulation knows."""
    paths = (path for text in _texts(batch) for path in signals_of(parse_expression(text)))
    return tuple(dict.fromkeys(path for path in paths if is_true(path)))


def _texts(batch: Batch) -> Iterator[str]:
    """The observations of the task as expressions; patterns spelt out."""
    for text in batch.tasks[""].observe.signals:
        if is_signal_pattern(text):
            yield from (_quoted(name) for name in batch.bound.labels if fnmatch.fnmatchcase(name, text))
        else:
            yield text


def _quoted(name: str) -> str:
    return name if all(step.isidentifier() for step in name.split(".")) else f'"{name}"'


def _robot(batch: Batch) -> RobotRun:
    robots = tuple(batch.simulations[0].robots.values())
    if len(robots) != 1:
        raise InputError("a world of several robots cannot be trained as one policy; train a twin", option="twin")
    return robots[0]


def _name(target: str) -> str:
    """Targets of joints are set-points of the program that follows them."""
    return SETPOINTS + target.removeprefix("joints.") if target.startswith("joints.") else target


def _commanded(batch: Batch, robot: RobotRun) -> dict[str, Any] | None:
    """The program that runs behind the actions; of actions on inputs, one that does nothing, as often as the twin ticks."""
    if batch.bound.unasked:
        period = batch.simulations[0].period
        return None if batch.bound.tables.ticks == 1 else {"program": "idle", "rate": 1.0 / period, "options": {}, "gains": {}}
    control, program = robot.twin.file.control, robot.program
    assert control is not None
    assert program is not None
    gains = {gain.path: float(program.gains[index]) for gain, index in program.gain_index.items()}
    return {"program": control.program, "rate": control.rate, "options": dict(control.options), "gains": gains}


def _begun(policy: Policy, targets: Sequence[str], labels: Sequence[str], spec: PolicySpec) -> Policy:
    """The policy with the weights that a task gives it to begin with; only a linear one of one observation can have them."""
    if not spec.begin:
        return policy
    if spec.hidden or policy.stack > 1:
        raise InputError("goes with a linear policy without hidden layers and a stack of 1 only", path="task.policy.begin")
    weights, bias = policy.weights[0].copy(), policy.biases[0].copy()
    for pattern, given in spec.begin.items():
        rows = [i for i, target in enumerate(targets) if fnmatch.fnmatchcase(target, pattern)]
        if not rows:
            raise InputError(f"no action matches {pattern!r}{nearest(pattern, targets)}", path="task.policy.begin")
        for label, value in given.items():
            if label == BIAS:
                bias[rows] = value
            elif label in labels:
                weights[rows, labels.index(label)] = value
            else:
                what = f"there is no observation {label!r}{nearest(label, labels)}"
                raise InputError(what, path=f"task.policy.begin.{pattern}")
    return replace(policy, weights=(weights,), biases=(bias,))
