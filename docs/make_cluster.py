"""What sweeps of 10^6 and 10^8 runs cost on 10, 100 and 1,000 cores: a simulation of the scheduler with measured costs.

    python docs/make_cluster.py

One head hands out bundles and takes answers, each at a cost of its own time; workers do a bundle at a time and have the next one
at hand, as `cluster/remote.py` does it. A run takes

    t = o + s T            o overhead, s CPU time per second of the twin, T seconds of the twin

with o and s as `tools/cluster_table.py costs` measured them, and the head h per bundle and w per run (its row of the store). The
head is busy for B (h + n w) of B bundles of n runs, the workers for N t / P: whichever is longer is the time, but for the ends,
which the simulation has and the formula does not.
"""

from __future__ import annotations

import heapq

BUNDLE, PER_WORKER = 0.25, 0.005  # [s] of work, `cluster/remote.py`
LARGEST = 1024
OVERHEAD, PER_SECOND = 2.5e-3, 4.9e-3  # [s] of CPU per run, and per second of the quadcopter in gusts
HEAD = {"Ray": 0.6e-3, "Dask": 2.5e-3}  # [s] of the head per bundle
ROW = 0.045e-3  # [s] of the head per run: taken and written


def simulated(runs: int, cores: int, seconds: float, head: float) -> tuple[float, float]:
    """Wall time [s] of a sweep, and the share of it in which the head was busy."""
    each = OVERHEAD + PER_SECOND * seconds
    size = max(1, min(LARGEST, int(max(BUNDLE, PER_WORKER * cores) / each)))
    bundles = -(-runs // size)
    sample = min(bundles, 40 * cores)  # the middle of a long sweep is like its beginning
    work, cost = size * each, head + size * ROW
    free = [(0.0, core, 2) for core in range(cores)]  # when a worker wants its next bundle
    heapq.heapify(free)
    clock = busy = 0.0
    ends = [0.0] * cores
    for _ in range(sample):
        wanted, core, ahead = heapq.heappop(free)
        clock = max(clock, wanted) + cost
        busy += cost
        begin = max(clock, ends[core])
        ends[core] = begin + work
        heapq.heappush(free, (ends[core] if ahead == 1 else begin, core, 1))
    took = max(ends)
    return took * bundles / sample, busy / took


def _told(seconds: float) -> str:
    for unit, size in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def main() -> None:
    """Print the table of docs/cluster.md."""
    print("| runs | of | engine | 10 cores | 100 cores | 1,000 cores |\n|---|---|---|---|---|---|")
    for runs in (10**6, 10**8):
        for seconds in (60.0, 5.0):
            for name, head in HEAD.items():
                cells = []
                for cores in (10, 100, 1000):
                    took, busy = simulated(runs, cores, seconds, head)
                    cells.append(f"{_told(took)} (head {busy:.0%})")
                print(f"| {runs:.0e} | {seconds:g} s | {name} | {' | '.join(cells)} |".replace("e+0", "e"))


if __name__ == "__main__":
    main()
