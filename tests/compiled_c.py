"""C files beside the tests, compiled; a test that needs one is skipped where there is no compiler."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

__all__ = ["compiled", "freed_counts"]


def compiled(source: Path, target: Path, *options: str) -> Path:
    """What a C compiler makes of a file."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    subprocess.run([compiler, *options, "-o", str(target), str(source), "-ldl"], check=True, timeout=120)
    return target


def freed_counts(folder: Path) -> Path:
    """A library that, loaded before all others, lets a process fall which counts references on memory that is gone."""
    return compiled(Path(__file__).with_name("freed_counts.c"), folder / "counts.so", "-shared", "-fPIC", "-O2")
