"""From a stranger's description to a twin that works: base, posture, drives, sensors, program and scenarios."""

from didymos.describe.new.draft import Draft, draft_twin
from didymos.describe.new.text import twin_text
from didymos.describe.new.write import new_twin, write_again, write_twin

__all__ = ["Draft", "draft_twin", "new_twin", "twin_text", "write_again", "write_twin"]
