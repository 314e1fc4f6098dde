"""Measure our speed beside that of other simulators of flight, in one sitting, and write the table of docs/numbers.md.

    python docs/make_numbers.py [--print] [--peers PYTHON]

Each is run alone, on one thread, in a process of its own, for ten seconds of its clock, three times; the best counts. CPU time is
what counts, so that others who use the machine do little harm. Who is not installed is named, not guessed. The others pin other
versions of numpy than we do, so they may stand in an environment of their own, whose interpreter `--peers` names:

    python -m venv peers && peers/bin/pip install jsbsim PyFlyt rotorpy
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import process_time

PAGE = Path(__file__).parent / "numbers.md"
BEGIN, END = "<!-- speed -->", "<!-- end of speed -->"
SECONDS, TIMES = 10.0, 3


@dataclass(frozen=True)
class Speed:
    """Seconds simulated per second of CPU time, and steps of physics per second simulated."""

    factor: float
    rate: float
    what: str
    version: str = ""


def measured(advance: Callable[[], None], rate: float, what: str) -> Speed:
    """Time a call that simulates `SECONDS`; the first call compiles and is not counted."""
    advance()
    best = float("inf")
    for _ in range(TIMES):
        begin = process_time()
        advance()
        best = min(best, process_time() - begin)
    return Speed(SECONDS / best, rate, what)


def ours(name: str, scenario: str) -> Speed:
    """A bundled twin with its sensors, program, wind and the record of all signals in memory."""
    import didymos

    sim = didymos.load(name).simulate(scenario=scenario, seed=1)

    def advance() -> None:
        sim.reset(seed=1)
        sim.run(SECONDS)

    return measured(advance, 1.0 / sim.model.opt.timestep, f"{name}, {scenario}: sensors, control, wind, recording")


def jsbsim() -> Speed:
    """The Cessna 172 that comes with it, flying with its engine running."""
    import jsbsim as other

    plane = other.FGFDMExec(None)
    plane.set_debug_level(0)
    plane.load_model("c172p")
    plane.set_dt(1.0 / 400.0)
    plane["ic/h-sl-ft"], plane["ic/vc-kts"] = 3000.0, 90.0
    plane["propulsion/engine[0]/set-running"] = 1
    plane.run_ic()
    steps = round(SECONDS / plane.get_delta_t())

    def advance() -> None:
        begin = plane.get_sim_time()
        for _ in range(steps):
            plane.run()
        assert abs(plane.get_sim_time() - begin - SECONDS) < 0.01

    return measured(advance, 1.0 / plane.get_delta_t(), "c172p from Python: no sensor errors, no contacts, no recording")


def pyflyt() -> Speed:
    """Its quadcopter, hovering by its own controller."""
    import numpy as np
    from PyFlyt.core import Aviary

    world = Aviary(start_pos=np.array([[0.0, 0.0, 1.0]]), start_orn=np.zeros((1, 3)), render=False, drone_type="quadx")
    world.set_mode(7)
    world.set_setpoint(0, np.array([0.0, 0.0, 0.0, 1.0]))
    steps = round(SECONDS * world.physics_hz / world.updates_per_step)

    def advance() -> None:
        for _ in range(steps):
            world.step()

    return measured(advance, world.physics_hz, "quadx, hover: its controller, PyBullet below")


def rotorpy() -> Speed:
    """Its hummingbird with its controller, at 400 Hz."""
    from rotorpy.controllers.quadrotor_control import SE3Control
    from rotorpy.environments import Environment
    from rotorpy.trajectories.hover_traj import HoverTraj
    from rotorpy.vehicles.hummingbird_params import quad_params
    from rotorpy.vehicles.multirotor import Multirotor

    world = Environment(vehicle=Multirotor(quad_params), controller=SE3Control(quad_params), trajectory=HoverTraj(), sim_rate=400)

    def advance() -> None:
        world.run(t_final=SECONDS, use_mocap=False, terminate=False, plot=False, animate_bool=False, verbose=False)

    return measured(advance, 400.0, "hummingbird, hover: its controller and sensors")


RUNS: dict[str, tuple[str, str, Callable[[], Speed]]] = {  # name: package, module, what is run
    "Didymos": ("didymos", "didymos", lambda: ours("quadcopter", "hover")),
    "Didymos, plane": ("didymos", "didymos", lambda: ours("skywalker_2013", "waypoints")),
    "Didymos, walking": ("didymos", "didymos", lambda: ours("meldog", "trot")),
    "JSBSim": ("jsbsim", "jsbsim", jsbsim),
    "PyFlyt": ("PyFlyt", "PyFlyt", pyflyt),
    "RotorPy": ("rotorpy", "rotorpy", rotorpy),
}


def in_a_process(name: str, python: str) -> Speed | str:
    """What one of the runs measured, or why it could not be."""
    package, module, _ = RUNS[name]
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([python, __file__, "--one", name], capture_output=True, text=True, env=os.environ | one)
    if f"No module named '{module}'" in done.stderr:
        return f"not measured: {package} is not installed here"
    if done.returncode:
        return f"not measured: {(done.stderr.strip().splitlines() or ['it failed'])[-1][:120]}"
    return Speed(**json.loads(done.stdout.splitlines()[-1]))


def table(peers: str) -> str:
    """The rows of the page; `peers` is the interpreter that knows the others."""
    lines = ["| simulator | what ran | physics [Hz] | real-time factor, one core |", "|---|---|---|---|"]
    for name, (package, _, _) in RUNS.items():
        found = in_a_process(name, sys.executable if package == "didymos" else peers)
        if isinstance(found, str):
            lines.append(f"| {name} | {found} | - | - |")
        else:
            lines.append(f"| {name} {found.version} | {found.what} | {found.rate:.0f} | {found.factor:.3g} |")
    return "\n".join(lines)


def filled(page: str, rows: str) -> str:
    """The page with other rows."""
    head, rest = page.split(BEGIN)
    return f"{head}{BEGIN}\n{rows}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        package, _, run = RUNS[sys.argv[2]]
        print(json.dumps(asdict(run()) | {"version": version(package)}))
    else:
        rows = table(sys.argv[sys.argv.index("--peers") + 1] if "--peers" in sys.argv else sys.executable)
        if "--print" in sys.argv:
            print(rows)
        else:
            PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
