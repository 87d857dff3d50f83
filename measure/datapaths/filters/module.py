"""The netfilter hook as Sampaio (2017) had it: a module that the kernel loads.

A module outlives the process that loads it. Its hook goes with the device's namespace, so after
SIGKILL it filters nothing any more, yet it stays in memory until ``rmmod linerate_filter``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linerate.cells import Cell
from linerate.errors import LinerateError, cannot_here
from linerate.measure.datapaths.filters.filter import DropCount, Filter
from linerate.measure.datapaths.filters.settings import settings_of
from linerate.measure.labs.device import DeviceLab
from linerate.measure.processes import built

NAME = "linerate_filter"
_SOURCES = Path(__file__).parent / "netfilter_module"
_LOADED = Path("/sys/module") / NAME


def check_netfilter_module(proc: Path = Path("/proc")) -> None:
    """Refuse the module where the kernel takes none, or where it is not built.

    Raises
    ------
    CannotHereError
        With what to do instead.
    """
    instead = 'use flavour = "", a BPF program on the same hook'
    if not (proc / "modules").exists():
        raise cannot_here('flavour="module"', why="this kernel loads no modules", do=instead)
    if not _built().is_file():
        raise cannot_here(
            'flavour="module"', why=f"{_built()} is not built",
            do=f"run `make -C {_SOURCES} OUT={_built().parent}` (needs the headers of the running "
            f"kernel), or {instead}",
        )  # fmt: skip


@contextmanager
def load_netfilter_module(lab: DeviceLab, cell: Cell) -> Iterator[Filter]:
    """Load the module in the device's namespace, the only one that it filters in.

    Raises
    ------
    CannotHereError
        The kernel loads no modules, or it is not built.
    LinerateError
        It is loaded already, or the kernel refused it.
    """
    check_netfilter_module()
    if _LOADED.exists():
        raise LinerateError(f"{NAME}: it is loaded already; run `rmmod {NAME}`")
    settings = [f"program={cell.program}", f"hook={settings_of(cell).hook}"]
    lab.dut.run(["insmod", _built(), *settings])
    try:
        yield Filter(program_hash=built.content_hash(_built()), count=_count)
    finally:
        lab.dut.run(["rmmod", NAME])


def _built() -> Path:
    return built.build_folder() / "netfilter_module" / f"{NAME}.ko"


def _count() -> DropCount:
    packets = int((_LOADED / "parameters" / "dropped").read_text())
    return DropCount(at_ns=time.monotonic_ns(), packets=packets)
