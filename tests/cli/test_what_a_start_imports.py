"""What a command imports: a start is as fast as the modules that it waits for."""

from __future__ import annotations

from typing import Any

import pytest

VERB = """
import sys
from didymos.cli.main import main
status = main(sys.argv[1:])
print("imported:", *sorted(sys.modules))
sys.exit(status)
"""


def imported(run_python: Any, *arguments: str) -> set[str]:
    done = run_python(VERB, *arguments)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("imported:")[2].split())


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("list",)], ids=" ".join)
def test_help_and_list_wait_for_no_heavy_library(run_python: Any, arguments: tuple[str, ...]) -> None:
    heavy = {"didymos.twin", "matplotlib", "mujoco", "numba", "numpy", "rich", "rosbags", "ruamel.yaml", "scipy", "trimesh"}
    assert not heavy & imported(run_python, *arguments)


@pytest.mark.parametrize("twin", ["quadcopter", "meldog"])
def test_a_run_waits_for_nothing_that_it_does_not_use(run_python: Any, twin: str) -> None:
    modules = imported(run_python, "run", twin, "--seconds", "0.1", "--quiet")
    assert {"mujoco", "numba", "didymos.twin"} <= modules
    heavy = {
        "IPython", "OpenGL", "PIL", "cyclonedds", "glfw.library", "matplotlib", "mcap", "moteus", "mujoco.batch", "mujoco.sysid",
        "numpy.f2py", "pandas", "rich", "rosbags", "scipy.linalg", "scipy.optimize", "scipy.spatial", "trimesh", "unittest",
        "viser", "websockets", "xacro", "xarray",
    }  # fmt: skip
    rooms = {f"didymos.{room}" for room in ("cockpit", "fitting", "ports")}
    assert not (heavy | rooms) & modules


def test_a_module_that_is_imported_late_is_there_when_it_is_used(run_python: Any) -> None:
    code = """
import sys
from didymos.cli.late_import import import_late
import_late("colorsys")
import_late("no_such_module")
import colorsys
assert "rgb_to_hsv" not in vars(colorsys) and "no_such_module" not in sys.modules
assert colorsys.rgb_to_hsv(1.0, 1.0, 1.0) == (0.0, 0.0, 1.0)
import colorsys
assert "rgb_to_hsv" in vars(colorsys)
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr
