"""The places of a file at which a sign, a constant or a comparison can be mutated, and a text with one mutation.

    sign         a + b -> a - b, a - b -> a + b, -a -> a
    constant     c -> 1.5 c; 0.0 -> 1.0
    comparison   a < b -> a > b and the like, min <-> max

Left out are subscripts, `range`, declarations, error messages, and constants below 1e-6 (guards against a division by zero,
which nobody can tell from one another).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = ["Mutation", "mutated", "places_in"]

GUARD = 1e-6

_FLIPPED = {ast.Add: "-", ast.Sub: "+", ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<="}
_WRITTEN = {ast.Add: "+", ast.Sub: "-", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


@dataclass(frozen=True)
class Mutation:
    """`was` becomes `becomes` at a line and column (bytes, from 0) of a file."""

    file: str  # below src/didymos
    line: int
    column: int
    was: str
    becomes: str
    what: str  # sign, constant or comparison
    code: str  # the line as it stands


class _Places(ast.NodeVisitor):
    """Every place of a file that can be mutated."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.lines = file, text.splitlines()
        self.found: list[Mutation] = []
        self._in_function = 0

    def _add(self, line: int, column: int, was: str, becomes: str, what: str) -> None:
        self.found.append(Mutation(self.file, line, column, was, becomes, what, self.lines[line - 1].strip()))

    def _between(self, left: ast.expr, right: ast.expr, sign: str) -> tuple[int, int] | None:
        """Where an operator stands, of those that stand on one line with the end of its left side."""
        line, column = left.end_lineno or 0, left.end_col_offset or 0
        rest = self.lines[line - 1].encode()[column:].decode()
        head = rest.partition(sign)[0]
        if sign in rest and not head.strip(" )"):
            return line, column + len(head.encode())
        if not rest.strip(" )"):  # the operator begins the next line
            following = self.lines[line]
            if following.strip().startswith(sign):
                return line + 1, len(following) - len(following.lstrip())
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._in_function += 1
        for statement in node.body:
            is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not is_docstring:
                self.visit(statement)
        self._in_function -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                self.visit(statement)

    def visit_Raise(self, node: ast.Raise) -> None:
        return

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "range" or (name and not self._in_function):  # a declaration
            return
        if name in ("min", "max") and len(node.args) > 1:
            self._add(node.func.lineno, node.func.col_offset, name, "max" if name == "min" else "min", "comparison")
        for argument in node.args:
            self.visit(argument)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        words = any(isinstance(side, ast.JoinedStr | ast.List | ast.Tuple) for side in (node.left, node.right)) or any(
            isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, node.right)
        )
        if type(node.op) in (ast.Add, ast.Sub) and not words:
            where = self._between(node.left, node.right, _WRITTEN[type(node.op)])
            if where:
                self._add(*where, _WRITTEN[type(node.op)], _FLIPPED[type(node.op)], "sign")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in (ast.Add, ast.Sub):
            sign = _WRITTEN[type(node.op)]
            where = self._between(node.target, node.value, sign + "=")
            if where:
                self._add(*where, sign, _FLIPPED[type(node.op)], "sign")
        self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and type(node.ops[0]) in _WRITTEN:
            sign = _WRITTEN[type(node.ops[0])]
            where = self._between(node.left, node.comparators[0], sign)
            if where:
                self._add(*where, sign, _FLIPPED[type(node.ops[0])], "comparison")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub) and self._in_function:
            self._add(node.lineno, node.col_offset, "-", " ", "sign")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, float) and not 0.0 < abs(node.value) < GUARD and node.lineno == node.end_lineno:
            was = self.lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
            self._add(node.lineno, node.col_offset, was, repr(1.5 * node.value) if node.value else "1.0", "constant")


def places_in(file: str, text: str) -> list[Mutation]:
    """All mutations of a file, given its name below `src/didymos` and its text."""
    visitor = _Places(file, text)
    visitor.visit(ast.parse(text))
    return visitor.found


def mutated(text: str, mutation: Mutation) -> str:
    """The text of a file with a mutation."""
    lines = text.splitlines(keepends=True)
    line = lines[mutation.line - 1].encode()
    was, start = mutation.was.encode(), mutation.column
    assert line[start : start + len(was)] == was, mutation
    lines[mutation.line - 1] = (line[:start] + mutation.becomes.encode() + line[start + len(was) :]).decode()
    return "".join(lines)
