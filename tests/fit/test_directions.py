"""Combinations that recordings do not tell apart are found and named by what stays the same along them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from didymos.fitting.directions import Known, unknown_directions

TIME = np.linspace(0.0, 3.0, 60)
Model = Callable[[float, float], np.ndarray]


def known(value: float, name: str, unit: str = "kg") -> Known:
    return Known(name, unit, value, 0.25 * value, 3.0 * value)


def directions(model: Model, a: Known, b: Known, noise: float = 1e-3) -> list[str]:
    """What is said of a model of two numbers whose samples have noise."""
    columns = []
    for first, second in ((1e-4 * (a.high - a.low), 0.0), (0.0, 1e-4 * (b.high - b.low))):
        up, down = model(a.value + first, b.value + second), model(a.value - first, b.value - second)
        columns.append((up - down) / 2e-4)
    jacobian = np.column_stack(columns)
    covariance = noise**2 * np.linalg.pinv(jacobian.T @ jacobian, rcond=1e-15)
    return [item.text for item in unknown_directions((a, b), jacobian, covariance)]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (lambda a, b: a * b * TIME, "known only together: only their product is, 6"),
        (lambda a, b: a / b * TIME, "known only together: only their ratio is, 1.5"),
        (lambda a, b: (a + b) * TIME, "known only together: only their sum is, 5 kg"),
        (lambda a, b: np.sin((a - b) * TIME), "known only together: only their difference is, 1 kg"),
        (lambda a, b: a * b**2 * TIME, "known only together: only first times second^2 is, 12"),
        (lambda a, b: a**2 / b * TIME, "known only together: only first^2 over second is, 4.5"),
        (lambda a, b: a * TIME + 0.0 * b, "nothing is known of second"),
    ],
)
def test_what_stays_the_same_has_a_name(model: Model, said: str) -> None:
    (text,) = directions(model, known(3.0, "first"), known(2.0, "second"))
    assert said in text


def test_numbers_that_are_told_apart_are_left_alone() -> None:
    assert directions(lambda a, b: a * TIME + b * np.sin(5.0 * TIME), known(3.0, "first"), known(2.0, "second")) == []


def test_a_direction_that_noise_hides_is_unknown_too() -> None:
    def nearly(a: float, b: float) -> np.ndarray:
        return a * b * TIME + 1e-4 * a * np.sin(5.0 * TIME)

    assert "only their product" in directions(nearly, known(3.0, "first"), known(2.0, "second"), noise=1e-3)[0]
    assert directions(nearly, known(3.0, "first"), known(2.0, "second"), noise=1e-7)[0].count("correlation") == 1


def test_three_that_are_one_are_told_as_a_move() -> None:
    items = (known(3.0, "a"), known(2.0, "b"), known(1.0, "c"))
    jacobian = np.outer(TIME, [1.0, 2.0, -1.0])
    texts = [item.text for item in unknown_directions(items, jacobian, np.zeros((3, 3)))]
    assert len(texts) == 2  # a plane of them
    assert all("known only together" in text for text in texts)
