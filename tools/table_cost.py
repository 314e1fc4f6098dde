"""What an aircraft of tables costs beside one of derivatives: CPU time of a step of the engine, measured alternately.

    python tools/table_cost.py

Three twins of the same body: without aerodynamics, with the linear airfoil, with tables of the same numbers (CL, CD, Cm over
alpha and elevator, CY, Cl, Cn over beta, ailerons, rudder, damping). The cost of a part is what a step with it takes more.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from didymos.engine.assemble import assemble
from didymos.twin import load

SIZES = "area: 0.45, span: 1.88, chord: 0.24, limit_x: 0.3, limit_y: 0.3, limit_z: 0.3"
DAMPING = "lift_q: 4.1, side_p: -0.07, side_r: 1.2, roll_p: -1, roll_r: 0.14, pitch_q: -20, yaw_p: 0.022, yaw_r: -1"
LINE = (
    "lift_0: 0.56, lift_alpha: 6.9, lift_y: -0.3, drag_0: 0.1, side_beta: -0.98, roll_beta: -0.12, roll_x: 0.25, pitch_0: 0.045, "
    "pitch_alpha: -0.7, pitch_y: 1, yaw_beta: 0.25, yaw_z: 0.1"
)
PARTS = {
    "without": "",
    "linear airfoil": f"parts: {{wing: {{kind: airfoil, link: body, {SIZES}, {LINE}, {DAMPING}}}}}",
    "tables": f"parts: {{wing: {{kind: aero_table, link: body, {SIZES}, {DAMPING}, tables: [FILES]}}}}",
    "tables, monotone": f"parts: {{wing: {{kind: aero_table, link: body, {SIZES}, {DAMPING}, tables: [MONOTONE]}}}}",
}
FILES = "{file: long.csv}, {file: side.csv}, {file: controls.csv}"
STEPS, ROUNDS = 20_000, 15


def _write(folder: Path) -> None:
    rows = ["alpha [deg], dy [deg], CL, CD, Cm"]
    for alpha in range(-20, 21, 2):
        for elevator in range(-20, 21, 10):
            a, e = math.radians(alpha), math.radians(elevator)
            lift = 0.56 + 6.9 * a - 0.3 * e
            rows.append(f"{alpha}, {elevator}, {lift}, {0.1 + lift * lift / 22.2}, {0.045 - 0.7 * a + e}")
    (folder / "long.csv").write_text("\n".join(rows))
    rows = ["beta [deg], CY, Cl, Cn"] + [f"{b}, {-0.0171 * b}, {-0.0021 * b}, {0.00436 * b}" for b in range(-30, 31, 5)]
    (folder / "side.csv").write_text("\n".join(rows))
    (folder / "controls.csv").write_text("Cl_dx, Cn_dz\n0.25, 0.1\n")
    inertial = '<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    (folder / "body.urdf").write_text(f'<robot name="r"><link name="body"><inertial>{inertial}</inertial></link></robot>')


def _made(folder: Path, parts: str) -> Any:
    parts = parts.replace("FILES", FILES).replace("MONOTONE", FILES.replace("long.csv", "long.csv, interpolation: monotone"))
    (folder / "twin.yaml").write_text(f"description: {{file: body.urdf, base: floating}}\nworld: {{gravity: 0}}\n{parts}\n")
    model = assemble(load(folder)).model
    return model, mujoco.MjData(model)


def _step_time(model: Any, data: Any) -> float:
    """CPU time of a step [ns]; the flight begins anew each time."""
    mujoco.mj_resetData(model, data)
    data.qvel[:3] = 15.0, 0.5, -0.7
    begin = time.process_time()
    mujoco.mj_step(model, data, STEPS)
    return (time.process_time() - begin) / STEPS * 1e9


def main() -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder)
        made = {word: _made(folder, parts) for word, parts in PARTS.items()}
        times: dict[str, list[float]] = {word: [] for word in made}
        for _ in range(ROUNDS):
            for word, (model, data) in made.items():
                times[word].append(_step_time(model, data))
    best = {word: min(found) for word, found in times.items()}
    line = best["linear airfoil"] - best["without"]
    print("| step | CPU time [ns], best and median | the part [ns] | by the linear airfoil |\n|---|---|---|---|")
    for word, found in times.items():
        own = best[word] - best["without"]
        share = f"{own:.0f} | {own / line:.2f}" if own else "- | -"
        print(f"| {word} | {best[word]:.0f}, {np.round(statistics.median(found)):.0f} | {share} |")


if __name__ == "__main__":
    main()
