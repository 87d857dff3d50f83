"""The bench of each datapath: how it is opened, and what is refused before anything is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import cannot_here
from linerate.measure.campaign.hosts import NicTable
from linerate.measure.datapaths.af_xdp.forwarder import check_af_xdp, open_af_xdp_bench
from linerate.measure.datapaths.catalogue import FILTERS
from linerate.measure.datapaths.chain.bench import check_chain_cell, open_chain_bench
from linerate.measure.datapaths.filters.bench import check_filter, open_filter_bench
from linerate.measure.datapaths.nic.bench import check_nic_cell, open_nic_bench
from linerate.measure.datapaths.swx.bench import ProgramOf, check_swx, open_swx_bench
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of_cell
from linerate.measure.datapaths.xdp.veth import check_xdp, open_xdp_bench
from linerate.measure.generators.external.hping3 import Hping3
from linerate.measure.generators.live_frames import check_packets
from linerate.measure.labs.nic import NicSite
from linerate.measure.trials.bench import Bench
from linerate.measure.trials.device import failures_are_results
from linerate.measure.trials.trial import watched


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    open: Callable[[Cell], AbstractContextManager[Bench]]
    check: Callable[[Cell], None]


_XDP = _Way(open=open_xdp_bench, check=check_xdp)
_FILTER = _Way(open=open_filter_bench, check=check_filter)
_WAYS = {
    "xdp_native": _XDP,
    "xdp_generic": _XDP,
    "af_xdp": _Way(open=open_af_xdp_bench, check=check_af_xdp),
    "tc": _FILTER,
    "netfilter": _FILTER,
    "nftables": _FILTER,
    "iptables": _FILTER,
    "chain": _Way(open=open_chain_bench, check=check_chain_cell),
}


@contextmanager
def open_bench(cell: Cell, folder: Path = Path(), site: NicSite | None = None) -> Iterator[Bench]:
    """Load a cell's program anew on its datapath; all of it is gone when the context ends.

    Parameters
    ----------
    cell
        What to measure.
    folder
        Where paths of the user's own programs begin.
    site
        The two hosts that a cell of the nic lab is measured between.
    """
    far = open_nic_bench(cell, site, _program_of(folder)) if site else None
    with far or _way(cell, folder).open(cell) as bench:
        yield replace(bench, run_trial=watched(bench.run_trial, bench.processes))


def check_bench(cell: Cell, folder: Path = Path(), nic: NicTable | None = None) -> None:
    """Refuse, before anything is measured, a cell that cannot run on this machine.

    Raises
    ------
    BadInputError
        More queues than there are cores for, or settings that exclude each other.
    CannotHereError
        A runner, program or tool is missing.
    """
    if nic is not None:
        check_nic_cell(cell, nic, _program_of(folder))
        return
    if cell.load.generator == "hping3":
        Hping3().check(cell.load)
    elif cell.lab == "veth" and cell.load.generator == "live_frames":
        check_packets(cell.load)
    _way(cell, folder).check(cell)


def _way(cell: Cell, folder: Path) -> _Way:
    if cell.program in FILTERS:
        return _FILTER
    if cell.datapath == "swx":
        return _swx(_program_of(folder))
    if cell.datapath not in _WAYS:
        raise cannot_here(
            cell.datapath, why="no lab has a bench for it", do=f"one of {', '.join(_WAYS)}, swx"
        )
    return _WAYS[cell.datapath]


def _program_of(folder: Path) -> ProgramOf:
    def text(cell: Cell) -> PipelineText:
        with failures_are_results():
            return text_of_cell(cell, folder)

    return text


def _swx(program_of: ProgramOf) -> _Way:
    return _Way(
        open=lambda cell: open_swx_bench(cell, program_of),
        check=lambda cell: check_swx(cell, program_of),
    )
