"""The box of this machine, with its base costs, kept in the user's state folder."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.box import Box, read_box, write_box
from linerate.measure.system.describe import this_box
from linerate.programs.costs import hook_cost_names
from linerate.progress import Tell

AGE_HOURS_MAX = 24.0
"""An older calibration is made anew: what the host does besides changes from day to day."""
JUST_NOW_HOURS = 0.05
"""What is younger was measured for this very question, or for one that was asked shortly before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBox:
    """A calibrated box and where it came from."""

    box: Box
    path: Path
    age_hours: float

    @property
    def measured(self) -> str:
        """Say when: ``measured 2.5 h ago``."""
        if self.age_hours < JUST_NOW_HOURS:
            return "measured just now"
        return f"measured {self.age_hours:.1f} h ago"


def state_folder() -> Path:
    """Folder of what linerate keeps for a user (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(base) / "linerate"


def own_box(tell: Tell) -> OwnBox:
    """Take this machine's calibration of this day, or make one where not all hooks are in it.

    Raises
    ------
    CannotHereError
        There is none, and rights to make one are missing.
    """
    kept = kept_box()
    if kept and kept.age_hours <= AGE_HOURS_MAX and hook_cost_names() <= kept.box.costs.keys():
        return kept
    from linerate.measure.objects.calibrating.calibration import calibrate  # loads pandas

    box = replace(this_box("veth"), costs=calibrate(tell))
    path = _path(box)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_box(box, path)
    return OwnBox(box=box, path=path, age_hours=0.0)


def kept_box() -> OwnBox | None:
    """Take this machine's calibration, however old; None where there is none."""
    box = this_box("veth")
    return kept_at(_path(box), box)


def kept_at(path: Path, box: Box) -> OwnBox | None:
    """Take what a file keeps of a machine; None where there is none, or of another machine."""
    try:
        age_hours = (time.time() - path.stat().st_mtime) / 3600
    except OSError:  # none, or another user's folder
        return None
    kept = read_box(path)
    if kept.checked_hash != box.checked_hash:
        return None
    return OwnBox(box=kept, path=path, age_hours=age_hours)


def _path(box: Box) -> Path:
    return state_folder() / f"{box.name}.toml"
