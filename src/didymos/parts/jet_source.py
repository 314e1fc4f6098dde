"""How a part says that it blows: a rotor whose wake others feel (air/rotor_wake.py)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["JetSource"]


@dataclass(frozen=True)
class JetSource:
    """A disc at the origin of a part's frame that throws air against its thrust."""

    radius: float  # [m]; 0 where the part's numbers do not say it
    thrust: str = "thrust"  # the output that is its thrust [N]
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)  # of a positive thrust, in the part's frame
