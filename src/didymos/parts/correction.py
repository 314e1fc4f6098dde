"""Correction: what physics leaves over of the force and torque on a link, learned from recordings, small and bounded.

    F = s L_F tanh(f / L_F),     T = s L_T tanh(g / L_T)        each axis for itself, in the part's frame, at its origin

f and g are a learned function (`learned.py`) of the frame's velocity v and rate w, both in the part's frame and over the ground,
and of the level u, the sum of some readouts of other parts (the thrust of all rotors):

    f_x = force_x_constant + force_x_per_velocity_x v_x + ... + force_x_per_level u + hidden units,     g_x: torque_x_...

At scale s = 0, the default, the part is off and costs nothing: the engine passes it over.

It knows no physics. It holds in the range of features that it was trained in (`..._low`, `..._high`): beyond it features are held
at the nearest end, so the force stays what it is there. It may put energy in: passivity is not guaranteed, so look at a long run
before you trust it. It does not know the wind: the velocity is over the ground. `didymos fit` with a residual trains it and
keeps it only where recordings that it has not seen come closer.

References: Nelles, Nonlinear System Identification (2001), ch. 11 (networks of one hidden layer); Zeng, Song, Lee, Rodriguez &
Funkhouser, TossingBot, IEEE Trans. Robotics 36 (2020) (residual physics).
"""

from __future__ import annotations

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

__all__ = ["Correction"]

_OUTPUTS = {"force_x": "N", "force_y": "N", "force_z": "N", "torque_x": "N m", "torque_y": "N m", "torque_z": "N m"}
_FEATURES = {
    "velocity_x": "m/s", "velocity_y": "m/s", "velocity_z": "m/s", "rate_x": "rad/s", "rate_y": "rad/s", "rate_z": "rad/s",
    "level": "1",
}  # fmt: skip
_Output = Literal["force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"]
_Feature = Literal["velocity_x", "velocity_y", "velocity_z", "rate_x", "rate_y", "rate_z", "level"]
_LEVEL = len(_FEATURES) - 1


class Correction(Learned):
    """Learned force and torque on a link; off at scale 0."""

    motion = Motion.FRAME
    limits: ClassVar = {name: f"{name.partition('_')[0]}_limit" for name in _OUTPUTS}
    feature_names = tuple(_FEATURES)

    force_limit = parameter(0.0, unit="N", low=0, doc="L_F, that no axis ever exceeds")
    torque_limit = parameter(0.0, unit="N m", low=0, doc="L_T, that no axis ever exceeds")
    lowest, highest = numbers_of_ends(_FEATURES, "low"), numbers_of_ends(_FEATURES, "high")
    linear = numbers_of_linear(_OUTPUTS, _FEATURES)
    into_units, from_units = numbers_into_units(_FEATURES), numbers_from_units(_OUTPUTS)
    outputs_trained = option(tuple[_Output, ...], tuple(_OUTPUTS), doc="which of its outputs a fit with a residual trains")
    features_trained = option(tuple[_Feature, ...], tuple(_FEATURES), doc="of which features")
    force = output(columns="xyz", unit="N", doc="F")
    torque = output(columns="xyz", unit="N m", doc="T")
    feature = output(columns=tuple(_FEATURES), unit="*", recorded=False, doc="z, held within the trained range")
    unbounded = output(columns=tuple(_OUTPUTS), unit="*", recorded=False, doc="f and g")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        feature, found = output.feature, output.unbounded
        for axis in range(3):
            feature[axis], feature[3 + axis] = here.velocity[axis], here.rate[axis]
        feature[_LEVEL] = sum_of_levels(inputs.levels)
        evaluate(part, feature, found)
        for axis in range(3):
            wrench.force[axis] = output.force[axis] = part.scale * bounded(found[axis], part.force_limit)
            wrench.torque[axis] = output.torque[axis] = part.scale * bounded(found[3 + axis], part.torque_limit)
