"""What only Unix has: every module can be imported without it, and what needs it says so in one sentence."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from didymos.describe.formats import xacro_child
from didymos.errors import InputError
from didymos.ports.gamepad.source import open_source
from didymos.ports.moteus.host import Host
from didymos.ports.moteus.terminal import Terminal

UNIX_ONLY = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")

# Modules that import them at once: to be mended. A line that is mended has to be taken out here; no line may come in.
AT_ONCE: set[str] = set()

PROGRAM = f"""
import builtins, importlib, pkgutil
import didymos

plain = builtins.__import__

def block(name, where=None, *rest):
    if name.partition(".")[0] in {UNIX_ONLY!r} and (where or {{}}).get("__name__", "").partition(".")[0] == "didymos":
        raise ImportError(f"blocked: {{name}}")
    return plain(name, where, *rest)

builtins.__import__ = block
for module in pkgutil.walk_packages(didymos.__path__, "didymos.", onerror=lambda name: None):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        print(module.name, error)
"""


def test_every_module_can_be_imported_on_a_system_that_is_no_unix() -> None:
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=250, check=True)
    assert {line.split()[0] for line in found.stdout.splitlines()} == AT_ONCE


@pytest.mark.parametrize(
    ("module", "use", "purpose"),
    [
        ("tty", lambda folder: Terminal(), "a pseudo-terminal"),
        ("termios", lambda folder: Host(folder / "wire"), "a serial line"),
        ("fcntl", lambda folder: open_source(Path("/dev/null")), "a gamepad of the kernel"),
    ],
)
def test_what_is_missing_elsewhere_is_said_in_one_sentence(
    module: str, use: Callable[[Path], object], purpose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=f"^{purpose} needs a Unix system: Python has no module '{module}' here$"):
        use(tmp_path)


def test_a_xacro_file_is_not_expanded_where_its_memory_cannot_be_bounded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"file": "robot.xacro", "arguments": {}, "packages": {}})))
    xacro_child.main()
    assert json.loads(capsys.readouterr().out)["error"] == "it is a program, and only a Unix system can bound its memory"
