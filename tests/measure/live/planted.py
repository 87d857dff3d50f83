"""A campaign that nobody measured, with a trial made up for each planned run."""

import json
import tomllib
from dataclasses import replace

from linerate.files.store import Store
from linerate.measure.campaign.campaign import campaign_from
from linerate.measure.campaign.search_order import plan_all
from linerate.records import Verdict

from ...files.finished import BOX, PROVENANCE, entry
from ..campaign.plans import plan

PLAN = plan(name='"planted"', repetitions=2, retries=2, frame_bytes="[64]", offered_mpps='["line"]')
"""Four cells twice, and a canary before each five runs and at the end."""
CAMPAIGN = campaign_from(tomllib.loads(PLAN), "planted")
RUNS, _ = plan_all(CAMPAIGN)
SUSPECT = Verdict(state="suspect", reasons=("the hypervisor took 9.0% of the CPU time",))
INVALID = Verdict(state="invalid", reasons=("it crashed",))


def trial(run, second=0, **changes):
    """Finish a trial of a planned run."""
    named = {"run_id": run.run_id} | changes
    return entry(second=second, cell=run.cell, canary=run.canary, repetition=run.repetition,
                 **named)  # fmt: skip


def trials(count=None, every_s=2):
    """Finish the first runs of the plan, one trial each."""
    return [trial(run, every_s * number) for number, run in enumerate(RUNS[:count])]


def folder(path, entries=(), argv=PROVENANCE.argv, text=PLAN):
    """Make the folder of a campaign, with a journal of these trials."""
    store = Store.create(path, text, BOX, replace(PROVENANCE, argv=tuple(argv)))
    for one in entries:
        store.append(one)
    return store


def events_of(text):
    """Read lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]
