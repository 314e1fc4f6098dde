"""What one gives away, logs, tables, pictures, reports, says nothing of whose machine made it: no path, no user, no host."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import lz4.frame
import pytest
from mcap.records import Chunk
from mcap.stream_reader import StreamReader

import didymos
from didymos.cli.main import main

USER, PROJECT, HOST = "xanthippe", "moonshot_qqq", "workbench-zz9"
ROBOTS = Path(didymos.__file__).parent / "robots"
EXAMPLE = Path(__file__).parents[2] / "examples" / "parachute"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user whose names would be seen: a twin, a program and a recording; all work is done there."""
    folder = tmp_path / USER / PROJECT
    folder.mkdir(parents=True)
    for robot in ("quadcopter", "shared"):
        shutil.copytree(ROBOTS / robot, folder / robot)
    shutil.copytree(EXAMPLE, folder / "parachute")
    (folder / "hold.py").write_text(
        "import didymos\n\n\nclass Hold(didymos.Controller):\n    def update(self, t, measured, setpoints):\n"
        "        if t > 0.3:\n            raise ValueError(__file__)\n"
        "        return dict.fromkeys(('motor1', 'motor2', 'motor3', 'motor4'), 0.47)\n"
    )
    for name in ("USER", "LOGNAME", "USERNAME"):
        monkeypatch.setenv(name, USER)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("HOSTNAME", HOST)
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)
    monkeypatch.chdir(folder)
    for twin in ("quadcopter", "parachute"):
        assert main(["trust", str(folder / twin)]) == 0
    return folder


def held(file: Path) -> Iterator[bytes]:
    """The bytes of a file, and what is compressed in it."""
    yield file.read_bytes()
    if file.suffix == ".mcap":
        with file.open("rb") as stream:
            for record in StreamReader(stream, emit_chunks=True).records:
                if isinstance(record, Chunk):
                    yield lz4.frame.decompress(record.data) if record.compression == "lz4" else record.data


def given_away(folder: Path, made: set[Path]) -> list[tuple[str, str]]:
    """The words that would give somebody away, and the file that holds each."""
    words = [USER, PROJECT, HOST, str(folder), str(ROBOTS)]
    return [(file.name, word) for file in sorted(made) for part in held(file) for word in words if word.encode() in part]


def test_nothing_that_is_made_to_be_shown_names_its_maker(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(project.iterdir())
    quadcopter, run = str(project / "quadcopter"), ["run", str(project / "quadcopter"), "--quiet", "--seconds", "0.5"]
    assert main([*run, "--record", str(project / "a.mcap"), "--plot", str(project / "a.svg")]) in (0, 1)
    assert main([*run, "--record", str(project / "b.csv")]) in (0, 1)
    assert main([*run, "--record", str(project / "c.mcap"), "--record-every", "1s"]) in (0, 1)
    assert main([*run, "--record", str(project / "d.mcap"), "--control", f"{project / 'hold.py'}:Hold"]) == 1  # it fails
    assert main(["compare", str(project / "a.mcap"), str(project / "d.mcap"), "-o", str(project / "both.svg")]) == 0
    parachute, drop = str(project / "parachute"), str(project / "parachute" / "drop.csv")
    fitted = ["-o", str(project / "fitted.yaml"), "--report", str(project / "fit.html")]
    assert main(["fit", parachute, drop, "--quiet", *fitted]) == 0
    table = ["-o", str(project / "sweep.csv"), "--plot", str(project / "sweep.png")]
    assert main(["sweep", quadcopter, "--seconds", "0.2", "--runs", "2", "--quiet", *table]) in (0, 1)
    capsys.readouterr()
    made = {file for file in set(project.iterdir()) - before if file.is_file()}
    names = {"a.mcap", "a.svg", "b.csv", "c-0001.mcap", "d.mcap", "both.svg", "fit.html", "fitted.yaml", "sweep.csv"}
    assert names <= {file.name for file in made}
    assert given_away(project, made) == []


def test_a_word_inside_of_a_compressed_log_would_be_found(project: Path) -> None:
    log = didymos.load("quadcopter").simulate().run(0.1)
    log.metadata["maker"] = USER
    log.save(project / "told.mcap")
    assert given_away(project, {project / "told.mcap"}) == [("told.mcap", USER)]
