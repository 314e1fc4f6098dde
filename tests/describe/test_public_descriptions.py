"""Every URDF of example-robot-data loads and runs, or is refused for a reason that we know.

Shapes are left out where all files are read, as meshes take seconds; a few light robots are read with theirs.
"""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

from didymos.describe.description import Description
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

ROBOTS = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = sorted(str(file.relative_to(ROBOTS)) for file in ROBOTS.glob("**/*.urdf"))
NOT_PHYSICAL = "has an inertia that no body can have"
REFUSED = {
    "allegro_hand_description/urdf/allegro_left_hand.urdf": NOT_PHYSICAL,
    "allegro_hand_description/urdf/allegro_right_hand.urdf": NOT_PHYSICAL,
    "icub_description/robots/icub.urdf": "link 'neck_2' is turned by joint 'neck_roll' about an axis",  # without shapes
    "romeo_description/urdf/romeo.urdf": "'LFinger11Link' is moved by joint 'LHand' but neither it nor any link",
    "romeo_description/urdf/romeo_laas_small.urdf": NOT_PHYSICAL,
    "romeo_description/urdf/romeo_small.urdf": NOT_PHYSICAL,
    "ur_description/urdf/ur3.urdf": "<robot> has no <link>",
}
WITH_MESHES = [
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "iris_description/robots/iris.urdf",
]


def without_shapes(file: str, folder: Path) -> Path:
    text = (ROBOTS / file).read_text(encoding="utf-8")
    for tag in ("visual", "collision"):
        text = re.sub(rf"<{tag}(\s[^>]*)?(?<!/)>.*?</{tag}>", "", text, flags=re.DOTALL)
    path = folder / Path(file).name
    path.write_text(text, encoding="utf-8")
    return path


def run(spec: mujoco.MjSpec, steps: int = 100) -> mujoco.MjData:
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return data


def compare_inertias(description: Description, other: pinocchio.Model) -> None:
    """pinocchio keeps the inertia of a welded link in the frame of its fixed joint, and sums over each moving joint."""
    own = {
        name: pinocchio.Inertia(link.mass, link.com, np.where(np.abs(link.inertia) < 1e-15, 0, link.inertia))
        for name, link in description.links.items()
    }
    welded = {f.name: f.inertia for f in other.frames if f.type == pinocchio.FrameType.FIXED_JOINT}
    for name, link in description.links.items():
        if link.parent_joint in welded and link.mass:
            assert_equal(own[name], welded[link.parent_joint])
    sums = [pinocchio.Inertia.Zero() for _ in other.inertias]
    bodies = [frame for frame in other.frames if frame.type == pinocchio.FrameType.BODY]
    assert {frame.name for frame in bodies} == set(own)
    for frame in bodies:
        if own[frame.name].mass or np.any(own[frame.name].inertia):
            sums[frame.parentJoint] += frame.placement.act(own[frame.name])
    for mine, theirs in zip(sums, other.inertias, strict=True):
        assert_equal(mine, theirs)


def assert_equal(mine: pinocchio.Inertia, theirs: pinocchio.Inertia) -> None:
    assert mine.mass == pytest.approx(theirs.mass, abs=1e-9)
    np.testing.assert_allclose(mine.lever, theirs.lever, atol=1e-9)
    np.testing.assert_allclose(mine.inertia, theirs.inertia, atol=1e-9)


@pytest.mark.parametrize("file", FILES)
def test_every_robot_has_the_masses_of_pinocchio_and_runs(file: str, tmp_path: Path) -> None:
    path = without_shapes(file, tmp_path)
    if file in REFUSED:
        with pytest.raises(InputError, match=re.escape(REFUSED[file])):
            read_description(path)
        return
    description = read_description(path)
    compare_inertias(description, pinocchio.buildModelFromUrdf(str(path)))
    masses = description.spec.compile().body_mass
    assert masses.sum() == pytest.approx(sum(link.mass for link in description.links.values()), abs=1e-9)
    data = run(description.spec)
    assert np.all(np.isfinite(data.qpos))
    assert not any(warning.number for warning in data.warning)


@pytest.mark.parametrize("file", WITH_MESHES)
def test_robots_with_their_meshes_run_free_and_fixed(file: str) -> None:
    description = read_description(ROBOTS / file)
    for which in (description, description if description.held_by else float_base(description)):
        data = run(which.spec, steps=20)
        assert np.all(np.isfinite(data.qpos))


def test_a_robot_with_loops_in_sdf_stays_closed() -> None:
    description = float_base(read_description(ROBOTS / "cassie_description/robots/cassie_v2.sdf"))
    model = description.spec.compile()
    data = run(description.spec)
    assert model.neq > 0
    closed = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert np.abs(closed).max() < 5e-3  # [m]
