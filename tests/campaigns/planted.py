"""Small campaigns for stores: rows of the reference, under names and starts of their own."""

from functools import cache

import linerate as lr
from linerate.campaigns.manifest import Origin

from ..test_layout import ROOT

ROWS = 12


@cache
def rows():
    """Runs of both hooks, a few of each."""
    table = lr.read(ROOT / "data/reference-veth").table
    return table.groupby("datapath", sort=False).head(ROWS // 2)


def campaign(number, box="alpha", **changes):
    """Runs of one campaign, begun an hour after the one before."""
    start = f"2026-11-{1 + number // 24:02}T{number % 24:02}:00:00.000+00:00"
    named = {"campaign": f"nightly-{number}", "box": box, "started_at": start}
    return rows().reset_index(drop=True).assign(**named | changes)


def put(store, number, box="alpha", **changes):
    """Add a campaign to a store, and give its manifest."""
    store.add()
    return store.put(campaign(number, box, **changes), Origin(kernel="6.18")).manifest
