"""What a comparison with a second engine found, and the figures that it is held against."""

from __future__ import annotations

from dataclasses import dataclass

from didymos.crosscheck.trajectory import Trajectories

__all__ = ["ENGINE", "MODEL", "TRAJECTORY", "Difference", "EngineErrors", "MechanismFinding", "ReplayFinding"]

MODEL = 1e-9  # relative: both readers take the same decimal numbers; what is left is rounding
ENGINE = 1e-9  # relative: the same equations in two orders of summation
TRAJECTORY = 1e-6  # [m or rad] over 5 s


@dataclass(frozen=True)
class Difference:
    """Something that two readings of a description, or two engines, do not agree on: of what, what, and both values in words."""

    subject: str  # link body_FLU
    quantity: str  # mass
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.subject} {self.quantity}: {self.ours} here, {self.theirs} there"


@dataclass(frozen=True)
class EngineErrors:
    """Largest differences at random states, relative to what belongs to each degree of freedom (`engine_check.py`)."""

    mass_matrix: float
    gravity: float
    coriolis: float
    passive: float
    acceleration: float

    @property
    def beyond(self) -> tuple[str, ...]:
        """Which of them are more than rounding, in words."""
        named = {
            "mass matrix": self.mass_matrix, "gravity forces": self.gravity, "Coriolis and centrifugal forces": self.coriolis,
            "damping and springs": self.passive, "accelerations": self.acceleration,
        }  # fmt: skip
        return tuple(name for name, error in named.items() if not error <= ENGINE)

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max(self.mass_matrix, self.gravity, self.coriolis, self.passive, self.acceleration)


@dataclass(frozen=True, eq=False)
class ReplayFinding:
    """A run of a scenario, at so many states: the force that pinocchio needs for our accelerations, less that which acted here.

    `residual` is the largest of them, `joint` where, `time` when [s]; `unbalanced` is what our solver of constraints left; both
    relative (`replay.py`).
    """

    scenario: str
    seconds: float
    states: int
    residual: float
    joint: str
    time: float
    unbalanced: float

    @property
    def agrees(self) -> bool:
        """Whether it is no more than rounding."""
        return self.residual <= ENGINE


@dataclass(frozen=True, eq=False)
class MechanismFinding:
    """A mechanism in both engines. `not_comparable` says why there is nothing else; `left_out` what did not act in it."""

    bodies: int = 0
    freedoms: int = 0
    model_error: float = 0.0
    differences: tuple[Difference, ...] = ()
    engine: EngineErrors | None = None
    trajectory: Trajectories | None = None
    replay: ReplayFinding | None = None
    left_out: tuple[str, ...] = ()
    not_comparable: str | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether both agree within the stated figures; None where they cannot be compared."""
        return None if self.not_comparable is not None else self.verdict.startswith("agree")

    @property
    def verdict(self) -> str:
        """In words: error of the model, or of the engine."""
        if self.not_comparable is not None:
            return f"not comparable: {self.not_comparable}"
        if self.differences:
            more = f" (and {len(self.differences) - 1} more)" if len(self.differences) > 1 else ""
            return f"model differs: {self.differences[0]}{more}"
        if self.engine is not None and self.engine.beyond:
            return f"engine differs: {', '.join(self.engine.beyond)}"
        if self.replay is not None and not self.replay.agrees:
            where = f"{self.replay.joint} at {self.replay.time:.6g} s"
            return f"engine differs: forces along {self.replay.scenario}, {where}"
        if self.trajectory is not None and not self.trajectory.difference <= TRAJECTORY:
            if self.trajectory.is_sensitive:
                return f"agree; the motion is too sensitive to be compared over {self.trajectory.time[-1]:.3g} s"
            return f"engine differs: trajectory, by {self.trajectory.difference:.1e} m or rad"
        return "agree"
