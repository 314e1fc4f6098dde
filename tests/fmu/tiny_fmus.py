"""FMUs for tests, compiled from `models.c`: those of others, which share no code with us."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "models.c"

# name: causality, variability, start, unit, min, max
VARIABLES: dict[str, list[tuple[str, str, str, float | None, str, float | None, float | None]]] = {
    "BALL": [
        ("h", "output", "continuous", None, "m", None, None), ("v", "output", "continuous", None, "m/s", None, None),
        ("e", "parameter", "tunable", 0.7, "1", 0.0, 1.0), ("g", "parameter", "fixed", 9.81, "m/s2", None, None),
    ],
    "VANDERPOL": [
        ("x0", "output", "continuous", None, "", None, None), ("x1", "output", "continuous", None, "", None, None),
        ("mu", "parameter", "tunable", 1.0, "", None, None),
    ],
    "CYLINDER": [
        ("rod.x", "input", "continuous", 0.0, "m", None, None), ("rod.v", "input", "continuous", 0.0, "m/s", None, None),
        ("u", "input", "continuous", 0.0, "", -1.0, 1.0), ("F", "output", "continuous", None, "N", None, None),
        ("p", "output", "continuous", None, "Pa", None, None), ("area", "parameter", "fixed", 1e-3, "m2", 0.0, None),
        ("supply", "parameter", "tunable", 2e5, "Pa", 0.0, None), ("tau", "parameter", "tunable", 0.05, "s", 1e-6, None),
        ("damping", "parameter", "tunable", 20.0, "N.s/m", 0.0, None),
    ],
    "CONTROLLER": [
        ("y", "input", "continuous", 0.0, "", None, None), ("r", "input", "continuous", 0.0, "", None, None),
        ("u", "output", "continuous", None, "", None, None), ("kp", "parameter", "tunable", 2.0, "", 0.0, 100.0),
        ("ki", "parameter", "fixed", 0.5, "", None, None),
    ],
    "FAULTY": [
        ("u", "input", "continuous", 0.0, "", None, None), ("y", "output", "continuous", None, "", None, None),
        ("status", "parameter", "fixed", 3.0, "", None, None), ("after", "parameter", "fixed", 3.0, "", None, None),
    ],
}  # fmt: skip


def compiler() -> str:
    """A C compiler; without one, the test is left out."""
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None:
        pytest.skip("there is no C compiler")
    return found


def description(model: str, *, kind: str = "CoSimulation", saves: bool = True, version: str = "2.0") -> str:
    """The model description of one of them."""
    state = ' canGetAndSetFMUstate="true"' if saves else ""
    rows, outputs, units = [], [], set()
    for i, (name, causality, variability, start, unit, low, high) in enumerate(VARIABLES[model]):
        numbers = {"unit": unit, "min": low, "max": high, "start": start}
        told = "".join(f' {key}="{value}"' for key, value in numbers.items() if value not in (None, ""))
        units |= {unit} - {""}
        initial = {"output": ' initial="calculated"', "parameter": ' initial="exact"'}.get(causality, "")
        rows.append(
            f'<ScalarVariable name="{name}" valueReference="{i}" causality="{causality}" variability="{variability}"{initial}>'
            f"<Real{told}/></ScalarVariable>"
        )
        outputs += [i + 1] if causality == "output" else []
    unknown = "".join(f'<Unknown index="{i}"/>' for i in outputs)
    named = "".join(f'<Unit name="{unit}"/>' for unit in sorted(units))
    defined = f"<UnitDefinitions>{named}</UnitDefinitions>" if named else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>'
        f'<fmiModelDescription fmiVersion="{version}" modelName="{model.lower()}" guid="{{tiny}}">'
        f'<{kind} modelIdentifier="{model.lower()}" canHandleVariableCommunicationStepSize="true"{state}/>{defined}'
        f"<ModelVariables>{''.join(rows)}</ModelVariables>"
        f"<ModelStructure><Outputs>{unknown}</Outputs><InitialUnknowns>{unknown}</InitialUnknowns></ModelStructure>"
        f"</fmiModelDescription>"
    )


_COMPILED: dict[str, bytes] = {}


def library(model: str, folder: Path) -> bytes:
    """The shared library of one of them."""
    if model not in _COMPILED:
        out = folder / f"{model}.so"
        options = ["-O1", "-ffp-contract=off", "-shared", "-fPIC", f"-DMODEL={model}"]
        subprocess.run([compiler(), *options, "-o", str(out), str(SOURCE), "-lm"], check=True, timeout=120)
        _COMPILED[model] = out.read_bytes()
    return _COMPILED[model]


def write_fmu(file: Path, model: str, *, platform: str = "linux64", text: str | None = None, saves: bool = True) -> Path:
    """Write one of them as an FMU."""
    content = library(model, file.parent)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("modelDescription.xml", description(model, saves=saves) if text is None else text)
        archive.writestr(f"binaries/{platform}/{model.lower()}.so", content)
    return file
