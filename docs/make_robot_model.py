"""Fill the table of docs/robot_model.md: `python docs/make_robot_model.py`; half a minute, alone on the machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.model import RobotModel, bias, jacobian, mass_matrix, place

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests" / "model"), str(ROOT / "tests" / "describe")]
from described import described, urdf_tree  # noqa: E402
from pinocchio_model import deviations  # noqa: E402
from test_public_descriptions import without_shapes  # noqa: E402

PAGE = ROOT / "docs" / "robot_model.md"
STATES = 100
CALLS, TRIES = 20_000, 15
ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False, "tool0"),
    "panda": ("panda_description/urdf/panda.urdf", False, "panda_hand"),
    "kinova": ("kinova_description/robots/kinova.urdf", False, "j2s6s200_end_effector"),
    "anymal_b": ("anymal_b_simple_description/robots/anymal.urdf", True, "LF_FOOT"),
    "solo12": ("solo_description/robots/solo12.urdf", True, "FL_FOOT"),
    "talos": ("talos_data/robots/talos_reduced.urdf", True, "arm_left_7_link"),
}


@kernel
def places(model: Any, frame: int, q: Any, v: Any, j: Any, m: Any, h: Any) -> None:
    """Forward kinematics, again and again."""
    for _ in range(CALLS):
        q[-1] += 1e-9
        place(model, q, v)


@kernel
def jacobians(model: Any, frame: int, q: Any, v: Any, j: Any, m: Any, h: Any) -> None:
    """Jacobians, again and again."""
    for _ in range(CALLS):
        model.placed[1].rotation[0, 0] += 1e-12  # so that no two calls are one
        jacobian(model, frame, j)


@kernel
def matrices(model: Any, frame: int, q: Any, v: Any, j: Any, m: Any, h: Any) -> None:
    """Mass matrices, again and again."""
    for _ in range(CALLS):
        model.placed[1].moment[0] += 1e-12
        mass_matrix(model, m)


@kernel
def biases(model: Any, frame: int, q: Any, v: Any, j: Any, m: Any, h: Any) -> None:
    """Bias forces, again and again."""
    for _ in range(CALLS):
        model.placed[1].moment[0] += 1e-12
        bias(model, h)


@kernel
def everything(model: Any, frame: int, q: Any, v: Any, j: Any, m: Any, h: Any) -> None:
    """All four, again and again."""
    for _ in range(CALLS):
        q[-1] += 1e-9
        place(model, q, v)
        jacobian(model, frame, j)
        mass_matrix(model, m)
        bias(model, h)


def cost(work: Callable[..., None], model: RobotModel, frame: str) -> float:
    """CPU time of one call [us], the best of some tries."""
    record, q, v = model.record(), model.reference, np.ones(model.nv)
    arguments = (record, model.frame(frame), q, v, np.zeros((6, model.nv)), np.zeros((model.nv, model.nv)), np.zeros(model.nv))
    place(record, q, v)
    work(*arguments)
    best = np.inf
    for _ in range(TRIES):
        began = process_time()
        work(*arguments)
        best = min(best, process_time() - began)
    return best / CALLS * 1e6


def robots(folder: Path) -> Iterator[tuple[str, Path, RobotModel, str]]:
    """Name, URDF, model and a frame of each robot."""
    for name, (file, floating, frame) in ROBOTS.items():
        path = without_shapes(file, folder)
        description = read_description(path)
        yield name, path, robot_model(float_base(description) if floating else description), frame
    made = robot_model(described(urdf_tree(1, 12), folder, floating=True))
    yield "tree of 12 links", folder / "robot.urdf", made, "link11"


def rows(folder: Path) -> Iterator[str]:
    """The lines of the table."""
    yield "| robot | freedoms | place | Jacobian | mass matrix | bias | all four | off by |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, path, model, frame in robots(folder):
        worst = deviations(path, model, STATES)
        quantity = max(worst, key=lambda key: worst[key])
        times = [f"{cost(work, model, frame):.2f} us" for work in (places, jacobians, matrices, biases, everything)]
        yield f"| {name} | {model.nv} | {' | '.join(times)} | {worst[quantity]:.0e} ({quantity}) |"


def main() -> None:
    """Write the table between its marks."""
    with TemporaryDirectory() as folder:
        table = "\n".join(rows(Path(folder)))
    page = PAGE.read_text(encoding="utf-8")
    between = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(between.sub(lambda match: f"{match[1]}{table}\n{match[2]}", page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
