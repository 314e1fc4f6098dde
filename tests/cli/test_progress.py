"""The progress bar: on a terminal and after a while, otherwise not at all."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
from didymos.cli import progress
progress.PATIENCE = {patience}
with progress.progress(10.0, quiet={quiet}) as reached:
    reached(2.0)
    reached(7.5)
"""


def _on_a_terminal(patience, quiet):
    """What a terminal shows on stderr."""
    pty = pytest.importorskip("pty")
    leader, terminal = pty.openpty()
    program = PROGRAM.format(patience=patience, quiet=quiet)
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=terminal, env=environment)
    os.write(terminal, b"<end>")
    shown = b""
    while not shown.endswith(b"<end>"):
        shown += os.read(leader, 65536)
    os.close(leader)
    os.close(terminal)
    assert done.returncode == 0
    assert done.stdout == b""
    return shown.removesuffix(b"<end>").decode()


def test_a_long_run_shows_how_far_it_is():
    assert "7.5 of 10.0 s" in _on_a_terminal(patience=0.0, quiet=False)


@pytest.mark.parametrize(("patience", "quiet"), [(60.0, False), (0.0, True)])
def test_a_short_or_quiet_run_shows_nothing(patience, quiet):
    assert _on_a_terminal(patience, quiet) == ""


def test_a_log_file_gets_no_bar():
    program = PROGRAM.format(patience=0.0, quiet=False)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
