"""Measurement on real packets: labs, datapaths, generators, campaigns, validity.

The package can be called: ``linerate.measure(campaign, out=folder)`` measures a campaign.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from linerate.measure.campaign.campaign import Campaign, CampaignFile
    from linerate.tables.measured import Runs


class _Measure(ModuleType):
    """The package itself: ``linerate.measure`` is both a folder of modules and a verb."""

    def __call__(
        self, campaign: str | os.PathLike[str] | CampaignFile | Campaign, *,
        out: str | os.PathLike[str], resume: bool = False, progress: bool = True,
    ) -> Runs:  # fmt: skip
        """Measure a campaign; see ``linerate.measure.campaign.whole.measure``."""
        from linerate.measure.campaign.whole import measure

        return measure(campaign, out=out, resume=resume, progress=progress)


sys.modules[__name__].__class__ = _Measure
