"""From a stranger's description to a twin that works: base, posture, drives, sensors, program and scenarios, decided from the file."""

from didymos.describe.new.write import new_twin

__all__ = ["new_twin"]
