"""The model description of an exported FMU, `modelDescription.xml`, of FMI 2.0 and 3.0.

`pythonfmu` can write one, but knows no units, no bounds and 16 digits of a number that may need 17; so its classes are told to
write this one instead. Everything in it comes from the list of variables, so the two versions cannot differ in what they say.

Units are given by their base units (kg, m, s, A, K, rad to integer powers) where they are products of such; a noise density
(m/s/sqrt(Hz)), and a gain in units of its program's own (leg lengths l, periods T), are units by name alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from didymos.errors import InputError
from didymos.ports.fmi.variables import Variable
from didymos.record.units import read_unit

__all__ = ["About", "model_description", "token"]

_BASES = ("m", "kg", "s", "A", "K", "rad")  # the order of `Unit.powers`
_OWN_WORDS = re.compile(r"(?<![A-Za-z])[gln](?![A-Za-z])|/\s*\(?[^/]*(?<![A-Za-z])T(?![A-Za-z])")
_CATEGORIES = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logAll")


@dataclass(frozen=True)
class About:
    """What a model description says of the whole: names, texts, times [s], what its states can do."""

    identifier: str
    name: str
    description: str
    version: str
    step: float
    stop: float
    serializes: bool


def token(about: About, variables: Sequence[Variable]) -> str:
    """The same for the same interface: an instance is asked for it, and a newer FMU of another interface has another."""
    text = repr((about, [(v.name, v.causality, v.variability, v.unit) for v in variables]))
    digits = hashlib.sha256(text.encode()).hexdigest()
    return f"{{{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}}}"


def model_description(version: int, about: About, variables: Sequence[Variable]) -> Element:
    """The whole document, of FMI 2 or 3."""
    root = Element("fmiModelDescription", {
        "fmiVersion": "2.0" if version == 2 else "3.0",
        "modelName": about.name,
        "guid" if version == 2 else "instantiationToken": token(about, variables),
        "description": about.description,
        "generationTool": f"didymos {about.version}",
        "variableNamingConvention": "structured",
    })  # fmt: skip
    if version == 2:
        root.set("numberOfEventIndicators", "0")
    word = "FMUstate" if version == 2 else "FMUState"
    options = {
        "modelIdentifier": about.identifier, "needsExecutionTool": "true", "canHandleVariableCommunicationStepSize": "true",
        f"canGetAndSet{word}": "true", f"canSerialize{word}": _word(about.serializes),
        "canBeInstantiatedOnlyOncePerProcess": "false",
    }  # fmt: skip
    if version == 2:
        options["canNotUseMemoryManagementFunctions"] = "true"
    SubElement(root, "CoSimulation", options)
    _add_units(root, {item.unit for item in variables})
    categories = SubElement(root, "LogCategories")
    for name in _CATEGORIES:
        SubElement(categories, "Category", {"name": name})
    times = {"startTime": "0.0", "stopTime": repr(about.stop), "stepSize": repr(about.step)}
    SubElement(root, "DefaultExperiment", times)
    made = SubElement(root, "ModelVariables")
    for item in variables:
        made.append(_variable2(item) if version == 2 else _variable3(item))
    _add_structure(version, root, variables)
    return root


def _word(value: bool) -> str:
    return "true" if value else "false"


def _add_units(root: Element, units: Iterable[str]) -> None:
    named = sorted(unit for unit in units if _unit_name(unit))
    if not named:
        return
    made = SubElement(root, "UnitDefinitions")
    for unit in named:
        entry = SubElement(made, "Unit", {"name": unit})
        base = _base(unit)
        if base is not None:
            SubElement(entry, "BaseUnit", base)


def _unit_name(unit: str) -> str | None:
    """The unit as variables name it, None for a pure number."""
    return None if unit in ("", "1") else unit


def _base(unit: str) -> dict[str, str] | None:
    """The base units of a unit, None where it is none of their products."""
    if _OWN_WORDS.search(unit) or "sqrt" in unit:
        return None
    try:
        read = read_unit(re.sub(r"/\(([^()]*)\)", _turned, unit))
    except InputError:
        return None
    found = {name: str(power) for name, power in zip(_BASES, read.powers, strict=True) if power != 0}
    return found | ({} if read.factor == 1.0 else {"factor": repr(read.factor)}) if read.offset == 0.0 else None


def _turned(bracket: re.Match[str]) -> str:
    """What stands in a bracket below a fraction line without the bracket: /(rad s) -> /rad/s, /(rad/s) -> /rad*s."""
    above, *below = bracket[1].split("/")
    return "".join(f"/{word}" for word in above.split()) + "".join(f"*{word}" for word in below)


def _attributes(item: Variable) -> dict[str, str]:
    """Unit, bounds and start, spelt so that nothing of a number is lost."""
    def spell(value: float) -> str:
        return str(int(value)) if item.is_integer else repr(float(value))

    unit = _unit_name(item.unit)
    found = {} if unit is None or item.is_integer else {"unit": unit}
    bounds = {"min": item.low, "max": item.high, "start": item.start}
    return found | {key: spell(value) for key, value in bounds.items() if value is not None}


def _initial(item: Variable) -> dict[str, str]:
    return {"output": {"initial": "calculated"}, "parameter": {"initial": "exact"}}.get(item.causality, {})


def _common(item: Variable) -> dict[str, str]:
    text = {"description": item.description} if item.description else {}
    return {
        "name": item.name, "valueReference": str(item.reference), **text, "causality": item.causality,
        "variability": item.variability, **_initial(item),
    }  # fmt: skip


def _variable2(item: Variable) -> Element:
    made = Element("ScalarVariable", _common(item))
    SubElement(made, "Integer" if item.is_integer else "Real", _attributes(item))
    return made


def _variable3(item: Variable) -> Element:
    return Element("Int32" if item.is_integer else "Float64", _common(item) | _attributes(item))


def _add_structure(version: int, root: Element, variables: Sequence[Variable]) -> None:
    made = SubElement(root, "ModelStructure")
    outputs = [item for item in variables if item.causality == "output"]
    if version == 3:
        for word in ("Output", "InitialUnknown"):
            for item in outputs:
                SubElement(made, word, {"valueReference": str(item.reference)})
        return
    for word in ("Outputs", "InitialUnknowns") if outputs else ():
        listed = SubElement(made, word)
        for item in outputs:
            SubElement(listed, "Unknown", {"index": str(item.reference + 1)})
