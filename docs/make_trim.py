"""Draw docs/pictures/trim.png: roots and trims of plane_3wing_2motor over its flight. Run: python docs/make_trim.py"""

from __future__ import annotations

from pathlib import Path

from didymos.engine.flight_survey import survey
from didymos.engine.trim import Steady
from didymos.engine.trim_picture import plot_survey
from didymos.twin import load

if __name__ == "__main__":
    plot_survey(survey(load("plane_3wing_2motor"), None, Steady(0.0)), Path(__file__).parent / "pictures" / "trim.png")
