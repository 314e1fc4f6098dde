"""Battery: the voltage that motors run on: as it was measured, falling at a steady rate, or by charge and load.

    V = V_full s                    where the share s > 0 is given: a recording's own voltage
    V = max(V_0 - f t, 0)           else, t [s] since the run began, for a battery without a capacity
    V = max(U(q) - S, 0)            for one with a capacity C: U its open-circuit voltage at the charge q (1 full, 0 empty)

    dq/dt = -I / C,      dS/dt = (R I - S) / tau,      I = sum of the currents that the parts on it draw

It exerts no force: parts whose `input_from` names it read its output `voltage`, and it reads their output `supply_current`. U is
the curve `open_circuit` over q, or a line from V_empty to V_full; below a charge of 2 % it collapses to zero.

The sag S is a state with a time constant tau of a few milliseconds (the capacitors of speed controllers), for a reason: battery
and motors each need the other's answer. Solved at once, that would tie every motor's law to every other's; taken from the last
evaluation without a lag, it would swing where R is above the motors' resistance. So currents are those of the last evaluation of
the laws, a stage of a step old, and the lag makes that harmless as long as a step is shorter than tau; the energy that this gets
wrong is R I^2 over a stage. A drone of several rotors, an aircraft of several motors: one battery, up to 16 parts.

Reference: Tremblay & Dessaint, Experimental validation of a battery dynamic model, World Electric Vehicle J. 3 (2009), of which
this keeps U(q) and R. It cannot do: temperature, ageing, recovery after a load (a second, slower RC). A measured voltage is that
under load, as power monitors log it; it does not answer to what the motors draw.
"""

from __future__ import annotations

from typing import Any, ClassVar

from didymos.contract import input, needs, option, output, parameter, state
from didymos.parts.curve import CURVE, CurveSpec, evaluate
from didymos.parts.part import Motion, Part, law

__all__ = ["Battery"]

_PARTS = 16
_LAST_CHARGE = 0.02  # below this share the voltage collapses


class Battery(Part):
    """Voltages, capacity and resistance of a battery."""

    motion = Motion.JOINT
    collects: ClassVar[dict[str, str]] = {"currents": "supply_current"}

    full_voltage = parameter(unit="V", above=0, doc="V_full, which an input of 1 means, and which a full one has without a load")
    start_voltage = parameter(0.0, unit="V", low=0, doc="V_0, under load when a run begins, where no voltage is given")
    fall = parameter(0.0, unit="V/s", low=0, doc="f, by how much it falls where no voltage is given")
    empty_voltage = parameter(0.0, unit="V", low=0, doc="V_empty, without a load, of one with a capacity")
    capacity = parameter(0.0, unit="A s", low=0, live=False, doc="C, charge of a full battery; 0 for one that only falls")
    resistance = parameter(0.0, unit="ohm", low=0, doc="R, of all cells and wires together")
    sag_time = parameter(0.005, unit="s", above=0, high=1, doc="tau")
    start_charge = parameter(1.0, low=0, high=1, doc="q when a run begins")
    open_circuit = option(CurveSpec | None, None, layout=CURVE, doc="U [V] over the charge, 0 to 1; a line without it")
    measured = input(range=(0.0, 1.0), doc="s, the voltage that was measured by the full one; 0 where none was")
    currents = needs(count=_PARTS, unit="A", doc="what the parts on it draw, in the order of the file")
    charge_used = state(doc="share of the capacity that has been used since the run began")
    sag = state(unit="V", settles=True, doc="S")
    voltage = output(unit="V", doc="V")
    current = output(unit="A", doc="I")
    charge = output(doc="q; 1 of a battery without a capacity")

    @classmethod
    def check(cls, spec: Any) -> None:
        """A battery says what its voltage is."""
        if spec.capacity == 0.0 and spec.start_voltage == 0.0:
            raise ValueError("the key 'start_voltage' is missing; or give 'capacity': the charge of a battery that runs down")
        if spec.capacity > 0.0 and spec.open_circuit is None and not 0.0 < spec.empty_voltage < spec.full_voltage:
            raise ValueError("a battery with a capacity needs 'empty_voltage' below 'full_voltage', or the curve 'open_circuit'")

    @classmethod
    def idle_states(cls, spec: Any) -> int:
        """One without a capacity has no state."""
        return 0 if spec.capacity > 0.0 else 2

    @law
    def act(battery, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        current = 0.0
        for i in range(_PARTS):
            current += inputs.currents[i]
        output.current, output.charge = current, 1.0
        if battery.capacity > 0.0:
            charge = min(max(battery.start_charge - state.charge_used, 0.0), 1.0)
            still = battery.empty_voltage + charge * (battery.full_voltage - battery.empty_voltage)
            if battery.open_circuit.high > battery.open_circuit.low:
                still = evaluate(battery.open_circuit, charge, 0.0)
            rate.charge_used = current / battery.capacity if charge > 0.0 else 0.0
            rate.sag = (battery.resistance * current - state.sag) / battery.sag_time
            output.voltage = max(still * min(charge / _LAST_CHARGE, 1.0) - state.sag, 0.0)
            output.charge = charge
        else:
            output.voltage = max(battery.start_voltage - battery.fall * here.time, 0.0)
        if inputs.measured > 0.0:
            output.voltage = battery.full_voltage * inputs.measured
