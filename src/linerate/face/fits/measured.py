"""Runs of a program on the box that is asked about: what of them tells the time of a packet."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from linerate.errors import bad_input
from linerate.line_rate import SUSTAINED_RATIO
from linerate.models.objects.learnt import RunThere
from linerate.tables.measured import read
from linerate.tables.rates import with_own_cores
from linerate.units import line_rate_mpps

RUNS_MAX = 1000


def runs_there(
    sources: Sequence[str | os.PathLike[str]], program: str, datapath: str
) -> tuple[tuple[RunThere, ...], str]:
    """Take the runs of a program that were limited by a core, and a note on them.

    Parameters
    ----------
    sources
        Tables and folders of campaigns.
    program
        Name of its file, as campaigns have it.
    datapath
        Hook.

    Raises
    ------
    BadInputError
        None of them is a run of it, or there are too many.

    Notes
    -----
    Suspect runs count where none is valid; rates are those with the device's cores to itself where
    these are known, as the answer's own.
    """
    runs = with_own_cores(read(*sources).table)
    is_own = (runs["program"] == program) & (runs["datapath"] == datapath)
    if "mode" in runs.columns:
        is_own &= runs["mode"] != "split"
    if "verdict" in runs.columns:
        is_valid = runs["verdict"] == "valid"
        is_own &= is_valid if (is_own & is_valid).any() else runs["verdict"] != "invalid"
    own = runs[is_own]
    where = ", ".join(map(str, sources))
    if own.empty:
        known = sorted(
            {
                f"{one} on {hook}"
                for one, hook in runs[["program", "datapath"]]
                .drop_duplicates()
                .itertuples(index=False)
            }
        )
        raise bad_input("measured", where, why=f"it has no run of {program} on {datapath} in "
                        f"serial mode or between two hosts, but {', '.join(known[:5])}",
                        allowed="runs of the object that is asked about",
                        do="measure it there: linerate measure")  # fmt: skip
    if len(own) > RUNS_MAX:
        raise bad_input("measured", where, why=f"it has {len(own)} runs of {program}",
                        allowed=f"at most {RUNS_MAX}", do="choose some of them")  # fmt: skip
    line_mpps = line_rate_mpps(own["link_gbps"].to_numpy(), own["frame_bytes"].to_numpy())
    most_mpps = np.minimum(line_mpps, own["offered_mpps"].to_numpy())
    limited = own[own["forwarded_mpps"].to_numpy() < SUSTAINED_RATIO * most_mpps]
    found = tuple(
        RunThere(frame_bytes=float(size), queues=int(queues), packet_ns=1e3 * queues / mpps)
        for size, queues, mpps in zip(limited["frame_bytes"], limited["queues"],
                                      limited["forwarded_mpps"], strict=True)
        if mpps > 0.0
    )  # fmt: skip
    counted = f"{len(found)} of {len(own)} runs of {where} are counted in"
    rest = (
        "" if len(found) == len(own) else ": the others forwarded all that came, and tell no time"
    )
    return found, counted + rest
