"""A fit in which no parameter moves: the twin as it is beside recordings, for a residual that is learned on top."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from didymos.cluster.executor import Workers
from didymos.describe.twin import Twin
from didymos.fitting.evaluation import Evaluation, evaluate
from didymos.fitting.fitted import Fit
from didymos.fitting.parameterization import Parameterization
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.segments import Span, cut

__all__ = ["as_it_is"]


def as_it_is(
    twin: Twin,
    recordings: Sequence[Recording],
    *,
    hold_out: Sequence[Recording] = (),
    window: float | None = None,
    between: Span | None = None,
    given: Mapping[str, float] | None = None,
    threads: Workers = None,
) -> Fit:
    """The twin beside recordings; `given` are values, by path, that it was given and that are kept with what is learned."""
    began = time.perf_counter()
    evaluations: tuple[Evaluation, ...] = ()
    for chosen, held_out in ((recordings, False), (hold_out, True)):
        if chosen:
            segments = cut(twin, chosen, window, between=between)
            problem = Problem(twin, chosen, segments, Parameterization([], len(chosen)), threads=threads)
            try:
                said = problem.predictions(problem.start)
            finally:
                problem.close()
            evaluations += evaluate(chosen, segments, said, said, held_out=held_out)
    loss = sum(
        item.channel.column.weight * item.rmse_after**2 * len(item.time) for item in evaluations if not item.held_out
    )  # fmt: skip
    return Fit(
        twin=twin.name, method="none", window=window, loss_before=loss, loss_after=loss, seconds=time.perf_counter() - began,
        runs=1, interrupted=False, converged=True, iterations=0, parameters=(), correlation=np.zeros((0, 0)),
        evaluations=evaluations, valleys=(), misfits=(), directions=(), given=given or {},
        warnings=tuple(text for recording in (*recordings, *hold_out) for text in recording.findings),
    )  # fmt: skip
