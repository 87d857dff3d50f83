"""Test runs of chains that are asked about, where this machine may and can."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from linerate.errors import LinerateError
from linerate.face.fits.chains.file import ChainFile
from linerate.face.fits.notes import why_not
from linerate.measure.datapaths.chain.settings import WORK_NS_MAX
from linerate.measure.datapaths.chain.test_run import ChainRun, time_chain
from linerate.progress import telling


def run_chain(
    chains: Mapping[int, ChainFile], *, progress: bool
) -> tuple[ChainRun | None, tuple[str, ...]]:
    """Run a chain, and say what came of it.

    Parameters
    ----------
    chains
        By frame size, B with FCS, what runs: a function with work of its own reads the clock until
        its time is over.
    progress
        Whether to show a bar.

    Returns
    -------
    None and why where it cannot run here.
    """
    by_work: dict[tuple[int, ...], list[int]] = {}
    for size, chain in chains.items():
        by_work.setdefault(tuple(map(round, chain.works_ns)), []).append(size)
    if (longest_ns := max(map(max, by_work))) > WORK_NS_MAX:
        return None, (f"not run: a function takes {longest_ns} ns, and the lab's at most "
                      f"{WORK_NS_MAX}",)  # fmt: skip
    runs = []
    try:
        with telling(shown=progress) as tell:
            for works_ns, sizes in by_work.items():
                runs.append(time_chain(chains[sizes[0]].settings, works_ns, sizes, tell))
    except LinerateError as error:
        return None, (why_not(error),)
    took = {size: times for run in runs for size, times in run.took.items()}
    return replace(runs[0], took=took), ()
