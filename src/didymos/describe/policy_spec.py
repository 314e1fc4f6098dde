"""The key `policy` of a task: the shape of the policy that `didymos train` looks for, unless the user says otherwise.

    policy:
      hidden: [16, 16]              # sizes of the layers between; none: a linear policy
      normalize: false              # observations are taken as the task scales them
      begin:                        # of a linear policy: the weights that it begins with, by action and observation
        joints.LFH_joint: {sin(12.566 * time): 0.3, bias: 0.1}
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from didymos.spec import Spec

__all__ = ["BIAS", "PolicySpec"]

BIAS = "bias"

Size = Annotated[int, Field(strict=True, ge=1, le=1024)]
Number = Annotated[float, Field(strict=True, ge=-1000, le=1000)]


class PolicySpec(Spec):
    """The shape of a policy."""

    hidden: tuple[Size, ...] = Field(default=(), max_length=8, description="sizes of hidden layers; none for a linear policy")
    activation: Literal["tanh", "relu", "elu"] = "tanh"
    normalize: bool = Field(default=True, description="whether observations are normalised by what was observed in training")
    begin: dict[str, dict[str, Number]] = Field(
        default={},
        description="weights that a linear policy begins with: by action, with patterns, then by observation, or `bias`",
    )
