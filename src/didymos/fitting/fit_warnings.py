"""What a user has to be told of a fit, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from didymos.fitting.directions import Direction
from didymos.fitting.fitted import FittedParameter
from didymos.fitting.problem import Problem
from didymos.fitting.search import Outcome

__all__ = ["fit_warnings"]

_WIDE = 0.5  # an interval wider than this part of the bounds says that the data did not decide
_AT_BOUND = 1e-6


def fit_warnings(
    problem: Problem, outcome: Outcome, parameters: Sequence[FittedParameter], directions: Sequence[Direction]
) -> list[str]:
    """Of the search, of each parameter, of directions and of other valleys."""
    warnings = []
    ending = outcome.valleys[0].ending
    if not ending.converged and not outcome.interrupted:
        warnings.append(f"the search did not come to an end after {ending.iterations} iterations: {ending.why}")
    if problem.met_impossible:
        warnings.append("the search met values that no robot can have, and kept off; a link as a whole, links.NAME, meets none")
    for group, index in problem.parameters.entries():
        point = problem.best[problem.parameters.stretch(group, index)]
        if len(point) > 1 and np.minimum(point, 1.0 - point).min() < _AT_BOUND:
            warnings.append(f"{group.path} ended at the edge of its box; give it a wider `spread`, or fix what is known of it")
    for parameter in parameters:
        low, high = parameter.bounds
        name = parameter.full_name
        if min(parameter.after - low, high - parameter.after) < _AT_BOUND * (high - low):
            warnings.append(f"{name} ended at its bound, {parameter.after:g} {parameter.unit}")
        if parameter.interval is None:
            warnings.append(f"{name} is not determined by these recordings")
        elif parameter.interval[1] - parameter.interval[0] > _WIDE * (high - low):
            warnings.append(f"{name} is hardly determined: its interval spans more than half of its bounds")
    warnings += [direction.text for direction in directions if direction.text not in warnings]
    for valley in outcome.valleys[1:]:
        if valley.loss < 1.5 * outcome.valleys[0].loss:
            warnings.append(f"another valley has nearly the same loss, {valley.loss:.6g}; see the valleys")
    return warnings
