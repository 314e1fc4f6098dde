"""Transcripts on pages: commands with what they say, run again as they stand.

    PYTHONPATH=tools python -m docs_site.transcript docs/tutorials/urdf.md ...     runs the pages and writes down what was said

A block ```console holds commands after `$ ` and, below each, what it says; `# exit status 1` behind a command says how it ends. A
block of any language whose first line is a comment with the name of a file, such as `# rover/twin.yaml`, `// hover.c` or
`<!-- rover.urdf -->`, is that file. Both are taken in the order of the page, in one empty folder, as a reader would.

`...` stands for anything. Numbers agree to four digits, and those below 1e-4 are all nothing (a tenth of a millimetre, of a
milliradian): another processor rounds differently in the last bits, which shows where a number is what is left of larger ones.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS = 110  # of the terminal in which everything is said
DIGITS, NOTHING = 1e-4, 1e-4

_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"\A(?:#|//|<!--) (?P<name>[\w./-]+\.\w+)(?: -->)?\n")
_STATUS = re.compile(r"#.*exit status (\d)")
_TOKEN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\.\.\.|\w+|[^\w\s]")

_VARIES = re.compile(r"^(\s+(?:real-time factor|final position(?: of \w+)?|time|cpu) +).*")  # with the machine

Runner = Callable[[str, Path], tuple[int, str]]  # a command and its folder -> exit status and what it said


@dataclass
class Command:
    """A command of a page, how it ends and the lines that it says."""

    line: str
    said: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line, comments=True)

    @property
    def status(self) -> int:
        found = _STATUS.search(self.line)
        return int(found[1]) if found else 0


@dataclass(frozen=True)
class Written:
    """A file that a page shows whole."""

    name: str
    text: str


def steps(page: str) -> Iterator[Written | list[Command]]:
    """What a reader does who follows the text of a page."""
    for fence in _FENCE.finditer(page):
        named = _NAMED.match(fence["text"])
        if fence["language"] == "console":
            yield commands(fence["text"])
        elif named:
            yield Written(named["name"], fence["text"][named.end() :] if "<!--" in named[0] else fence["text"])


def commands(block: str) -> list[Command]:
    found: list[Command] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif found:
            found[-1].said.append(line)
    return found


def follow(page: str, folder: Path, run: Runner) -> Iterator[tuple[Command, int, str]]:
    """Do what a page says, in a folder; every command with the status and the words it really ended with."""
    for step in steps(page):
        if isinstance(step, Written):
            (folder / step.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.name).write_text(step.text, encoding="utf-8")
            continue
        for command in step:
            yield command, *run(command.line, folder)


def in_this_process(line: str, folder: Path) -> tuple[int, str]:
    """Run a command of ours here, which saves its start, and any other in a shell."""
    words = shlex.split(line, comments=True)
    if words[0] != "didymos":
        command = line.replace("python ", f"{shlex.quote(sys.executable)} ", 1) if words[0] == "python" else line
        done = subprocess.run(command, shell=True, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout
    from didymos.cli.main import main

    said, here = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = main(words[1:])
    finally:
        os.chdir(here)
    return status, said.getvalue()


def agrees(expected: list[str], said: str) -> bool:
    """Whether a command said what a page shows, but for the last digits and what `...` leaves open."""
    pieces, piece = [], []
    for token in _TOKEN.findall("\n".join(expected)):
        if token == "...":
            pieces.append(piece)
            piece = []
        else:
            piece.append(token)
    pieces.append(piece)
    tokens = _TOKEN.findall(said)
    if len(pieces) == 1:
        return _same(pieces[0], tokens)
    first, last = pieces[0], pieces[-1]
    if len(first) + len(last) > len(tokens) or not _same(first, tokens[: len(first)]):
        return False
    if last and not _same(last, tokens[len(tokens) - len(last) :]):
        return False
    place, end = len(first), len(tokens) - len(last)
    for middle in pieces[1:-1]:
        while place + len(middle) <= end and not _same(middle, tokens[place : place + len(middle)]):
            place += 1
        if place + len(middle) > end:
            return False
        place += len(middle)
    return True


def _same(expected: list[str], found: list[str]) -> bool:
    return len(expected) == len(found) and all(a == b or _near(a, b) for a, b in zip(expected, found, strict=True))


def _near(expected: str, found: str) -> bool:
    try:
        a, b = float(expected), float(found)
    except ValueError:
        return False
    return math.isclose(a, b, rel_tol=DIGITS) or max(abs(a), abs(b)) < NOTHING


def rewritten(page: str, run: Runner = in_this_process) -> str:
    """The page with what its commands say now; what still agrees stays as it is."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as settings:
        os.environ["DIDYMOS_CONFIG"] = settings  # what is trusted here is gone afterwards
        said = iter(list(follow(page, Path(folder), run)))

    def anew(fence: re.Match[str]) -> str:
        if fence["language"] != "console":
            return fence[0]
        lines: list[str] = []
        for command in commands(fence["text"]):
            found, status, words = next(said)
            if status != command.status:
                print(f"{command.line}: exit status {status}", file=sys.stderr)
            fresh = [_VARIES.sub(r"\1...", line.rstrip()) for line in words.rstrip("\n").splitlines()]
            lines += [f"$ {command.line}", *(found.said if agrees(found.said, words) else fresh)]
        return "```console\n" + "\n".join(lines) + "\n```"

    return _FENCE.sub(anew, page)


if __name__ == "__main__":
    os.environ["COLUMNS"] = str(COLUMNS)
    for name in sys.argv[1:]:
        file = Path(name)
        file.write_text(rewritten(file.read_text(encoding="utf-8")), encoding="utf-8")
