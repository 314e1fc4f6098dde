"""Joint correction: what physics leaves over of the torque on a joint, learned from recordings, small and bounded.

    T = s L tanh(g / L)        along the joint; nobody drives it, so the joint's limits do not bind it

g is a learned function (`learned.py`) of the joint's position q and velocity dq/dt (the sum of both joints of a belt), of

    sine sin(n q),   cosine cos(n q)                        n the ratio of a gear: ripple over the angle of its motor
    direction d = tanh((dq/dt) / v_d)                       dry friction that the twin does not have
    direction_sine d sin(n q),   direction_cosine d cos(n q)        friction that depends on the position

and of the level u, the sum of some readouts of other parts. At scale s = 0, the default, the part is off and costs nothing: the
engine passes it over.

It knows no physics. It holds in the range of features that it was trained in (`..._low`, `..._high`): beyond it features are held
at the nearest end, sine and cosine among them, so a joint that turned all round in training may go on turning. It may put energy
in: passivity is not guaranteed, by no choice of numbers but zero. Friction by `direction` is smooth: it creeps and does not hold.
`didymos fit` with a residual trains it and keeps it only where recordings that it has not seen come closer.

References: as in `correction.py`.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from didymos.contract import option, output, parameter
from didymos.parts.learned import (
    Learned,
    bounded,
    evaluate,
    numbers_from_units,
    numbers_into_units,
    numbers_of_ends,
    numbers_of_linear,
    sum_of_levels,
)
from didymos.parts.part import Motion, law

__all__ = ["JointCorrection"]

_OUTPUTS = {"torque": "N m"}
_FEATURES = {
    "position": "rad", "velocity": "rad/s", "sine": "1", "cosine": "1", "direction": "1", "direction_sine": "1",
    "direction_cosine": "1", "level": "1",
}  # fmt: skip
_Output = Literal["torque"]
_Feature = Literal["position", "velocity", "sine", "cosine", "direction", "direction_sine", "direction_cosine", "level"]
_POSITION, _VELOCITY, _SINE, _COSINE, _DIRECTION, _DIRECTION_SINE, _DIRECTION_COSINE, _LEVEL = range(len(_FEATURES))


class JointCorrection(Learned):
    """Learned torque on a joint; off at scale 0."""

    needs_joint = True
    motion = Motion.JOINT
    limits: ClassVar = {"torque": "torque_limit"}
    feature_names = tuple(_FEATURES)

    torque_limit = parameter(0.0, unit="N m", low=0, doc="L, that it never exceeds")
    ratio = parameter(1.0, above=0, doc="n, waves of sine and cosine per turn of the joint")
    direction_speed = parameter(0.1, unit="rad/s", above=0, doc="v_d, from where on the direction is known")
    lowest, highest = numbers_of_ends(_FEATURES, "low"), numbers_of_ends(_FEATURES, "high")
    linear = numbers_of_linear(_OUTPUTS, _FEATURES)
    into_units, from_units = numbers_into_units(_FEATURES), numbers_from_units(_OUTPUTS)
    outputs_trained = option(tuple[_Output, ...], tuple(_OUTPUTS), doc="which of its outputs a fit with a residual trains")
    features_trained = option(tuple[_Feature, ...], tuple(_FEATURES), doc="of which features")
    torque = output(unit="N m", doc="T")
    feature = output(columns=tuple(_FEATURES), unit="*", recorded=False, doc="z, held within the trained range")
    unbounded = output(columns=tuple(_OUTPUTS), unit="N m", recorded=False, doc="g")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        feature, found = output.feature, output.unbounded
        angle, direction = part.ratio * here.joint_position, math.tanh(here.joint_velocity / part.direction_speed)
        feature[_POSITION], feature[_VELOCITY], feature[_DIRECTION] = here.joint_position, here.joint_velocity, direction
        feature[_SINE], feature[_COSINE] = math.sin(angle), math.cos(angle)
        feature[_DIRECTION_SINE], feature[_DIRECTION_COSINE] = direction * feature[_SINE], direction * feature[_COSINE]
        feature[_LEVEL] = sum_of_levels(inputs.levels)
        evaluate(part, feature, found)
        output.torque = part.scale * bounded(found[0], part.torque_limit)
        wrench.joint_torque = wrench.joint_passive = output.torque
