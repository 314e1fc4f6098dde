"""NASA's check cases for the independent integration of inertial_flight.py: NASA/TM-2015-218675, appendix C.1, in its units."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertial_flight import RATE, Body, fly

FOOT, SLUG = 0.3048, 14.593902937206362  # [m], [kg]
_INERTIA = SLUG * FOOT**2
SPHERE: dict[str, Any] = {"mass": SLUG, "inertia": np.full(3, 3.6) * _INERTIA}
DRAG: dict[str, Any] = SPHERE | {"drag_area": 0.1 * 0.1963495 * FOOT**2}
BRICK: dict[str, Any] = {
    "mass": 0.155404754 * SLUG, "inertia": np.array([0.00189422, 0.006211019, 0.007194665]) * _INERTIA,
}  # fmt: skip
DAMPING = 0.22222 * np.array([0.33333, 0.66667, 0.33333]) ** 2 * FOOT**4


def _east(speed: float) -> Any:
    return np.array([0.0, speed, 0.0]) * FOOT


BODIES = {
    "01": Body(**SPHERE),
    "02": Body(**BRICK),
    "03": Body(**BRICK, damping=DAMPING),
    "06": Body(**DRAG),
    "07": Body(**DRAG, wind=lambda height: _east(20.0)),
    "08": Body(**DRAG, wind=lambda height: _east(0.003 * height / FOOT - 20.0)),
    "09": Body(**DRAG),
    "10": Body(**DRAG),
}

# At t = 30 s the least and the largest that NASA's tools (SIM 1 to 6) found, in feet, degrees and seconds: the data that goes
# with the report, Atmospheric_checkcases/Atmos_NN_*/Atmos_NN_sim_KK.csv. Left out as in appendix E.1.2: angles
# of SIM 2 (its integration), its latitude of case 10 (its conversion); and its longitudes where they have three digits.
SPREAD = {
    "01": {"height": (15598.90389, 15598.9059736), "longitude": (5.74453651207e-5, 5.74552213287e-5),
           "velocity.east": (2.100310896, 2.10101114589977), "velocity.down": (960.292948985, 960.2930953),
           "roll": (-0.1253996817079627, -0.125399593)},
    "02": {"height": (15598.9043522, 15598.9059736), "roll": (-56.151307596646866, -56.150304320773394),
           "pitch": (-3.821955266387911, -3.819633201), "yaw": (-4.28935504226, -4.2881229394049),
           "p": (12.61839077566776, 12.620844062702608), "q": (-17.3974747619, -17.394550197091117),
           "r": (31.1195888868, 31.12073831148526)},
    "03": {"height": (15598.9043522, 15598.9046837), "roll": (-5.152247846, -5.09406213522),
           "pitch": (-38.7889055337, -38.69966908), "yaw": (-111.66967658395333, -111.3557517)},
    "06": {"height": (16283.8269023858, 16284.7227329), "longitude": (5.33700208807e-5, 5.33798251362e-5),
           "velocity.east": (1.842320739, 1.84318916077271), "velocity.down": (863.969620489, 864.1107492138067)},
    "07": {"height": (16284.5440914928, 16285.440553), "longitude": (1.284744802148e-4, 1.28580722916e-4),
           "velocity.east": (4.70595712808921, 4.70984159128), "velocity.down": (863.925662411, 864.0668375323617)},
    "08": {"height": (16290.3865269795, 16291.2806475), "longitude": (2.733635910766e-4, 2.73727031735e-4),
           "velocity.east": (8.73099985197, 8.73715566), "velocity.down": (863.652682656, 863.7934229136516)},
    "09": {"height": (10156.7197821401, 10160.9897645), "longitude": (0.0616343433543985, 0.0616478507138),
           "velocity.east": (610.549656587, 610.746581927), "velocity.down": (181.748229037, 181.903793657),
           "pitch": (0.061635522687724334, 0.061647974681)},
    "10": {"height": (10110.5511553473, 10114.8055114), "latitude": (0.0621220309187792, 0.0621356266972),
           "longitude": (-7.84759050703e-5, -7.8452819662e-5), "velocity.north": (611.339698913, 611.535615912),
           "velocity.east": (-1.063793456, -1.06312777869), "velocity.down": (184.446484675, 184.601600166)},
}  # fmt: skip


def in_their_units(name: str, value: float) -> float:
    """A number of the stream `earth` in feet, degrees and seconds."""
    return value / FOOT if name.startswith(("height", "velocity")) else float(np.degrees(value))


def reference(case: str) -> dict[str, float]:
    """The end of a case, after 30 s, by the independent integration."""
    height, velocity, heading, rates = 30_000.0 * FOOT, np.zeros(3), 0.0, np.zeros(3)
    if case in ("02", "03"):
        rates = np.radians([10.0, 20.0, 30.0])
    elif case == "09":
        height, velocity, heading, rates = 0.0, np.array([0.0, 1000.0, -1000.0]) * FOOT, np.pi / 2, np.array([0.0, -RATE, 0.0])
    elif case == "10":
        height, velocity, rates = 0.0, np.array([1000.0, 0.0, -1000.0]) * FOOT, np.array([RATE, 0.0, 0.0])
    return fly(BODIES[case], (0.0, 0.0, height), velocity, heading, rates, 30.0)
