"""The ratio of causes against none: honest about chance, right about sizes."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
import pytest

from didymos.shadow.causes import Cause
from didymos.shadow.glr import Glr
from didymos.shadow.hypotheses import _WORST, _Trial


def white(steps: int, seed: int, shift: float = 0.0, at: int = 0) -> tuple[Glr, list[float]]:
    """A scalar state that is measured: x+ = 0.9 x, z = x + v; a bias `shift` of the readings begins with step `at`."""
    generator = np.random.default_rng(seed)
    glr = Glr(1, np.array([10.0]), period=0.5, window=6.0)
    transition, observed, gain, variance = np.array([[0.9]]), np.array([[1.0]]), np.array([[0.3]]), 1.5
    inverse, error, best = np.array([[1.0 / variance]]), 0.0, []
    for k in range(steps):
        bias = shift if k >= at else 0.0
        nu = observed[0, 0] * error + bias
        glr.update(
            0.1 * k, transition, np.zeros((1, 1)), observed, np.array([[1.0]]), gain, inverse,
            np.array([nu + generator.normal(0.0, math.sqrt(variance))]),
        )  # fmt: skip
        error = transition[0, 0] * error - gain[0, 0] * nu
        best.append(float(glr.ratios()[0].max()))
    return glr, best


def test_chance_alone_exceeds_a_threshold_as_seldom_as_it_may() -> None:
    """With begins twice a second over 10 s, P(any Bayes factor > 1/a) <= 20 a (Ville, and a union): a = 0.005 gives 10 %."""
    runs, allowed = 200, 0.1
    exceeded = sum(max(white(100, seed)[1]) > math.log(20.0 / allowed) for seed in range(runs))
    assert exceeded <= runs * allowed + 3.0 * math.sqrt(runs * allowed)


@pytest.mark.parametrize("shift", [6.0, -6.0])
def test_a_change_is_found_with_its_size_and_begin(shift: float) -> None:
    glr, _ = white(90, 7, shift, at=40)
    gains, _ = glr.ratios()
    begin = int(gains[:, 0].argmax())
    size, sd = glr.size(begin, 0)
    around = sorted(range(len(glr.begins)), key=lambda i: abs(glr.begins[i] - 4.0))[:2]
    assert begin in around  # of the begins that are tried
    assert size == pytest.approx(shift, abs=4.0 * sd)
    assert gains.max() > 10.0


def test_a_cause_of_one_sign_is_not_found_with_the_other() -> None:
    glr, _ = white(90, 7, -3.0, at=40)
    glr.signs = np.array([1])
    assert glr.ratios()[0].max() < 0.5


def test_wild_readings_count_less_and_sizes_stay() -> None:
    one, half = Glr(1, np.array([1.0])), Glr(1, np.array([1.0]))
    arguments = (np.eye(1), np.zeros((1, 1)), np.eye(1), np.eye(1), 0.1 * np.eye(1), np.eye(1), np.array([3.0]))
    for k in range(5):
        one.update(0.01 * k, *arguments)
        half.update(0.01 * k, *arguments, weight=0.5)
    assert half.information == pytest.approx(0.5 * one.information)
    assert half.score / half.information == pytest.approx(one.score / one.information)


def test_a_cause_with_which_the_twin_cannot_run_at_any_size_is_left_and_the_search_ends() -> None:
    tried = []

    def gain(_cause: Cause, size: float, _since: int) -> Generator[None, None, float]:
        tried.append(size)
        yield
        return _WORST

    trial = _Trial(Cause("mass", "link", "1", 0.1), 0, 3, gain)
    for _ in (*trial.begin(0.2), *trial.refine([3, 5])):
        pass
    assert tried == [0.2, 0.1, 0.4, 0.2]  # from the linear size on, the usual one, doubled; then from another begin
    assert trial.best.gain <= _WORST
