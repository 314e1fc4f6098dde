"""Recordings that are only judged: what a fit does to them, with what each of them has for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from didymos.cluster.executor import Workers
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.fitting.certainty import coordinates_confidence, fitted, reported, unbiased
from didymos.fitting.evaluation import Evaluation, evaluate
from didymos.fitting.fitted import FittedParameter, shared_values
from didymos.fitting.intervals import find_intervals
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.noise import noise_size
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.search import search
from didymos.fitting.segments import Span, cut
from didymos.fitting.unit_check import check_units

__all__ = ["judge"]


def judge(
    twin: Twin,
    hold_out: Sequence[Recording],
    specs: Mapping[str, FreeSpec],
    shared: Sequence[FittedParameter],
    window: float | None,
    between: Span | None,
    threads: Workers,
    *,
    units: bool,
    estimate: bool,
    intervals: str,
    seed: int,
) -> tuple[tuple[Evaluation, ...], tuple[FittedParameter, ...]]:
    """Held-out recordings before and after, and the parameters that each of them has for itself."""
    own = {path: spec for path, spec in specs.items() if spec.per_recording}
    segments = cut(twin, hold_out, window, between=between)
    nothing = Parameterization([], len(hold_out))
    noise = noise_size(hold_out)
    first = Problem(twin, hold_out, segments, nothing, noise=noise, estimate_starts=estimate, threads=threads)
    moved = twin.copy()
    moved.set_all(shared_values(shared))
    parameters = Parameterization(free_groups(moved, own, hold_out), len(hold_out)) if own else nothing
    second = Problem(moved, hold_out, segments, parameters, noise=noise, estimate_starts=estimate, threads=threads)
    try:
        before = first.predictions(nothing.start)
        if units:
            check_units(twin, hold_out, segments, before)
        if estimate:
            first.settle(nothing.start)
            before = first.predictions(nothing.start)
        found: tuple[FittedParameter, ...] = ()
        if own:
            search(second, parameters.start, "least-squares", 1, 0)
            second.finish()
            slopes = second.jacobian(second.best, DIFFERENCE, central=True)
            residual = unbiased(second)
            certainty = reported(second, slopes, residual, coordinates_confidence(second, slopes, residual))
            plain = fitted(second, parameters.start, certainty)
            found = find_intervals(intervals, second, plain, certainty, slopes, residual, seed=seed).parameters
        else:
            second.settle(second.best)
        after = second.predictions(second.best)
        if units:
            check_units(twin, hold_out, segments, before, after)
        return evaluate(hold_out, segments, before, after, held_out=True), found
    finally:
        first.close()
        second.close()
