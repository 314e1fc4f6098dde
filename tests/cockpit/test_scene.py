"""What the scene shows: forces, views of sensors, the extent of a robot; closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import viser

import didymos
from didymos.cockpit.camera_panel import WIDEST, for_the_eye
from didymos.cockpit.forces import lift_and_drag
from didymos.cockpit.mass_overlay import equivalent_box
from didymos.cockpit.scene import World
from didymos.cockpit.sensor_overlay import hits_of, outline_of, rays_of
from didymos.cockpit.snapshot import SnapshotTaker
from didymos.engine.cameras import View
from didymos.engine.drawn_shapes import triangles
from didymos.rotations import quaternion_to_matrix
from didymos.sensors.ranging import Rangefinder
from didymos.web.shapes import extent_of


@pytest.mark.parametrize("alpha", [-0.4, 0.0, 0.1, 1.5])
def test_lift_is_across_the_air_and_drag_along_it(alpha: float) -> None:
    lift, drag = 12.0, 3.0  # [N]; the law's own turn into the frame of the surface
    force = np.array([lift * np.sin(alpha) - drag * np.cos(alpha), 0.7, lift * np.cos(alpha) + drag * np.sin(alpha)])
    up, back = lift_and_drag(force, alpha)
    air = np.array([-np.cos(alpha), 0.0, np.sin(alpha)])  # the way the air goes past
    assert np.linalg.norm(up) == pytest.approx(lift, rel=1e-12)
    assert back == pytest.approx(drag * air, rel=1e-12)
    assert up @ air == pytest.approx(0.0, abs=1e-12)
    assert up + back + [0.0, 0.7, 0.0] == pytest.approx(force, rel=1e-12)


def test_a_plane_in_level_flight_shows_lift_that_carries_it() -> None:
    simulation = didymos.load("plane_1wing").simulate(scenario="cruise")
    simulation.run(3.0)
    snapshot = SnapshotTaker(simulation).take(simulation)
    weight = float(np.sum(simulation.model.body_mass)) * 9.81
    forces = snapshot.robots[""].forces
    assert forces["lift"][0, 1, 2] == pytest.approx(weight, rel=0.1)  # thrust and a little climb carry the rest
    assert forces["drag"][0, 1] @ simulation.data.qvel[:3] < 0.0
    assert len(forces["thrust"]) == 1


def test_rays_end_where_they_hit_and_nowhere_else() -> None:
    rays = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [-1.0, 0, 0]])
    found = hits_of(rays, np.array([2.0, np.inf, -np.inf, 11.0]), 10.0)
    assert found.tolist() == [[2.0, 0.0, 0.0]]
    assert len(hits_of(rays[:1], np.array([-1.0]), 10.0)) == 0
    outline = outline_of(rays, 3.0)
    assert outline[0, 0].tolist() == outline[-1, 1].tolist() == [0.0, 0.0, 0.0]
    assert np.array_equal(outline[1:, 0], outline[:-1, 1])


def test_a_range_finder_looks_down_by_its_pitch() -> None:
    rays, reach = rays_of(Rangefinder.spec(link="a", rate=10, pitch=np.pi / 2, reach=7.0))
    assert rays[0] == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)
    assert reach == 7.0


def test_the_extent_of_a_box_is_half_its_diagonal_and_its_middle(make_twin: Any) -> None:
    simulation = make_twin(start={"position": [1.0, 2.0, 3.0]}).simulate()
    extent = extent_of(simulation.model, simulation.data.qpos)
    assert extent.middle == pytest.approx([1.0, 2.0, 3.0])
    assert extent.size == pytest.approx(np.linalg.norm([0.1, 0.15, 0.2]))
    mite = make_twin("<mujoco><worldbody><body><freejoint/><geom type='box' size='.005 .003 .002'/></body></worldbody></mujoco>")
    simulation = mite.simulate()
    assert extent_of(simulation.model, simulation.data.qpos).size == pytest.approx(np.linalg.norm([0.005, 0.003, 0.002]))


def test_objects_are_drawn_and_do_not_count_as_the_robot(make_twin: Any) -> None:
    """A stone far away leaves the extent alone; the page draws terrain with its corners at the heights that it has."""
    stone = {"shape": "sphere", "size": [1, 1, 1], "mass": 1, "position": [50, 0, 0]}
    rough = {"shape": "terrain", "size": [2, 1, 0], "terrain": {"kind": "rough", "height": 0.3, "length": 0.5}}
    alone = make_twin().simulate()
    twin = make_twin(world={"objects": {"stone": stone, "rough": rough}})
    beside = twin.simulate()
    assert extent_of(beside.shown.model, beside.data.qpos).size == extent_of(alone.shown.model, alone.data.qpos).size
    model = beside.shown.model
    drawn = triangles(model, int(model.geom("didymos:rough").id))
    assert drawn is not None
    heights = twin.surroundings.terrain("rough", twin.file.world.objects["rough"]).heights
    assert heights is not None
    corners = drawn[0].reshape(3, 5, 3)[::-1]  # the engine's first row lies at the smallest y
    np.testing.assert_allclose(corners[..., 2] + heights.min(), heights, atol=1e-7)
    np.testing.assert_allclose(corners[0, :, 0], np.linspace(-1.0, 1.0, 5), atol=1e-7)
    assert drawn[1].max() == 14


def test_pictures_fit_into_the_panel_and_near_is_bright() -> None:
    assert for_the_eye(View()).shape[2] == 3
    wide = for_the_eye(View(0.0, np.zeros((300, 900, 3), np.uint8)))
    assert wide.shape[1] <= WIDEST
    assert wide.shape == (100, 300, 3)
    depth = for_the_eye(View(0.0, None, np.array([[1.0, 4.0, np.inf]], np.float32)))
    assert depth[0, :, 0].tolist() == [191, 0, 0]


def test_the_box_of_an_inertia_is_the_solid_box_that_has_it() -> None:
    sides, mass = np.array([0.2, 0.5, 1.1]), 3.0
    moments = mass / 12.0 * (np.sum(sides**2) - sides**2)
    turn = quaternion_to_matrix(np.array([0.5, 0.5, -0.5, 0.5]))
    found, axes = equivalent_box(mass, turn @ np.diag(moments) @ turn.T)
    assert sorted(found) == pytest.approx(sides)
    assert axes @ np.diag(found**2) @ axes.T == pytest.approx(turn @ np.diag(sides**2) @ turn.T)


def test_the_ground_has_no_end(make_twin: Any) -> None:
    scene = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        model = make_twin(world={"ground": {}}).simulate().shown.model
        World(scene.scene, model, 1.0, 2000.0)
        grounds = [node for name, node in scene.scene._handle_from_node_name.items() if "/ground/" in name]
        assert [node.infinite_grid for node in grounds] == [True]
    finally:
        scene.stop()
