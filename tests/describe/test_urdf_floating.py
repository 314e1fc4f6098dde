"""A URDF whose robot hangs by a floating joint below a link of the world."""

from __future__ import annotations

import pytest

import didymos

URDF = """<robot name="r"><link name="{world}"/>
<link name="hull"><collision><geometry><sphere radius=".1"/></geometry></collision>
<inertial><mass value="2"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="free" type="floating"><parent link="{world}"/><child link="hull"/></joint></robot>"""


@pytest.mark.parametrize("world", ["world", "map"])
def test_the_robot_begins_below_the_floating_joint(world, tmp_path):
    (tmp_path / "r.urdf").write_text(URDF.format(world=world))
    twin = didymos.load(str(tmp_path / "r.urdf"))
    assert (twin.description.root, twin.description.floating) == ("hull", True)
    simulation = twin.simulate()
    assert simulation.only.built.robot.model.base_joint.name == "free"
    log = simulation.run(0.5)
    assert 0.09 < log["truth.position.z"].values[-1] <= 0.1  # it rests on its sphere, which sinks in by under a tenth
