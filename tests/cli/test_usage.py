"""How the command answers when it is used wrongly, and how quickly it answers at all."""

import json
import subprocess
import sys

import pytest

from didymos.cli.main import main

WRONG = [
    ([], "Missing command"),
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


def test_a_reader_that_leaves_early_causes_no_noise():
    program = "import sys; from didymos.cli.main import main; sys.exit(main(['run', '--help']))"
    reader = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    reader.stdout.close()
    assert reader.stderr is not None
    assert reader.stderr.read() == ""
    assert reader.wait() == 1


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "didymos", "runn", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'run'" in json.loads(done.stdout)["error"]
