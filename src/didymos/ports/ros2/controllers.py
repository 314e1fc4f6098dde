"""Which controllers of ros2_control a robot has, which of them are loaded and active, and what each has claimed.

A robot whose twin file names none has those of every robot: a trajectory controller and a group controller for each quantity that
its joints can be commanded by, over all joints that can. Two active controllers never share a joint: an actuator follows one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from didymos.describe.ros2_file import CONTROLLER_TYPES, ControllerSpec
from didymos.errors import InputError, nearest
from didymos.ports.ros2.joint_lines import KINDS, JointLine

__all__ = [
    "BEST_EFFORT", "BROADCASTER", "FORCE_AUTO", "STRICT", "ControllerPlan", "Controllers", "State", "Switch", "plan_controllers",
]  # fmt: skip

BROADCASTER = "joint_state_broadcaster/JointStateBroadcaster"
BEST_EFFORT, STRICT, AUTO, FORCE_AUTO = 1, 2, 3, 4  # of SwitchController

State = Literal["unconfigured", "inactive", "active"]


@dataclass(frozen=True)
class ControllerPlan:
    """A controller that a robot can have: `kind` is `trajectory`, `position`, `velocity`, `effort` or `broadcast`."""

    name: str
    type_name: str
    kind: str
    spec: ControllerSpec | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """What it moves."""
        return () if self.spec is None else self.spec.joints

    @property
    def interfaces(self) -> list[str]:
        """The command interfaces that it needs."""
        what = "position" if self.kind == "trajectory" else self.kind
        return [f"{joint}/{what}" for joint in self.joints]


@dataclass(frozen=True)
class Switch:
    """What a switch did: whether all that was asked for, words, who was switched off and who on."""

    ok: bool
    message: str
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()


def plan_controllers(
    lines: Mapping[str, JointLine], named: Mapping[str, ControllerSpec], driven: Collection[str]
) -> dict[str, ControllerPlan]:
    """The controllers of a robot whose joints have lines, by name, and that those joints can follow.

    A joint that is not among the `driven` ones is an `InputError`.
    """
    kinds = {kind: name for name, kind in CONTROLLER_TYPES.items()}
    plans = [ControllerPlan("joint_state_broadcaster", BROADCASTER, "broadcast")]
    specs = dict(named)
    if not specs:
        able = {kind: tuple(joint for joint, line in lines.items() if kind in line.kinds) for kind in KINDS}
        own = {"joint_trajectory_controller": ("trajectory", able["position"])}
        own |= {f"forward_{kind}_controller": (kind, able[kind]) for kind in KINDS}
        specs = {name: ControllerSpec(type=kinds[kind], joints=joints) for name, (kind, joints) in own.items() if joints}  # type: ignore[arg-type]
    for name, spec in specs.items():
        plan = ControllerPlan(name, spec.type, CONTROLLER_TYPES[spec.type], spec)
        _check(plan, driven)
        needed = zip(plan.joints, plan.interfaces, strict=True)
        if all(joint in lines and interface.rpartition("/")[2] in lines[joint].kinds for joint, interface in needed):
            plans.append(plan)
    return {plan.name: plan for plan in plans}


def _check(plan: ControllerPlan, driven: Collection[str]) -> None:
    assert plan.spec is not None
    where = f"ros2.controllers.{plan.name}"
    for joint in plan.joints:
        if joint not in driven:
            raise InputError(f"nothing drives a joint {joint!r}{nearest(joint, driven)}", path=f"{where}.joints")
    if len(set(plan.joints)) != len(plan.joints):
        raise InputError("found a joint twice", path=f"{where}.joints")
    for key in ("path_tolerance", "goal_tolerance"):
        for joint in getattr(plan.spec, key):
            if joint not in plan.joints:
                raise InputError(f"found {joint!r}{nearest(joint, plan.joints)}, expected a joint of it", path=f"{where}.{key}")


class Controllers:
    """The controllers of a robot, and which state each that is loaded is in.

    At first trajectory controllers are active where a program holds the joints (`held`), as far as they share none; where nobody
    does, all wait to be activated, since one that is active holds its joints.
    """

    def __init__(self, plans: Mapping[str, ControllerPlan], *, held: bool) -> None:
        self.plans = dict(plans)
        self.states: dict[str, State] = dict.fromkeys(plans, "inactive")
        for name, plan in plans.items():
            if plan.kind == "broadcast" or (held and plan.kind == "trajectory" and not self._in_the_way(plan, self.active)):
                self.states[name] = "active"

    @property
    def active(self) -> list[str]:
        """Names of those that are active."""
        return [name for name, state in self.states.items() if state == "active"]

    def claimed(self) -> dict[str, str]:
        """Which active controller has which command interface."""
        return {interface: name for name in self.active for interface in self.plans[name].interfaces}

    def claims(self, joint: str) -> bool:
        """Whether an active controller moves a joint."""
        return any(joint in self.plans[name].joints for name in self.active)

    def load(self, name: str) -> bool:
        """Load a controller that the robot can have and has not."""
        if name not in self.plans or name in self.states:
            return False
        self.states[name] = "unconfigured"
        return True

    def configure(self, name: str) -> bool:
        """Make a loaded controller ready; one that is active stays so, so that a launch file that spawns it succeeds."""
        if name not in self.states:
            return False
        if self.states[name] == "unconfigured":
            self.states[name] = "inactive"
        return True

    def clean_up(self, name: str) -> bool:
        """Take back `configure`; not of one that is active."""
        if self.states.get(name) not in ("inactive", "unconfigured"):
            return False
        self.states[name] = "unconfigured"
        return True

    def unload(self, name: str) -> bool:
        """Forget a controller that is not active."""
        if self.states.get(name) not in ("inactive", "unconfigured"):
            return False
        del self.states[name]
        return True

    def switch(self, on: Sequence[str], off: Sequence[str], strictness: int) -> Switch:
        """Deactivate some and activate others, all at once; what STRICT cannot do as a whole it does not do at all."""
        faults = [fault for name in dict.fromkeys(off) if (fault := self._off_fault(name))]
        leaving = [name for name in dict.fromkeys(off) if not self._off_fault(name)]
        entering: list[str] = []
        for name in dict.fromkeys(on):
            if name in self.active and name not in leaving:
                continue  # as it is asked to be
            if fault := self._on_fault(name):
                faults.append(fault)
                continue
            others = self._in_the_way(self.plans[name], [*(other for other in self.active if other not in leaving), *entering])
            if others and (strictness != FORCE_AUTO or set(others) & set(entering)):
                joint = next(joint for joint in self.plans[name].joints if joint in self.plans[others[0]].joints)
                faults.append(f"{name} cannot have joint {joint}: {others[0]} has claimed it")
                continue
            leaving += others
            entering.append(name)
        if faults and strictness not in (0, BEST_EFFORT):
            return Switch(False, "; ".join(faults))
        for name in leaving:
            self.states[name] = "inactive"
        for name in entering:
            self.states[name] = "active"
        done = bool(leaving or entering) or not faults
        return Switch(done, "; ".join(faults), tuple(leaving), tuple(entering))

    def _off_fault(self, name: str) -> str:
        if name not in self.states:
            return f"no controller {name[:60]!r} is loaded{nearest(name[:60], self.states)}"
        if self.plans[name].kind == "broadcast":
            return f"{name} cannot be switched off: a twin publishes its joint states always"
        return "" if self.states[name] == "active" else f"{name} is not active"

    def _on_fault(self, name: str) -> str:
        if name not in self.states:
            return f"no controller {name[:60]!r} is loaded{nearest(name[:60], self.states)}"
        return f"{name} is not configured" if self.states[name] == "unconfigured" else ""

    def _in_the_way(self, plan: ControllerPlan, others: Iterable[str]) -> list[str]:
        return [name for name in others if name != plan.name and set(self.plans[name].joints) & set(plan.joints)]
