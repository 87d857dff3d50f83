"""The DPDK lab: which core has the generator and its sink, and which the pipeline's lcores."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from linerate.errors import bad_input, cannot_here
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.labs.device import DeviceLab

GENERATED_PORTS = ("ring", "memif")
"""Ports whose packets come from a generator, which takes a core of its own."""
LCORES_MAX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class DpdkCores:
    """Cores of one pipeline."""

    main: int
    """Of generator and sink, which are one thread; it sleeps where it generates nothing."""
    workers: tuple[int, ...]
    """Of each instance of the pipeline."""


def place_lcores(settings: PipelineSettings, lcores: int) -> DpdkCores:
    """Give each lcore a core.

    Raises
    ------
    BadInputError
        More lcores than cores, and no word that they may share.
    """
    cores = sorted(os.sched_getaffinity(0))
    free = cores[1:] if settings.port in GENERATED_PORTS else cores
    most = LCORES_MAX if settings.oversubscribed else len(free)
    if not 1 <= lcores <= most:
        raise bad_input(
            "queues", lcores, why=f"each is an lcore, and of {len(cores)} core(s) "
            f"{len(free)} can be theirs with port {settings.port}", allowed=f"1..{most}",
            do="lower it, or set oversubscribed = true",
        )  # fmt: skip
    workers = (free or cores) * lcores
    return DpdkCores(main=cores[0], workers=tuple(workers[:lcores]))


def lcores_of_lab(lab: DeviceLab) -> DpdkCores:
    """Give each queue of a lab's device the core that serves it there."""
    return DpdkCores(main=lab.main_core, workers=lab.dut_cores)


def check_hugepages(settings: PipelineSettings, root: Path = Path("/")) -> None:
    """Refuse hugepages where none is free, before anything is measured.

    Raises
    ------
    CannotHereError
        None is free.
    """
    free = (root / "sys/kernel/mm/hugepages").glob("hugepages-*/free_hugepages")
    if settings.hugepages and not any(int(path.read_text()) for path in free):
        raise cannot_here(
            "hugepages=true", why="none is free",
            do="run sysctl vm.nr_hugepages=256 first, or measure without",
        )  # fmt: skip
