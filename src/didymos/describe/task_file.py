"""The section `tasks` of a twin file: what a policy is to learn, what it sees and does, what it is rewarded for.

    tasks:
      hover:
        seconds: 10                       # of an episode
        rate: 50                          # actions per second
        observe: [state.position, state.velocity, imu.gyro]
        act: {inputs.motor?: [0.3, 0.7]}  # what -1 and 1 stand for
        reward: {near: exp(-norm(truth.position - [0, 0, 1])), calm: -0.1 * norm(action - previous_action)}
        terminate: truth.tilt > 1
        start: {position.x: [-1, 1]}
        randomize: {links.body.mass: {uniform: [0.9, 1.1], scale: true}}

`learning/` makes environments of it; docs/learning.md says what each key does.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from didymos.control.expression import Expression, check_expression, is_signal_pattern
from didymos.describe.policy_spec import PolicySpec
from didymos.spec import Spec, number

__all__ = ["ActSpec", "DrawSpec", "ObserveSpec", "TaskSpec"]

Number = Annotated[float, Field(strict=True)]
Pair = tuple[Number, Number]


class DrawSpec(Spec):
    """A number that is drawn anew for each episode; [low, high] is short for `uniform`."""

    uniform: Pair | None = Field(default=None, description="low and high")
    normal: Pair | None = Field(default=None, description="mean and standard deviation")
    log_uniform: Pair | None = Field(default=None, description="low and high, both above 0; its logarithm is uniform")
    scale: bool = Field(default=False, description="times the twin's own value instead of in its place")
    begin: Pair | None = Field(
        default=None, description="of a curriculum: the two numbers at progress 0; they move to those above at progress 1"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, raw: Any) -> Any:
        return {"uniform": raw} if isinstance(raw, list | tuple) else raw

    @model_validator(mode="after")
    def _one_distribution(self) -> DrawSpec:
        if len([name for name in ("uniform", "normal", "log_uniform") if getattr(self, name) is not None]) != 1:
            raise ValueError("expected exactly one of the keys 'uniform', 'normal' and 'log_uniform'")
        for pair in (self.pair, self.begin or self.pair):
            if self.normal is not None and pair[1] < 0.0:
                raise ValueError(f"found a standard deviation of {pair[1]:g}, expected none below 0")
            if self.normal is None and pair[0] > pair[1]:
                raise ValueError(f"found low {pair[0]:g} above high {pair[1]:g}")
            if self.log_uniform is not None and pair[0] <= 0.0:
                raise ValueError(f"found {pair[0]:g}, expected numbers above 0 for log_uniform")
        return self

    @property
    def pair(self) -> tuple[float, float]:
        """Its two numbers at the end of a curriculum."""
        pair = self.uniform or self.normal or self.log_uniform
        assert pair is not None
        return pair


class ObserveSpec(Spec):
    """What a policy sees; a list is short for `signals`."""

    signals: tuple[str, ...] = Field(
        default=(),
        description="signals, names that several begin with, patterns with * or ?, expressions; all readings by default",
    )
    stack: Annotated[int, Field(strict=True, ge=1, le=256)] = Field(default=1, description="observations, the newest last")
    delay: float = number(0.0, unit="s", low=0, high=10, live=False, doc="between what is seen and now, beside the sensors' own")

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, raw: Any) -> Any:
        return {"signals": raw} if isinstance(raw, list | tuple) else raw

    @model_validator(mode="after")
    def _can_be_read(self) -> ObserveSpec:
        for text in self.signals:
            if not is_signal_pattern(text):
                check_expression(text)
        return self


class ActSpec(Spec):
    """What the actions -1 and 1 stand for; [low, high] is short for it."""

    low: Number | None = Field(default=None, description="at -1; the least that the input or joint allows by default")
    high: Number | None = Field(default=None, description="at 1; the most that it allows by default")
    span: Number | None = Field(default=None, description="to both sides of where the robot begins, of joints: rad or m")

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, raw: Any) -> Any:
        if isinstance(raw, list | tuple):
            if len(raw) != 2:
                raise ValueError(f"found {len(raw)} numbers, expected [low, high]")
            return {"low": raw[0], "high": raw[1]}
        return {} if raw is None else raw

    @model_validator(mode="after")
    def _range(self) -> ActSpec:
        if self.span is not None and (self.low is not None or self.high is not None):
            raise ValueError("expected either 'span' or 'low' and 'high'")
        return self


def _terms(raw: Any) -> Any:
    """One expression is a reward of one term."""
    return {"reward": raw} if isinstance(raw, str) else raw


class TaskSpec(Spec):
    """A task: how an episode begins and ends, what is seen, done and rewarded."""

    title: str = ""
    scenario: str | None = Field(default=None, description="whose start, values, set-points, stimuli and program hold")
    seconds: float = number(10.0, unit="s", above=0, high=1e6, live=False, doc="of an episode, which is cut off then")
    rate: float = number(
        50.0, unit="Hz", above=0, high=100_000, live=False, doc="actions per second, a whole number of ticks each"
    )
    observe: ObserveSpec = ObserveSpec()
    act: dict[str, ActSpec] = Field(
        default={}, description="inputs.NAME, setpoints.NAME of the program, or joints.NAME, targets through the drives; patterns"
    )
    reward: Annotated[dict[str, Expression], BeforeValidator(_terms)] = Field(
        default={}, description="expressions by name, whose sum is the reward of a step; or one expression"
    )
    terminate: Expression | None = Field(default=None, description="an episode ends where this is not 0")
    end_reward: float = number(0.0, live=False, doc="added to the reward of the step in which an episode ends so, or fails")
    set: dict[str, Number] = Field(default={}, description="values of the plant's parameters by path")
    setpoints: dict[str, Number] = Field(default={}, description="constant set-points by name, which expressions read")
    start: dict[str, DrawSpec] = Field(default={}, description="where episodes begin, by path below `start`")
    policy: PolicySpec = Field(default=PolicySpec(), description="the shape of the policy that is trained; see policy_spec.py")
    randomize: dict[str, DrawSpec] = Field(default={}, description="parameters, or setpoints.NAME, drawn for each episode")
