"""The key `policy` of a task: the shape of the policy that `didymos train` looks for, unless the user says otherwise.

    policy:
      hidden: [16, 16]              # sizes of the layers between; none: a linear policy
      frequency: 1.6                # Hz: the policy has a clock of its own, whose sine and cosine it sees: a gait, a wing beat
      pattern:                      # of a linear policy: what it does before anything is learnt, mean, sine and cosine of actions
        joints.LFH_joint: [0, 0.3, 0]
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from didymos.spec import Spec, number

__all__ = ["PolicySpec"]

Size = Annotated[int, Field(strict=True, ge=1, le=1024)]
Number = Annotated[float, Field(strict=True, ge=-100, le=100)]


class PolicySpec(Spec):
    """The shape of a policy."""

    hidden: tuple[Size, ...] = Field(default=(), max_length=8, description="sizes of hidden layers; none for a linear policy")
    activation: Literal["tanh", "relu", "elu"] = "tanh"
    frequency: float = number(0.0, unit="Hz", low=0, high=1000, live=False, doc="of the policy's own clock; 0: it has none")
    waves: Annotated[int, Field(strict=True, ge=1, le=16)] = Field(
        default=1, description="harmonics of its clock that it sees, where it has one"
    )
    pattern: dict[str, tuple[Number, ...]] = Field(
        default={},
        description="by action, with patterns: mean, then sine and cosine of each harmonic, between -1 and 1; a linear policy begins so",
    )

    @property
    def harmonics(self) -> int:
        """Harmonics of its clock that it sees."""
        return self.waves if self.frequency > 0.0 else 0
