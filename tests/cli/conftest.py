"""The command as a user starts it: a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import didymos.cli

SOURCE = str(Path(didymos.cli.__file__).resolve().parents[2])  # an installed package or a checkout, from any folder
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def didymos_command(tmp_path: Path) -> Command:
    """Run `didymos ARGUMENTS` in an empty folder and return what came out."""

    def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "didymos.cli.main", *arguments]
        variables = {**os.environ, "PYTHONPATH": SOURCE, **environment}
        return subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)

    return start
