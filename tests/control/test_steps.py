"""Steps of expressions give what numpy gives."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.compiled import kernel
from didymos.control.expression import parse_expression
from didymos.control.steps import STEP, StepBuilder, run_steps
from didymos.errors import InputError
from didymos.native import array_at

SIGNALS = {"a": [2.0], "b": [-0.7], "v": [1.0, -2.0, 3.0], "w": [0.5, 0.25, 4.0]}
_FLOAT = np.dtype(np.float64)


@kernel
def _run(steps: int, count: int, slots: int, size: int) -> None:
    run_steps(steps, count, array_at(slots, size, _FLOAT))


def evaluate(text: str) -> list[float]:
    """The numbers of an expression over `SIGNALS`."""
    places: dict[str, list[int]] = {}
    builder = StepBuilder(lambda path: places[path])
    for name, values in SIGNALS.items():
        places[name] = [builder.slot() for _ in values]
    found = builder.vector(parse_expression(text))
    slots, steps = builder.slots, builder.steps
    for name, values in SIGNALS.items():
        slots[places[name]] = values
    assert steps.dtype == STEP
    _run(steps.ctypes.data, len(steps), slots.ctypes.data, len(slots))
    return [float(slots[slot]) for slot in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 3", [2.0 - 2.1]), ("-a / b", [2.0 / 0.7]), ("a ** 3", [8.0]), ("b ** 2", [0.7 * 0.7]),
        ("abs(v)", [1.0, 2.0, 3.0]), ("norm(v)", [np.sqrt(14.0)]), ("norm(a, b)", [np.hypot(2.0, 0.7)]),
        ("norm(v - [1, -2, 0])", [3.0]), ("sum(v)", [2.0]), ("mean(v)", [2.0 / 3.0]), ("max(v)", [3.0]), ("min(v)", [-2.0]),
        ("max(v, w)", [1.0, 0.25, 4.0]), ("min(a, 1)", [1.0]), ("clip(v, -1, 1)", [1.0, -1.0, 1.0]),
        ("2 * v + w", [2.5, -3.75, 10.0]), ("exp(b)", [np.exp(-0.7)]), ("log(a)", [np.log(2.0)]), ("tanh(b)", [np.tanh(-0.7)]),
        ("sin(a) + cos(a)", [np.sin(2.0) + np.cos(2.0)]), ("atan2(b, a)", [np.arctan2(-0.7, 2.0)]), ("sqrt(a)", [np.sqrt(2.0)]),
        ("wrap(a + 4)", [6.0 - 2 * np.pi]), ("a > 1 and b > 0", [0.0]), ("a > 1 or b > 0", [1.0]), ("not a > 1", [0.0]),
        ("0 < a <= 2", [1.0]), ("a != 2", [0.0]), ("a == 2", [1.0]), ("a >= 3", [0.0]), ("b < 0", [1.0]),
        ("5 if b > 0 else a", [2.0]), ("+a", [2.0]),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_of_its_formula(text: str, expected: list[float]) -> None:
    assert evaluate(text) == pytest.approx(expected, rel=1e-14)


def test_vectors_of_different_lengths_do_not_go_together() -> None:
    with pytest.raises(InputError, match="vectors of 3 and 2 numbers"):
        evaluate("v + [1, 2]")


def test_a_vector_is_no_number() -> None:
    builder = StepBuilder(lambda path: [0, 1, 2])
    with pytest.raises(InputError, match="found 3 numbers, expected one"):
        builder.number(parse_expression("v"))


def test_what_is_written_twice_is_found_once() -> None:
    builder = StepBuilder(lambda path: [0, 1, 2])
    for _ in range(3):
        builder.slot()
    once = builder.vector(parse_expression("norm(v)"))
    count = len(builder.steps)
    assert builder.vector(parse_expression("norm(v)")) == once
    assert len(builder.steps) == count
