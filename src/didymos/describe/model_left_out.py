"""What a description has beside rigid bodies on a tree of joints, and a robot's model does not know."""

from __future__ import annotations

import mujoco
import numpy as np

__all__ = ["left_out"]

_OBJECTS = {"joint": mujoco.mjtObj.mjOBJ_JOINT, "tendon": mujoco.mjtObj.mjOBJ_TENDON, "flex": mujoco.mjtObj.mjOBJ_FLEX}
"""What constraints that do not say it are between."""


def left_out(engine: mujoco.MjModel) -> list[str]:
    """A sentence for each coupling, constraint and spring; tendons, flexible bodies and such are counted."""
    said = []
    for number in range(engine.neq):
        kind = mujoco.mjtEq(int(engine.eq_type[number])).name.removeprefix("mjEQ_").lower()
        which = int(_OBJECTS.get(kind, engine.eq_objtype[number]))
        ends = (int(engine.eq_obj1id[number]), int(engine.eq_obj2id[number]))
        names = [mujoco.mj_id2name(engine, which, end) for end in ends if end >= 0]
        what = "coupling of joints" if kind == "joint" else f"{kind} constraint"
        said.append(f"a {what} between {' and '.join(repr(name) for name in names if name) or 'nameless things'}")
    springs = [engine.joint(number).name for number in range(engine.njnt) if np.any(engine.jnt_stiffness[number])]
    said += [f"a spring on joint {name!r}" for name in springs]
    weightless = int(np.count_nonzero(engine.body_gravcomp))
    counts = {"tendons": engine.ntendon, "flexible bodies": engine.nflex, "bodies whose weight something carries": weightless}
    return said + [f"{what}: {count}" for what, count in counts.items() if count]
