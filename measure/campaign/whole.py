"""A whole campaign: from its file to its table of runs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd
import tomli_w

from linerate.errors import cannot_here
from linerate.files.alone import alone_in
from linerate.files.store import Provenance, Store
from linerate.measure.campaign.adaptive import Choose, measure_until
from linerate.measure.campaign.campaign import Campaign, CampaignFile, read_campaign
from linerate.measure.campaign.failures import FailedCell, failed_cells
from linerate.measure.campaign.run import check_runnable, measure_campaign
from linerate.measure.labs.card import is_card
from linerate.measure.labs.port import Port
from linerate.measure.live.drawn import showing
from linerate.measure.live.progress import Hear, Progress, Reporting
from linerate.measure.system import lab_obstacles
from linerate.measure.system.describe import this_box
from linerate.tables.measured import Runs
from linerate.tables.search_answers import SearchAnswer, answers_of

ASKS_TO_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PYTHON = ("python", "linerate.measure")
"""Command that is kept beside the runs where none was typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outset:
    """Where a campaign goes, and how it is begun."""

    out: Path
    """Folder for the journal and the tables of runs."""
    resume: bool = False
    """Whether a campaign was begun there that is to go on."""
    retry_failed: bool = False
    """Whether runs are measured again in which the device under test failed."""
    argv: Sequence[str] = PYTHON
    """Command line, kept beside the runs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """What a campaign came to."""

    runs: pd.DataFrame
    """Table of runs; empty where only searches were run."""
    searches: pd.DataFrame | None
    """What its searches found; None without any."""
    answers: tuple[SearchAnswer, ...]
    """What its searches answer together, of each cell and goal."""
    failed: tuple[FailedCell, ...]
    """Cells that could not be measured, since the device under test failed."""
    spoiled: tuple[str, ...]
    """Lines of its journal that were not as they were written; their trials were measured again."""


def measure(
    campaign: str | os.PathLike[str] | CampaignFile | Campaign, *, out: str | os.PathLike[str],
    resume: bool = False, progress: bool = True,
) -> Runs:  # fmt: skip
    """Measure every cell of a campaign on real packets; each finished trial is kept.

    Parameters
    ----------
    campaign
        A campaign file (TOML), or the campaign itself.
    out
        Folder for the journal and the tables of runs; new, or with ``resume`` that of before.
    resume
        Go on with the campaign begun in ``out``.
    progress
        Whether to show how far it is: a block of lines on a terminal, a bar in a notebook.

    Raises
    ------
    BadInputError
        Not a campaign, or a folder that holds another.
    CannotHereError
        This machine cannot run it: what is missing, and how to get it.
    LinerateError
        Something failed; every trial finished so far is in the journal.
    """
    plan = plan_of(campaign)
    with showing(shown=progress) as hear:
        done = measure_into(plan, Outset(out=Path(out), resume=resume), hear)
    return Runs(table=done.runs, sources=(Path(out),))


def plan_of(campaign: str | os.PathLike[str] | CampaignFile | Campaign) -> CampaignFile:
    """Take a campaign with its text, which is kept beside its runs."""
    if isinstance(campaign, CampaignFile):
        return campaign
    if isinstance(campaign, Campaign):
        text = tomli_w.dumps(campaign.model_dump(by_alias=True, exclude_unset=True))
        return CampaignFile(campaign=campaign, text=text)
    return read_campaign(Path(campaign))


def measure_into(
    plan: CampaignFile, outset: Outset, hear: Hear, choose: Choose | None = None
) -> Measured:
    """Measure all of a campaign, or what is chosen round by round; its tables are written.

    Parameters
    ----------
    plan
        What to measure.
    outset
        Where it goes.
    hear
        Called with what happens: when it begins, before each run, and once a trial is on disk.
    choose
        Asked for the cells of each round; None for all.

    Raises
    ------
    BadInputError
        Another process measures into the folder.
    CannotHereError
        The lab cannot run on this machine.
    KeyboardInterrupt
        As it came; the tables hold every finished trial.
    """
    require_lab(plan.campaign.lab)
    with alone_in(outset.out):
        store = open_store(plan, outset)
        heard = Reporting(Progress.of(plan.campaign, store, adaptive=choose is not None), hear)
        heard.begun(outset.out)
        store = replace(store, on_kept=heard.kept)
        with written_when_stopped(store):
            if choose is None:
                measure_campaign(plan.campaign, store, heard.next, retry_failed=outset.retry_failed)
            else:
                measure_until(plan.campaign, store, choose, heard.next)
        return written(store)


@contextmanager
def written_when_stopped(store: Store) -> Iterator[None]:
    """Have the tables of a campaign hold every finished trial, if it is asked to stop meanwhile."""
    try:
        yield
    except KeyboardInterrupt:
        with _not_stopped_again():
            written(store)
        raise


@contextmanager
def _not_stopped_again() -> Iterator[None]:
    """Hear nothing of what asks to stop: who asks twice wants an end soon, and the tables, too."""
    if threading.current_thread() is not threading.main_thread():  # signals are the main one's
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ASKS_TO_STOP}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def written(store: Store) -> Measured:
    """Derive a campaign's tables from its journal."""
    searches = store.write_searches()
    return Measured(
        runs=store.write_runs(), searches=searches,
        answers=() if searches is None else answers_of(searches),
        failed=tuple(failed_cells(store)), spoiled=store.spoiled,
    )  # fmt: skip


def require_lab(lab: str) -> None:
    """Refuse, naming what is missing, where a lab cannot run."""
    obstacles = lab_obstacles(lab)
    if obstacles:
        first = obstacles[0]
        raise cannot_here(
            first.name,
            why=f"{first.detail}; the {lab} lab needs it",
            do=f"get it by: {first.remedy}",
        )


def open_store(plan: CampaignFile, outset: Outset) -> Store:
    """Make or resume the campaign's folder, once it is known that this machine can run it."""
    check_runnable(plan.campaign, plan.folder)
    box = this_box(nic=card_of(plan.campaign))
    if outset.resume:
        return Store.resume(outset.out, plan.text, box, plan.files())
    provenance = Provenance(
        campaign=plan.campaign.name, git_revision=revision(), argv=tuple(outset.argv)
    )
    return Store.create(outset.out, plan.text, box, provenance, plan.files())


def card_of(campaign: Campaign) -> str:
    """Name the card under test: by its driver where it is one, by the lab where it is none."""
    if campaign.nic is None:
        return campaign.lab
    if is_card(campaign.nic.interface):
        return "pci"
    port = Port(campaign.nic.interface)
    speed = f" {port.speed_gbps:g}G" if port.speed_gbps else ""
    return f"{port.driver or 'virtual'}{speed}"


@cache
def revision() -> str:
    """Name the commit of this source; ``unknown`` where it is not a clone.

    It is asked for once: a process that stays runs what it began with, whatever becomes of the
    clone meanwhile.
    """
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).resolve().parent,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:  # no git here
        return "unknown"
    return asked.stdout.strip() or "unknown"
