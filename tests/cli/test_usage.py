"""How the command answers when it is used wrongly, and how quickly it answers at all."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import didymos
import didymos.cli
from didymos.cli.main import main

SOURCE = str(Path(didymos.cli.__file__).resolve().parents[2])  # an installed package or a checkout, from any folder

WRONG = [
    (["runn"], "'run'"),
    (["run"], "TWIN"),
    (["run", "quadcopter", "--warp"], "--warp"),
    (["run", "quadcopter", "--seed", "many"], "--seed"),
    (["run", "quadcopter", "--seed", "-1"], "--seed"),
    (["run", "quadcopter", "--seconds", "0"], "--seconds"),
    (["run", "quadcopter", "--seconds", "nan"], "--seconds"),
    (["run", "quadcopter", "--set", "mass"], "--set"),
    (["run", "quadcopter", "--record", "log.txt"], ".mcap or .csv"),
    (["run", "quadcopter", "--plot", "plot.mcap"], ".png"),
    (["plot"], "LOG"),
    (["compare", "a.csv"], "'B'"),
    (["new", "rover"], "--from"),
    (["trim", "skywalker_2013", "--airspeed", "fast"], "--airspeed"),
    (["trim", "skywalker_2013", "--airspeed", "20:10:1"], "--airspeed"),
    (["trim", "meldog"], "no input turns this robot in flight"),
]


@pytest.mark.parametrize(("arguments", "named"), WRONG)
def test_wrong_usage_exits_2_with_one_sentence_that_names_the_culprit(arguments, named, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("didymos: ")
    assert err.count("\n") == 1
    assert named in err


@pytest.mark.parametrize("arguments", ["run --json", "run x --json --warp", "check nowhere --json"])
def test_with_json_an_error_is_one_object_on_stdout_as_well(arguments, capsys):
    assert main(arguments.split()) == 2
    out, err = capsys.readouterr()
    assert err == f"didymos: {json.loads(out)['error']}\n"


def test_every_verb_explains_itself_with_an_example(capsys):
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    for verb in ("list", "show", "check", "run", "plot", "compare", "bench", "new", "trim"):
        assert f"\n  {verb} " in listed
        assert main([verb, "--help"]) == 0
        assert f"Example: didymos {verb}" in capsys.readouterr().out


def test_help_says_what_each_command_does_in_a_whole_sentence(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert "..." not in listed.partition("Commands:")[2]
    assert "some of its parameters, or its C header." in " ".join(listed.split())  # the end of what `show` says of itself
    assert max(map(len, listed.splitlines())) <= 80


def test_the_list_of_twins_goes_on_below_itself_in_a_terminal_and_is_a_line_each_for_grep(capsys, monkeypatch):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    twins = didymos.bundled()
    assert [line.split()[0] for line in lines[: len(twins)]] == list(twins)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["list"]) == 0
    folded = capsys.readouterr().out
    assert max(map(len, folded.splitlines())) <= 60
    assert " ".join(folded.split()) == " ".join(" ".join(lines).split())


def test_alone_it_greets_with_five_things_to_try_on_one_screen(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    commands = [line.split("  ")[1].split() for line in lines if line.startswith("  didymos ")]
    assert len(commands) == 5
    for _, verb, *_ in commands:
        assert main([verb, "--help"]) == 0


COMMAND = [sys.executable, "-m", "didymos"]


@pytest.mark.parametrize(("words", "unbuffered", "status"), [
    ("list", "", 0), ("check nowhere --json", "", 2),  # found before anything was printed
    ("list", "1", 141), ("run --help", "", 141),  # printed line by line
])  # fmt: skip
def test_a_reader_that_leaves_early_causes_no_noise_and_changes_no_verdict(words, unbuffered, status):
    """`didymos ... | head -1` in a script that stops where a command fails."""
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen([*COMMAND, *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        reader.stdout.close()
        assert reader.stderr.read().count(b"\n") == (status == 2)
    assert reader.returncode == status


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full, which is a disk without room")
def test_a_full_disk_behind_the_output_is_one_sentence():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "didymos: output cannot be written: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_input_or_output_harms_nothing(closed, tmp_path):
    command = f"{shlex.join(COMMAND)} log real.csv --plot picture.png {closed}"
    (tmp_path / "real.csv").write_text("t,x\n0,1\n1,2\n2,4\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "didymos", "runn", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'run'" in json.loads(done.stdout)["error"]


def test_small_matrices_are_multiplied_by_one_thread_unless_the_user_says_otherwise(
    run_python: Callable[..., subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads of BLAS wait by spinning, so a busy machine is slow; sums by several have other last bits."""
    code = """import os, sys
from didymos.cli.main import main
assert "numpy" not in sys.modules
sys.argv = ["didymos", "--version"]
main()
print(os.environ["OPENBLAS_NUM_THREADS"])"""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert run_python(code).stdout.split()[-1] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    assert run_python(code).stdout.split()[-1] == "2"
