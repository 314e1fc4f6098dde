"""A row of joints from the trunk to a foot, as numbers: axes and points at the robot's reference, feet at any angles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.model import RobotModel

__all__ = ["Chain", "Tree"]

Array = NDArray[np.float64]

_TURNS = ("revolute", "continuous")


class Tree:
    """Which joint carries which: the robot as joints, without the links that are fixed to each other."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.above: dict[str, str | None] = {}
        """The joint that carries a joint; None for the trunk."""
        self.carrier: dict[str, str | None] = {}
        """The joint that carries a link; None for the trunk."""
        for link in model.links.values():
            self._climb(link.name)
        self.children: dict[str | None, list[str]] = {}
        for joint, parent in self.above.items():
            self.children.setdefault(parent, []).append(joint)

    def _climb(self, name: str) -> str | None:
        if name not in self.carrier:
            link = self.model.links[name]
            under = None if link.parent is None else self._climb(link.parent)
            for joint in link.joints:
                self.above[joint] = under
                under = joint
            self.carrier[name] = under
        return self.carrier[name]

    def path(self, joint: str | None) -> tuple[str, ...]:
        """The joints from the trunk to this one."""
        found: list[str] = []
        while joint is not None:
            found.append(joint)
            joint = self.above[joint]
        return tuple(reversed(found))

    def below(self, joint: str | None) -> list[str]:
        """The joints that a joint carries, itself among them."""
        found = [] if joint is None else [joint]
        for child in self.children.get(joint, []):
            found += self.below(child)
        return found

    def links(self, joint: str | None) -> list[str]:
        """The links that a joint moves and no joint behind it does."""
        return [name for name, carrier in self.carrier.items() if carrier == joint]


@dataclass(frozen=True, eq=False)
class Chain:
    """Joints one behind the other, in the frame of the root link, at the model's reference; n of them."""

    joints: tuple[str, ...]
    axis: Array  # [n, 3]
    point: Array  # [n, 3] [m]
    slides: tuple[bool, ...]
    reference: Array  # [n]
    lower: Array  # [n], one turn about the reference where there is no limit
    upper: Array  # [n]

    @classmethod
    def of(cls, model: RobotModel, joints: Sequence[str]) -> Chain:
        """The chain of these joints; a ball or a plane in it is a ValueError."""
        state = model.at(model.reference)
        turn, origin = state.rotation(model.root), state.position(model.root)
        axis, point, reference, lower, upper = [], [], [], [], []
        for name in joints:
            joint = model.joint(name)
            if joint.kind not in (*_TURNS, "prismatic"):
                raise ValueError(f"joint {name!r} is {joint.kind}")
            link = state.rotation(joint.child)
            axis.append(turn.T @ link @ joint.axis)
            point.append(turn.T @ (state.position(joint.child) + link @ joint.anchor - origin))
            at = float(model.reference[joint.position_index])
            reference.append(at)
            lower.append(joint.lower if math.isfinite(joint.lower) else at - math.pi)
            upper.append(joint.upper if math.isfinite(joint.upper) else at + math.pi)
        slides = tuple(model.joint(name).kind == "prismatic" for name in joints)
        numbers = (np.array(values, dtype=np.float64) for values in (reference, lower, upper))
        return cls(tuple(joints), np.array(axis), np.array(point), slides, *numbers)

    def place(self, angles: Array, foot: Array) -> tuple[Array, Array, Array]:
        """At angles [m, n]: a point of the last link [m, 3], its Jacobian [m, 3, n] and the points of the joints [m, n, 3]."""
        many, count = angles.shape
        turn, shift = np.tile(np.eye(3), (many, 1, 1)), np.zeros((many, 3))
        axes, points = np.zeros((many, count, 3)), np.zeros((many, count, 3))
        for i in range(count):
            axes[:, i], points[:, i] = turn @ self.axis[i], turn @ self.point[i] + shift
            moved = angles[:, i] - self.reference[i]
            if self.slides[i]:
                shift = shift + moved[:, None] * axes[:, i]
            else:
                x, y, z = self.axis[i]
                skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
                s, c = np.sin(moved)[:, None, None], np.cos(moved)[:, None, None]
                turn = turn @ (np.eye(3) + s * skew + (1.0 - c) * skew @ skew)
                shift = points[:, i] - turn @ self.point[i]
        ends = turn @ foot + shift
        jacobian = np.cross(axes, ends[:, None, :] - points)
        for i, slides in enumerate(self.slides):
            if slides:
                jacobian[:, i] = axes[:, i]
        return ends, jacobian.transpose(0, 2, 1), points

    def solve(self, foot: Array, target: Array, start: Array, steps: int = 60) -> Array:
        """Angles [m, n] inside the limits that bring a point of the last link to a target [3], from starts [m, n]."""
        angles = np.clip(start, self.lower, self.upper)
        scale = max(float(np.linalg.norm(foot - self.point[0])), 1e-3)
        for _ in range(steps):
            ends, jacobian, _ = self.place(angles, foot)
            error = target - ends
            size = np.minimum(np.linalg.norm(error, axis=1), 0.05 * scale)[:, None, None] + 1e-6 * scale
            inner = jacobian @ jacobian.transpose(0, 2, 1) + size**2 * np.eye(3)
            step = (jacobian.transpose(0, 2, 1) @ np.linalg.solve(inner, error[:, :, None]))[:, :, 0]
            angles = np.clip(angles + np.clip(step, -0.5, 0.5), self.lower, self.upper)
        return angles
