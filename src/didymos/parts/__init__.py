"""Force laws: a spec and a compiled kernel each; `PARTS` names the kinds that a twin file may use."""

from didymos.parts.airfoil import AIRFOIL
from didymos.parts.body_drag import BODY_DRAG
from didymos.parts.drive import DRIVE
from didymos.parts.electric_engine import ELECTRIC_ENGINE
from didymos.parts.generic_engine import GENERIC_ENGINE
from didymos.parts.law import Law, PartSpec
from didymos.parts.rotor import ROTOR

__all__ = ["PARTS", "Law", "PartSpec"]

PARTS: dict[str, Law] = {
    "airfoil": AIRFOIL,
    "generic_engine": GENERIC_ENGINE,
    "electric_engine": ELECTRIC_ENGINE,
    "rotor": ROTOR,
    "body_drag": BODY_DRAG,
    "drive": DRIVE,
}
