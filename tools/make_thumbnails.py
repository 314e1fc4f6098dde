"""Draw the pictures of the bundled twins and worlds for the cockpit's home page: python tools/make_thumbnails.py [NAME ...]"""

from __future__ import annotations

import sys

import didymos
from didymos.cockpit.thumbnails import BUNDLED, save_thumbnail
from didymos.describe.bundled import bundled, bundled_worlds

LARGEST = 15_000  # [bytes]


def main(names: list[str]) -> None:
    """Draw all of them, or some."""
    BUNDLED.mkdir(exist_ok=True)
    for name in names or (*bundled(), *bundled_worlds()):
        what = didymos.load(name) if name in bundled() else didymos.load_world(name)
        file = BUNDLED / f"{name}.webp"
        save_thumbnail(what, file)
        print(f"{file.name}: {file.stat().st_size} bytes")
        assert file.stat().st_size < LARGEST, f"{file.name} is too large"


if __name__ == "__main__":
    main(sys.argv[1:])
