"""A task bound to a run: names become places in memory, expressions become steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.air_state import AIR_STATE
from didymos.contract import offset_of
from didymos.control.expression import Signal, is_signal_pattern, parse_expression
from didymos.describe.names import readings
from didymos.describe.task_file import DrawSpec, TaskSpec
from didymos.engine.context import Target
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.learning.actions import Action, find_actions
from didymos.learning.drawn_values import Drawn, drawn_parameters, drawn_start, start_rows
from didymos.learning.draws import DRAW, Kind
from didymos.learning.episode import ACTION, STREAM_KEY, TaskTables
from didymos.learning.model_numbers import effect_rows, set_in_model
from didymos.learning.signal_table import SignalTable
from didymos.sensors.reading import SENSOR_MEMORY

__all__ = ["AgentLayout", "BoundTask", "bind", "hand_over"]

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_ORDER = np.frombuffer(b"XYZ\0", dtype=np.uint8).copy()  # of roll, pitch and yaw, for the engine


@dataclass(frozen=True)
class AgentLayout:
    """Which numbers of the batch's rows are an agent's."""

    observed: slice
    acted: slice
    terms: tuple[tuple[str, int], ...]
    """Terms of the reward, and their slots."""


@dataclass(frozen=True)
class BoundTask:
    """A task in a run."""

    tables: TaskTables
    agents: Mapping[str, AgentLayout]
    actions: tuple[Action, ...]
    labels: tuple[str, ...]
    """Names of the numbers of an observation."""
    drawn: tuple[Drawn, ...]
    streams: tuple[str, ...]
    """Names of the streams of noise, whose keys a seed gives."""
    signals: Mapping[str, int]
    """Slots by name of the signals that are read."""
    slots: NDArray[np.float64]

    @property
    def unasked(self) -> frozenset[str]:
        """Robots whose program is not called: inputs of theirs are acted on, and no set-points."""
        inputs, others = (
            {item.robot.name for item in self.actions if item.target.startswith("inputs.") is direct} for direct in (True, False)
        )
        return frozenset(inputs - others)

    @property
    def rate(self) -> float:
        """Actions per second [Hz]."""
        return 1.0 / (self.tables.ticks * self.tables.period)


def bind(simulation: Simulation, agents: Mapping[str, TaskSpec], extra: tuple[str, ...] = ()) -> BoundTask:
    """Bind tasks to a run that was reset; `extra` are further signals to read.

    The agent without a name is all robots together; else each agent is the robot of its name.
    """
    table = SignalTable(simulation)
    time_slot, progress_slot = table.add("time"), table.add("progress")
    actions: list[Action] = []
    observed: list[int] = []
    labels: list[str] = []
    rewards, endings, layouts = [], [], {}
    drawn: list[Drawn] = []
    action_slots, previous_slots = [], []
    for agent, task in agents.items():
        before, path = (f"{agent}." if agent else ""), "task"
        mine = _actions_of(simulation, agent, task, path)
        first_action, first_observed = len(actions), len(observed)
        actions += mine
        for action in mine:
            name = action.name if agent or not action.robot.name else f"{action.robot.name}.{action.name}"
            action_slots.append(table.add(f"{before}action.{name}"))
            previous_slots.append(table.add(f"{before}previous_action.{name}"))
        table.agent = before
        for text in task.observe.signals:
            try:
                slots, names = _observed(table, text)
            except InputError as error:
                raise InputError(error.message, path=f"{path}.observe") from None
            observed += slots
            labels += names
        one, zero = table.builder.constant(1.0), table.builder.constant(0.0)
        terms = tuple((name, _number(table, text, f"{path}.reward.{name}")) for name, text in task.reward.items())
        total = zero
        for _, slot in terms:
            total = table.builder.make("add", total, slot)
        rewards.append(total if terms else one)
        endings.append(zero if task.terminate is None else _number(table, task.terminate, f"{path}.terminate"))
        table.agent = ""
        layouts[agent] = AgentLayout(slice(first_observed, len(observed)), slice(first_action, len(actions)), terms)
        held = {f"setpoints.{name}": DrawSpec(uniform=(value, value)) for name, value in task.setpoints.items()}
        drawn += drawn_start(simulation, task.start, before, path)
        drawn += drawn_parameters(simulation, held | dict(task.randomize), before, path)
    for name in extra:
        try:
            table.builder.vector(Signal(name))
        except InputError as error:
            raise InputError(error.message, option="signals") from None
    lead = next(iter(agents.values()))
    ticks = ticks_of(simulation, lead)
    delay = round(lead.observe.delay / simulation.period)
    starts = start_rows(simulation)
    for item in drawn:
        if item.kind == Kind.START and item.index % 12 in (3, 4, 5):
            starts["turned"][item.index // 12] = 1
    moved = sorted({item.index // 12 for item in drawn if item.kind == Kind.START})
    drawn = [_renumbered(item, moved) for item in drawn]
    drawn, lines = set_in_model(list(simulation.robots.values()), drawn)
    keys, streams = _stream_keys(simulation)
    tables = TaskTables(
        ticks=ticks, delayed=delay % ticks, behind=delay // ticks, stack=lead.observe.stack, period=simulation.period,
        longest=max(1, round(max(task.seconds for task in agents.values()) / (ticks * simulation.period))),
        poses=int(table.places_links), size=mujoco.mj_stateSize(simulation.model, _STATE), slot_count=len(table.builder.slots),
        order=_ORDER.ctypes.data, steps=table.builder.steps, signals=table.rows,
        actions=np.array([(item.index, item.low, item.high) for item in actions], dtype=ACTION),
        action_slots=_longs(action_slots), previous_slots=_longs(previous_slots), time_slot=time_slot,
        progress_slot=progress_slot, observed=_longs(observed), rewards=_longs(rewards), endings=_longs(endings),
        end_rewards=np.array([task.end_reward for task in agents.values()]),
        draws=np.array([item.row() for item in drawn], dtype=DRAW), starts=starts[moved], keys=keys,
        effects=effect_rows(lines),
    )  # fmt: skip
    return BoundTask(
        tables, layouts, tuple(actions), tuple(labels), tuple(drawn), streams, table.slots_by_name, table.builder.slots
    )


def ticks_of(simulation: Simulation, task: TaskSpec) -> int:
    """Ticks of one action."""
    exact = 1.0 / (task.rate * simulation.period)
    ticks = max(1, round(exact))
    if "rate" in task.model_fields_set and abs(exact - ticks) > 1e-6 * ticks:
        near = f"{1.0 / (ticks * simulation.period):.6g} Hz"
        what = f"found {task.rate:g} Hz, expected a whole number of ticks of {simulation.period:g} s per action, as {near} has"
        raise InputError(what, path="task.rate")
    return ticks


def _longs(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _actions_of(simulation: Simulation, agent: str, task: TaskSpec, path: str) -> list[Action]:
    found: list[Action] = []
    for robot in simulation.robots.values():
        if agent and robot.name != agent:
            continue
        before = f"{robot.name}." if robot.name and not agent else ""
        own = {target.removeprefix(before): spec for target, spec in task.act.items() if target.startswith(before)}
        found += find_actions(robot, own, path)
    return found


def _observed(table: SignalTable, text: str) -> tuple[list[int], list[str]]:
    """The slots of what an observation names, and names for them."""
    if is_signal_pattern(text):
        names = table.matching(text)
        return [table.slot(name) for name in names], list(names)
    node = parse_expression(text)
    slots = table.builder.vector(node)
    if isinstance(node, Signal):
        return slots, list(table.labels(node.path))
    return slots, [text] if len(slots) == 1 else [f"{text} #{i}" for i in range(len(slots))]


def _number(table: SignalTable, text: str, path: str) -> int:
    try:
        return table.builder.number(parse_expression(text))
    except InputError as error:
        raise InputError(error.message, path=path) from None


def _renumbered(item: Drawn, moved: list[int]) -> Drawn:
    """A draw whose number among the robots that are moved is right."""
    if item.kind != Kind.START:
        return item
    return Drawn(item.path, item.spec, item.kind, 12 * moved.index(item.index // 12) + item.index % 12, item.value)


def hand_over(simulation: Simulation, bound: BoundTask) -> None:
    """Let a run be driven by a task: robots whose inputs alone are acted on are asked no more, and no stimulus of the scenario
    moves a set-point that the task does."""
    places = {item.index for item in bound.actions} | {item.index for item in bound.drawn if item.kind == Kind.STATE}
    for robot in simulation.robots.values():
        robot.context.robot.asked[0] = robot.name not in bound.unasked
        first, names = int(robot.context.stimuli.override), robot.robot.setpoints
        moved = {f"setpoints.{name}" for i, name in enumerate(names) if first + i in places}
        for row, stimulus in zip(robot.context.stimuli.targets, robot.stimuli, strict=True):
            if stimulus.target in moved:
                row["kind"] = Target.ELSEWHERE


def _stream_keys(simulation: Simulation) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Where the keys of all streams of noise lie, and the names by which a seed gives them, as
    `RobotRun.key_streams` does."""
    places: list[int] = []
    names: list[str] = []
    for robot in simulation.robots.values():
        starts = robot.built.assembly.state.starts
        places.append(starts["air"] + offset_of(AIR_STATE, "key"))
        names.append(f"{robot.streams}world.gusts")
        for name in readings(robot.twin):
            memory = starts[f"sensor:{name}"]
            places += [memory + offset_of(SENSOR_MEMORY, "key"), memory + offset_of(SENSOR_MEMORY, "loss_key")]
            names += [robot.streams + name, f"{robot.streams}{name}.drop_out"]
    return np.array([(place,) for place in places], dtype=STREAM_KEY), tuple(names)
