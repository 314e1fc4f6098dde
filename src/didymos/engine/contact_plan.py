"""What a model's contacts can be, found out once: which shapes can meet which, and the balls around all that moves together.

Shapes that match nothing, bodies that are welded together, next to each other or excluded are left out, as the engine itself
leaves them out. So are bodies of one tree that stay apart whatever their joints do: the balls around both are carried up to the
link that carries both; a hinge turns a ball about its axis, which gives a larger ball on the axis, and a ball joint one about
its anchor. Where two bodies of a tree may meet, contacts are always searched for; where nothing can ever meet, never.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.contact_search import ALWAYS, ASK, BALL, BOX, NEVER, PAIR, PLANE, SLIDE, ContactSearch
from didymos.rotations import quaternion_to_matrix

__all__ = ["plan_search"]

_CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
_FILTER_PARENT = int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
_FREE, _BALL, _SLIDE, _HINGE = (
    int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("FREE", "BALL", "SLIDE", "HINGE")
)
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)

Array = NDArray[np.float64]


def plan_search(model: mujoco.MjModel) -> ContactSearch:
    """What to look at in a model; its search is switched off for good where nothing can ever meet."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    trees = _Trees(model, data)
    planes: dict[tuple[int, int], tuple[Any, ...]] = {}
    boxes: dict[tuple[int, int], tuple[Any, ...]] = {}
    pairs: set[tuple[int, int]] = set()
    always = bool(model.nflex)
    met = False
    for one, other in _meetings(model):
        met = True
        first, second = (int(model.geom_bodyid[geom]) for geom in (one, other))
        if model.body_mocapid[first] >= 0 or model.body_mocapid[second] >= 0:
            always = True
        elif trees.of[first] >= 0 and trees.of[second] >= 0:
            if trees.of[first] != trees.of[second]:
                pairs.add((min(trees.of[first], trees.of[second]), max(trees.of[first], trees.of[second])))
            elif not trees.stay_apart(first, second):
                always = True
        else:
            tree, geom = (trees.of[second], one) if trees.of[first] < 0 else (trees.of[first], other)
            if model.geom_type[geom] == _PLANE:
                planes[tree, geom] = _plane(model, data, geom, tree)
            else:
                boxes[tree, geom] = _box(model, data, geom, tree)
    if int(model.opt.disableflags) & _CONTACT or not (met or always):
        model.opt.disableflags = int(model.opt.disableflags) | _CONTACT
        when = NEVER
    else:
        when = ALWAYS if always else ASK
    return ContactSearch(
        when=when,
        trees=trees.balls(),
        slides=trees.slides(),
        planes=np.array(list(planes.values()), dtype=PLANE),
        boxes=np.array(list(boxes.values()), dtype=BOX),
        pairs=np.array(sorted(pairs), dtype=PAIR),
        balls=np.zeros(len(trees.roots), dtype=BALL),
    )


def _meetings(model: mujoco.MjModel) -> Iterator[tuple[int, int]]:
    """Pairs of shapes that the engine may find in contact, as its own rules say."""
    types, affinities, bodies = model.geom_contype, model.geom_conaffinity, model.geom_bodyid
    colliding = np.flatnonzero((types != 0) | (affinities != 0)).tolist()
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    tried: dict[tuple[int, int], bool] = {}
    for i, one in enumerate(colliding):
        for other in colliding[i + 1 :]:
            if not (types[one] & affinities[other]) and not (types[other] & affinities[one]):
                continue
            pair = (min(int(bodies[one]), int(bodies[other])), max(int(bodies[one]), int(bodies[other])))
            if pair not in tried:
                tried[pair] = _tried(model, *pair) and not {pair, pair[::-1]} & excluded
            if tried[pair]:
                yield one, other
    yield from zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True)


def _tried(model: mujoco.MjModel, first: int, second: int) -> bool:
    """Whether the engine tries a pair of bodies: not of one rigid group, nor of one that carries the other."""
    a, b = int(model.body_weldid[first]), int(model.body_weldid[second])
    if a == b:
        return False
    if not a or not b or int(model.opt.disableflags) & _FILTER_PARENT:
        return True
    return b != model.body_weldid[model.body_parentid[a]] and a != model.body_weldid[model.body_parentid[b]]


def _margin(model: mujoco.MjModel, geom: int) -> float:
    """How far from a shape [m] the engine may already call it a contact; what pairs of their own have is given to every shape."""
    own = float(model.geom_margin[geom] + model.geom_gap[geom])
    return own + float(np.max(model.pair_margin + model.pair_gap, initial=0.0))


def _plane(model: mujoco.MjModel, data: mujoco.MjData, geom: int, tree: int) -> tuple[Any, ...]:
    normal = data.geom_xmat[geom].reshape(3, 3)[:, 2]
    return tree, normal, normal @ data.geom_xpos[geom] + _margin(model, geom)


def _box(model: mujoco.MjModel, data: mujoco.MjData, geom: int, tree: int) -> tuple[Any, ...]:
    turn = data.geom_xmat[geom].reshape(3, 3)
    middle = data.geom_xpos[geom] + turn @ model.geom_aabb[geom, :3]
    return tree, middle, model.geom_aabb[geom, 3:] + _margin(model, geom), turn.ravel()


class _Trees:
    """What moves together in a model: the roots of its trees, the tree of each body (-1: stands still), balls around them."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self.roots: list[int] = []
        self.of = [-1] * model.nbody
        self._reach = np.zeros(model.nbody)  # of a body's origin from that of its root, sliding joints not counted
        for body in range(1, model.nbody):
            parent = int(model.body_parentid[body])
            if model.body_weldid[body] == 0:
                continue
            if self.of[parent] >= 0:
                self.of[body] = self.of[parent]
                self._reach[body] = self._reach[parent] + np.linalg.norm(model.body_pos[body])
            else:
                self.of[body] = len(self.roots)
                self.roots.append(body)
            for joint in self._joints(body):
                if model.jnt_type[joint] in (_HINGE, _BALL):
                    self._reach[body] += 2.0 * np.linalg.norm(model.jnt_pos[joint])

    def _joints(self, body: int) -> range:
        first = int(self._model.body_jntadr[body])
        return range(first, first + int(self._model.body_jntnum[body]))

    def _shapes(self, body: int) -> list[int]:
        model = self._model
        paired = {*model.pair_geom1.tolist(), *model.pair_geom2.tolist()}
        first = int(model.body_geomadr[body])
        own = range(first, first + int(model.body_geomnum[body])) if first >= 0 else range(0)
        return [geom for geom in own if model.geom_contype[geom] or model.geom_conaffinity[geom] or geom in paired]

    def balls(self) -> NDArray[Any]:
        """The ball around each tree: about its root at the model's own positions, about zero where it floats."""
        model = self._model
        balls = np.zeros(len(self.roots), dtype=BALL)
        for tree, root in enumerate(self.roots):
            joints = self._joints(root)
            if not any(model.jnt_type[joint] == _FREE for joint in joints):
                balls["middle"][tree] = self._data.xpos[root]
        for body in range(1, model.nbody):
            for geom in self._shapes(body) if self.of[body] >= 0 else ():
                far = np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom] + _margin(model, geom)
                balls["radius"][self.of[body]] = max(balls["radius"][self.of[body]], self._reach[body] + far)
        return balls

    def slides(self) -> NDArray[Any]:
        """Every direction in which a tree, or something in it, can slide."""
        model = self._model
        rows: list[tuple[Any, ...]] = []
        for body in range(1, model.nbody):
            tree = self.of[body]
            whole = body in self.roots  # until a joint turns it, what slides moves all of the tree
            for joint in self._joints(body):
                q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
                if model.jnt_type[joint] == _FREE:
                    rows += [(tree, q + k, v + k, 1, axis, 0.0) for k, axis in enumerate(np.eye(3))]
                elif model.jnt_type[joint] == _SLIDE:
                    rows.append((tree, q, v, int(whole), self._data.xaxis[joint].copy(), model.qpos0[q]))
                else:
                    whole = False
        return np.array(sorted(rows, key=lambda row: row[0]), dtype=SLIDE)

    def stay_apart(self, first: int, second: int) -> bool:
        """Whether two bodies of a tree cannot touch whatever their joints do."""
        chains = [self._chain(body) for body in (first, second)]
        common = next(body for body in chains[0] if body in chains[1])
        (a, near), (b, far) = (self._carried(body, common) for body in (first, second))
        return bool(np.linalg.norm(a - b) > near + far)

    def _chain(self, body: int) -> list[int]:
        found = [body]
        while found[-1] not in self.roots:
            found.append(int(self._model.body_parentid[found[-1]]))
        return found

    def _carried(self, body: int, ancestor: int) -> tuple[Array, float]:
        """Middle and radius of a ball in an ancestor's frame that holds a body's shapes for any angles of the joints between."""
        model, shapes = self._model, self._shapes(body)
        middle = model.geom_pos[shapes].mean(axis=0)
        reaches = [np.linalg.norm(model.geom_pos[g] - middle) + model.geom_rbound[g] + _margin(model, g) for g in shapes]
        radius = float(max(reaches))
        while body != ancestor:
            for joint in reversed(self._joints(body)):
                kind, anchor, axis = model.jnt_type[joint], model.jnt_pos[joint], model.jnt_axis[joint]
                if kind == _SLIDE:
                    return middle, math.inf
                turned = anchor + (axis @ (middle - anchor) * axis if kind == _HINGE else 0.0)
                radius += float(np.linalg.norm(middle - turned))
                middle = turned
            middle = model.body_pos[body] + quaternion_to_matrix(model.body_quat[body]) @ middle
            body = int(model.body_parentid[body])
        return middle, radius
