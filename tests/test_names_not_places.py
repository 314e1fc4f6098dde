"""At the compiled boundary numbers have names, not places: no positional subscript, no hand-numbered layout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import didymos

ROOMS = ("model", "control", "parts", "sensors", "engine")
RECORDS = {"gains", "settings", "state", "measured", "memory", "inputs", "setpoints", "estimate"}
SOURCE = Path(didymos.__file__).parent
FILES = [pytest.param(path, id=str(path.relative_to(SOURCE))) for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]


def _name(node: ast.expr) -> str:
    """The last word of a name or an attribute: `memory`, `self.memory`; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_place(node: ast.expr) -> bool:
    """Whether an expression is made of whole numbers and ALL_CAPS constants, of at least one of them."""
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _name(node).isupper()
    if isinstance(node, ast.UnaryOp):
        return _is_place(node.operand)
    if isinstance(node, ast.BinOp):  # `MEMORY + i` starts at a place, whatever i is
        return _is_place(node.left) or _is_place(node.right)
    if isinstance(node, ast.Slice):  # `start : start + 3` begins at something that has a name
        end = node.lower or node.upper
        return end is not None and _is_place(end)
    if isinstance(node, ast.Tuple):
        return any(map(_is_place, node.elts))
    return False


def positional_subscripts(tree: ast.AST) -> Iterator[ast.Subscript]:
    """Records that are read or written by a place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _name(node.value) in RECORDS and _is_place(node.slice):
            yield node


def numbered_layouts(tree: ast.AST) -> Iterator[ast.Assign]:
    """Names that are given the numbers from 0 on, `X, Y, Z = range(3)`; numbers of listed words, `range(len(WORDS))`, may be."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not any(isinstance(target, ast.Tuple) for target in node.targets):
            continue
        if isinstance(node.value, ast.Call) and _name(node.value.func) == "range" and any(map(_is_place, node.value.args)):
            yield node


def pointers(tree: ast.AST) -> Iterator[ast.Name]:
    """Arrays that are made from a pointer, whose numbers only places can tell apart."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "carray":
            yield node


def _said(source: str, nodes: Iterator[ast.Subscript] | Iterator[ast.Assign] | Iterator[ast.Name]) -> list[str]:
    return [f"line {node.lineno}: {ast.get_source_segment(source, node)}" for node in nodes]


@pytest.mark.parametrize("path", FILES)
def test_records_are_read_and_written_by_name(path: Path) -> None:
    source = path.read_text()
    assert _said(source, positional_subscripts(ast.parse(source))) == []


@pytest.mark.parametrize("path", FILES)
def test_no_layout_is_numbered_by_hand(path: Path) -> None:
    source = path.read_text()
    assert _said(source, numbered_layouts(ast.parse(source))) == []


@pytest.mark.parametrize("path", [each for each in FILES if not str(each.id).startswith("engine")])
def test_kinds_are_handed_records_not_pointers(path: Path) -> None:
    source = path.read_text()
    assert _said(source, pointers(ast.parse(source))) == []


@pytest.mark.parametrize(
    "place",
    [
        "gains[3]",
        "self.memory[MEMORY + 5]",
        "state[at.UP + i]",
        "measured[6 + 3 * leg : 9]",
        "inputs[-1]",
        "settings[0, 1]",
        "state[:3]",
    ],
)
def test_a_place_is_seen_for_what_it_is(place: str) -> None:
    assert len(list(positional_subscripts(ast.parse(place)))) == 1


@pytest.mark.parametrize(
    "name",
    [
        "memory.force[2]",
        "measured['imu.gyro.x']",
        "inputs[i]",
        "settings[name]",
        "self.state[part.start]",
        "gains.table[AXIS]",
        "state[start : start + 3]",
    ],
)
def test_a_name_is_none(name: str) -> None:
    assert not list(positional_subscripts(ast.parse(name)))
