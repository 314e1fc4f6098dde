"""The script of an exported FMU: the one file of it that says which twin runs, in plain Python.

It stands outside of the package, so it may use the front door (`didymos.load`). Its class has a name of its own for each FMU: two
FMUs in one process share `sys.modules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["INSTALL", "Chosen", "script"]

INSTALL = "pip install 'didymos[fmi]'"


@dataclass(frozen=True)
class Chosen:
    """What was chosen when an FMU was made.

    `name` is what it is called; `twin` is a bundled name, or empty where the FMU holds the folder.
    """

    name: str
    twin: str
    is_world: bool
    title: str
    variant: str | None
    scenario: str | None
    seed: int
    values: Mapping[str, float]


_TEXT = '''"""{title}, as an FMU. Made by didymos {version}; it needs didymos in the Python that runs it: {install}"""

import sys
from pathlib import Path

try:
    import didymos
    from didymos.ports.fmi.slave{fmi} import TwinSlave{fmi} as Fmi{fmi}Slave{more}
except ImportError as error:
    message = f"this FMU runs a digital twin of Didymos, and its Python cannot import it ({{error}}); this installs it: "
    print("didymos:", message + {install!r}, file=sys.stderr)  # some tools show no log of an FMU that cannot be made
    raise ImportError(message + {install!r}) from None

{keep}TWIN, WORLD, VARIANT, SCENARIO, SEED = {twin!r}, {is_world!r}, {variant!r}, {scenario!r}, {seed!r}
VALUES = {values!r}


def simulate(resources: Path):
    """The run of an instance. Whoever loads an FMU runs what it holds: the code of its twin is not asked about again."""
    where = TWIN or resources / "twin"
    model = didymos.load_world(where, trust=True) if WORLD else didymos.load(where, variant=VARIANT, trust=True)
    model.set_all(VALUES)
    often = 1.0 / model.get("world.step")  # truth at the end of every step, not now and then
    model.set_all({{path: often for path in model.parameters if path.endswith(("record.rate", "record.tf_rate"))}})
    return model.simulate(seed=SEED, scenario=SCENARIO)


def describe(simulation, serializes):
    """What the model description says of the whole."""
    from didymos.ports.fmi.description import About

    return About({identifier!r}, {name!r}, {title!r}, {version!r}, simulation.period, simulation.seconds, serializes)


class {identifier}(Fmi{fmi}Slave):
    """One instance."""

    simulate = staticmethod(simulate)
    describe = staticmethod(describe)
'''


def script(fmi: int, chosen: Chosen, *, identifier: str, version: str) -> str:
    """The text of the script; `fmi` is 2 or 3."""
    title = " ".join(chosen.title.replace('"""', "'''").replace("\\", "/").split())
    return _TEXT.format(
        fmi=fmi, name=chosen.name, identifier=identifier, version=version, install=INSTALL, title=title, twin=chosen.twin,
        is_world=chosen.is_world, variant=chosen.variant, scenario=chosen.scenario, seed=chosen.seed, values=dict(chosen.values),
        more=", keep" if fmi == 2 else "", keep="keep(globals())\n\n" if fmi == 2 else "",
    )  # fmt: skip
