"""`didymos run`, `plot` and `compare` on a bundled twin, as a user starts them."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from didymos.cli.main import main

SAGGING = ("--set", "control.gains.height.hover=0")  # without its trim a PD law on height cannot hold the weight
KEYS = {"twin", "scenario", "seconds", "seed", "real_time_factor", "log_sha256", "expectations", "record"}


def _run(capsys, *arguments):
    """Exit status, the JSON object on stdout, stderr."""
    status = main(["run", "quadcopter", "--json", *arguments])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


def test_the_process_prints_one_json_object_and_nothing_else(didymos_command):
    result = didymos_command("run", "quadcopter", "--seconds", "0.2", "--json")
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    assert printed.keys() >= KEYS
    assert (printed["twin"], printed["seconds"], printed["seed"]) == ("quadcopter", pytest.approx(0.2), 0)
    assert printed["real_time_factor"] > 0


def test_the_same_seed_gives_the_same_log_and_another_one_does_not(capsys):
    hashes = [_run(capsys, "--seconds", "0.2", "--seed", seed)[1]["log_sha256"] for seed in ("7", "7", "8")]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_scenario_that_is_met_exits_0_and_one_that_is_not_exits_1(capsys):
    status, met, _ = _run(capsys, "--scenario", "climb")
    assert status == 0
    assert met["expectations"]
    assert all(item["ok"] for item in met["expectations"])
    status, missed, err = _run(capsys, "--scenario", "climb", *SAGGING)
    failed = [item for item in missed["expectations"] if not item["ok"]]
    assert status == 1
    assert failed
    assert failed[0]["name"] in err


def test_a_setting_changes_the_run_and_an_unknown_one_names_the_nearest(capsys):
    base = _run(capsys, "--seconds", "0.1")[1]["log_sha256"]
    heavier = _run(capsys, "--seconds", "0.1", "--set", "world.gravity=5")[1]["log_sha256"]
    assert base != heavier
    status, printed, _ = _run(capsys, "--set", "world.gravty=5")
    assert status == 2
    assert "did you mean 'world.gravity'" in printed["error"]


def test_settings_from_a_file_come_before_those_on_the_command_line(capsys, tmp_path):
    file = tmp_path / "values.yaml"
    file.write_text("world.gravity: 3\n")
    options = ("--seconds", "0.1")
    both = _run(capsys, *options, "--with", str(file), "--set", "world.gravity=5")[1]["log_sha256"]
    assert both == _run(capsys, *options, "--set", "world.gravity=5")[1]["log_sha256"]
    assert both != _run(capsys, *options, "--with", str(file))[1]["log_sha256"]


@pytest.mark.parametrize("suffix", ["mcap", "csv"])
def test_a_recorded_run_can_be_listed_drawn_and_compared_with_itself(capsys, tmp_path, suffix):
    log, picture = tmp_path / "new" / f"log.{suffix}", tmp_path / "log.png"
    status, printed, _ = _run(capsys, "--seconds", "0.2", "--record", str(log))
    assert (status, printed["record"]) == (0, str(log))
    assert main(["plot", str(log), "--json"]) == 0
    signals = json.loads(capsys.readouterr().out)["signals"]
    assert all(item["count"] > 0 and item["min"] <= item["max"] for item in signals.values())
    assert main(["plot", str(log), next(iter(signals)), "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert main(["compare", str(log), str(log), "--json"]) == 0
    errors = json.loads(capsys.readouterr().out)["signals"]
    assert errors
    assert all(item["rmse"] == 0 and item["max"] == 0 and item["samples"] > 0 for item in errors.values())


def test_the_table_shows_each_expectation_with_value_and_limit(capsys):
    assert main(["run", "quadcopter", "--scenario", "climb", *SAGGING]) == 1
    out = capsys.readouterr().out
    assert "real-time factor" in out
    (line,) = (line for line in out.splitlines() if "height error" in line)
    mark, *_, value, metre, _at, _most, limit, _ = line.split()
    assert (mark, metre, limit) == ("MISSED", "m", "0.05")
    # at rest the thrust carries the weight: 4 T (kp e)^2 = m g where hover^2 = m g / 4 T, so e = hover / kp
    assert float(value) == pytest.approx(0.46825 / 0.3, rel=0.01)


def test_quiet_prints_nothing(capsys):
    assert main(["run", "quadcopter", "--seconds", "0.1", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_an_own_program_in_a_file_flies_the_twin(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("""
import didymos

class Off(didymos.Controller):
    rate = 100
    def update(self, t, measured, setpoints):
        return {}
""")
    status, printed, _ = _run(capsys, "--seconds", "0.1", "--control", "mine.py:Off")
    assert status == 0
    assert printed["log_sha256"] != _run(capsys, "--seconds", "0.1")[1]["log_sha256"]
    status, printed, _ = _run(capsys, "--control", "mine.py:Of")
    assert status == 2
    assert "did you mean 'Off'" in printed["error"]


def test_an_interrupted_run_exits_130_and_keeps_its_log(tmp_path):
    log = tmp_path / "log.mcap"
    words = ["run", "quadcopter", "--seconds", "1000", "--real-time", "--record", str(log), "--json"]
    program = f"import sys; from didymos.cli.main import main; sys.exit(main({words!r}))"
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=pipe,
        stderr=pipe,
        text=True,
        # a shell that started the tests in the background has made its children deaf to Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while process.poll() is None and (not log.exists() or log.stat().st_size < 20_000):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert json.loads(out) == {"error": "interrupted"}
    assert str(log) in err
    assert main(["plot", str(log), "--list"]) == 0


def test_a_pad_that_ends_during_a_run_is_reported_and_the_run_is_kept(tmp_path, capsys):
    from didymos.ports.gamepad.events import AXIS, Event, encode

    (tmp_path / "pad").write_bytes(b"".join(map(encode, (Event(0.0, AXIS, 0, 0), Event(0.2, AXIS, 0, 9000)))))
    record = tmp_path / "flight.mcap"
    status, printed, err = _run(capsys, "--gamepad", str(tmp_path / "pad"), "--seconds", "0.4", "--record", str(record))
    assert (status, printed["seconds"]) == (0, pytest.approx(0.4))
    assert "channels: 0 setpoints.roll, 1 setpoints.pitch" in err
    assert err.count("is gone (the recorded events ended); channels rest, the throttle idles") == 1
    again = _run(capsys, "--interventions", str(record))[1]
    assert again["log_sha256"] == printed["log_sha256"]


def test_a_pad_that_is_not_there_is_bad_input(capsys):
    assert main(["run", "quadcopter", "--gamepad", "nowhere", "--seconds", "0.2"]) == 2
    assert "--gamepad: the pad 'nowhere' cannot be opened: No such file or directory" in capsys.readouterr().err
    assert main(["run", "quadcopter", "--pad-map", "map.yaml"]) == 2
    assert "--pad-map: goes with --gamepad only" in capsys.readouterr().err
