"""What a newcomer does: sdist and wheel, an environment of its own with the wheel, README and the tutorials, line by line.

The pages are followed as they stand, in empty folders, by the command that the wheel installed, and say what is shown there.
Compiled kernels are those of all tests: they do not depend on where the package is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs_site.transcript import COLUMNS, agrees, follow

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted(set((ROOT / "docs" / "tutorials").glob("*.md")) - {ROOT / "docs" / "tutorials" / "README.md"})
EXTRAS = "fit,rl"  # what the tutorials say that they need
LIGHT = 450_000_000  # [byte] of all that the core installs; pip adds its byte code, a fifth more
pytestmark = pytest.mark.timeout(1800)  # a page is a dozen processes, each of which waits for a busy machine
SDIST = "import setuptools.build_meta as backend; backend.build_sdist('dist')"


@dataclass(frozen=True)
class Newcomer:
    """An environment with nothing but the wheel and what it brings; the files it was made of."""

    folder: Path
    sdist: Path
    wheel: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        terminal = {"COLUMNS": str(COLUMNS), "PYTHONUNBUFFERED": "1"}  # what is said comes in the order in which it is said
        return kept | terminal | {"PATH": path, "DIDYMOS_CONFIG": str(self.folder / "config")}

    def run(self, line: str, folder: Path) -> tuple[int, str]:
        """A command of a page: its status and all that it said."""
        done = subprocess.run(
            line, shell=True, cwd=folder, env=self.environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout

    def follow(self, page: Path, folder: Path) -> None:
        """Do what a page says; every command ends and says what is shown."""
        steps = 0
        for command, status, said in follow(page.read_text(encoding="utf-8"), folder, self.run):
            assert status == command.status, f"{command.line}\n{said}"
            assert agrees(command.said, said), f"{command.line}\nshown:\n" + "\n".join(command.said) + f"\nsaid:\n{said}"
            steps += 1
        assert steps, f"{page} has no command"


def install(python: Path, *what: str) -> None:
    asked = [python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", "-c", ROOT / "constraints.txt"]
    done = subprocess.run([*asked, *what], capture_output=True, text=True, cwd=python.parent)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """Sdist from a copy of the source, wheel from the sdist, environment from the wheel."""
    place = tmp_path_factory.mktemp("newcomer")
    tree, folder, dist = place / "tree", place / "venv", place / "tree" / "dist"
    tree.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install(python, "setuptools>=77")
    made = subprocess.run([python, "-c", SDIST], cwd=tree, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (sdist,) = dist.glob("*.tar.gz")
    pip = [python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", "dist", sdist]
    made = subprocess.run(pip, cwd=tree, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (wheel,) = dist.glob("*.whl")
    before = size_of(folder)
    install(python, str(wheel))
    assert size_of(folder) - before < LIGHT
    return Newcomer(folder, sdist, wheel)


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")


def test_sdist_and_wheel_hold_every_file_of_the_package(newcomer: Newcomer) -> None:
    source = ROOT / "src"
    files = {file.relative_to(source).as_posix() for file in (source / "didymos").rglob("*") if file.is_file()}
    ours = {name for name in files if "__pycache__" not in name}
    with zipfile.ZipFile(newcomer.wheel) as wheel:
        assert ours <= set(wheel.namelist())
    with tarfile.open(newcomer.sdist) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"src/{name}" for name in ours} | {"pyproject.toml", "README.md", "LICENSE"} <= inside


def test_the_first_screens_of_the_readme(newcomer: Newcomer, tmp_path: Path) -> None:
    newcomer.follow(ROOT / "README.md", tmp_path)
    made = {"climb.mcap", "climb.png", "climb.gif", "heavy.mcap", "both.png", "inputs.png", "flight.html", "pendulum", "move.png"}
    assert made <= {file.name for file in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("fit power_unit sine.csv --parameters parts.drive.coulomb", "fit"),
        ("sweep quadcopter --vary links.body_FLU.mass=0.5:0.7 --runs 2", "fit"),
        ("cockpit quadcopter --no-browser", "cockpit"),
        ("train quadcopter --task hover --method cma", "rl"),
        ("serve quadcopter --port ros2", "ros2"),
        ("serve quadcopter --port mavlink", "mavlink"),
        ("serve quadcopter --port foxglove", "foxglove"),
        ("export fmu quadcopter -o quadcopter.fmu", "fmi"),
        ("crosscheck quadcopter", "crosscheck"),
        ("polar naca2412 -o naca2412.csv", "aero"),
    ],
)
def test_what_is_not_in_the_core_is_one_sentence(newcomer: Newcomer, tmp_path: Path, words: str, extra: str) -> None:
    (tmp_path / "sine.csv").write_text("t_s,out_pos_rad\n0,0\n1,1\n", encoding="utf-8")
    status, said = newcomer.run(f"didymos {words}", tmp_path)
    assert status == 2, said
    *progress, sentence = said.splitlines()
    assert f"pip install 'didymos[{extra}]'" in sentence
    assert "Traceback" not in "\n".join(progress)


@pytest.fixture(scope="module")
def student(newcomer: Newcomer) -> Newcomer:
    """The newcomer, with the extras of the tutorials."""
    install(newcomer.folder / "bin" / "python", f"{newcomer.wheel}[{EXTRAS}]")
    return newcomer


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_from_its_first_line_to_its_last(student: Newcomer, tmp_path: Path, page: Path) -> None:
    student.follow(page, tmp_path)
