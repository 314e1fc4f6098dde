"""The rooms of ARCHITECTURE.md: a room uses those above it, never those below; flags of the command line live in `cli/` only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import didymos
from didymos.cli.main import app

PACKAGE = Path(didymos.__file__).parent
ARCHITECTURE = Path(__file__).resolve().parents[1] / "ARCHITECTURE.md"

# The front door stands below all rooms but the command line: it hands out the public names, and joins a twin to the engine.
FRONT = {"__main__.py", "__init__.py", "environments.py", "twin.py", "world.py"}

# What is still to be mended, by name. A line that is mended has to be taken out here; no line may come in.
UPWARD: set[tuple[str, str]] = set()
FLAGS = {
    ("describe/schema.py", "--firmware"),
    ("engine/intervention.py", "--interventions"),
    ("engine/intervention.py", "--scenario"),
    ("engine/intervention.py", "--seconds"),
    ("engine/intervention.py", "--seed"),
    ("engine/intervention.py", "--set"),
    ("engine/intervention.py", "--variant"),
}


def rooms() -> list[str]:
    """The rooms, the highest first, as the table of ARCHITECTURE.md has them."""
    return re.findall(r"^\| `(\w+)/` \|", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)


def sources() -> Iterator[tuple[str, ast.Module, str]]:
    """Path below the package, syntax tree and text of every module."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        yield file.relative_to(PACKAGE).as_posix(), ast.parse(text), text


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules of ours that a tree imports when it runs, wherever in it; what only a type checker sees is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in node.orelse:
                yield from imported(other)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("didymos."))
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module == "didymos":
                yield from (f"didymos.{alias.name}" for alias in node.names)
            elif node.module.startswith("didymos."):
                yield node.module
        else:
            yield from imported(node)


def room_of(module: str) -> str:
    return module.removeprefix("didymos.").partition(".")[0]


def test_every_folder_of_the_package_is_a_room_of_the_table() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(rooms())


def test_no_room_imports_one_below_it() -> None:
    order = {room: i for i, room in enumerate(rooms())}
    upward = {
        (file, module)
        for file, tree, _ in sources()
        if "/" in file
        for module in imported(tree)
        if room_of(module) in order and order[room_of(module)] > order[file.partition("/")[0]]
    }
    assert upward == UPWARD


def test_what_stands_above_all_rooms_imports_none() -> None:
    of_rooms = {
        (file, module)
        for file, tree, _ in sources()
        if "/" not in file and file not in FRONT
        for module in imported(tree)
        if room_of(module) in rooms()
    }
    assert of_rooms == set()


def test_no_room_but_the_command_line_uses_the_front_door() -> None:
    users = {
        file
        for file, tree, _ in sources()
        if not file.startswith("cli/") and file not in FRONT
        for module in imported(tree)
        if module == "didymos.twin"
    }
    assert users == set()


def every_verb(group: Any) -> Iterator[Any]:
    """All verbs of the command line, those below others as well."""
    for verb in group.commands.values():
        yield from every_verb(verb) if hasattr(verb, "commands") else [verb]


def test_a_flag_of_the_command_line_is_named_in_its_own_room_only() -> None:
    verbs = every_verb(typer.main.get_command(app))
    spelt = (name for verb in verbs for item in verb.params for name in (*item.opts, *item.secondary_opts))
    flags = {name for name in spelt if name.startswith("--")}
    assert {"--record", "--set", "--real-time"} <= flags
    named = {
        (file, flag)
        for file, _, text in sources()
        if not file.startswith("cli/")
        for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) & flags
    }
    assert named == FLAGS
