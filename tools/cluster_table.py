"""What a sweep costs on one thread, two threads, local Ray and local Dask; prints the tables of docs/cluster.md.

    python tools/cluster_table.py sweeps --runs 10000 --seconds 1     the same sweep four times; on two threads the head is
                                                                      interrupted and then killed midway, on Ray and Dask a
                                                                      worker is killed and the head interrupted
    python tools/cluster_table.py costs                               what a run costs beside its simulation, its scheduling
    python tools/cluster_table.py speed                               two workers beside one

`speed` holds on a busy machine: a worker's time is taken without that in which it was ready and others had the core, as Linux
counts it (/proc/PID/task/TID/schedstat).
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.cluster import remote
from didymos.cluster.executor import executor
from didymos.studies.sampling import sample
from didymos.studies.store import SweepStore, read_store
from didymos.studies.sweep_about import sweep_about
from didymos.studies.trial_runner import TrialRunner

RANGES = {
    "links.body_FLU.mass": (0.45, 0.55), "parts.motor*.disc_area": (0.016, 0.018), "parts.drag.area_x": (0.007, 0.010),
    "world.wind.speed": (6.0, 10.0), "world.gusts.wind_6m": (12.0, 18.0), "control.gains.position.kp": (0.6, 1.0),
}  # fmt: skip
WHERE = {
    "one thread": ["--threads", "1"], "two threads": ["--threads", "2"], "Ray": ["--cluster", "ray"],
    "Dask": ["--cluster", "dask"],
}  # fmt: skip
BLOWS = {
    "two threads": (signal.SIGINT, signal.SIGKILL), "Ray": ("worker", signal.SIGINT), "Dask": ("worker", signal.SIGINT),
}  # fmt: skip
"""What happens to a sweep after 30 and 60 % of its runs: its head gets a signal and is started again, or a worker is killed."""


class Timed:
    """Work, and the clocks of the thread that did it: elapsed, and ready but without a core [ns]."""

    def __init__(self, work: Any) -> None:
        self.work = work

    def __call__(self, item: Any) -> tuple[str, int, int]:
        self.work(item)
        waited = int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1])
        return f"{os.getpid()}.{threading.get_native_id()}", time.monotonic_ns(), waited


def rate(pool: Any, work: Any, drawn: list[Any]) -> float:
    """Runs per second of all workers, without the time in which others had their cores; the first runs of each left out."""
    seen: dict[str, list[tuple[int, int]]] = {}
    for _, (worker, now, waited) in pool.run(work, drawn):
        seen.setdefault(worker, []).append((now, waited))
    total = 0.0
    for looks in seen.values():
        looks = sorted(looks)[4:]
        if len(looks) > 1:
            total += 1e9 * (len(looks) - 1) / ((looks[-1][0] - looks[0][0]) - (looks[-1][1] - looks[0][1]))
    return total


def speed(seconds: float, runs: int) -> None:
    twin = didymos.load("quadcopter")
    drawn = list(enumerate(sample(RANGES, runs=runs)))
    for name, cluster in (("threads", None), ("Ray", "ray"), ("Dask", "dask")):
        for _ in range(3 if cluster is None else 1):
            found = []
            for workers in (1, 2):
                with closing(executor(cluster, workers=workers)) as pool:
                    found.append(rate(pool, Timed(TrialRunner(twin, scenario="gusts", seconds=seconds)), drawn))
            print(f"{name}: one {found[0]:.1f} runs/s, two {found[1]:.1f} runs/s, {found[1] / found[0]:.2f} times", flush=True)


def nothing(item: Any) -> None:
    """Work that takes no time."""


def costs() -> None:
    twin = didymos.load("quadcopter")
    short, long = (TrialRunner(twin, scenario="gusts", seconds=seconds) for seconds in (0.5, 5.0))
    cpu: dict[bool, list[float]] = {True: [], False: []}
    for item in enumerate(sample(RANGES, runs=60)):
        for runner in (short, long):
            began = time.process_time()
            runner(item)
            cpu[runner is long].append(time.process_time() - began)
    a, b = (float(np.median(cpu[key][5:])) for key in (False, True))
    print(f"a run costs {1e3 * (a - (b - a) / 9.0):.2f} ms and {1e3 * (b - a) / 4.5:.2f} ms per second of the twin (CPU)")
    with tempfile.TemporaryDirectory() as folder:
        about = sweep_about(short, RANGES, runs=10_000, seed=0, name="quadcopter")
        trial = short((0, sample(RANGES, runs=1)[0]))
        with closing(SweepStore(Path(folder), about, short.expected()[0])) as store:
            began = time.process_time()
            for index in range(10_000):
                store.add(index, trial)
        print(f"the store costs {1e3 * (time.process_time() - began) / 10_000:.3f} ms per run (CPU of the head)")
    for name, cluster in (("threads", None), ("Ray", "ray"), ("Dask", "dask")):
        with closing(executor(cluster, workers=2)) as pool:
            list(pool.run(nothing, range(100)))
            for most in (1, 1024):
                remote._LARGEST = most
                count = 2_000 if most == 1 else 20_000
                began, cpu_began = time.monotonic(), time.process_time()
                list(pool.run(nothing, range(count)))
                wall, head = (time.monotonic() - began) / count, (time.process_time() - cpu_began) / count
                print(f"{name}, bundles of {most}: {1e3 * wall:.3f} ms per item, head {1e3 * head:.3f} ms of CPU", flush=True)


def descendants(pid: int) -> Iterator[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    for child in map(int, found):
        yield child
        yield from descendants(child)


def a_worker(head: int) -> int | None:
    for pid in descendants(head):
        try:
            text = Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue
        if text.startswith("ray::_do") or "spawn_main" in text:
            return pid
    return None


def resident(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmRSS")), 0)


def started(command: list[str]) -> subprocess.Popen[bytes]:
    """A command that an interrupt reaches, also where this one was started in the background."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def processor_time() -> float:
    """Of all that was started and is over [s]."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def sweeps(runs: int, seconds: float, names: list[str]) -> None:
    base = Path(tempfile.mkdtemp(prefix="cluster-table-"))
    tables = {}
    for name in names:
        where, folder = WHERE[name], base / name.replace(" ", "_")
        vary = [text for path, (low, high) in RANGES.items() for text in ("--vary", f"{path}={low}:{high}")]
        command = [sys.executable, "-m", "didymos", "sweep", "quadcopter", "--scenario", "gusts", "--seconds", str(seconds)]
        command += ["--runs", str(runs), *vary, *where, "-o", str(folder), "--json"]
        began, before = time.monotonic(), processor_time()
        head, memory, ended = started(command), [], []
        blows = list(enumerate(BLOWS.get(name, ()), start=1))
        while head.poll() is None:
            time.sleep(1.0)
            parts = len(glob.glob(str(folder / "runs-*.parquet")))
            if parts and (now := resident(head.pid)):
                memory.append(now)
            done = len(read_store(folder).indices()) if parts else 0
            if not blows or done <= 0.3 * blows[0][0] * runs:
                continue
            _, blow = blows[0]
            if blow == "worker":
                worker = a_worker(head.pid)
                if worker is None:
                    continue
                os.kill(worker, signal.SIGKILL)
                ended.append(f"worker killed at {done}")
            else:
                head.send_signal(blow)
                status = head.wait()
                kept = len(read_store(folder).indices())
                ended.append(f"head ended by {blow.name} (status {status}) with {kept} kept")
                head = started([*command, "--resume"])
                memory.clear()
            blows.pop(0)
        assert head.stdout is not None
        met = json.loads(head.stdout.read())["met"]
        took = time.monotonic() - began
        tables[name] = read_store(folder).table()
        indices = tables[name]["index"].to_numpy()
        whole = bool(np.array_equal(indices, np.arange(runs)))
        same = tables[name].equals(tables[names[0]])
        early = memory[len(memory) // 2] if memory else 0
        parts = len(glob.glob(str(folder / "runs-*.parquet")))
        print(
            f"{name}: {took:.0f} s, {processor_time() - before:.0f} s of CPU, met {met}, every run once: {whole}, same content:"
            f" {same}, parts {parts}, head {early} MB then {memory[-1] if memory else 0} MB, {'; '.join(ended)}", flush=True,
        )  # fmt: skip
    shutil.rmtree(base)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sweeps", "costs", "speed"])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument(
        "--where", nargs="+", choices=list(WHERE), default=list(WHERE), help="sweeps; the first one's content is that of all"
    )
    given = parser.parse_args()
    if given.what == "sweeps":
        sweeps(given.runs, given.seconds, given.where)
    elif given.what == "costs":
        costs()
    else:
        speed(given.seconds, given.runs)


if __name__ == "__main__":
    main()
