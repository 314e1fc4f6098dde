"""Pictures on ROS 2's wire: a thing of known place is seen where CameraInfo and the tree of frames say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_ros2_frames import Seen, look

POLE = """<mujoco><worldbody><body name="pole"><geom type="sphere" size="0.01" pos="-1 0 0"/>
  <body name="eye" pos="0.2 0.1 0.5"><joint name="turn" axis="0 0 1" range="-114 114"/>
  <inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/></body></body></worldbody></mujoco>"""
WORLD = {"step": 0.01, "integrator": "implicitfast", "gravity": 0.0}
WIDTH, HEIGHT, VIEW = 321, 240, 1.2  # [pixel], [rad]
PLACE = np.array([4.0, 1.2, 0.9])  # [m]
TOPICS = {
    "/camera/image_raw": "Image", "/camera/camera_info": "CameraInfo", "/camera/depth/image_raw": "Image",
    "/camera/depth/camera_info": "CameraInfo", "/camera/depth/points": "PointCloud2",
}  # fmt: skip


@pytest.mark.parametrize("lens", [{}, {"k1": -0.15, "k2": 0.02, "p1": 0.001, "p2": -0.002}], ids=["pin-hole", "lens"])
def test_a_ball_falls_on_the_pixel_that_camera_info_and_the_frames_say(
    serve: Any, make_twin: Any, lens: dict[str, float]
) -> None:
    camera = {
        "kind": "camera", "link": "eye", "rate": 10, "enabled": 1, "field_of_view": VIEW, "width": WIDTH, "height": HEIGHT,
        "depth": True, **lens,
    }  # fmt: skip
    ball = {"shape": "sphere", "position": PLACE.tolist(), "size": [0.3, 0.3, 0.3], "colour": [1.0, 0.0, 0.0]}
    twin = make_twin(
        POLE, world=WORLD | {"objects": {"ball": ball}}, sensors={"camera": camera}, start={"joints": {"turn": 0.4}},
        record={"tf_rate": 100},
    )  # fmt: skip
    with serve(twin.folder, "--step-locked") as server:
        found = look(server, 15, 30, [], TOPICS)
        server.stop()
    seen, topics = Seen(found), found["topics"]
    image, info, depth, cloud = (topics[name] for name in TOPICS if name != "/camera/depth/camera_info")
    assert all(topic["header"] == image["header"] for topic in topics.values())
    frame = image["header"]["frame_id"]
    assert frame == "camera_optical_frame"
    assert (image["encoding"], image["step"], depth["encoding"], depth["step"]) == ("rgb8", 3 * WIDTH, "32FC1", 4 * WIDTH)
    assert (info["width"], info["height"], info["distortion_model"]) == (WIDTH, HEIGHT, "plumb_bob")
    assert info["r"] == np.eye(3).ravel().tolist()
    assert [info["p"][i] for i in (0, 2, 5, 6)] == [info["k"][i] for i in (0, 2, 4, 5)]

    # The ball in the optical frame by the tree alone, then through the lens as sensor_msgs/CameraInfo and OpenCV write it.
    optical = seen.within("world", frame)
    x, y, z = optical.rotation.T @ (PLACE - optical.position)
    k1, k2, p1, p2, k3 = info["d"]
    a, b = x / z, y / z
    r = a * a + b * b
    bend = 1 + k1 * r + k2 * r**2 + k3 * r**3
    a, b = bend * a + 2 * p1 * a * b + p2 * (r + 2 * a * a), bend * b + p1 * (r + 2 * b * b) + 2 * p2 * a * b
    column, row = info["k"][0] * a + info["k"][2], info["k"][4] * b + info["k"][5]

    colour = np.array(image["data"], np.uint8).reshape(HEIGHT, WIDTH, 3).astype(int)
    rows, columns = np.nonzero(colour[:, :, 0] > 3 * colour[:, :, 1] + 30)
    radius = info["k"][0] * 0.15 / z
    assert len(rows) == pytest.approx(math.pi * radius**2, rel=0.15)
    # The middle of some hundred pixels is good to a tenth of one. Off the axis a ball's outline is an ellipse, whose middle is
    # further out than the ball's by (radius / distance)^2 of its way from the axis: 40 pixels * 0.0013.
    assert columns.mean() == pytest.approx(column, abs=0.3)
    assert rows.mean() == pytest.approx(row, abs=0.3)

    # The point of that pixel lies on the ball, on the side of the camera.
    points = np.array(cloud["data"], np.uint8).view("<f4").reshape(HEIGHT, WIDTH, 3)
    point = points[round(row), round(column)].astype(float)
    distances = np.array(depth["data"], np.uint8).view("<f4").reshape(HEIGHT, WIDTH)
    assert point[2] == distances[round(row), round(column)]
    away = np.linalg.norm(point - [x, y, z])
    assert away == pytest.approx(0.15, abs=0.15 * 0.02 + 3e-4)  # facets of the drawn ball; depth to z^2 / (near 2^24) and less
    assert np.linalg.norm(point) < np.linalg.norm([x, y, z])
    assert np.isnan(points[0, 0]).all()
    assert not np.isfinite(distances[0, 0])
