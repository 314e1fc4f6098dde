"""Stability output of AVL (command ST, files .st): coefficients at one flow and their derivatives there.

    C = C_tot + C_a (alpha - alpha_0) + C_b (beta - beta_0) + C_p' p'b/2V + C_q' q c/2V + C_r' r'b/2V + sum C_dN dN

AVL's derivatives are those of stability axes (x' and z' turned by alpha_0; moments Cl', Cn' positive as x ahead, z down); they
are turned into body axes by alpha_0 here, and rates likewise. Drag is C_D,tot and what lift induces beyond it, C_L^2 / (pi e A)
with AVL's own e; derivatives of drag by controls (`CDffdN`) are added. Controls are in degrees in the file. Which surface of the
part a control moves follows from its name (aileron x, elevator y, rudder z, flap) or from `controls`.

AVL is a linear method: valid below stall, for |alpha| up to 10 deg or so, which no range of the file says: the tables are held
to +-15 deg, beyond which the part is a flat plate.

Reference: Drela & Youngren, AVL 3.40 User Primer (2022), sections on output and stability derivatives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from didymos.describe.tables.text_file import number_in, read_lines
from didymos.errors import InputError, nearest
from didymos.parts.aero_data import AeroBuilder

__all__ = ["read_avl"]

_RANGE = math.radians(15.0)
_DEGREE = math.pi / 180.0
_SURFACES = {"aileron": "x", "elevator": "y", "rudder": "z", "flap": "flap", "flaps": "flap", "slat": "slat"}
_PAIR = re.compile(r"([A-Za-z][\w'/]*)\s*=\s*(\S+)")
_CONTROL = re.compile(r"([A-Za-z]\w*)\s+d0*([0-9]+)\b")
_NEEDED = ("Alpha", "Beta", "Sref", "Cref", "Bref", "CLtot", "CDtot", "CYtot", "Cmtot", "CLa", "CYb", "Clb", "Cma", "Cnb",
           "Clp", "Cmq", "Cnr")  # fmt: skip


def read_avl(file: Path, controls: Mapping[str, str], builder: AeroBuilder) -> None:
    """Add the derivatives of an .st file to a builder."""
    found, named = _read(file)
    for name in _NEEDED:
        if name not in found:
            raise InputError(f"has no {name}, expected AVL's output of stability derivatives (command ST)", file=file)
    area, span = found["Sref"], found["Bref"]
    builder.metrics |= {"area": area, "span": span, "chord": found["Cref"]}
    alpha_0, beta_0 = found["Alpha"] * _DEGREE, found["Beta"] * _DEGREE
    sine, cosine = math.sin(alpha_0), math.cos(alpha_0)
    slot = builder.program.slot
    one, alpha, beta = slot("one"), slot("alpha"), slot("beta")

    def add(name: str, value: float, *per: int) -> None:
        if value != 0.0:
            builder.add(name, value, per)

    angles = np.linspace(-_RANGE, _RANGE, 31)
    polar = found["CLtot"] + found["CLa"] * (angles - alpha_0)
    efficiency = found.get("e", 0.0) if found.get("e", 0.0) > 0.05 else 0.8
    induced = (polar**2 - found["CLtot"] ** 2) / (math.pi * efficiency * span * span / area)
    drag = np.maximum(found["CDtot"] + induced, 0.0)
    builder.add_coefficients([alpha], [angles], [("CL", (), polar), ("CD", (), drag)])
    add("CL", found.get("CLb", 0.0), beta)
    add("CY", found["CYtot"] - found["CYb"] * beta_0 - found.get("CYa", 0.0) * alpha_0, one)
    add("Cm", found["Cmtot"] - found["Cma"] * alpha_0 - found.get("Cmb", 0.0) * beta_0, one)
    for body, a, b in (("Cl", cosine, -sine), ("Cn", sine, cosine)):  # from x', z' to x, z
        add(body, a * _residual(found, "Cl", alpha_0, beta_0) + b * _residual(found, "Cn", alpha_0, beta_0), one)
    p, q, r = (slot("p_hat"),), (slot("q_hat"),), (slot("r_hat"),)
    variables: list[tuple[str, tuple[tuple[float, tuple[int, ...]], ...]]] = [
        ("a", ((1.0, (alpha,)),)), ("b", ((1.0, (beta,)),)), ("q", ((1.0, q),)),
        ("p", ((cosine, p), (sine, r))), ("r", ((-sine, p), (cosine, r))),
    ]  # fmt: skip
    for control, name in named.items():
        surface = controls.get(name, _SURFACES.get(name.lower()))
        sign = -1.0 if surface is not None and surface.startswith("-") else 1.0
        surface = None if surface is None else surface.lstrip("-")
        if surface not in _SURFACES.values():
            known = sorted(set(_SURFACES.values()))
            text = f"has the control {name!r}{nearest(name, _SURFACES)}; say by `controls` which of {', '.join(known)} it moves"
            raise InputError(text, file=file)
        variables.append((f"d{control}", ((sign / _DEGREE, (slot(f"d{surface}"),)),)))
    for suffix, parts in variables:
        for factor, slots in parts:
            if suffix not in ("a", "b"):
                add("CL", factor * found.get(f"CL{suffix}", 0.0), *slots)
            add("CY", factor * found.get(f"CY{suffix}", 0.0), *slots)
            add("CD", factor * found.get(f"CDff{suffix}", 0.0), *slots)
            add("Cm", factor * found.get(f"Cm{suffix}", 0.0), *slots)
            rolling, turning = found.get(f"Cl{suffix}", 0.0), found.get(f"Cn{suffix}", 0.0)
            add("Cl", factor * (cosine * rolling - sine * turning), *slots)
            add("Cn", factor * (sine * rolling + cosine * turning), *slots)


def _residual(found: Mapping[str, float], name: str, alpha: float, beta: float) -> float:
    """A moment of stability axes at alpha = beta = 0."""
    total = found.get(f"{name}'tot", found.get(f"{name}tot", 0.0))
    return total - found.get(f"{name}a", 0.0) * alpha - found.get(f"{name}b", 0.0) * beta


def _read(file: Path) -> tuple[dict[str, float], dict[str, str]]:
    """Numbers by their names, derivatives by controls as CLd1 and so on; names of controls by number."""
    found: dict[str, float] = {}
    named: dict[str, str] = {}
    lines = read_lines(file)
    if not any("Stability-axis derivatives" in text for text in lines):
        raise InputError("has no 'Stability-axis derivatives', expected AVL's output of the command ST", file=file)
    inside = False
    for line, text in enumerate(lines, start=1):
        inside |= "Stability-axis derivatives" in text
        if "Clb Cnr / Clr Cnb" in text:
            continue
        pairs = _PAIR.findall(text)
        for name, value in pairs:
            plain = re.sub(r"d0*([0-9]+)$", r"d\1", name)
            if inside == (plain.startswith("C") and not plain.endswith("tot")) or plain in ("e", "Sref", "Cref", "Bref"):
                found.setdefault(plain, number_in(value, file, line))
        if inside and not pairs:
            named |= {number: name for name, number in _CONTROL.findall(text)}
    return found, named
