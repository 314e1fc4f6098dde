"""The law of the program `policy`: observe, ask the network when it is due, command inputs or another program; compiled.

It is one function for every policy: what differs between them are numbers and sizes, which it reads from the settings (`LINKS`).
So it takes the addresses of its records, whose lengths only the settings know.
"""

from __future__ import annotations

import numpy as np
from numba import types

from didymos.compiled import CFunction, kernel
from didymos.control.call_program import call_program
from didymos.control.compiled_controller import CLOCK
from didymos.control.policy_network import ACTION, LAYER, NORMAL, respond
from didymos.control.steps import run_steps
from didymos.native import array_at, doubles, longs, record_at

__all__ = ["CALLS", "ENDPOINT", "LINKS", "POLICY_LAW", "ROOMS"]

ROOMS = ("measured", "setpoints", "memory", "inputs", "clock")
"""Records in which signals of a policy's observations lie, and in which its actions end."""

ENDPOINT = np.dtype([("room", np.int64), ("word", np.int64), ("slot", np.int64)])
"""Memory layout of a signal that is observed, or an action: its record, a place in `ROOMS`; where in it; the slot it goes to."""

LINKS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "sources", "slots", "steps", "observed", "actions", "stack", "layers", "numbers",  # how many
            "every",  # calls of the commanded program for one of the policy
            "sources_at", "slots_at", "steps_at", "observed_at", "targets_at",
            "layers_at", "numbers_at", "normal_at", "limits_at",
            # these in bytes from the settings, the next from the memory
            "calls_at", "action_at", "output_at", "previous_at", "past_at",
            "function", "settings_at", "measured_at", "setpoints_at", "inputs_at",  # of the commanded program
        )
    ]
)  # fmt: skip
"""Memory layout of what leads from one record to another."""

CALLS = np.dtype([("count", np.float64)])
_FLOAT = np.dtype(np.float64)


@kernel
def _observe(settings: int, measured: int, setpoints: int, memory: int, inputs: int, clock: int) -> None:
    """Read the signals, go through the steps of expressions, and put what is observed at the end of the past."""
    links = record_at(settings, LINKS)
    past = array_at(memory + links.past_at, links.stack * links.observed, _FLOAT)
    sources = array_at(settings + links.sources_at, links.sources, ENDPOINT)
    slots = np.empty(links.slots)
    constants = doubles(settings + links.slots_at)
    for i in range(links.slots):
        slots[i] = constants[i]
    rooms = (measured, setpoints, memory, inputs, clock)
    for i in range(links.sources):
        slots[sources[i].slot] = doubles(rooms[sources[i].room])[sources[i].word]
    run_steps(settings + links.steps_at, links.steps, slots)
    observed, older = longs(settings + links.observed_at), past.size - links.observed
    for i in range(older):
        past[i] = past[i + links.observed]
    for i in range(links.observed):
        past[older + i] = slots[observed[i]]
    if record_at(memory + links.calls_at, CALLS).count == 0.0:
        for i in range(older):
            past[i] = past[older + i % links.observed]


@kernel
def _answer(settings: int, memory: int) -> None:
    """What the network says to the past, and the actions that it stands for."""
    links = record_at(settings, LINKS)
    limits = array_at(settings + links.limits_at, links.actions, ACTION)
    action, output, previous = doubles(memory + links.action_at), links.output_at, doubles(memory + links.previous_at)
    outputs = array_at(memory + output, links.actions, _FLOAT)
    for i in range(links.actions):
        previous[i] = outputs[i]
    respond(
        array_at(settings + links.layers_at, links.layers, LAYER),
        array_at(settings + links.numbers_at, links.numbers, _FLOAT),
        array_at(settings + links.normal_at, links.observed, NORMAL),
        limits,
        array_at(memory + links.past_at, links.stack * links.observed, _FLOAT),
        outputs,
    )
    for i in range(links.actions):
        action[i] = 0.5 * (limits[i].least * (1.0 - outputs[i]) + limits[i].most * (1.0 + outputs[i]))


def _step(
    clock: int, settings: int, gains: int, measured: int, setpoints: int, memory: int, inputs: int
) -> None:  # compiled; addresses of records
    links, calls = record_at(settings, LINKS), record_at(memory + record_at(settings, LINKS).calls_at, CALLS)
    if record_at(clock, CLOCK).first > 0.5:
        calls.count = 0.0
    if int(calls.count) % links.every == 0:
        _observe(settings, measured, setpoints, memory, inputs, clock)
        _answer(settings, memory)
    calls.count += 1.0
    rooms = (measured, setpoints, memory, inputs, clock)
    action, targets = doubles(memory + links.action_at), array_at(settings + links.targets_at, links.actions, ENDPOINT)
    for i in range(links.actions):
        doubles(rooms[targets[i].room])[targets[i].word] = action[i]
    if links.function != 0:
        call_program(
            links.function, clock, settings + links.settings_at, gains, measured + links.measured_at,
            setpoints + links.setpoints_at, memory, inputs + links.inputs_at,
        )  # fmt: skip


POLICY_LAW = CFunction(types.void(*[types.int64] * 7), _step)
