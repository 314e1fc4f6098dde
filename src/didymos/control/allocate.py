"""Apply an allocation: shares of axes become inputs, each within its limits, and what does not fit gives way in order.

    u_i = o_i + a_i T + sum over other axes of w_ia c_a,        low_i <= u_i <= high_i

Where that fits as asked, and fits also without the axes that give way first, and the next, and so on, it is the answer, bit for
bit. Where it does not, the groups of axes of `priority` are granted one after the other, the first before all others:

    before thrust   s is the largest part of the group, up to 1, for which some thrust makes room (those granted before stay)
    thrust          T is the nearest to the one that was asked for at which all that fits: it rises, or falls, to make room
    after thrust    s is the largest part for which there is room left: the group takes nothing away from those before it

Nothing jumps in between. With roll and pitch as one group before thrust and yaw after it, as multirotors have it, this is PX4's
sequential desaturation with air mode for roll and pitch: the moment of tilt is exact whenever it is possible at all, and keeps
its direction where it must shrink. The steps are exact, not iterated: each input bounds T from below and from above by a
straight line in s, the largest s is where the first two of these lines cross, and after thrust s is a plain ratio.

What it cannot do: with roll and pitch before thrust, a robot on the ground whose thrust is zero still answers a tilt; at full
thrust there is no yaw left; only thrust makes room, no other axis does. An input with no weights gets its offset, or the nearest
limit, and bounds nothing. What is not a number stays so. Reference: PX4, ControlAllocationSequentialDesaturation (mixAirmodeRP).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.allocation import Command
from didymos.control.angles import limit

__all__ = ["allocate", "allocate_within"]


@kernel
def allocate(table: Any, command: Any, outputs: Any) -> None:
    """Write the inputs of an allocation (`ALLOCATION`) for a `Command`."""
    allocate_within(table, table.low, table.high, command, outputs)


@kernel
def allocate_within(table: Any, low: Any, high: Any, command: Any, outputs: Any) -> None:
    """The same within other limits, [inputs] each."""
    count, groups = int(table.count), int(table.groups)
    over = False
    for i in range(count):
        total = table.offset[i] + table.thrust[i] * command.thrust
        if groups == 0:
            over = over or total < low[i] or total > high[i]
        for group in range(groups):
            if group != table.rank.thrust:
                total = _added(table, command, group, i, total, 1.0)
            over = over or total < low[i] or total > high[i]
        outputs[i] = total
        if math.isnan(total):
            return  # the loop says so: nothing here may hide it
    if over:
        _give_way(table, low, high, command, outputs)


@kernel
def _give_way(table: Any, low: Any, high: Any, command: Any, outputs: Any) -> None:
    """The inputs where not everything fits; `outputs` hold what was granted so far, without thrust until that is settled."""
    count = int(table.count)
    settled = False
    for i in range(count):
        outputs[i] = table.offset[i]
    for group in range(int(table.groups)):
        if group == table.rank.thrust:
            command = _with_thrust(command, _thrust_that_fits(table, low, high, command.thrust, outputs))
            for i in range(count):
                total = table.offset[i] + table.thrust[i] * command.thrust
                for before in range(group):
                    total = _added(table, command, before, i, total, 1.0)
                outputs[i] = limit(total, low[i], high[i])
            settled = True
        elif not settled:
            command = _scaled(table, command, group, _part_that_fits(table, low, high, command, group, outputs))
            for i in range(count):
                outputs[i] = _added(table, command, group, i, outputs[i], 1.0)
        else:
            part = 1.0
            for i in range(count):
                more = _added(table, command, group, i, 0.0, 1.0)
                if more != 0.0:
                    part = min(part, (high[i] - outputs[i]) / more if more > 0.0 else (low[i] - outputs[i]) / more)
            for i in range(count):
                outputs[i] = limit(_added(table, command, group, i, outputs[i], part), low[i], high[i])
    for i in range(count):
        outputs[i] = limit(outputs[i], low[i], high[i])


@kernel
def _added(table: Any, command: Any, group: int, i: int, total: float, part: float) -> float:
    """A sum with what a part of the axes of a group asks of an input."""
    rank = table.rank
    if rank.roll == group:
        total += part * table.roll[i] * command.roll
    if rank.pitch == group:
        total += part * table.pitch[i] * command.pitch
    if rank.yaw == group:
        total += part * table.yaw[i] * command.yaw
    if rank.flaps == group:
        total += part * table.flaps[i] * command.flaps
    if rank.tilt == group:
        total += part * table.tilt[i] * command.tilt
    if rank.brake == group:
        total += part * table.brake[i] * command.brake
    return total


@kernel
def _scaled(table: Any, command: Any, group: int, part: float) -> Any:
    """The command with a part of the axes of a group."""
    rank = table.rank
    return Command(
        part * command.roll if rank.roll == group else command.roll,
        part * command.pitch if rank.pitch == group else command.pitch,
        part * command.yaw if rank.yaw == group else command.yaw,
        command.thrust,
        part * command.flaps if rank.flaps == group else command.flaps,
        part * command.tilt if rank.tilt == group else command.tilt,
        part * command.brake if rank.brake == group else command.brake,
    )


@kernel
def _with_thrust(command: Any, thrust: float) -> Any:
    return Command(command.roll, command.pitch, command.yaw, thrust, command.flaps, command.tilt, command.brake)


@kernel
def _ends(weight: float, low: float, high: float) -> tuple[float, float]:
    """Inputs at which the thrust is least and most: the other way round where it pushes back."""
    return (low, high) if weight > 0.0 else (high, low)


@kernel
def _part_that_fits(table: Any, low: Any, high: Any, command: Any, group: int, granted: Any) -> float:
    """The largest part of a group, up to 1, for which there is a thrust that keeps every input within its limits.

    Input i, of which g_i is granted, asks for a thrust of at least (low_i - g_i - s c_i) / a_i, input j for at most
    (high_j - g_j - s c_j) / a_j.
    """
    part = 1.0
    for i in range(int(table.count)):
        a, c = table.thrust[i], _added(table, command, group, i, 0.0, 1.0)
        if a == 0.0:
            if c != 0.0:
                part = min(part, max(((high[i] if c > 0.0 else low[i]) - granted[i]) / c, 0.0))
            continue
        least, _ = _ends(a, low[i], high[i])
        for j in range(int(table.count)):
            other = table.thrust[j]
            if other != 0.0:
                _, most = _ends(other, low[j], high[j])
                closing = _added(table, command, group, j, 0.0, 1.0) / other - c / a
                if closing > 0.0:
                    part = min(part, max(((most - granted[j]) / other - (least - granted[i]) / a) / closing, 0.0))
    return part


@kernel
def _thrust_that_fits(table: Any, low: Any, high: Any, thrust: float, granted: Any) -> float:
    """The thrust nearest to the one that was asked for at which what is granted keeps every input within its limits."""
    least, most = -math.inf, math.inf
    for i in range(int(table.count)):
        a = table.thrust[i]
        if a != 0.0:
            bottom, top = _ends(a, low[i], high[i])
            least, most = max(least, (bottom - granted[i]) / a), min(most, (top - granted[i]) / a)
    if least > most:  # by a rounding, where the largest part leaves one thrust only
        return 0.5 * (least + most)
    return limit(thrust, least, most)
