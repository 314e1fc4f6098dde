"""Read the aerodynamics of a JSBSim aircraft: its functions and tables, flattened into steps; nothing of the file runs.

    <aerodynamics>
      <function name="aero/function/kCLge"> ... </function>            may be named by others
      <axis name="LIFT"> <function name="aero/coefficient/CLwbh"> <product> <property>..</property> <table>..</table> ...

Axes DRAG, SIDE, LIFT are wind axes (drag and lift against x and z); X, Y, Z (or FORWARD, RIGHT, DOWN) and AXIAL, SIDE, NORMAL
body axes; ROLL, PITCH, YAW body axes; `frame` = BODY, STABILITY or WIND says otherwise. Moments and forces refer to the AERORP,
where the part's frame has to be. Functions may use value, property, table (one to three axes, held at their ends), product, sum,
difference, quotient, pow, exp, ln, log2, log10, sqrt, abs, sign, min, max, avg, sin ... atan2, comparisons, and, or, not, ifthen,
toradians, todegrees, pi, floor, ceil, fmod, integer, fraction. Refused with their line: random, templates, forces at the centre
of mass (applyAtCG), properties that nobody knows (say what they are by `properties`). A function that names a later one, and
aero/cl-squared, get its value of now; JSBSim has that of its last frame.

Reference: JSBSim Reference Manual (2011), ch. 2.3 and 3.1.8; `FGAerodynamics.cpp`, `FGFunction.cpp`, `FGTable.cpp` of 1.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from didymos.describe.formats.xml_file import Element, read_xml
from didymos.describe.tables.jsbsim_properties import FOOT, POUND, Quantity, known_property, quantity_by_text
from didymos.describe.tables.jsbsim_table import read_table
from didymos.errors import InputError
from didymos.parts.aero_data import AeroBuilder

__all__ = ["read_jsbsim"]

Term = tuple[float, tuple[int, ...]]
"""A number times slots."""

_AXES = {
    "DRAG": ("wind", "x", -1.0), "SIDE": ("wind", "y", 1.0), "LIFT": ("wind", "z", -1.0), "X": ("body", "x", 1.0),
    "Y": ("body", "y", 1.0), "Z": ("body", "z", 1.0), "FORWARD": ("body", "x", 1.0), "RIGHT": ("body", "y", 1.0),
    "DOWN": ("body", "z", 1.0), "AXIAL": ("body", "x", -1.0), "NORMAL": ("body", "z", -1.0), "ROLL": ("body", "l", 1.0),
    "PITCH": ("body", "m", 1.0), "YAW": ("body", "n", 1.0),
}  # fmt: skip
_UNITS = {"": 0.0, "LBS": POUND, "LB": POUND, "N": 1.0, "FT*LBS": POUND * FOOT, "LBS*FT": POUND * FOOT, "N*M": 1.0}
_LENGTHS = {"FT": FOOT, "IN": FOOT / 12.0, "M": 1.0, "FT2": FOOT * FOOT, "M2": 1.0, "IN2": (FOOT / 12.0) ** 2}
_TAILS = {"htailarea": ("Sh-sqft", 2), "htailarm": ("lh-ft", 1), "vtailarea": ("Sv-sqft", 2), "vtailarm": ("lv-ft", 1)}
_FOLDED = {"min": "min", "max": "max", "and": "and", "or": "or"}
_OF_ONE = ("abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "ln", "log2", "log10", "sqrt", "not", "floor", "ceil",
           "integer", "fraction", "sign")  # fmt: skip
_OF_TWO = ("atan2", "pow", "lt", "le", "gt", "ge", "eq", "nq", "fmod")
_SHORT = {"p": "property", "v": "value", "t": "table"}
_MOST_ELEMENTS = 20_000


def read_jsbsim(file: Path, properties: Mapping[str, str | float], builder: AeroBuilder) -> None:
    """Add the aerodynamic functions of an aircraft's XML to a builder, and its metrics, with which the part has to agree."""
    root = read_xml(file)
    section = root if root.tag == "aerodynamics" else root.first("aerodynamics")
    if section is None:
        raise root.error("has no <aerodynamics>, expected an aircraft of JSBSim")
    if "file" in section.attributes:
        section = _included(section, file)
    if sum(1 for _ in section.walk()) > _MOST_ELEMENTS:
        raise section.error(f"has more than {_MOST_ELEMENTS} elements")
    reader = _Reader(section, root.first("metrics"), properties, builder)
    try:
        reader.read()
    except (ValueError, RecursionError) as error:
        raise InputError(str(error), file=file) from None


def _included(section: Element, file: Path) -> Element:
    name = section.attributes["file"]
    other = file.parent / (name if name.endswith(".xml") else f"{name}.xml")
    if not other.resolve().is_relative_to(file.parent.resolve()):
        raise section.error(f"names {name!r}, expected a file of the same folder")
    found = read_xml(other)
    if found.tag != "aerodynamics":
        raise found.error(f"found <{found.tag}>, expected <aerodynamics>")
    return found


class _Reader:
    """One <aerodynamics> on its way into a builder."""

    def __init__(
        self, section: Element, metrics: Element | None, properties: Mapping[str, str | float], builder: AeroBuilder
    ) -> None:
        self.section, self.builder, self.program = section, builder, builder.program
        self.functions = {_name(item): item for item in section.walk() if item.tag == "function" and _name(item)}
        self.known: dict[str, Term] = {}
        self.open: set[str] = set()
        self.own = {name.strip(): quantity_by_text(text) for name, text in properties.items()}
        self.lift_known = False
        if metrics is not None:
            self._read_metrics(metrics)

    def _read_metrics(self, metrics: Element) -> None:
        for tag, name, power in (("wingarea", "area", 2), ("wingspan", "span", 1), ("chord", "chord", 1)):
            item = metrics.first(tag)
            if item is not None:
                self.builder.metrics[name] = _number(item) * _unit(item, "FT2" if power == 2 else "FT")
        for tag, (name, power) in _TAILS.items():
            item = metrics.first(tag)
            if item is not None:
                size = _number(item) * _unit(item, "FT2" if power == 2 else "FT")
                self.own.setdefault(f"metrics/{name}", Quantity(size / FOOT**power))

    def read(self) -> None:
        """Add every axis, lift first: the drag of some follows from it."""
        limits = self.section.first("hysteresis_limits")
        if limits is not None:
            scale = math.pi / 180.0 if limits.attributes.get("unit", "RAD") == "DEG" else 1.0
            self.builder.stall_ends, self.builder.stall_begins = (
                scale * _number(limits.needed(tag)) for tag in ("min", "max")
            )
        axes = sorted(self.section.all("axis"), key=lambda axis: _name(axis) != "LIFT")
        names = {_name(axis) for axis in axes}
        if not axes:
            raise self.section.error("has no <axis>, expected LIFT, DRAG, SIDE, ROLL, PITCH and YAW")
        for axis in axes:
            self._read_axis(axis, is_body=bool(names & {"AXIAL", "NORMAL", "X", "Z"}))
            self.lift_known |= _name(axis) == "LIFT"

    def _read_axis(self, axis: Element, *, is_body: bool) -> None:
        name = _name(axis)
        if name not in _AXES:
            raise axis.error(f"found axis {name!r}, expected one of {', '.join(_AXES)}")
        frame, direction, sign = _AXES[name]
        if name == "SIDE" and is_body:
            frame = "body"
        frame = axis.attributes.get("frame", frame).lower()
        if frame not in ("body", "stability", "wind"):
            raise axis.error(f"found frame {frame.upper()!r}, expected BODY, STABILITY or WIND")
        word = axis.attributes.get("unit", "").upper()
        if word not in _UNITS:
            raise axis.error(f"found unit {word!r}, expected {', '.join(filter(None, _UNITS))}")
        unit = _UNITS[word] or (POUND * FOOT if direction in "lmn" else POUND)
        for function in axis.all("function"):
            if function.attributes.get("applyAtCG", "").lower() in ("true", "1"):
                raise function.error("acts at the centre of mass (applyAtCG), which is not known here")
            factor, slots = self._function(function)
            self.builder.add(f"{frame}_{direction}", sign * unit * factor, slots)
        if name in ("LIFT", "Z", "DOWN", "NORMAL"):
            self._narrow(axis)

    def _narrow(self, axis: Element) -> None:
        """Lift is known where the widest of its tables over alpha is: the others are corrections to it."""
        tables = [read_table(item) for item in axis.walk() if item.tag in ("table", "t")]
        ends = [pair for table in tables for pair in table.range_of("aero/alpha-rad", "aero/alpha-deg")]
        if ends:
            self.builder.narrow(min(low for low, _ in ends), max(high for _, high in ends))

    def _function(self, function: Element) -> Term:
        name = _name(function)
        if name in self.known:
            return self.known[name]
        if name in self.open:
            raise function.error(f"{name} needs its own value")
        if function.attributes.get("type") == "template":
            raise function.error("is a template, which is not known here")
        self.open.add(name)
        inner = [child for child in function.children if child.tag != "description"]
        if len(inner) != 1:
            raise function.error(f"holds {len(inner)} expressions, expected one")
        found = self._term(inner[0])
        self.open.discard(name)
        if name:
            self.known[name] = found
        return found

    def _property(self, item: Element, text: str) -> Term:
        name = text.strip()
        if name.startswith("-"):
            factor, slots = self._property(item, name[1:])
            return -factor, slots
        quantity = self.own.get(name) or known_property(name)
        if quantity is not None:
            found = quantity.factor, tuple(self.program.slot(one) for one in quantity.names)
            return (1.0, (self.program.apply("abs", [self._slot(found)]),)) if quantity.absolute else found
        for known in (name, f"aero/{name}"):
            if known in self.functions:
                return self._function(self.functions[known])
        if name == "aero/cl-squared" and self.lift_known:
            lift = self.program.apply("quotient", [self.builder.sum_slot("wind_z"), self.program.slot("qS")])
            return 1.0, (lift, lift)
        raise item.error(f"reads {name!r}, which is not known here: say what it is by `properties`")

    def _slot(self, term: Term) -> int:
        return self.program.product(*term)

    def _table(self, item: Element) -> Term:
        table = read_table(item)
        slots = [self._slot(self._property(item, name)) for name in table.variables]
        try:
            return 1.0, (self.program.table(slots, table.axes, table.values),)
        except ValueError as error:
            raise item.error(str(error)) from None

    def _term(self, item: Element) -> Term:
        tag = _SHORT.get(item.tag, item.tag)
        if tag == "value":
            return _number(item), ()
        if tag == "property":
            return self._property(item, item.text)
        if tag == "table":
            return self._table(item)
        if tag == "pi":
            return math.pi, ()
        terms = [self._term(child) for child in item.children if child.tag != "description"]
        least = {"difference": 1, "quotient": 2, "ifthen": 3, **dict.fromkeys(_OF_TWO, 2)}.get(tag, 1)
        most = {"quotient": 2, "ifthen": 3, **dict.fromkeys(_OF_TWO, 2), **dict.fromkeys(_OF_ONE, 1)}.get(tag, 1000)
        if not least <= len(terms) <= most:
            raise item.error(f"<{item.tag}> has {len(terms)} arguments, expected {least}{'' if most == least else ' or more'}")
        if tag == "product":
            return math.prod(factor for factor, _ in terms), tuple(slot for _, slots in terms for slot in slots)
        if tag in ("sum", "difference", "avg"):
            return self._sum(terms, -1.0 if tag == "difference" else 1.0, 1.0 / len(terms) if tag == "avg" else 1.0)
        if tag in ("toradians", "todegrees"):
            return terms[0][0] * (math.pi / 180.0 if tag == "toradians" else 180.0 / math.pi), terms[0][1]
        if tag == "quotient" and not terms[1][1] and terms[1][0] != 0.0:
            return terms[0][0] / terms[1][0], terms[0][1]
        slots = [self._slot(term) for term in terms]
        if tag in _FOLDED:
            found = slots[0]
            for slot in slots[1:]:
                found = self.program.apply(_FOLDED[tag], [found, slot])
            return 1.0, (found,)
        if tag in (*_OF_ONE, *_OF_TWO, "ifthen", "quotient"):
            return 1.0, (self.program.apply(tag, slots),)
        raise item.error(f"found <{item.tag}>, which is not known here")

    def _sum(self, terms: list[Term], others: float, scale: float) -> Term:
        if not any(slots for _, slots in terms):
            return scale * (terms[0][0] + others * sum(factor for factor, _ in terms[1:])), ()
        target = self.program.new_slot()
        for i, (factor, slots) in enumerate(terms):
            self.program.accumulate(target, scale * factor * (others if i else 1.0), slots, anew=i == 0)
        return 1.0, (target,)


def _name(item: Element) -> str:
    return item.attributes.get("name", "").strip()


def _unit(item: Element, usual: str) -> float:
    word = item.attributes.get("unit", usual).upper()
    if word not in _LENGTHS:
        raise item.error(f"found unit {word!r}, expected one of {', '.join(_LENGTHS)}")
    return _LENGTHS[word]


def _number(item: Element) -> float:
    try:
        value = float(item.text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise item.error(f"found {item.text.strip()!r} in <{item.tag}>, expected a number")
    return value
