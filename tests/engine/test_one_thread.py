"""One thread at a time is at work on a simulation; a second one is told at once, and changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import didymos
from didymos.control import Values
from didymos.engine.intervention import Intervention
from didymos.engine.simulation import Simulation
from didymos.errors import RunError


class Held(didymos.Controller):
    """Waits in its first update until it is let go."""

    rate = 50.0

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        INSIDE.set()
        assert GO.wait(60.0)
        return {}


INSIDE, GO = threading.Event(), threading.Event()
SECOND: dict[str, Callable[[Simulation, Any], Any]] = {
    "step": lambda sim, state: sim.step(),
    "run": lambda sim, state: sim.run(0.1),
    "advance": lambda sim, state: sim.advance(1),
    "sense": lambda sim, state: sim.sense(0),
    "act": lambda sim, state: sim.act(0, {}),
    "set": lambda sim, state: sim.set("world.gravity", 5.0),
    "set_all": lambda sim, state: sim.set_all({"world.gravity": 5.0}),
    "reset": lambda sim, state: sim.reset(),
    "save": lambda sim, state: sim.save(),
    "restore": lambda sim, state: sim.restore(state),
    "intervene": lambda sim, state: sim.intervene(Intervention(0, "set", "world.gravity", (5.0,))),
}


def test_whatever_a_second_thread_wants_it_is_refused_and_the_first_goes_on(make_twin: Any) -> None:
    twin = make_twin()
    GO.set()
    simulation = twin.simulate(seed=3, control=Held())
    state = simulation.save()
    GO.clear()
    INSIDE.clear()
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(simulation.run(0.2).sha256))
    thread.start()
    try:
        assert INSIDE.wait(60.0)
        for name, call in SECOND.items():
            with pytest.raises(RunError, match="another thread is at work on this simulation"):
                call(simulation, state)
            assert thread.is_alive(), name
    finally:
        GO.set()
        thread.join()
    assert simulation.time == pytest.approx(0.2)
    assert simulation.get("world.gravity") == pytest.approx(9.81, abs=0.01)
    assert found == [twin.simulate(seed=3, control=Held()).run(0.2).sha256]  # as one that nobody disturbed
    for call in SECOND.values():
        call(simulation, state)  # now nobody else is at work


def test_four_threads_on_one_simulation_never_spoil_its_time_line(make_twin: Any) -> None:
    simulation = make_twin().simulate()
    told, passed = [], []

    def work() -> None:
        for _ in range(200):
            try:
                simulation.step()
                passed.append(1)
            except RunError as error:
                told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) + len(passed) == 800
    assert simulation.tick == len(passed) * simulation.context.robot.control_every
    assert simulation.data.time == pytest.approx(simulation.time)


def test_threads_that_take_turns_are_welcome(make_twin: Any) -> None:
    simulation = make_twin().simulate()
    for _ in range(3):
        thread = threading.Thread(target=simulation.step)
        thread.start()
        thread.join()
    assert simulation.tick == 3 * simulation.context.robot.control_every


def test_a_failure_lets_the_next_one_in(make_twin: Any) -> None:
    simulation = make_twin().simulate()
    with pytest.raises(didymos.InputError):
        simulation.set("world.gravyti", 1.0)
    with pytest.raises(didymos.InputError):
        simulation.step({"none": 1.0})
    thread = threading.Thread(target=simulation.step)
    thread.start()
    thread.join()
    assert simulation.tick > 0
