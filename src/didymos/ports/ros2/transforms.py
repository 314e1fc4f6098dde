"""Transforms on /tf and /tf_static, each of a frame in its parent.

The log has the poses of all links in the world. With p, q and P, Q the poses of a link and of its parent,

    position    R(Q)^T (p - P)
    orientation Q* q

so that going down the tree gives back where each link is, relative to the base, to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from didymos.ports.ros2.encode import NOTHING, Array, Batch
from didymos.ports.ros2.form import MessageForm, one_message
from didymos.ports.ros2.tree import Edge
from didymos.rotations import quaternion_product, rotate

__all__ = ["CarriedTransform", "LinkTransforms", "MapTransform", "PoseTransform", "relative", "static_transforms"]

TYPE = "tf2_msgs/msg/TFMessage"
_POSE = 7
_NUMBERS = (*(f"translation.{axis}" for axis in "xyz"), *(f"rotation.{axis}" for axis in "xyzw"))
_W_LAST = [0, 1, 2, 4, 5, 6, 3]  # a pose of the log, w first, as a message has it


def _form(pairs: Sequence[tuple[str, str]]) -> MessageForm:
    """A message with a transform for each parent and child."""
    numbers = [f"transforms.{i}.transform.{number}" for i in range(len(pairs)) for number in _NUMBERS]
    return MessageForm(
        TYPE, _names(pairs), stamps=[f"transforms.{i}.header.stamp" for i in range(len(pairs))], numbers=numbers
    )


def _names(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    constants: dict[str, Any] = {"transforms": len(pairs)}
    for i, (parent, child) in enumerate(pairs):
        constants[f"transforms.{i}.header.frame_id"] = parent
        constants[f"transforms.{i}.child_frame_id"] = child
    return constants


def relative(parent: Array, child: Array) -> Array:
    """Poses of children in their parents, shape [n, 7], w first, from both in the world."""
    back = parent[:, 3:] * [1.0, -1.0, -1.0, -1.0]
    return np.hstack([rotate(back, child[:, :3] - parent[:, :3]), quaternion_product(back, child[:, 3:])])


def _inverse(pose: Array) -> Array:
    back = pose[:, 3:] * [1.0, -1.0, -1.0, -1.0]
    return np.hstack([rotate(back, -pose[:, :3]), back])


def static_transforms(edges: Iterable[Edge]) -> bytes:
    """One message with all transforms that never change."""
    fixed = [edge for edge in edges if edge.pose is not None]
    constants = _names([(edge.parent, edge.child) for edge in fixed])
    for i, edge in enumerate(fixed):
        assert edge.pose is not None
        row = np.concatenate([edge.pose.position, edge.pose.quaternion])[_W_LAST]
        constants |= {f"transforms.{i}.transform.{number}": value for number, value in zip(_NUMBERS, row, strict=True)}
    return one_message(TYPE, constants)


class LinkTransforms:
    """The links of a robot that move, each in its parent, from the stream `tf`.

    Args:
        labels: the frames of the stream in order.
        links: child and parent of each, the parent empty for the world.
        world: the name of the world's frame.
    """

    def __init__(self, labels: Sequence[str], links: Sequence[tuple[str, str]], world: str) -> None:
        places = {label: i for i, label in enumerate(labels)}
        self._pairs = [(places[child], places[parent] if parent else -1) for child, parent in links]
        self._form = _form([(parent or world, child) for child, parent in links])
        self.type_name, self.size = TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row."""
        poses = values.reshape(len(times), -1, _POSE)
        children = poses[:, [child for child, _ in self._pairs]]
        still = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), poses[:, :1].shape)
        above = np.concatenate([poses, still], axis=1)[:, [parent for _, parent in self._pairs]]  # -1 is the last
        found = relative(above.reshape(-1, _POSE), children.reshape(-1, _POSE))
        return [self._form.fill(times, found[:, _W_LAST].reshape(len(times), -1))]


class PoseTransform:
    """A frame in another one from a stream that has its pose: `odom -> base` from an odometry.

    `columns` are those of the pose in the stream.
    """

    def __init__(self, parent: str, child: str, columns: Sequence[int]) -> None:
        self._columns = np.array(columns)[_W_LAST]
        self._form = _form([(parent, child)])
        self.type_name, self.size = TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row."""
        return [self._form.fill(times, values[:, self._columns])]


class MapTransform:
    """`map -> odom` so that `map -> odom -> base` is the truth: T_base (T_odom_base)^-1.

    Args:
        parent, child: names of both frames.
        truth: the number of the stream with the true pose, and the columns of that in it.
        columns: those of the pose in the stream of the odometry.
    """

    def __init__(self, parent: str, child: str, truth: tuple[int, Sequence[int]], columns: Sequence[int]) -> None:
        self._truth, self._columns = truth, np.array(columns)
        self._form = _form([(parent, child)])
        self.type_name, self.size = TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row of the odometry at whose time the truth is known."""
        stream, columns = self._truth
        times, believed, true = _together(times, values[:, self._columns], batch.get(stream), columns)
        down = _inverse(believed)
        pose = np.hstack([true[:, :3] + rotate(true[:, 3:], down[:, :3]), quaternion_product(true[:, 3:], down[:, 3:])])
        return [self._form.fill(times, pose[:, _W_LAST])]


class CarriedTransform:
    """The root link of a robot that is mounted by a joint, in the link that carries it.

    Args:
        parent, child: names of both frames.
        carrier: the number of the stream `tf` of the robot that carries it, and the columns of the link in it.
        columns: those of the root link in the robot's own.
    """

    def __init__(self, parent: str, child: str, carrier: tuple[int, Sequence[int]], columns: Sequence[int]) -> None:
        self._carrier, self._columns = carrier, np.array(columns)
        self._form = _form([(parent, child)])
        self.type_name, self.size = TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row at whose time the carrier's pose is known."""
        stream, columns = self._carrier
        times, own, carrier = _together(times, values[:, self._columns], batch.get(stream), columns)
        return [self._form.fill(times, relative(carrier, own)[:, _W_LAST])]


def _together(
    times: Array, values: Array, other: tuple[Array, Array] | None, columns: Sequence[int]
) -> tuple[Array, Array, Array]:
    """Times at which both streams have a row, and both rows."""
    if other is None:
        return times[:0], values[:0], values[:0]
    _, mine, others = np.intersect1d(np.rint(times * 1e9), np.rint(other[0] * 1e9), return_indices=True)
    return times[mine], values[mine], other[1][others][:, np.array(columns)]
