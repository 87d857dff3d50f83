"""One attack: a fault befalls a campaign, which is then judged and gone on with."""

from __future__ import annotations

import random
import time
from pathlib import Path

from .campaigns import Campaign, Found
from .clocks import Clock
from .faults import CLOCK_SET, FAULTS

AFTER = 1.1
"""Latest moment of a fault, in parts of the undisturbed campaign."""


def attack(folder: Path, datapath: str, fault: str, number: int, seconds: float) -> Found:
    """Let a fault befall a campaign once, then go on with it; what was wrong.

    Parameters
    ----------
    folder
        Empty; that of the campaign.
    datapath, fault
        Which campaign, and what befalls it.
    number
        Of this attack; it draws the moment.
    seconds
        That the campaign takes undisturbed.
    """
    rng, found = random.Random(f"{datapath} {fault} {number}"), Found()
    campaign = Campaign(datapath, folder, Clock(folder) if fault == CLOCK_SET else None)
    process = campaign.start()
    time.sleep(rng.uniform(0.0, AFTER * seconds))
    with FAULTS[fault](campaign, process, rng):
        pass
    campaign.judge(process, found)
    found.kept = campaign.trials().count(b"\n")
    campaign.finish(process, found)
    return found


def undisturbed(folder: Path, datapath: str) -> Found:
    """Measure a campaign that nothing befalls; what was wrong.

    Parameters
    ----------
    folder
        Empty; that of the campaign.
    datapath
        Which campaign.
    """
    campaign, found = Campaign(datapath, folder), Found()
    process = campaign.start()
    campaign.judge(process, found)
    found.expect(process.returncode == 0, f"exit {process.returncode}")
    campaign.finish(process, found)
    return found
