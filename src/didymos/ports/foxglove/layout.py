"""A layout of panels for a twin, as a file that Foxglove and Lichtblick import: viewers show nothing that nobody has switched on.

The 3D scene with its scans, plots of the pose beside what was asked for, of joints, set-points and inputs, pictures, the table of
parameters, buttons that stop and go, and a pad where a robot listens to /cmd_vel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.errors import InputError
from didymos.ports.foxglove.scene import SCENE, WORLD
from didymos.record.image import topics_of
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["layout_of", "save_layout"]

_MOST_LINES = 12  # in a plot
_MOST_PANELS = 4  # of a sort: robots, cameras
_PLAIN = re.compile(r"[A-Za-z0-9_/-]+")  # topics that stand in a path without quotes

_Plot = tuple[str, list[tuple[str, str]]]
"""Title, and lines as (label, path)."""


def save_layout(simulation: Simulation, commands: Sequence[str], file: Path) -> None:
    """Write the layout of a run into a file; `commands` are the topics that it listens to."""
    try:
        file.write_text(json.dumps(layout_of(simulation, commands), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write the layout: {error.strerror}", file=file) from error


def layout_of(simulation: Simulation, commands: Sequence[str]) -> dict[str, Any]:
    """Panels by name, and how they share the window."""
    left = {"3D!scene": _scene(simulation)}
    for i, eye in enumerate(eye for eye in simulation.cameras if eye.colour):
        if i < _MOST_PANELS:
            info, image = (topic for topic, _ in topics_of(eye)[:2])
            left[f"Image!camera{i}"] = {"imageMode": {"imageTopic": image, "calibrationTopic": info}}
    plots = [plot for name in list(simulation.robots)[:_MOST_PANELS] for plot in _plots(simulation.layouts, name) if plot[1]]
    middle = {f"Plot!plot{i}": _plot(*plot) for i, plot in enumerate(plots)}
    right: dict[str, Any] = {"Parameters!parameters": {"title": "Parameters"}}
    drives = [topic for topic in commands if topic.endswith("/cmd_vel")]
    right |= {f"Teleop!pad{i}": {"topic": topic, "publishRate": 10} for i, topic in enumerate(drives[:_MOST_PANELS])}
    right |= {f"CallService!{name}": _button(name) for name in ("pause", "resume")}
    columns = [_stacked(list(panels), "column") for panels in (left, middle, right) if panels]
    return {
        "configById": {**left, **middle, **right},
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": _stacked(columns, "row"),
    }


def _scene(simulation: Simulation) -> dict[str, Any]:
    robot = next(iter(simulation.robots.values()))
    root = robot.links.root
    scans = [topic for item in simulation.layouts if item.kind is Kind.LASER_SCAN for topic in item.topics]
    extent = float(np.clip(1.5 * simulation.shown.model.stat.extent, 1.0, 50.0))
    return {
        "followTf": f"{robot.name}/{root}" if robot.name else root,
        "followMode": "follow-position" if len(simulation.robots) == 1 else "follow-none",
        "fixedFrame": WORLD,
        "scene": {"transforms": {"visible": False}},
        "transforms": {},
        "topics": {topic: {"visible": True} for topic in (SCENE, *scans)},
        "layers": {"grid": {"layerId": "foxglove.Grid", "instanceId": "grid", "visible": True, "frameId": WORLD}},
        "cameraState": {
            "perspective": True, "distance": extent, "phi": 60, "thetaOffset": 45, "target": [0, 0, 0], "targetOffset": [0, 0, 0],
            "targetOrientation": [0, 0, 0, 1], "fovy": 45, "near": 0.01, "far": 5000,
        },
    }  # fmt: skip


def _plots(layouts: Iterable[StreamLayout], robot: str) -> list[_Plot]:
    """Plots of a robot: where it is beside what was asked for, its joints, its set-points, its inputs."""
    prefix = f"{robot}." if robot else ""
    own = {item.name.removeprefix(prefix): item for item in layouts if item.namespace == robot}
    scalars = {kind: _scalars(own, kind) for kind in ("setpoints", "inputs")}
    place = []
    for axis in "xyz":
        if "truth" in own:
            place.append((axis, f"{own['truth'].topics[0]}.pose.pose.position.{axis}"))
        place += [(f"{axis} set", path) for label, path in scalars["setpoints"] if label == axis]
    joints = own.get("joints")
    turned = [] if joints is None else [(name, f"{joints.topics[0]}.position[{i}]") for i, name in enumerate(joints.labels)]
    found = [("position", place), ("joints", turned), *scalars.items()]
    return [(prefix + title, [line for line in lines if _PLAIN.match(line[1])]) for title, lines in found]


def _scalars(own: Mapping[str, StreamLayout], name: str) -> list[tuple[str, str]]:
    if name not in own:
        return []
    paths = zip(own[name].columns, own[name].topics, strict=True)
    return [(label, f"{topic}.data") for label, topic in paths if _PLAIN.fullmatch(topic)]


def _plot(title: str, lines: Sequence[tuple[str, str]]) -> dict[str, Any]:
    about = {"enabled": True, "timestampMethod": "receiveTime"}
    return {
        "foxglovePanelTitle": title,
        "paths": [{"value": path, "label": label, **about} for label, path in lines[:_MOST_LINES]],
        "showXAxisLabels": True,
        "showYAxisLabels": True,
        "showLegend": True,
        "legendDisplay": "floating",
        "isSynced": True,
        "xAxisVal": "timestamp",
        "followingViewWidth": 20,
    }


def _button(service: str) -> dict[str, Any]:
    about = {"requestPayload": "{}", "layout": "vertical", "editingMode": False, "timeoutSeconds": 10}
    return {"serviceName": f"/{service}", "buttonText": service, **about}


def _stacked(panels: Sequence[Any], direction: str) -> Any:
    """Panels beside or below each other, each as large as the others."""
    if len(panels) == 1:
        return panels[0]
    share = 100.0 / len(panels)
    return {"direction": direction, "first": panels[0], "second": _stacked(panels[1:], direction), "splitPercentage": share}
