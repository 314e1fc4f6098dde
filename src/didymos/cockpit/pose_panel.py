"""The panel Pose: bend the joints of a robot that is paused, and place it with a gizmo. All of it is recorded (`put`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import viser
import viser.transforms as tf
from numpy.typing import NDArray

from didymos.cockpit.gizmo import Gizmo
from didymos.cockpit.robots import Figure, RobotMenu, named, twins_of
from didymos.cockpit.session import Session
from didymos.cockpit.snapshot import Snapshot
from didymos.cockpit.tune import decimals
from didymos.describe.names import movable_joints

__all__ = ["PosePanel", "reach"]

MOST_ROWS = 60
STEPS = 500  # of a slider
Array = NDArray[np.float64]


def reach(model: mujoco.MjModel, joint: int) -> tuple[float, float]:
    """How far a slider bends a joint [rad or m]: within its limits, else half a turn, or a metre, either way."""
    if model.jnt_limited[joint]:
        low, high = (float(x) for x in model.jnt_range[joint])
        return low, high
    slides = int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_SLIDE)
    return (-1.0, 1.0) if slides else (-math.pi, math.pi)


@dataclass(frozen=True)
class _Row:
    """A joint's slider, where its position lies in `qpos`, and whether it may turn for ever: then the slider is within a turn."""

    handle: Any
    place: int
    turns: bool

    def whole_turns(self, qpos: Array) -> float:
        """What of the joint's position is whole turns [rad]; the slider shows the rest."""
        value = float(qpos[self.place])
        return value - math.remainder(value, math.tau) if self.turns else 0.0


class PosePanel:
    """Joint sliders and a gizmo. `update` shows what the run does."""

    def __init__(self, gui: viser.GuiApi, session: Session, figures: Mapping[str, Figure], scene: viser.SceneApi) -> None:
        self._gui, self._session, self._figures, self._scene = gui, session, figures, scene
        self._twins = twins_of(session.twin)
        self._gizmo: Gizmo | None = None
        self._arm = np.zeros(3)  # [m] from the root link to the robot's centre of mass, in the frame of its body
        self._rows: dict[str, _Row] = {}  # by name of a joint
        self._shown: dict[str, float] = {}  # where the page and the run agree that a joint is
        self._asked: dict[str, float] = {}
        self._enabled = False
        gui.add_markdown("**Pause**, then bend and place the robot. It goes on from there, and a recording repeats it.")
        self._robot = RobotMenu(gui, tuple(self._twins), self._list)
        self._place = gui.add_checkbox("Gizmo", False, hint="Arrows move the robot, rings turn it")
        self._note = gui.add_markdown("")
        self._folder = gui.add_folder("Joints")
        self._list()

    @property
    def moving(self) -> bool:
        """Whether the gizmo is being moved."""
        return self._gizmo is not None and self._gizmo.moving

    @property
    def _floats(self) -> bool:
        return self._twins[self._robot.value].description.floating

    def _list(self) -> None:
        """Offer the joints of the chosen robot."""
        self._remove_gizmo()
        for row in self._rows.values():
            row.handle.remove()
        self._rows = {}
        model, description = self._session.live.simulation.model, self._twins[self._robot.value].description
        joints = movable_joints(description)
        with self._folder:
            for name in joints[:MOST_ROWS]:
                joint = model.joint(self._engine_name(name)).id
                turns = not model.jnt_limited[joint] and int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_HINGE)
                self._rows[name] = _Row(self._row(name, model, joint), int(model.jnt_qposadr[joint]), turns)
        lines = [] if self._floats else ["Its root link is held in the world: there is nothing to place."]
        lines += [] if joints else ["It has no joints to bend."]
        self._note.content = " ".join(lines)
        self._folder.visible, self._place.disabled = bool(joints), not self._floats
        self._shown, self._asked, self._enabled = {}, {}, False

    def _engine_name(self, joint: str) -> str:
        robot = self._session.live.simulation.robots[self._robot.value]
        return str(robot.twin.description.joints[joint].engine_joints[0])

    def _row(self, name: str, model: mujoco.MjModel, joint: int) -> Any:
        low, high = reach(model, joint)
        slides = int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_SLIDE)
        step = 10.0 ** math.floor(math.log10(max(high - low, 1e-9) / STEPS))
        handle = self._gui.add_slider(
            f"{name} [{'m' if slides else 'rad'}]", min=low, max=max(high, low + step), step=step, initial_value=low,
            disabled=True,
        )  # fmt: skip
        handle.precision = decimals(step)
        handle.on_update(lambda event: self._bend(name, float(handle.value)) if event.client is not None else None)
        return handle

    def _path(self, joint: str) -> str:
        return named(self._robot.value, f"joints.{joint}")

    def _bend(self, joint: str, value: float) -> None:
        self._asked[joint] = value
        row, qpos = self._rows[joint], self._session.live.simulation.data.qpos
        self._session.put(self._path(joint), value + row.whole_turns(qpos))

    def update(self, snapshot: Snapshot, root: Callable[[str], int], *, shown: bool) -> None:
        """Show where the joints are and, of a run that is paused and `shown`, the gizmo; `root` numbers a robot's root body."""
        paused = not self._session.status.playing and shown
        robot = self._robot.value
        if paused and bool(self._place.value) and self._floats:
            if self._gizmo is None:
                self._gizmo = Gizmo(self._scene, self._figures[robot].extent.size, self._put)
            body, com = root(robot), snapshot.robots[robot].com
            position, quaternion = snapshot.positions[body], snapshot.quaternions[body]
            if not self._gizmo.moving:
                self._arm = tf.SO3(quaternion).inverse() @ (com - position)
            self._gizmo.stand_at(com, quaternion)
        else:
            self._remove_gizmo()
        if self._enabled != paused:
            self._enabled = paused
            for row in self._rows.values():
                row.handle.disabled = not paused
        if paused:
            self._show()

    def _put(self, com: Array, quaternion: Array) -> None:
        """Put the robot where its centre of mass is at a point [m] and its root link has an orientation; at rest."""
        position = com - tf.SO3(quaternion) @ self._arm
        self._session.put(named(self._robot.value, "robot"), *map(float, (*position, *quaternion)), *(0.0,) * 6)

    def _show(self) -> None:
        """Bring sliders to where joints are; one on the move, or whose number is not answered yet, stays where it is."""
        qpos = self._session.live.simulation.data.qpos
        for name, row in self._rows.items():
            handle = row.handle
            value, held = float(qpos[row.place]) - row.whole_turns(qpos), float(handle.value)
            refused = self._asked.get(name) == held and self._session.is_set(self._path(name), "put")
            if held != value and (name not in self._shown or held == self._shown[name] or refused):
                handle.value = held = value
            if held == value:
                self._shown[name] = value

    def renew(self) -> None:
        """Show the joints of a new run."""
        self._list()

    def _remove_gizmo(self) -> None:
        if self._gizmo is not None:
            self._gizmo.remove()
            self._gizmo = None
