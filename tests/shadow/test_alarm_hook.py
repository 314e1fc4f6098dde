"""A command for each alarm: what it is told, that nothing waits for it, and what becomes of it at the end."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from didymos.errors import InputError
from didymos.shadow.alarm import Alarm, Likely
from didymos.shadow.hook import MOST, AlarmHook

ALARM = Alarm(3, 12.5, 12.25, ("imu.gyro.x",), 40.0, 30.0, (Likely("actuator", "motor 1", -0.15, 0.02, "1", 0.9),))


def keep(path: Path) -> str:
    """A command that writes its arguments and what it is told to a file."""
    code = f"import sys, json; json.dump([sys.argv[1:], json.load(sys.stdin)], open({str(path)!r}, 'w'))"
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def test_the_command_is_told_of_the_alarm_in_words_and_as_json_without_a_shell(tmp_path: Path) -> None:
    said: list[str] = []
    hook = AlarmHook(f"{keep(tmp_path / 'told.json')} '{{cause}} of {{of}}' {{size}} {{time}} '$HOME;{{other}}'", said.append)
    hook.alarm(ALARM)
    hook.close()
    words, alarm = json.loads((tmp_path / "told.json").read_text())
    assert words == ["actuator of motor 1", "-0.15", "12.500", "$HOME;{other}"]
    assert alarm == {**ALARM.facts, "text": str(ALARM)}
    assert said == []


def test_a_command_that_hangs_is_not_waited_for_and_is_ended_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("didymos.shadow.hook._GRACE", 0.05)
    said: list[str] = []
    started = tmp_path / "started"
    os.mkfifo(started)
    code = f"import os, time; print(os.getpid(), file=open({str(started)!r}, 'w'), flush=True); time.sleep(1000)"
    hook = AlarmHook(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", said.append)
    hook.alarm(ALARM)
    pid = int(started.read_text())  # waits until it runs
    hook.close()
    with pytest.raises(ProcessLookupError):  # ended and waited for
        os.kill(pid, 0)
    assert said == []


def test_too_many_at_once_and_a_bad_end_are_told() -> None:
    said: list[str] = []
    hook = AlarmHook("cat /nowhere/at/all", said.append)
    hook.alarm(ALARM)
    for thread in hook._threads:
        thread.join()
    assert said == ["cat ended with status 1 for alarm 3"]
    waiting = AlarmHook("sleep 1000", said.append)
    for _ in range(MOST + 1):
        waiting.alarm(ALARM)
    assert said[1:] == [f"sleep was not run for alarm 3: {MOST} of it are still at work"]
    waiting._closing = True
    while len(waiting._running) < MOST:
        time.sleep(0.005)
    for process in list(waiting._running.values()):
        process.kill()
    waiting.close()


@pytest.mark.parametrize("command", ["", "no_such_program_anywhere --now", "echo 'open"])
def test_what_is_no_command_is_refused_before_anything_runs(command: str) -> None:
    with pytest.raises(InputError, match="on_alarm"):
        AlarmHook(command, print)
