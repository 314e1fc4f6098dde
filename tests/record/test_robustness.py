"""Robustness of formulas: against an evaluator that goes sample by sample, against rtamt's own, and against closed forms."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from didymos.describe.formula import Term, read_formula
from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout
from didymos.record.robustness import Robustness, robustness

rtamt = pytest.importorskip("rtamt")

STEP = 0.1  # [s] of the random signals


def log_of(time: np.ndarray, unit: str = "m", **signals: np.ndarray) -> Log:
    """A log with a stream `s` whose columns are these signals."""
    log = Log([StreamLayout("s", Kind.SCALARS, tuple(signals), (unit,) * len(signals))])
    log.append(0, time, np.column_stack(list(signals.values())))
    return log


def found(text: str, log: Log) -> Robustness:
    result = robustness(read_formula(text), log)
    assert result is not None
    return result


# an evaluator of its own: dense time, signals that hold, sample by sample, windows cut where a term is no longer known


def slow(term: Term, time: list[float], values: dict[str, list[float]], i: int, end: float) -> float | None:
    """Robustness of a term at sample i; None where it is not known."""
    if term.kind == "above":
        left, right = (number(item, values, i) for item in term.of)
        return left - right

    def at(which: int, j: int) -> float | None:
        return slow(term.of[which], time, values, j, end)

    if term.kind in ("always", "eventually", "until"):
        known = [j for j in range(i, len(time)) if all(at(which, j) is not None for which in range(len(term.of)))]
        if not known:
            return None
        window = known
        if term.end is not None:
            assert term.begin is not None
            if time[i] + term.end > end - max(item.horizon for item in term.of) + 1e-9:
                return None
            first = max(j for j in range(i, len(time)) if time[j] <= time[i] + term.begin + 1e-9)
            last = max(j for j in range(i, len(time)) if time[j] <= time[i] + term.end + 1e-9)
            window = [j for j in known if first <= j <= last]
        if term.kind == "until":
            held = [min([at(1, j), *(at(0, k) for k in range(i, j))]) for j in window]
            return max(held)
        return (min if term.kind == "always" else max)(at(0, j) for j in window)
    parts = [at(which, i) for which in range(len(term.of))]
    if any(part is None for part in parts):
        return None
    first, second = parts[0], parts[-1]
    return {
        "not": lambda: -first,
        "and": lambda: min(first, second),
        "or": lambda: max(first, second),
        "implies": lambda: max(-first, second),
        "iff": lambda: min(max(-first, second), max(first, -second)),
        "xor": lambda: max(min(first, -second), min(-first, second)),
    }[term.kind]()


def number(term: Term, values: dict[str, list[float]], i: int) -> float:
    if term.kind == "constant":
        return term.value
    if term.kind == "signal":
        return values[term.signal][i]
    parts = [number(item, values, i) for item in term.of]
    return {
        "+": lambda: parts[0] + parts[1], "-": lambda: parts[0] - parts[1], "*": lambda: parts[0] * parts[1],
        "/": lambda: parts[0] / parts[1], "abs": lambda: abs(parts[0]), "pow": lambda: parts[0] ** parts[1],
        "sqrt": lambda: math.sqrt(parts[0]), "exp": lambda: math.exp(parts[0]),
    }[term.kind]()  # fmt: skip


def drawn_formula(draw: random.Random, depth: int, *, of_rtamt: bool) -> str:
    """A random formula over s.a and s.b; `of_rtamt` leaves out what rtamt understands otherwise."""
    if depth == 0:
        side = draw.choice(["s.a", "s.b", "abs(s.a - s.b)", "(s.a + (2 * s.b))", "pow(s.a, 2)", "(s.b / 3)"])
        return f"({side} {draw.choice(['<', '<=', '>', '>='])} {draw.uniform(-1, 1):.3f})"
    one, other = (drawn_formula(draw, depth - 1, of_rtamt=of_rtamt) for _ in range(2))
    begin = draw.randrange(0, 5) * STEP
    interval = f"[{begin:.1f}:{begin + draw.randrange(0, 6) * STEP:.1f}]"
    if not of_rtamt and draw.random() < 0.3:
        interval = ""
    joined = ["and", "or", "implies"] if of_rtamt else ["and", "or", "implies", "iff", "xor"]
    return draw.choice([
        f"(always{interval} {one})", f"(eventually{interval} {one})", f"({one} until{interval} {other})", f"(not {one})",
        f"({one} {draw.choice(joined)} {other})",
    ])  # fmt: skip


def test_random_formulas_have_the_robustness_of_an_evaluator_that_goes_sample_by_sample() -> None:
    unknown = 0
    for seed in range(300):
        draw = random.Random(seed)
        uneven = np.cumsum([0.0, *(STEP * draw.choice([1, 1, 2]) for _ in range(draw.randrange(3, 24)))])
        signals = {name: np.array([draw.uniform(-1, 1) for _ in uneven]) for name in "ab"}
        formula = read_formula(drawn_formula(draw, draw.randrange(1, 4), of_rtamt=False))
        end = float(uneven[-1] + np.median(np.diff(uneven)))
        values = {f"s.{name}": list(map(float, signal)) for name, signal in signals.items()}
        expected = slow(formula.term, list(map(float, uneven)), values, 0, end)
        result = robustness(formula, log_of(uneven, **signals))
        if expected is None:
            unknown += 1
            assert result is None, formula.text
        else:
            assert result is not None, formula.text
            assert result.value == pytest.approx(expected, abs=1e-12), formula.text
    assert 0 < unknown < 200  # both happen


def test_random_formulas_with_intervals_have_the_robustness_that_rtamt_finds() -> None:
    for seed in range(60):
        draw = random.Random(1000 + seed)
        time = np.arange(40) * STEP
        signals = {name: np.array([draw.uniform(-1, 1) for _ in time]) for name in "ab"}
        text = drawn_formula(draw, draw.randrange(1, 4), of_rtamt=True)
        specification = rtamt.StlDiscreteTimeOfflineSpecification()
        for name in signals:
            specification.declare_var(name, "float")
        specification.set_sampling_period(100, "ms", 0.1)
        specification.spec = text.replace("s.a", "a").replace("s.b", "b").replace(")/", ") /").replace("b / 3", "b / 3.0")
        specification.parse()
        theirs = specification.evaluate({"time": list(range(40)), **{k: list(map(float, v)) for k, v in signals.items()}})
        assert found(text, log_of(time, **signals)).value == pytest.approx(theirs[0][1], abs=1e-12), text


def test_a_sine_has_the_robustness_of_its_closed_form() -> None:
    time = np.arange(0.0, 10.0, 0.01)
    log = log_of(time, z=np.sin(time))
    slack = 0.01  # |d sin/dt| <= 1, a sample every 0.01 s
    assert found("always(s.z < 1.5)", log).value == pytest.approx(0.5, abs=slack)
    assert found("always[0:1](s.z < 1)", log).value == pytest.approx(1 - math.sin(1.0), abs=slack)
    assert found("eventually[2:3](s.z > 0.9)", log).value == pytest.approx(math.sin(2.0) - 0.9, abs=slack)
    assert found("(s.z < 0.9) until[0:2] (s.z > 0.5)", log).value == pytest.approx(0.2, abs=slack)  # max min(0.9 - z, z - 0.5)
    nested = found("always[0:5](eventually[0:1](s.z > 0))", log).value  # least of the next second's largest, at t = 4 + ...
    lowest = min(max(math.sin(t + x / 1000) for x in range(1001)) for t in np.arange(0.0, 5.0, 0.001))
    assert nested == pytest.approx(lowest, abs=2 * slack)


def test_signals_of_different_rates_hold_their_values() -> None:
    log = Log([StreamLayout(name, Kind.SCALARS, ("x",), ("m",)) for name in ("fast", "slow")])
    log.append(0, np.arange(0.0, 2.0, 0.1), np.arange(20.0)[:, None])
    log.append(1, np.array([0.5, 1.5]), np.array([[10.0], [0.0]]))
    # slow is 10 until 1.5 s (its first value before 0.5 s), then 0; fast is 10 t
    assert found("always[0:1.4](fast.x < slow.x + 5)", log).value == pytest.approx(1.0)
    assert found("always[0:1.5](fast.x < slow.x + 5)", log).value == pytest.approx(-10.0)
    assert found("always[1.5:1.5](fast.x < slow.x + 5)", log).time == 1.5
    assert found("eventually[1.45:1.45](slow.x > 0)", log).value == 10.0  # the sample that holds then


def test_samples_that_are_no_number_are_left_out() -> None:
    values = np.array([1.0, np.nan, 3.0, np.nan])
    log = log_of(np.arange(4.0), x=values)
    assert found("always(s.x < 4)", log).value == 1.0
    assert found("eventually[1:1](s.x > 0)", log).value == 1.0
    assert robustness(read_formula("always(s.x < 4)"), log_of(np.arange(4.0), x=np.full(4, np.nan))) is None


def test_a_log_that_ends_before_the_formula_is_known_has_no_robustness() -> None:
    log = log_of(np.arange(0.0, 5.0, 0.01), x=np.zeros(500))
    assert found("always[0:5](s.x < 1)", log).value == 1.0  # the last sample holds until 5 s
    assert robustness(read_formula("always[0:5.02](s.x < 1)"), log) is None
    assert robustness(read_formula("eventually[0:3](always[0:3](s.x < 1))"), log) is None


def test_an_operator_without_interval_ranges_over_the_times_at_which_its_operand_is_known() -> None:
    time = np.arange(0.0, 10.0, 0.1)
    log = log_of(time, x=np.where(time > 9.0, 1.0, 0.0))  # a rise at the end, whose answer would come after it
    assert found("always((s.x > 0.5) implies eventually[0:2](s.x < 0.5))", log).value == 0.5


def test_the_unit_is_that_of_all_comparisons() -> None:
    log = Log([StreamLayout("s", Kind.SCALARS, ("x", "y", "w"), ("m", "m", "rad/s"))])
    log.append(0, np.arange(3.0), np.ones((3, 3)))
    assert found("always(s.x < 2)", log).unit == "m"
    assert found("always(sqrt(s.x * s.x + pow(s.y, 2)) < 2 and 2 * s.y > 1)", log).unit == "m"
    assert found("always(s.x / s.w < 2)", log).unit == "1"
    assert found("always(s.x < 2) and always(s.w < 2)", log).unit == "1"
    assert found("always(s.x + s.w < 3)", log).unit == "1"


def test_the_time_is_that_of_the_sample_that_decides() -> None:
    time = np.arange(0.0, 10.0, 0.5)
    log = log_of(time, x=-np.abs(time - 6.5))
    assert found("always(s.x < -1)", log).time == 6.5
    assert found("always[0:3](s.x < -1)", log).time == 3.0
    assert found("not eventually(s.x > -1)", log).time == 6.5
    assert found("(s.x > -3) implies (s.x < -8)", log).time == 0.0


def test_a_signal_that_the_log_does_not_have_is_named_with_its_nearest() -> None:
    with pytest.raises(InputError, match=r"no signal 's.xx' in this log, did you mean 's.x'"):
        robustness(read_formula("always(s.xx < 1)"), log_of(np.arange(3.0), x=np.ones(3)))
