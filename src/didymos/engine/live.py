"""Change parameters of a running simulation by their paths, each at the cost of writing one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import mujoco

from didymos.describe.check_values import check_link, check_tick
from didymos.describe.names import cameras, joint_of, link_of, readings
from didymos.describe.path_patterns import spread, unknown_path
from didymos.engine.assemble import apply_link
from didymos.engine.build import Built
from didymos.engine.friction import set_friction
from didymos.engine.joint_values import apply_belt, apply_joint, belted_parts, loaded_joints
from didymos.engine.scenery import floors
from didymos.errors import InputError
from didymos.parts.part import JointLoad
from didymos.sensors.error import mark

__all__ = ["LiveValues"]

Writer = Callable[[float], None]


class LiveValues:
    """The parameters of a run: which can change, and where the run reads them."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._writers: dict[str, Writer] = {}
        self._loads: dict[str, JointLoad | None] = {}
        self._links: set[str] = set()  # whose inertia has changed and is not in the model yet
        self._constants = False  # whether the engine has to derive its constants anew
        self._friction = False  # whether that of floors and contacts has changed and is not in the model yet
        self.stale = False  # whether the model waits for `refresh`

    def set_all(self, values: Mapping[str, float]) -> None:
        """Change parameters: all of them, or none if one does not fit."""
        twin = self._built.twin
        values = spread(values, twin.parameters)
        before = {}
        for path in values:
            parameter = twin.parameters.get(path)
            if parameter is None:
                raise InputError(unknown_path(path, twin.parameters), path=path)
            if not parameter.live:
                raise InputError("cannot change during a run; set it on the twin before", path=path)
            before[path] = parameter.value
        twin.set_all(values)
        try:
            self._write(values)
        except InputError:
            twin.set_all(before)
            self._write(before)
            raise

    def _write(self, values: Mapping[str, float]) -> None:
        """Write values that the twin has already accepted to where the run reads them."""
        for path, value in values.items():
            writer = self._writers.get(path)
            if writer is None:
                writer = self._writers[path] = self._writer(path)
            writer(float(value))

    def refresh(self) -> None:
        """Bring what is derived from many parameters up to date: bodies of several links, the engine's constants, friction."""
        if not self.stale:
            return
        self.stale = False
        twin, model = self._built.twin, self._built.assembly.model
        for name in sorted(self._links):
            apply_link(self._built.assembly, twin, name)
        self._links.clear()
        if self._constants:
            self._constants = False
            mujoco.mj_setConst(model, self._scratch)
        if self._friction:
            self._friction = False
            for shape, (_, friction) in floors(twin).items():
                model.geom(shape).friction[0] = friction
            set_friction(model, twin)

    @cached_property
    def _scratch(self) -> mujoco.MjData:
        return mujoco.MjData(self._built.assembly.model)

    @cached_property
    def _loaded(self) -> dict[str, list[str]]:
        return loaded_joints(self._built.twin)

    def _writer(self, path: str) -> Writer:
        """How a parameter reaches the run."""
        kind, rest = path.split(".", 1)
        if path in self._built.assembly.numbers:
            return self._part_writer(path, rest.split(".")[0] if kind == "parts" else "")
        if kind == "links":
            return self._link_writer(path, link_of(path))
        if kind == "joints":
            return self._joint_writer(joint_of(path))
        if path.startswith("control.gains."):
            program, gain = self._built.program, path.removeprefix("control.gains.")
            return (lambda value: None) if program is None else (lambda value: program.set_gain(gain, value))
        if kind == "sensors":
            return self._sensor_writer(rest)
        return self._world_writer(path)

    def _link_writer(self, path: str, name: str) -> Writer:
        quantity = path.removeprefix(f"links.{name}.").split(".")[0]

        def write(value: float) -> None:
            if quantity == "inertia" or (quantity == "mass" and value == 0.0):
                check_link(self._built.twin, name)
            self._links.add(name)
            self.stale = self._constants = True

        return write

    def _joint_writer(self, name: str) -> Writer:
        def write(value: float) -> None:
            self._apply_joint(name)
            self.stale = self._constants = True

        return write

    def _apply_joint(self, name: str) -> None:
        apply_joint(self._built.assembly.model, self._built.twin, name, self._loaded)

    def _lends_otherwise(self, part: str) -> bool:
        """Whether a part lends its joint something else than when this was last asked."""
        spec = self._built.twin.file.parts[part]
        load = spec.contract.on_joint(spec)
        changed = part not in self._loads or self._loads[part] != load
        self._loads[part] = load
        return changed

    def _part_writer(self, path: str, part: str) -> Writer:
        twin, assembly = self._built.twin, self._built.assembly
        numbers, index = assembly.model.numeric_data, assembly.numbers[path]
        joint = twin.file.parts[part].joint if part else None
        period = self._built.context.timing.period

        def write(value: float) -> None:
            if part:
                check_tick(twin, part, period)
            numbers[index] = value

        def write_belt(value: float) -> None:
            write(value)
            if self._lends_otherwise(part):
                apply_belt(assembly.model, twin, part)
                self.stale = self._constants = True

        def write_joint(value: float) -> None:
            write(value)
            if self._lends_otherwise(part):
                self._apply_joint(str(joint))
                self.stale = self._constants = True

        if part in belted_parts(twin):
            return write_belt
        return write_joint if joint in self._loaded else write

    def _world_writer(self, path: str) -> Writer:
        twin, model = self._built.twin, self._built.assembly.model

        def write_gravity(value: float) -> None:
            model.opt.gravity[2] = -value

        def write_friction(value: float) -> None:
            self.stale = self._friction = True

        if path == "world.gravity":
            model_of_gravity = twin.file.world.earth.gravity
            if model_of_gravity != "constant":
                raise InputError(f"cannot change during a run where world.earth.gravity is {model_of_gravity}", path=path)
            return write_gravity
        touched = {"world.friction_scale", *(one for one, _ in floors(twin).values())}
        if path in touched or path.startswith("contacts."):
            return write_friction
        raise InputError("cannot change during a run", path=path)

    def _sensor_writer(self, rest: str) -> Writer:
        twin, tables = self._built.twin, self._built.context.sensors
        name, *further = rest.split(".")
        if name in cameras(twin):
            return lambda value: None  # they look their numbers up themselves
        if len(further) == 1:
            row = tables.sensors[list(readings(twin)).index(name)]
            return lambda value: row.__setitem__(further[0], value)
        own = [item for item in self._built.assembly.quantities if item.sensor in twin.file.sensors]
        index = next(i for i, item in enumerate(own) if (item.sensor, item.quantity) == (name, further[0]))
        error, (key, *axis) = tables.errors[index], further[1:]

        def write_error(value: float) -> None:
            if axis:
                error[key]["xyz".index(axis[0])] = value
            else:
                error[key] = value
            mark(error)

        return write_error
