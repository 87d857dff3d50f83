"""What packets of a datapath take on this machine, kept in the user's state folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from linerate.box import write_box
from linerate.measure.objects.calibrating.own_box import (
    AGE_HOURS_MAX,
    OwnBox,
    kept_at,
    state_folder,
)
from linerate.measure.system.describe import this_box
from linerate.programs.costs import work_costs
from linerate.progress import Tell

LABS = {"nftables": "veth", "iptables": "veth", "swx": "dpdk", "chain-tc": "veth",
        "chain-raw-socket": "veth", "chain-af-xdp": "veth"}  # fmt: skip
"""Of each datapath whose packets are timed, the lab; of chains by what their functions run on."""


def own_works(datapath: str, tell: Tell) -> OwnBox:
    """Take this machine's times of this day, or measure them where there are none.

    Raises
    ------
    CannotHereError
        There are none, and rights or what else it takes to measure are missing.
    """
    kept = kept_works(datapath)
    if kept and kept.age_hours <= AGE_HOURS_MAX:
        return kept
    from linerate.measure.objects.calibrating.works import measure_works  # loads pandas

    box = replace(this_box(LABS[datapath]), costs=measure_works(datapath, tell))
    path = _path(datapath, box.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_box(box, path)
    return OwnBox(box=box, path=path, age_hours=0.0)


def kept_works(datapath: str) -> OwnBox | None:
    """Take this machine's times, however old; None where there are none."""
    box = this_box(LABS[datapath])
    kept = kept_at(_path(datapath, box.name), box)
    return kept if kept and work_costs(kept.box.costs, datapath) else None


def _path(datapath: str, name: str) -> Path:
    return state_folder() / f"{name}.{datapath}.toml"
