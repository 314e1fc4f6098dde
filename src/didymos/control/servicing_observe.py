"""What the servicing program knows of the client: poses of its handle into position, attitude and rates; where it will be.

The client is a rigid body that nothing acts on: between readings its centre of mass drifts and it tumbles (`tumbling.py`). A
reading corrects attitude and rate, then position and velocity, as an alpha-beta filter with two equal poles does,

    x <- x + (1 - p^2) e,   v <- v + (1 - p)^2 e / T,     p = exp(-b T)

e reading less prediction (of attitudes the rotation vector), T since the last reading. The bandwidth b begins at 2 / t and
falls to what is set, so that the first rates come quickly and the later ones are smooth. A reading counts from when it was
taken: the base is taken back to that time by its own velocity, the client is carried to the present by its own motion.

Moments of inertia are never known well enough to predict minutes of tumbling: 5 % of them are 0.3 rad after 10 rad. So the three
numbers k by which they enter (w_1' = k_1 w_2 w_3, `tumbling.py`) are followed as well, as the third integral of the same filter,

    k_1 <- k_1 + c^3 T e_1 / (w_2 w_3),     c < b

which is stable for c^3 < 2 b^3, and stands still where w_2 w_3 is too small for k_1 to show.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit
from didymos.control.pose_goal import difference, turned
from didymos.control.tumbling import shape_of, tumble
from didymos.model.vectors import quaternion_product, turn_by, unit_quaternion

__all__ = ["client_at", "handle_at", "is_seen", "see", "spin"]

_SLOW = 5e-4  # [rad^2/s^2] of a product of rates, below which a moment of inertia does not show
_CALM = 4.0  # of the time of the filter, after which its error is no longer that of the first rate

LONGEST = 0.25
"""[s] of a step when the client's tumbling is predicted."""

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def is_seen(target: Any) -> bool:
    """Whether a pose of the handle has come."""
    o = target.orientation
    return target.stamp >= 0.0 and o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3] > 0.5


@kernel
def _measured_pose(target: Any, lag: float, q: Any, v: Any) -> tuple[Vector, Quaternion]:
    """The handle in the world when it was seen: `q` [7+], `v` [6+] of the base now, `lag` [s] later."""
    base = (q[3], q[4], q[5], q[6])
    wx, wy, wz = turn_by(base, v[3], v[4], v[5])
    then = turned(base, -lag * wx, -lag * wy, -lag * wz)
    p, o = target.position, target.orientation
    x, y, z = turn_by(then, p[0], p[1], p[2])
    place = (q[0] - lag * v[0] + x, q[1] - lag * v[1] + y, q[2] - lag * v[2] + z)
    return place, quaternion_product(then, unit_quaternion(o[0], o[1], o[2], o[3]))


@kernel
def client_at(client: Any, time: float) -> tuple[Vector, Quaternion, Vector]:
    """Centre of mass, attitude, and rate along its own axes, of the client at a time [s]."""
    o, w, k = client.orientation, client.rate, client.shape
    ahead = time - client.stamp
    q, rate = tumble((k[0], k[1], k[2]), (o[0], o[1], o[2], o[3]), (w[0], w[1], w[2]), ahead, LONGEST)
    p, u = client.position, client.velocity
    return (p[0] + ahead * u[0], p[1] + ahead * u[1], p[2] + ahead * u[2]), q, rate


@kernel
def handle_of(known: Any, center: Vector, attitude: Quaternion) -> tuple[Vector, Quaternion]:
    """The grasp frame of a client that stands so."""
    g, o = known.grasp_position, known.grasp_orientation
    x, y, z = turn_by(attitude, g[0], g[1], g[2])
    return (center[0] + x, center[1] + y, center[2] + z), quaternion_product(attitude, (o[0], o[1], o[2], o[3]))


@kernel
def handle_at(known: Any, client: Any, time: float) -> tuple[Vector, Quaternion]:
    """The grasp frame at a time [s]."""
    center, attitude, _ = client_at(client, time)
    return handle_of(known, center, attitude)


@kernel
def spin(client: Any) -> float:
    """How fast the client turns [rad/s]."""
    w = client.rate
    return math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])


@kernel
def _learn_shape(client: Any, w: Vector, e: Vector, elapsed: float, gains: Any) -> None:
    """Let k follow the error of an attitude, a rotation vector along the client's axes."""
    for i in range(3):
        moves = w[(i + 1) % 3] * w[(i + 2) % 3]
        step = elapsed * gains.observe_shape**3 * e[i] * moves / (moves * moves + _SLOW * _SLOW)
        client.shape[i] = limit(client.shape[i] + step, -0.99, 0.99)


@kernel
def see(target: Any, q: Any, v: Any, time: float, gains: Any, known: Any, client: Any) -> None:
    """Take in a reading where there is a new one: `q`, `v` of the robot's model now."""
    if not is_seen(target) or not target.stamp > client.stamp:
        return
    handle, held = _measured_pose(target, time - target.stamp, q, v)
    o, g = known.grasp_orientation, known.grasp_position
    attitude = quaternion_product(held, (o[0], -o[1], -o[2], -o[3]))
    if client.stamp < 0.0:
        client.begun = target.stamp
        x, y, z = turn_by(attitude, g[0], g[1], g[2])
        client.position[0], client.position[1], client.position[2] = handle[0] - x, handle[1] - y, handle[2] - z
        for i in range(4):
            client.orientation[i] = attitude[i]
        client.shape[0], client.shape[1], client.shape[2] = shape_of(known.inertia)
        client.stamp = target.stamp
        return
    elapsed = target.stamp - client.stamp
    center, found, rate = client_at(client, target.stamp)
    age = target.stamp - client.begun
    pole = math.exp(-max(gains.observe_bandwidth, 2.0 / max(age, elapsed)) * elapsed)
    alpha, beta = 1.0 - pole * pole, (1.0 - pole) * (1.0 - pole) / elapsed
    e = difference(attitude, found)
    found = turned(found, alpha * e[0], alpha * e[1], alpha * e[2])
    change = turn_by((found[0], -found[1], -found[2], -found[3]), beta * e[0], beta * e[1], beta * e[2])
    if age * gains.observe_bandwidth > _CALM:
        _learn_shape(client, rate, turn_by((found[0], -found[1], -found[2], -found[3]), e[0], e[1], e[2]), elapsed, gains)
    arm = turn_by(found, g[0], g[1], g[2])
    for i in range(3):
        off = handle[i] - arm[i] - center[i]
        client.position[i] = center[i] + alpha * off
        client.velocity[i] += beta * off
        client.rate[i] = rate[i] + change[i]
    for i in range(4):
        client.orientation[i] = found[i]
    client.stamp = target.stamp
