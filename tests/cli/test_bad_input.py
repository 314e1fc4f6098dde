"""Bad input on the command line: exit status 2, one line on stderr that names the culprit, nothing lost, no traceback."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cli.main import main

SMALL = Path(__file__).parent.parent / "describe" / "small_twin"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small twin in a folder of its own, which is the current one's child."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SMALL, tmp_path / "small")
    return tmp_path / "small"


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command is refused with, on stderr and, as JSON, on stdout."""
    assert main(list(words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("didymos: ")
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    assert main([*words, "--json"]) == 2
    out, again = capsys.readouterr()
    assert again == err
    assert json.loads(out)["error"] == err.removeprefix("didymos: ").removesuffix("\n")
    return err


def _break(small: Path, old: str, new: str) -> None:
    text = (small / "twin.yaml").read_text()
    assert old in text
    (small / "twin.yaml").write_text(text.replace(old, new, 1))


BROKEN = {
    "syntax": ("title: Small", "title: Small: one", "twin.yaml:2: is not valid YAML"),
    "unknown key": ("gravity:", "gravty:", "did you mean 'gravity'"),
    "unknown link": ("link: rear_right", "link: rear_rigth", "did you mean 'rear_right'"),
    "unknown signal": ("signal: truth.position.z", "signal: truth.positoin.z", "did you mean 'truth.position.z'"),
    "no such column": ("column: yaw", "column: jaw", "signal.csv: there is no column 'jaw'"),
    "no such sensor of the program": ("{sensor: state}", "{sensor: imu}", "needs a pose sensor named 'imu'"),
    "description cut off": ("file: robot.urdf", "file: signal.csv", "not well-formed XML"),
}


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize(("old", "new", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_twin_is_refused_by_every_verb(
    small: Path, capsys: pytest.CaptureFixture[str], verb: str, old: str, new: str, said: str
) -> None:
    _break(small, old, new)
    assert said in _refused(capsys, verb, "small")


@pytest.mark.parametrize("name", ["syntax", "unknown signal"])
@pytest.mark.parametrize("words", [("check", "small"), ("run", "small", "--record", "log.mcap"), ("check", "small", "--json")])
def test_the_real_command_says_one_line_and_no_more(
    small: Path, didymos_command: Any, name: str, words: tuple[str, ...]
) -> None:
    old, new, said = BROKEN[name]
    _break(small, old, new)
    result = didymos_command(*words)
    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    if "--json" in words:
        assert said in json.loads(result.stdout)["error"]
    else:
        assert result.stdout == ""
    assert sorted(path.name for path in small.parent.iterdir()) == ["small"]


def test_check_lists_every_mistake_on_a_line_of_its_own(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _break(small, "link: rear_right", "link: a")
    _break(small, "{axle: 0.5}", "{b: 0.5}")
    assert main(["check", "small", "--json"]) == 2
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert "'a'" in first
    assert "'b'" in second
    assert [f"didymos: {mistake}" for mistake in json.loads(out)["errors"]] == [first, second]


def test_check_finds_what_only_shows_when_a_scenario_is_made_ready(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _break(small, "scenarios:\n", "scenarios:\n  other:\n    expect: [{name: a, signal: nothing, high: 1}]\n")
    _break(small, "column: yaw", "column: jaw")
    assert main(["check", "small"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "scenarios.other.expect.0.signal: no run records 'nothing'" in first
    assert "no column 'jaw'" in second


@pytest.mark.parametrize("twin", didymos.bundled())
def test_check_has_nothing_against_a_bundled_twin(twin: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", twin]) == 0
    assert capsys.readouterr().err == ""


RUNS = {
    "unknown twin": (("smal",), "there is no twin 'smal', did you mean 'small'?"),
    "unknown world": (("formatoin",), "did you mean 'formation'?"),
    "a name no file can have": (("a" * 5000,), "there is no twin"),
    "unknown scenario": (("small", "--scenario", "everthing"), "did you mean 'everything'"),
    "unknown path": (("small", "--set", "links.body.mas=1"), "did you mean 'links.body.mass'"),
    "text for a number": (("small", "--set", "links.body.mass=heavy"), "--set links.body.mass: found 'heavy'"),
    "not a number": (("small", "--set", "links.body.mass=nan"), "expected a finite number"),
    "out of bounds": (("small", "--set", "links.body.mass=-1"), "links.body.mass: found -1, expected a number from 0 to inf"),
    "no value": (("small", "--set", "links.body.mass="), "joined by '='"),
    "no path": (("small", "--set", "=1"), "joined by '='"),
    "twice": (("small", "--set", "world.gravity=1", "--set", "world.gravity=2"), "given twice"),
    "values that do not fit": (("small", "--set", "world.step=0.003"), "control.rate: found 250 Hz"),
    "no seconds": (("small", "--seconds", "0"), "--seconds: found 0"),
    "negative seconds": (("small", "--seconds", "-1"), "--seconds: found -1"),
    "seconds that are no number": (("small", "--seconds", "nan"), "--seconds: found nan"),
    "seconds without end": (("small", "--seconds", "1e308"), "--seconds: found 1e+308"),
    "seconds in words": (("small", "--seconds", "two"), "--seconds"),
    "less than a tick": (("small", "--seconds", "1e-9"), "at least one tick, 0.004 s"),
    "seed in words": (("small", "--seed", "lucky"), "--seed"),
    "half a seed": (("small", "--seed", "1.5"), "--seed"),
    "no such module": (("small", "--control", "nowhere_to_be_found:A"), "'nowhere_to_be_found' cannot be imported"),
    "no such file": (("small", "--control", "mine.py:A"), "mine.py: there is no such file"),
    "no class": (("small", "--control", "mine"), "there is no such control program: found 'mine'"),
    "values that are not there": (("small", "--with", "values.yaml"), "values.yaml: cannot be read"),
    "values that are a twin": (("small", "--with", "small/twin.yaml"), "twin.yaml:2: title: found 'Small'"),
    "record without a suffix": (("small", "--record", "log"), "--record: found 'log', expected a file that ends in .mcap"),
    "record into a file": (("small", "--record", "small/twin.yaml/a.csv"), "--record: 'small/twin.yaml/a.csv' cannot be written"),
    "record over a folder": (("small", "--record", "folder.mcap"), "--record: 'folder.mcap' cannot be written: Is a directory"),
    "record where nobody can write": (("small", "--record", "/proc/log.mcap"), "--record: '/proc/log.mcap' cannot be written"),
    "record under a name too long": (("small", "--record", "a" * 300 + ".csv"), "cannot be written: File name too long"),
    "plot over a folder": (("small", "--plot", "folder.png"), "--plot: 'folder.png' cannot be written"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "said"), RUNS.values(), ids=RUNS.keys())
def test_a_run_that_cannot_be_is_refused_before_it_starts(
    small: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    for name in ("folder.mcap", "folder.png"):
        (small.parent / name).mkdir()
    assert said in _refused(capsys, "run", *words)
    assert sorted(path.name for path in small.parent.iterdir()) == ["folder.mcap", "folder.png", "small"]


def test_a_refused_run_leaves_an_older_log_as_it_was(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    older = small.parent / "log.mcap"
    older.write_bytes(b"precious")
    _refused(capsys, "run", "small", "--record", "log.mcap", "--scenario", "nothing")
    assert older.read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("option", "file"),
    [("--record", "flight.csv"), ("--record", "flight.mcap"), ("--plot", "a.png"), ("--picture", "a.jpg"), ("--clip", "a.gif")],
)
def test_no_run_writes_over_what_somebody_else_made(
    small: Path, capsys: pytest.CaptureFixture[str], option: str, file: str
) -> None:
    theirs = small.parent / file
    theirs.write_bytes(b"time,height\n0,1\n")
    assert f"{file}: is there already, and no " in _refused(capsys, "run", "small", option, file)
    assert theirs.read_bytes() == b"time,height\n0,1\n"


PROGRAMS = {
    "error on creation": ("def __init__(self): raise ValueError('no battery')", "no battery"),
    "needs arguments": ("def __init__(self, size): pass", "cannot be created without arguments"),
    "rate that does not fit": ("rate = 333", "asks for 333 Hz, expected a rate whose period"),
    "no rate": ("rate = 0", "asks for 0 Hz, expected a rate whose period"),
    "a rate too low": ("rate = 0.001", "asks for 0.001 Hz: found 0.001, expected a number of at least 0.01"),
    "rate in words": ("rate = 'often'", "cannot be created"),
    "a list of set-points": ("setpoints = ('z',)", "Mine lists its set-points; declare each of them instead"),
}


@pytest.mark.parametrize(("code", "said"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_that_cannot_run_is_refused(small: Path, capsys: pytest.CaptureFixture[str], code: str, said: str) -> None:
    (small.parent / "mine.py").write_text(f"import didymos\nclass Mine(didymos.Controller):\n    {code}\n")
    assert said in _refused(capsys, "run", "small", "--control", "mine.py:Mine")


def test_a_program_that_fails_at_its_start_fails_its_run_and_not_the_check_that_runs_no_code(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small / "mine.py").write_text("import didymos\nclass Mine(didymos.Controller):\n    def start(self, robot): 1 / 0\n")
    (small / "twin.yaml").write_text("description: {file: robot.urdf}\ncontrol: {program: 'mine.py:Mine'}\n")
    assert main(["check", "small"]) == 0
    assert "mine.py:2: Mine was read and not run" in capsys.readouterr().out
    assert main(["trust", "small"]) == 0
    assert main(["run", "small"]) == 1
    assert "at t = 0 s: the control program Mine raised" in capsys.readouterr().err


def test_a_run_that_fails_exits_1_says_when_and_keeps_its_log(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "small", "--record", "log.mcap", "--set", "world.boundary=0.5"]  # it starts at a height of 1 m
    assert main(words) == 1
    kept, said = capsys.readouterr().err.splitlines()
    assert "log.mcap" in kept
    assert "at t = 0 s: body left the world" in said
    assert main(["plot", "log.mcap", "--list"]) == 0


def test_the_engines_warnings_reach_stderr_as_ours_and_no_file(small: Path, didymos_command: Any) -> None:
    """An inertia of 1e-20 kg m^2 is singular to the engine, which would print that, and write MUJOCO_LOG.TXT."""
    sets = [word for axes in ("xx", "yy", "zz") for word in ("--set", f"links.disc.inertia.{axes}=1e-20")]
    result = didymos_command("run", "small", "--seconds", "0.1", "--quiet", *sets)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("didymos: the engine warns: Inertia matrix is too close to singular")
    assert sorted(path.name for path in small.parent.iterdir()) == ["small"]


def test_a_description_that_asks_for_too_little_memory_does_not_end_the_process(small: Path, didymos_command: Any) -> None:
    """The engine calls exit() when its stack overflows, which 60 kB are too little to prevent here."""
    boxes = "".join(
        f'<body name="b{i}" pos="0.05 {0.01 * i} {0.15 + 0.05 * i}"><freejoint/>'
        '<geom type="box" size="0.1 0.1 0.1" mass="1"/></body>'
        for i in range(30)
    )
    plane = '<geom type="plane" size="1 1 1"/>'
    model = f'<mujoco><size memory="60K"/><worldbody>{plane}{boxes}</worldbody></mujoco>'
    (small / "robot.xml").write_text(model)
    (small / "twin.yaml").write_text("description: {file: robot.xml}")
    result = didymos_command("run", "small", "--seconds", "0.1", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["seconds"] == pytest.approx(0.1)
