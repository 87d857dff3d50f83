"""Cells that are measured beside hogs: in serial and split mode, by each way to judge a trial."""

from __future__ import annotations

import math

from linerate.cells import Cell, Load, Mode

FLOOD = Load(frame_mix=((1, 64),), arrivals="flood", offered_mpps=math.inf)
PACED = Load(frame_mix=((1, 64),), arrivals="poisson", offered_mpps=0.1)


def _cell(mode: Mode, datapath: str, program: str, load: Load = FLOOD, **more: object) -> Cell:
    fields = {"lab": "veth", "memory_accesses": 0, "queues": 1, "link_gbps": math.inf, **more}
    return Cell(mode=mode, datapath=datapath, program=program, load=load, **fields)


CELLS = {
    "xdp_native, serial": _cell("serial", "xdp_native", "map_lookup", memory_accesses=20),
    "xdp_native, split": _cell("split", "xdp_native", "map_lookup", memory_accesses=100),
    "xdp_native, split, 0.1 Mpps": _cell("split", "xdp_native", "map_lookup", PACED),
    "af_xdp, serial": _cell("serial", "af_xdp", "xsk_memcpy"),
    "swx, split": _cell("split", "swx", "forward", PACED, lab="dpdk"),
}
WANTED = {
    "xdp_native, serial": (0,),
    "xdp_native, split": (0, 1),
    "xdp_native, split, 0.1 Mpps": (0,),
    "af_xdp, serial": (0,),
    "swx, split": (0, 1),
}
"""Cores that some thread of theirs, or the kernel on their behalf, wants all the time."""


def cores(cell: Cell) -> tuple[int, ...]:
    """Cores that a cell's threads are on."""
    return (0,) if cell.mode == "serial" else (0, 1)
