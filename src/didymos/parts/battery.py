"""Battery: the voltage that motors run on, as it was measured, or falling at a steady rate.

    V = V_full s                    where the share s > 0 is given: a recording's own voltage
    V = max(V_0 - f t, 0)           else, t [s] since the run began

It exerts no force: parts whose `input_from` names it read its output `voltage`. The voltage is that under load, as power monitors
log it; it does not answer to what the motors draw. Valid for seconds to a few minutes of steady flight.
"""

from __future__ import annotations

from didymos.contract import input, output, parameter
from didymos.parts.part import Motion, Part, law

__all__ = ["Battery"]


class Battery(Part):
    """Voltages of a battery under load."""

    motion = Motion.JOINT
    full_voltage = parameter(unit="V", above=0, doc="V_full, which an input of 1 means")
    start_voltage = parameter(unit="V", above=0, doc="V_0, under load when a run begins, where no voltage is given")
    fall = parameter(0.0, unit="V/s", low=0, doc="f, by how much it falls where no voltage is given")
    measured = input(range=(0.0, 1.0), doc="s, the voltage that was measured by the full one; 0 where none was")
    voltage = output(unit="V", doc="V")

    @law
    def act(battery, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        output.voltage = max(battery.start_voltage - battery.fall * here.time, 0.0)
        if inputs.measured > 0.0:
            output.voltage = battery.full_voltage * inputs.measured
