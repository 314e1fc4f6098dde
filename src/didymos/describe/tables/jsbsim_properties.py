"""Properties of JSBSim by their names, as numbers times quantities of `parts/aero_data.py`; JSBSim's own units, feet and pounds.

    fcs/elevator-pos-rad      dy;   ...-deg in degrees, ...-norm its share;   fcs/mag-elevator-pos-rad its size
    fcs/left-aileron-pos-rad  dx;   fcs/right-aileron-pos-rad is -dx, as JSBSim counts it

Whatever else an aircraft reads, a twin file says by `properties`: a number, a quantity, -quantity or NUMBER*quantity.

Reference: JSBSim Reference Manual (2011), app. A, and the names that `FGAerodynamics`, `FGAuxiliary` and `FGFCS` publish.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from didymos.errors import nearest
from didymos.parts.aero_data import QUANTITIES

__all__ = ["FOOT", "POUND", "Quantity", "known_property", "quantity_by_text"]

FOOT, POUND = 0.3048, 4.4482216152605  # [m], [N]
_SQUARE_FOOT, _DEGREE = FOOT * FOOT, math.pi / 180.0
_PSF = POUND / _SQUARE_FOOT  # [Pa]
_SLUG_PER_CUBIC_FOOT = POUND / FOOT / FOOT**3  # [kg/m^3]


@dataclass(frozen=True)
class Quantity:
    """A number times quantities; `absolute`: the size of it."""

    factor: float
    names: tuple[str, ...] = ()
    absolute: bool = False


_KNOWN = {
    "aero/alpha-rad": Quantity(1.0, ("alpha",)),
    "aero/alpha-deg": Quantity(1.0 / _DEGREE, ("alpha",)),
    "aero/beta-rad": Quantity(1.0, ("beta",)),
    "aero/beta-deg": Quantity(1.0 / _DEGREE, ("beta",)),
    "aero/mag-beta-rad": Quantity(1.0, ("beta",), absolute=True),
    "aero/mag-beta-deg": Quantity(1.0 / _DEGREE, ("beta",), absolute=True),
    "aero/mag-alpha-rad": Quantity(1.0, ("alpha",), absolute=True),
    "aero/mag-alpha-deg": Quantity(1.0 / _DEGREE, ("alpha",), absolute=True),
    "aero/alphadot-rad_sec": Quantity(1.0, ("alpha_rate",)),
    "aero/alphadot-deg_sec": Quantity(1.0 / _DEGREE, ("alpha_rate",)),
    "aero/qbar-psf": Quantity(1.0 / _PSF, ("pressure",)),
    "aero/qbar-area": Quantity(1.0 / POUND, ("qS",)),
    "aero/bi2vel": Quantity(1.0, ("b_2V",)),
    "aero/ci2vel": Quantity(1.0, ("c_2V",)),
    "aero/h_b-mac-ft": Quantity(1.0, ("height_by_span",)),
    "aero/h_b-cg-ft": Quantity(1.0, ("height_by_span",)),
    "aero/stall-hyst-norm": Quantity(1.0, ("stalled",)),
    "aero/Re": Quantity(1.0, ("reynolds",)),
    "velocities/mach": Quantity(1.0, ("mach",)),
    "velocities/vt-fps": Quantity(1.0 / FOOT, ("speed",)),
    **{f"velocities/{name}-aero-fps": Quantity(1.0 / FOOT, (name,)) for name in "uvw"},
    **{f"velocities/{name}-aero-rad_sec": Quantity(1.0, (name,)) for name in "pqr"},
    **{f"velocities/{name}-rad_sec": Quantity(1.0, (name,)) for name in "pqr"},
    "atmosphere/rho-slugs_ft3": Quantity(1.0 / _SLUG_PER_CUBIC_FOOT, ("density",)),
    "metrics/Sw-sqft": Quantity(1.0 / _SQUARE_FOOT, ("area",)),
    "metrics/bw-ft": Quantity(1.0 / FOOT, ("span",)),
    "metrics/cbarw-ft": Quantity(1.0 / FOOT, ("chord",)),
    "gear/gear-pos-norm": Quantity(1.0, ("gear_share",)),
    "fcs/effective-aileron-pos": Quantity(1.0, ("dx",)),
    "fcs/flaperon-mix-rad": Quantity(1.0, ("dflap",)),
    "propulsion/engine/prop-induced-velocity_fps": Quantity(0.5 / FOOT, ("wake",)),
}
_SURFACES = {
    "elevator": (1.0, "y"), "aileron": (1.0, "x"), "left-aileron": (1.0, "x"), "right-aileron": (-1.0, "x"), "rudder": (1.0, "z"),
    "flap": (1.0, "flap"), "lef": (1.0, "slat"), "slat": (1.0, "slat"), "speedbrake": (1.0, "brake"), "spoiler": (1.0, "spoiler"),
    "gear": (1.0, "gear"),
}  # fmt: skip
_SURFACE = re.compile(r"fcs/(mag-)?([a-z-]+)-pos-(rad|deg|norm)")


def known_property(name: str) -> Quantity | None:
    """What a property is that JSBSim publishes for every aircraft; None for one of an aircraft's own."""
    name = name.replace("[0]", "")
    if name in _KNOWN:
        return _KNOWN[name]
    match = _SURFACE.fullmatch(name)
    if match is None or match[2] not in _SURFACES:
        return None
    sign, surface = _SURFACES[match[2]]
    if match[3] == "norm":
        return Quantity(sign, (f"{surface}_share",), absolute=bool(match[1]))
    if surface in ("brake", "spoiler", "gear"):
        return None  # these have no deflection
    return Quantity(sign if match[3] == "rad" else sign / _DEGREE, (f"d{surface}",), absolute=bool(match[1]))


def quantity_by_text(text: str | float) -> Quantity:
    """What a twin file says that a property is; a ValueError where it is none of that."""
    if isinstance(text, float | int):
        return Quantity(float(text))
    match = re.fullmatch(r"\s*(-?)\s*(?:([0-9.eE+-]+)\s*\*)?\s*(\w+)\s*", text)
    if match is None or match[3] not in QUANTITIES:
        word = match[3] if match else text
        raise ValueError(f"found {text!r}{nearest(word, QUANTITIES)}, expected a number, a quantity or NUMBER*quantity")
    try:
        factor = float(match[2]) if match[2] else 1.0
    except ValueError:
        raise ValueError(f"found {text!r}, expected a number before *") from None
    return Quantity(-factor if match[1] else factor, (match[3],))
