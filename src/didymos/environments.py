"""Learning environments by name: Gymnasium's for any twin or world, PettingZoo's for worlds of several robots.

Importing this module registers every bundled twin and world with Gymnasium, as `didymos/Quadcopter-v0` and the like:

    gymnasium.make("didymos.environments:didymos/Quadcopter-v0", task="hover")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.describe.bare_description import is_description
from didymos.describe.bundled import bundled, bundled_worlds
from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin as DescribedTwin
from didymos.describe.validate import validate_given
from didymos.describe.world import World as DescribedWorld
from didymos.errors import InputError, nearest
from didymos.learning.env import TwinEnv
from didymos.learning.judgement import Function, Judgement
from didymos.learning.vector_env import TwinVectorEnv
from didymos.twin import load
from didymos.world import find_world, load_world

if TYPE_CHECKING:
    from didymos.learning.parallel_env import WorldParallelEnv

__all__ = ["make_env", "make_parallel_env", "make_vec_env", "register"]

Subject = str | Path | DescribedTwin | DescribedWorld
Task = str | Mapping[str, Any] | TaskSpec | None


def _subject(what: Subject, variant: str | None, trust: bool) -> DescribedTwin | DescribedWorld:
    if isinstance(what, DescribedTwin | DescribedWorld):
        return what
    if not is_description(what) and find_world(what) is not None:
        return load_world(what, trust=trust)
    return load(what, variant=variant, trust=trust)


def _task(what: DescribedTwin | DescribedWorld, task: Task, changes: Mapping[str, Any]) -> TaskSpec:
    """A task of the file by its name, its first one by default, or one given as a mapping; with what is changed of it."""
    known: Mapping[str, TaskSpec] = what.file.tasks
    if isinstance(task, TaskSpec):
        raw: dict[str, Any] = task.model_dump(exclude_unset=True)
    elif isinstance(task, Mapping):
        raw = dict(task)
    elif task is None:
        raw = next(iter(known.values())).model_dump(exclude_unset=True) if known else {}
    elif task in known:
        raw = known[task].model_dump(exclude_unset=True)
    else:
        there = ", ".join(known) or "none"
        raise InputError(f"{what.name} has no task {task!r}{nearest(task, known)} (it has: {there})", option="task")
    return validate_given(TaskSpec, {**raw, **{key: value for key, value in changes.items() if value is not None}}, "task")


def _judged(reward: Any, terminate: Any, signals: Sequence[str]) -> tuple[Judgement, dict[str, Any]]:
    """The functions in Python among a reward and an ending, and those that are expressions of a task."""
    given = {"reward": reward, "terminate": terminate}
    functions = {key: one for key, one in given.items() if callable(one)}
    return Judgement(**functions, signals=tuple(signals)), {key: one for key, one in given.items() if key not in functions}


def make_env(
    name: Subject,
    task: Task = None,
    *,
    variant: str | None = None,
    trust: bool = False,
    reward: Function | str | Mapping[str, str] | None = None,
    terminate: Function | str | None = None,
    signals: Sequence[str] = (),
    render_mode: str | None = None,
    **changes: Any,
) -> TwinEnv:
    """A Gymnasium environment of a twin or world: bundled by name, by the path of a folder or description, or loaded before.

    `task` is one of the file's tasks by name, the first by default, or the content of one as a mapping; `changes` are keys of it
    that are to be others (`seconds=5`). `reward` and `terminate` are other expressions, or functions in Python in their place
    (`learning/judgement.py`); `signals` are what these read.
    """
    if render_mode is not None:
        raise InputError(
            f"found {render_mode!r}: environments draw no pictures; look at a run in the cockpit", option="render_mode"
        )
    what = _subject(name, variant, trust)
    judgement, expressions = _judged(reward, terminate, signals)
    return TwinEnv(what, _task(what, task, changes | expressions), judgement)


def make_vec_env(
    name: Subject,
    num_envs: int = 1,
    task: Task = None,
    *,
    seed: int | None = None,
    threads: int | None = None,
    autoreset_mode: Any = "NextStep",
    variant: str | None = None,
    trust: bool = False,
    reward: Function | str | Mapping[str, str] | None = None,
    terminate: Function | str | None = None,
    signals: Sequence[str] = (),
    render_mode: str | None = None,
    **changes: Any,
) -> TwinVectorEnv:
    """So many environments as `make_env` makes them, in one Gymnasium `VectorEnv`, stepped on `threads`, all cores by default."""
    if render_mode is not None:
        raise InputError(
            f"found {render_mode!r}: environments draw no pictures; look at a run in the cockpit", option="render_mode"
        )
    what = _subject(name, variant, trust)
    judgement, expressions = _judged(reward, terminate, signals)
    return TwinVectorEnv(
        what,
        _task(what, task, changes | expressions),
        judgement,
        num_envs,
        seed=seed,
        threads=threads,
        autoreset_mode=autoreset_mode,
    )


def make_parallel_env(
    name: Subject, tasks: Mapping[str, Task] | None = None, *, trust: bool = False, **changes: Any
) -> WorldParallelEnv:
    """PettingZoo's parallel environment of a world: each robot is an agent.

    `tasks` by robot are as the task of `make_env`, those of its twin by name; a robot without one is to stay where it begins.
    `changes` are keys that are to be others in all of them: robots of one world need one `rate`. A twin alone has one agent,
    `robot`.
    """
    from didymos.learning.parallel_env import WorldParallelEnv

    what = _subject(name, None, trust)
    given = dict(tasks or {})
    twins = {robot: item.twin for robot, item in what.robots.items()} if isinstance(what, DescribedWorld) else {"robot": what}
    for robot in given:
        if robot not in twins:
            raise InputError(f"there is no robot {robot!r}{nearest(robot, twins)}", option="tasks")
    specs = {robot: _task(twin, given.get(robot, {}), changes) for robot, twin in twins.items()}
    return WorldParallelEnv(what, specs if isinstance(what, DescribedWorld) else {"": specs["robot"]})


def register() -> tuple[str, ...]:
    """Tell Gymnasium of every bundled twin and world; their ids, `didymos/Quadcopter-v0` and the like."""
    import gymnasium

    found = []
    for name in (*bundled(), *bundled_worlds()):
        known = f"didymos/{''.join(part.capitalize() for part in name.split('_'))}-v0"
        found.append(known)
        if known not in gymnasium.registry:
            gymnasium.register(
                known, entry_point="didymos.environments:make_env", vector_entry_point="didymos.environments:make_vec_env",
                kwargs={"name": name},
            )  # fmt: skip
    return tuple(found)


register()
