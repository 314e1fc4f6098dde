"""`didymos plot` and `didymos compare` on small logs written by hand."""

import json

import pytest

from didymos.cli.main import main


@pytest.fixture
def logs(tmp_path):
    real, twin = tmp_path / "real.csv", tmp_path / "twin.csv"
    real.write_text("time,x,y\n0.0,1,2\n0.1,2,3\n0.2,3,nan\n")
    twin.write_text("time,x,alt\n0.0,1,2\n0.1,2,3.5\n0.2,4,4\n")
    return real, twin


def test_the_list_of_signals_has_count_and_range_without_nan(logs, capsys):
    assert main(["plot", str(logs[0]), "--json"]) == 0
    signals = json.loads(capsys.readouterr().out)["signals"]
    assert {key: signals["x"][key] for key in ("count", "min", "max")} == {"count": 3, "min": 1.0, "max": 3.0}
    assert {key: signals["y"][key] for key in ("count", "min", "max")} == {"count": 3, "min": 2.0, "max": 3.0}
    assert main(["plot", str(logs[0]), "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["signal", "x", "y"]


def test_a_plot_lands_beside_the_log_unless_told_otherwise(logs, tmp_path, capsys):
    assert main(["plot", str(logs[0])]) == 0
    assert (tmp_path / "real.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", str(logs[0]), "x", "-o", str(tmp_path / "deep" / "x.png")]) == 0
    assert (tmp_path / "deep" / "x.png").exists()


def test_compare_gives_the_error_of_each_signal(logs, capsys):
    assert main(["compare", *map(str, logs), "--rename", "alt=y", "--json"]) == 0
    signals = json.loads(capsys.readouterr().out)["signals"]
    assert signals["x"]["rmse"] == pytest.approx((1 / 3) ** 0.5)  # errors 0, 0, 1
    assert (signals["x"]["max"], signals["x"]["samples"]) == (1.0, 3)
    assert signals["y"]["rmse"] == pytest.approx((0.25 / 2) ** 0.5)  # errors 0, 0.5; the NaN does not count


def test_compare_says_which_signals_it_left_out(logs, capsys):
    assert main(["compare", *map(str, logs)]) == 0
    err = capsys.readouterr().err
    assert "only in A: y" in err
    assert "only in B: alt" in err


def test_a_shift_moves_the_second_log_and_the_overlay_is_drawn(logs, tmp_path, capsys):
    overlay = tmp_path / "new" / "overlay.png"
    options = ("--signal", "x", "--shift", "0.1", "-o", str(overlay), "--json")
    assert main(["compare", *map(str, logs), *options]) == 0
    signals = json.loads(capsys.readouterr().out)["signals"]
    # at 0.1 and 0.2 s the shifted log reads 1 and 2, the first 2 and 3
    assert signals == {"x": pytest.approx({"rmse": 1.0, "max": 1.0, "samples": 2, "time_of_max": 0.1})}
    assert overlay.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words",
    ["plot absent.csv", "plot {a} z", "plot {a} -o x.doc", "compare {a} absent.mcap", "compare {a} {b} --signal z"],
)
def test_what_does_not_exist_is_refused_in_one_sentence(logs, capsys, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert main(words.format(a=logs[0], b=logs[1]).split()) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_poses_of_links_that_repeat_the_robots_stand_last_in_the_table(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("time,tf.wing.orientation.x,truth.position.z\n0.0,0,0\n0.1,1,1\n0.2,0,0\n")
    (tmp_path / "b.csv").write_text("time,tf.wing.orientation.x,truth.position.z\n0.0,1,0\n0.1,0,1\n0.2,1,0.1\n")
    compared = ["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    for options, first in (([], "truth.position.z"), (["--all"], "tf.wing.orientation.x")):
        assert main(compared + options) == 0
        _, _, row, *_ = capsys.readouterr().out.splitlines()
        assert row.split()[0] == first, options


def test_a_limit_that_is_exceeded_is_exit_status_1_and_stands_in_the_table(logs, capsys):
    assert main(["compare", *map(str, logs), "--limit", "x=1"]) == 0  # x is 1 away at most
    out, _ = capsys.readouterr()
    assert out.startswith("differs most: x (RMSE 0.577, 29 % of its range)\n")
    assert "1 ok" in out
    assert main(["compare", *map(str, logs), "--limit", "x=0.9"]) == 1
    out, err = capsys.readouterr()
    assert "0.9 BEYOND" in out
    assert "didymos: x: 1 away at 0.2 s, at most 0.9\n" in err
    assert main(["compare", *map(str, logs), "--limit", "x=0.9", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["beyond"] == ["x"]
    for wrong in ("x", "z=1", "y=1"):  # no value, no signal, not in both
        assert main(["compare", *map(str, logs), "--limit", wrong]) == 2
        assert "--limit" in capsys.readouterr().err


def test_a_stretch_is_drawn_and_a_strangers_picture_stays(logs, tmp_path, capsys):
    assert main(["plot", str(logs[0]), "--from", "0.05", "--to", "0.2"]) == 0
    assert main(["plot", str(logs[0]), "--from", "0.2", "--to", "0.1"]) == 2
    assert "--to" in capsys.readouterr().err
    (tmp_path / "real.png").write_bytes(b"holiday")
    assert main(["plot", str(logs[0])]) == 2
    assert "real.png: is there already" in capsys.readouterr().err
    assert (tmp_path / "real.png").read_bytes() == b"holiday"
