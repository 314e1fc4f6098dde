"""Formulas as they are written: what is understood, and what is said of a mistake; nothing of a text is run."""

from __future__ import annotations

import sys

import pytest

from didymos.describe import formula
from didymos.describe.formula import Term, read_formula, wrong_formula
from didymos.describe.formula_text import LONGEST, signals_in, under
from didymos.errors import InputError

pytest.importorskip("rtamt")


def spelt(term: Term) -> str:
    """A term with every operator before its parts."""
    if term.kind in ("constant", "signal"):
        return term.signal or f"{term.value:g}"
    interval = "" if term.end is None else f"[{term.begin:g}:{term.end:g}]"
    return f"{term.kind}{interval}({', '.join(map(spelt, term.of))})"


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("always[10:20](abs(truth.position.z - 1) < 0.02)", "always[10:20](above(0.02, abs(-(truth.position.z, 1))))"),
        ("a.b - 1 - 2 >= 3", "above(-(-(a.b, 1), 2), 3)"),  # rtamt's own listener refuses it
        ("a.b/2 > -1e-3", "above(/(a.b, 2), -0.001)"),  # rtamt's own lexer takes the slash for a letter
        ("'tf.drone/base-x.x' > 1", "above(tf.drone/base-x.x, 1)"),
        ("a.b < 1 + c.d * 2", "above(+(1, *(c.d, 2)), a.b)"),
        ("G[0s:100ms](a.b<1) -> F (c.d>1)", "implies(always[0:0.1](above(1, a.b)), eventually(above(c.d, 1)))"),
        ("!(a.b < 1) & c.d < 1 | a.b < 2", "or(and(not(above(1, a.b)), above(1, c.d)), above(2, a.b))"),
        ("(a.b > 0) until[1,2.5] (c.d > 0)", "until[1:2.5](above(a.b, 0), above(c.d, 0))"),
        ("not " * 150 + "a.b < 1", "not(" * 150 + "above(1, a.b)" + ")" * 150),
        ("always\n  (pow(a.b, 2)\n  < 4)", "always(above(4, pow(a.b, 2)))"),
    ],
)
def test_a_formula_is_understood(text: str, understood: str) -> None:
    assert spelt(read_formula(text).term) == understood


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alway(a.b < 1)", "found 'alway' at character 1 of the formula.*did you mean 'always'"),
        ("always(a.b < 1", "ends too early"),
        ("always[1:2(a.b<1)", "not understood at character 11 "),
        ("always(a.b < 1) c.d", "not understood at character 17 "),
        ("always[5:2](a.b < 1)", "from 5 to 2 s, expected 0 or more and the earlier time first"),
        ("always[1:2s](a.b < 1)", "expected a unit at both times or none"),
        ("a.b == 1", "an equality has no robustness"),
        ("a.b != 1", "an equality has no robustness"),
        ("1 < a.b < 3", "join comparisons by 'and'"),
        ("always(a.b)", "compare it"),
        ("always(1 < 2)", "names no signal"),
        ("a.b < 0x1F", "a number is written as"),
        ("a.b < 1e400", "a number is written as"),
        ("a.b < 1 // and so on", "found '/' at character 9"),
        ("(" * 100 + "a.b < 1" + ")" * 100, "more than 40 brackets"),
        ("not " * 400 + "a.b < 1", "has 400 operators, expected at most 150"),
        ("a.b" + "+a.b" * 151 + "<1", "has 151 operators"),
        ("a.b < 1" + " " * LONGEST, "expected at most 2000"),
        ("from antigravity import x", "found 'from'"),
        ("input float x.y a.b < 1", "found 'input'"),
        ("x.y = 1; a.b < 1", "found '='"),
        ("once[0:1](a.b < 1)", "found 'once'"),
    ],
)
def test_a_mistake_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_formula(text)
    assert "antigravity" not in sys.modules


def test_a_formula_that_reaches_past_the_scenario_is_wrong() -> None:
    assert wrong_formula("always[10:20](a.b < 1)", 20.0) is None
    assert wrong_formula("eventually[0:15](always[0:6](a.b < 1))", 20.0) == (
        "the formula reaches to 21 s, expected within the scenario's 20 s"
    )


def test_signals_get_the_name_of_their_robot() -> None:
    text = "always(truth.tilt < 0.1 and 'tf.a-b.x' > imu.gyro.x)"
    assert signals_in(text) == ("truth.tilt", "tf.a-b.x", "imu.gyro.x")
    assert under("drone", text) == "always('drone.truth.tilt' < 0.1 and 'drone.tf.a-b.x' > 'drone.imu.gyro.x')"


def test_without_the_library_words_are_still_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    read_formula.cache_clear()
    formula._without_library.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("rtamt", "antlr4")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Missing(), *sys.meta_path])
    assert wrong_formula("always(a.b < 1", 1.0) is None  # its brackets are the library's to see
    assert "alway" in (wrong_formula("alway(a.b < 1)", 1.0) or "")
    with pytest.raises(InputError, match=r"needs rtamt; install it with: pip install 'didymos\[stl\]'"):
        read_formula("always(a.b < 1)")
    formula._without_library.cache_clear()


class _Missing:
    """An importer that finds no rtamt."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in ("rtamt", "antlr4"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
