"""A policy for a task: names, ranges and rate from the task's run, size and clock as the task or the user says, no weights yet."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from didymos.control.policy import REPORTS, SETPOINTS, Policy, new_policy
from didymos.describe.policy_spec import PolicySpec
from didymos.engine.robot_run import RobotRun
from didymos.errors import InputError
from didymos.learning.batch import Batch

__all__ = ["policy_for", "unmeasured"]


def policy_for(batch: Batch, spec: PolicySpec, *, about: dict[str, Any]) -> Policy:
    """The policy of a batch's task that does nothing yet, or moves as the pattern of `spec` says."""
    bound, robot = batch.bound, _robot(batch)
    plain = new_policy(
        bound.labels, {_name(item.target): (item.low, item.high) for item in bound.actions}, bound.rate,
        hidden=spec.hidden, activation=spec.activation, stack=bound.tables.stack, frequency=spec.frequency,
        harmonics=spec.harmonics, program=_commanded(batch, robot), about=about,
    )  # fmt: skip
    return _with_pattern(plain, [item.target for item in bound.actions], spec)


def unmeasured(batch: Batch) -> tuple[str, ...]:
    """What the task observes that no program can: the truth, expressions, what only a simulation knows."""
    robot = _robot(batch)
    known = {*robot.built.measured, *(SETPOINTS + name for name in robot.robot.setpoints)}
    return tuple(name for name in batch.bound.labels if name not in known and not name.startswith(REPORTS))


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


def _with_pattern(policy: Policy, targets: Sequence[str], spec: PolicySpec) -> Policy:
    """The policy with the sines and cosines of its clock in its last layer's place; only a linear one can have a pattern."""
    if not spec.pattern:
        return policy
    if spec.hidden:
        raise InputError("goes with a linear policy only, without hidden layers", path="policy.pattern")
    weights, bias = policy.weights[0].copy(), policy.biases[0].copy()
    first = policy.stack * len(policy.observations)
    for pattern, waves in spec.pattern.items():
        rows = [i for i, target in enumerate(targets) if fnmatch.fnmatchcase(target, pattern)]
        if not rows:
            raise InputError(f"no action matches {pattern!r} (there are: {', '.join(targets)})", path="policy.pattern")
        if len(waves) > 1 + 2 * policy.harmonics:
            what = f"found {len(waves)} numbers, expected at most {1 + 2 * policy.harmonics}: a mean, then sine and cosine of each harmonic"
            raise InputError(what, path=f"policy.pattern.{pattern}")
        for row in rows:
            bias[row] = waves[0]
            weights[row, first : first + len(waves) - 1] = waves[1:]
    return replace(policy, weights=(np.ascontiguousarray(weights),), biases=(bias,))
