"""The law of the program `policy`: observe, ask the network when it is due, command inputs or another program; compiled.

It is one function for every policy: what differs between them are numbers and sizes, which it reads from the settings (`LINKS`).
So it takes the addresses of its records, whose lengths only the settings know.
"""

from __future__ import annotations

import numpy as np
from numba import types

from didymos.compiled import CFunction
from didymos.control.call_program import call_program
from didymos.control.compiled_controller import CLOCK
from didymos.control.policy_network import ACTION, LAYER, NORMAL, respond, write_clock
from didymos.native import array_at, doubles, record_at

__all__ = ["CALLS", "ENDPOINT", "LINKS", "POLICY_LAW", "ROOMS"]

LINKS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "observations", "actions", "stack", "harmonics", "layers", "numbers",  # how many
            "every",  # calls of the commanded program for one of the policy
            "sources_at", "targets_at", "layers_at", "numbers_at", "normal_at", "limits_at",  # bytes from the settings
            "calls_at", "action_at", "past_at",  # bytes from the memory
            "function", "settings_at", "measured_at", "setpoints_at", "inputs_at",  # of the commanded program
        )
    ]
    + [("period", np.float64), ("frequency", np.float64)]
)  # fmt: skip
"""Memory layout of what leads from one record to another."""

ENDPOINT = np.dtype([("room", np.int64), ("word", np.int64)])
"""Memory layout of where an observation comes from, or an action goes: in which record, a place in `ROOMS`, and where in it."""

ROOMS = ("measured", "setpoints", "memory", "inputs")

CALLS = np.dtype([("count", np.float64)])
_FLOAT = np.dtype(np.float64)


def _step(
    clock: int, settings: int, gains: int, measured: int, setpoints: int, memory: int, inputs: int
) -> None:  # compiled; addresses of records
    links, calls = record_at(settings, LINKS), record_at(memory + record_at(settings, LINKS).calls_at, CALLS)
    rooms = (measured, setpoints, memory, inputs)
    action = array_at(memory + links.action_at, links.actions, _FLOAT)
    limits = array_at(settings + links.limits_at, links.actions, ACTION)
    if record_at(clock, CLOCK).first > 0.5:
        calls.count = 0.0
    if int(calls.count) % links.every == 0:
        past = array_at(memory + links.past_at, links.stack * links.observations, _FLOAT)
        sources = array_at(settings + links.sources_at, links.observations, ENDPOINT)
        older = past.size - links.observations
        for i in range(older):
            past[i] = past[i + links.observations]
        for i in range(links.observations):
            past[older + i] = doubles(rooms[sources[i].room])[sources[i].word]
        if calls.count == 0.0:
            for i in range(older):
                past[i] = past[older + i % links.observations]
        cycle = np.empty(2 * links.harmonics)
        write_clock(calls.count / links.every, links.period, links.frequency, links.harmonics, cycle)
        respond(
            array_at(settings + links.layers_at, links.layers, LAYER),
            array_at(settings + links.numbers_at, links.numbers, _FLOAT),
            array_at(settings + links.normal_at, links.observations, NORMAL),
            limits, past, cycle, action,
        )  # fmt: skip
        for i in range(links.actions):
            action[i] = 0.5 * (limits[i].least * (1.0 - action[i]) + limits[i].most * (1.0 + action[i]))
    calls.count += 1.0
    targets = array_at(settings + links.targets_at, links.actions, ENDPOINT)
    for i in range(links.actions):
        doubles(rooms[targets[i].room])[targets[i].word] = action[i]
    if links.function != 0:
        call_program(
            links.function, clock, settings + links.settings_at, gains, measured + links.measured_at,
            setpoints + links.setpoints_at, memory, inputs + links.inputs_at,
        )  # fmt: skip


POLICY_LAW = CFunction(types.void(*[types.int64] * 7), _step)
