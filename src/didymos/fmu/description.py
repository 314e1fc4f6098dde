"""What an FMU says of itself: its `modelDescription.xml`, read with limits; nothing of the FMU runs or is unpacked for it.

Of FMI 2.0 and 3.0, for co-simulation. Variables that are no single numbers (texts, arrays, clocks, bytes) are left out: nothing
of a twin is one.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from didymos.errors import InputError, nearest

__all__ = ["FmuDescription", "FmuVariable", "read_description"]

_LARGEST_DESCRIPTION = 64 * 2**20  # [bytes]
_MOST_FILES = 100_000
_MOST_VARIABLES = 200_000
_NUMBERS = {
    "Real", "Integer", "Boolean", "Enumeration", "Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32",
    "Int64", "UInt64",
}  # fmt: skip


@dataclass(frozen=True)
class FmuVariable:
    """One number of an FMU. `kind` is FMI's word for its type, `is_tunable` whether it may change while time passes."""

    name: str
    reference: int
    kind: str
    causality: str
    is_tunable: bool
    start: float | None
    unit: str
    low: float | None
    high: float | None
    doc: str


@dataclass(frozen=True)
class FmuDescription:
    """What an FMU says of itself. `platforms` are the folders of libraries that it holds."""

    file: Path
    fmi: int
    name: str
    identifier: str
    token: str
    variables: tuple[FmuVariable, ...]
    platforms: tuple[str, ...]
    saves_state: bool
    serializes_state: bool
    any_step: bool
    fixed_step: float | None
    once_per_process: bool

    def of(self, *causalities: str) -> tuple[FmuVariable, ...]:
        """The variables of some causalities, in their order."""
        return tuple(item for item in self.variables if item.causality in causalities)

    def variable(self, name: str, *causalities: str) -> FmuVariable:
        """The variable of a name; an `InputError` with the nearest one where there is none of these causalities."""
        known = {item.name: item for item in self.of(*causalities)}
        if name not in known:
            what = " or ".join(causalities)
            has = ", ".join(list(known)[:12]) + (", ..." if len(known) > 12 else "")
            raise InputError(f"{self.file.name} has no {what} {name!r}{nearest(name, known)} (it has: {has or 'none'})")
        return known[name]


def read_description(file: Path) -> FmuDescription:
    """What an FMU says of itself; a file that is none, or not for co-simulation, is an `InputError`."""
    try:
        about = file.stat()
    except (OSError, ValueError):
        raise InputError("there is no such file", file=file) from None
    return _read(file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=32)
def _read(file: Path, _changed: int, _size: int) -> FmuDescription:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if len(names) > _MOST_FILES:
                raise InputError(f"holds {len(names)} files, expected at most {_MOST_FILES}", file=file)
            with archive.open("modelDescription.xml") as stream:
                text = stream.read(_LARGEST_DESCRIPTION + 1)
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError, EOFError):
        raise InputError("is no FMU: it cannot be read as a zip archive", file=file) from None
    except KeyError:
        raise InputError("is no FMU: it holds no modelDescription.xml", file=file) from None
    if len(text) > _LARGEST_DESCRIPTION:
        raise InputError(f"has a modelDescription.xml of more than {_LARGEST_DESCRIPTION} bytes", file=file)
    root = _parsed(text, file)
    version = root.get("fmiVersion", "")
    if root.tag != "fmiModelDescription" or not (version == "2.0" or version.startswith("3.")):
        raise InputError(f"is of FMI {version or 'without a version'}, expected 2.0 or 3.0", file=file)
    own = root.find("CoSimulation")
    if own is None:
        what = "model exchange" if root.find("ModelExchange") is not None else "neither of them"
        raise InputError(f"is for {what}, expected an FMU for co-simulation, which brings its own solver", file=file)
    try:
        return _description(file, 2 if version == "2.0" else 3, root, own, names)
    except (ValueError, KeyError) as error:
        raise InputError(f"has a modelDescription.xml that cannot be: {error}", file=file) from None


def _parsed(text: bytes, file: Path) -> Element:
    """The document; entities, which may refer to files or grow without bounds, are refused."""
    guard = expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise InputError("has a modelDescription.xml with a document type, which is not read", file=file)

    guard.StartDoctypeDeclHandler = refuse
    try:
        guard.Parse(text, True)
        return ElementTree.fromstring(text)
    except (expat.ExpatError, ElementTree.ParseError, RecursionError) as error:
        raise InputError(f"has a modelDescription.xml that is no XML: {error}", file=file) from None


def _description(file: Path, fmi: int, root: Element, own: Element, names: list[str]) -> FmuDescription:
    listed = root.find("ModelVariables")
    elements = [] if listed is None else list(listed)
    if len(elements) > _MOST_VARIABLES:
        raise ValueError(f"it has {len(elements)} variables, more than {_MOST_VARIABLES}")
    read = [_variable2(item) if fmi == 2 else _variable3(item) for item in elements]
    variables = tuple(item for item in read if item is not None)
    word = "FMUstate" if fmi == 2 else "FMUState"
    folders = {name.split("/")[1] for name in names if name.startswith("binaries/") and name.count("/") == 2 and name[-1] != "/"}
    fixed = own.get("fixedInternalStepSize")
    identifier = own.attrib["modelIdentifier"]
    if not identifier.isidentifier():
        raise ValueError(f"found the model identifier {identifier!r}, expected a name")
    return FmuDescription(
        file=file, fmi=fmi, name=root.get("modelName", ""), identifier=identifier,
        token=root.attrib["guid" if fmi == 2 else "instantiationToken"], variables=variables, platforms=tuple(sorted(folders)),
        saves_state=_is_true(own, f"canGetAndSet{word}"), serializes_state=_is_true(own, f"canSerialize{word}"),
        any_step=_is_true(own, "canHandleVariableCommunicationStepSize"), fixed_step=None if fixed is None else float(fixed),
        once_per_process=_is_true(own, "canBeInstantiatedOnlyOncePerProcess"),
    )  # fmt: skip


def _is_true(element: Element, key: str) -> bool:
    return element.get(key) in ("true", "1")


def _variable2(element: Element) -> FmuVariable | None:
    kind = next((child for child in element if child.tag in _NUMBERS), None)
    return None if kind is None else _variable(element.attrib, kind.tag, kind.attrib)


def _variable3(element: Element) -> FmuVariable | None:
    if element.tag not in _NUMBERS or element.find("Dimension") is not None:
        return None
    return _variable(element.attrib, element.tag, element.attrib)


def _variable(about: Mapping[str, str], kind: str, numbers: Mapping[str, str]) -> FmuVariable:
    bounds = [_number(numbers.get(key)) for key in ("start", "min", "max")]
    return FmuVariable(
        name=about["name"], reference=int(about["valueReference"]), kind=kind, causality=about.get("causality", "local"),
        is_tunable=about.get("variability") == "tunable", start=bounds[0], unit=numbers.get("unit", ""), low=bounds[1],
        high=bounds[2], doc=" ".join(about.get("description", "").split())[:200],
    )  # fmt: skip


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    value = {"true": 1.0, "false": 0.0}.get(text.strip())
    value = float(text) if value is None else value
    if not math.isfinite(value):
        raise ValueError(f"found {text!r}, expected a finite number")
    return value
