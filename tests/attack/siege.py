"""One campaign that is killed again and again, and gone on with after each kill.

A kill costs what it interrupts: the whole campaign is measured to its end but once for all of them.
Moments come evenly over the time that a campaign takes undisturbed, set-up and tables included.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..measure import leftovers
from .campaigns import RUNS, TRIALS, Campaign, Found
from .clocks import Started

KINDS = ("kill owner", "kill child", "kill group")
KILLS = 6
"""Of one campaign at most, before it may go on to its end."""
TRIALS_SHARE = 0.7
"""Of the time of a campaign; what is measured already shortens the next one by as much."""
EVEN = 0.6180339887498949
"""Golden ratio: its multiples, without their whole parts, fill any interval evenly."""


@dataclass(slots=True)
class Siege:
    """What came of one campaign."""

    kills: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    """Kills by what the campaign was at."""
    exits: Counter[str] = field(default_factory=Counter)
    """Codes of campaigns that ended by themselves, though a child was killed."""
    found: Found = field(default_factory=Found)
    moments: int = 0
    """Drawn, those included by which all had ended."""
    seconds: float = 0.0
    """That a campaign takes undisturbed, as far as is known."""


def besiege(folder: Path, datapath: str, number: int, seconds: float) -> Siege:
    """Kill a campaign several times, then go on with it to its end.

    Parameters
    ----------
    folder
        Empty; that of the campaign.
    datapath
        Which campaign.
    number
        Of moments that were drawn on this datapath before.
    seconds
        That the campaign takes undisturbed.
    """
    siege, campaign = Siege(seconds=seconds), Campaign(datapath, folder)
    begin, process = time.monotonic(), campaign.start()
    for which in range(number, number + KILLS):
        siege.moments += 1
        left = 1.0 - TRIALS_SHARE * campaign.trials().count(b"\n") / (RUNS * TRIALS)
        _wait(process, which * EVEN % 1.0 * seconds * left)
        phase, kept = _phase(campaign), campaign.trials()
        kind = _killed(KINDS[which % len(KINDS)], process, random.Random(f"{datapath} {which}"))
        if not kind:
            break
        siege.kills[kind] += 1
        siege.phases[phase] += 1
        siege.found.kept += kept.count(b"\n")
        if kind != "kill child":
            campaign.judge(process, siege.found)
            process = campaign.start(*campaign.onwards())
        siege.found.expect(campaign.trials().startswith(kept), "finished trials were lost")
    if not siege.kills:
        siege.seconds = time.monotonic() - begin
    campaign.judge(process, siege.found)
    siege.exits[str(process.returncode)] += 1
    campaign.finish(process, siege.found)
    return siege


def _wait(process: Started, seconds: float) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(min(0.005, max(end - time.monotonic(), 0.0)))


def _killed(kind: str, process: Started, rng: random.Random) -> str:
    """Kill the owner, one process that it started, or all; the kind, or nothing where all ended."""
    children = sorted(set(leftovers.started()) - {process.pid})
    if kind == "kill child" and not children:
        kind = "kill owner"
    chosen = {
        "kill owner": [process.pid],
        "kill child": children and [rng.choice(children)],
        "kill group": [process.pid, *children],
    }[kind]
    if process.poll() is not None:
        return ""
    for pid in chosen:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return kind


def _phase(campaign: Campaign) -> str:
    trials = campaign.trials().count(b"\n")
    if not (campaign.out / "journal.jsonl").exists():
        return "begin"
    if not trials:
        return "set-up"
    return "trials" if trials < RUNS * TRIALS else "tables"
