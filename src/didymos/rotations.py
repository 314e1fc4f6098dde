"""Rotations and poses: roll-pitch-yaw, quaternions (w first), matrices, and the frame they carry a point into.

    p_parent = R p_child + t,   R = Rz(yaw) Ry(pitch) Rx(roll)   (fixed axes; URDF, SDF, REP 103);   tilt = angle(R z, z)

Pitch is exact up to its poles at +-90 deg, where roll and yaw are not defined one by one. The same for compiled programs, one
number at a time: `control/angles.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ANGLES", "Pose", "angle", "axis_angle_to_matrix", "matrix_to_quaternion", "quaternion_product", "quaternion_to_matrix",
    "rotate", "rotation_error", "rotation_vector_to_quaternion", "rpy_to_matrix",
]  # fmt: skip

ANGLES = ("roll", "pitch", "yaw", "tilt")


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a frame stands in another: `position` [m], shape [3]; `rotation`, shape [3, 3], child to parent."""

    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))

    def __matmul__(self, inner: Pose) -> Pose:
        """The pose of a frame that stands at `inner` inside this one."""
        return Pose(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)

    def inverse(self) -> Pose:
        """The pose of the parent, seen from this frame."""
        return Pose(-self.rotation.T @ self.position, self.rotation.T)

    @property
    def quaternion(self) -> np.ndarray:
        """The rotation as a unit quaternion, w first, shape [4]."""
        return matrix_to_quaternion(self.rotation)


def rpy_to_matrix(rpy: np.ndarray) -> np.ndarray:
    """Rotation matrix, shape [3, 3], of roll, pitch, yaw [rad] about the fixed axes x, y, z."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def axis_angle_to_matrix(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix, shape [3, 3], of an angle [rad] about a unit axis, shape [3] (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def quaternion_to_matrix(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrix, shape [3, 3], of a quaternion, w first, shape [4], of any length but zero."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_to_quaternion(matrix: np.ndarray) -> np.ndarray:
    """Unit quaternion, w first and not negative, shape [4], of a rotation matrix, shape [3, 3].

    Takes the largest of the four components as pivot, so that it is accurate for every angle (Shepperd 1978).
    """
    m = matrix
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    pivot = int(np.argmax(squares))
    products = np.array(
        [
            [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], squares[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], squares[2], m[2, 1] + m[1, 2]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], squares[3]],
        ]
    )
    quaternion = products[pivot] / (2 * np.sqrt(squares[pivot]))
    quaternion = quaternion / np.linalg.norm(quaternion)
    return -quaternion if quaternion[0] < 0 else quaternion


def angle(name: str, orientation: NDArray[np.float64]) -> NDArray[np.float64]:
    """One of `ANGLES` [rad], shape [n], of unit quaternions, w first, shape [n, 4]."""
    w, x, y, z = orientation.T
    if name == "roll":
        return np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    if name == "pitch":
        return np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    if name == "yaw":
        return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return 2.0 * np.arcsin(np.clip(np.hypot(x, y), 0.0, 1.0))


def rotate(orientation: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors, shape [n, 3], turned by unit quaternions, w first, shape [n, 4]: from the child's frame into the parent's."""
    w, axis = orientation[:, :1], orientation[:, 1:]
    twice = 2.0 * np.cross(axis, vectors)
    return np.asarray(vectors + w * twice + np.cross(axis, twice))


def rotation_error(measured: NDArray[np.float64], found: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation vector [rad], shape [n, 3], that carries one attitude into another, in the frame of the first.

    Both are unit quaternions, w first, shape [n, 4]; q and -q are one attitude, and the way is the short one.
    """
    w, axis = measured[:, :1], -measured[:, 1:]
    v, other = found[:, :1], found[:, 1:]
    real = w * v - np.einsum("ij,ij->i", axis, other)[:, None]
    imaginary = w * other + v * axis + np.cross(axis, other)
    sine = np.linalg.norm(imaginary, axis=1, keepdims=True)
    angle_of = 2.0 * np.arctan2(sine, np.abs(real)) * np.sign(np.where(real == 0.0, 1.0, real))
    return np.asarray(imaginary * np.where(sine > 1e-12, angle_of / np.where(sine > 1e-12, sine, 1.0), 2.0 * np.sign(real)))


def quaternion_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Hamilton's product of quaternions, w first, row by row."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a.T, b.T
    parts = (
        aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
    )  # fmt: skip
    return np.stack(parts, axis=1)


def rotation_vector_to_quaternion(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit quaternions, w first, shape [n, 4], of rotation vectors [rad], shape [n, 3]."""
    half = 0.5 * np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.hstack([np.cos(half), 0.5 * np.sinc(half / np.pi) * vectors])
