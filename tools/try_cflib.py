#!/usr/bin/env python3
"""Run the scripts of cflib's own source archive (examples, test, sys_test) against served twins, and say how each ended.

    pip download --no-binary :all: --no-deps cflib==0.1.34 -d DOWNLOADED && tar xzf DOWNLOADED/cflib-0.1.34.tar.gz
    .venv/bin/python tools/try_cflib.py cflib-0.1.34 [NAME ...]

Scripts run as they are in a copy of the folder. Those that have the addresses of radios written into them get those of the twins
instead; nothing else is changed. Exit status 1 where one of them failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST = 19850
COUNT = 10  # Crazyflies of the test rig
SCRIPTS = {
    "examples/logging/basiclog.py": 60, "examples/logging/basiclog_sync.py": 60, "examples/parameters/basicparam.py": 60,
    "examples/parameters/persistent_params.py": 60, "examples/parameters/persistent_params_from_file.py": 60,
    "examples/autonomy/autonomous_sequence.py": 120, "examples/autonomy/autonomous_sequence_high_level.py": 120,
    "examples/autonomy/motion_commander_demo.py": 120, "examples/step-by-step/sbs_connect_log_param.py": 60,
    "examples/step-by-step/sbs_motion_commander.py": 60, "examples/step-by-step/sbs_swarm.py": 120,
}  # fmt: skip
"""Examples, and how long [s] each may take."""
FOREVER = ("basiclog_sync", "sbs_motion_commander")
"""Examples that go on until somebody stops them; after 20 s of going on without an error they are taken to be right."""
TESTS = {
    "test": ["-m", "unittest", "discover", "-s", "test", "-t", "."],
    "sys_test/single_cf_grounded/test_link": ["-m", "unittest", "test_link"],
    "sys_test/single_cf_grounded/test_power_switch": ["-m", "unittest", "test_power_switch"],
    **{f"sys_test/swarm_test_rig/test_{name}": ["-m", "unittest", f"sys_test.swarm_test_rig.test_{name}"]
       for name in ("connection", "logging", "memory_map", "response_time")},
}  # fmt: skip


def world(folder: Path) -> Path:
    """A world of Crazyflies, a metre apart."""
    places = (f"  cf{i}: {{twin: crazyflie, start: {{position: [{i}, 0, 0.0145]}}}}\n" for i in range(COUNT))
    (folder / "world.yaml").write_text("robots:\n" + "".join(places))
    return folder


def served(model: str) -> subprocess.Popen[str]:
    """`didymos serve`, once it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", "serve", model, "--port", "crtp"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "udp://" in line, line
    return process


def with_our_addresses(folder: Path) -> None:
    """Replace the addresses of radios and USB that are written into scripts by those of the twins."""
    for file in [*folder.glob("examples/**/sbs_swarm.py"), *folder.glob("sys_test/**/*.py")]:
        text, number = file.read_text(), iter(range(FIRST, FIRST + 1000))
        ours = lambda _, number=number: f"'udp://127.0.0.1:{next(number)}'"  # noqa: E731
        text = re.sub(r"'radio://0/(20|42)/2M/E7E7E7[0-9A-F]+'", ours, text)
        file.write_text(text.replace("'usb://0'", f"'udp://127.0.0.1:{FIRST}'"))


def attempt(words: list[str], folder: Path, seconds: float, *, forever: bool) -> str:
    """Run a script; how it ended, in a few words."""
    environment = os.environ | {"CFLIB_URI": f"udp://127.0.0.1:{FIRST}", "PYTHONPATH": str(folder)}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        out, _ = process.communicate(timeout=20.0 if forever else seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
        calm = forever and ("Traceback" not in out or "KeyboardInterrupt" in out.splitlines()[-1])
        return "ok, until it is stopped" if calm else f"FAILED: not over after {seconds:g} s\n{out[-1500:]}"
    took = f"{time.monotonic() - began:.0f} s"
    bad = process.returncode != 0 or "Traceback" in out
    summary = re.findall(r"^(?:Ran .*|OK.*|FAILED.*)$", out, re.MULTILINE)
    return f"FAILED: {took}\n{out[-1500:]}" if bad else f"ok, {took} {'; '.join(summary)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="parts of names, to run only these")
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "cflib"
        folder.mkdir()
        for part in ("examples", "test", "sys_test"):
            shutil.copytree(asked.folder / part, folder / part)
        with_our_addresses(folder)
        (Path(made) / "hall").mkdir()
        rig = str(world(Path(made) / "hall"))
        for name in (*SCRIPTS, *TESTS):
            if asked.names and not any(part in name for part in asked.names):
                continue
            many = "swarm" in name
            server = served(rig if many else "crazyflie")
            here = folder / Path(name).parent if name.startswith(("examples", "sys_test/single")) else folder
            words = [Path(name).name] if name in SCRIPTS else TESTS[name]
            said = attempt(words, here, SCRIPTS.get(name, 600), forever=any(part in name for part in FOREVER))
            server.send_signal(signal.SIGINT)
            server.wait()
            failed += said.startswith("FAILED")
            print(f"{name:60} {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
