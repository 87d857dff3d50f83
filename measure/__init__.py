"""Measurement on real packets: labs, datapaths, generators, campaigns, validity.

The package can be called: ``linerate.measure(campaign, out=folder)`` measures a campaign.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linerate.tables.measured import Runs


class _Measure(ModuleType):
    """The package itself: ``linerate.measure`` is both a folder of modules and a verb."""

    def __call__(self, campaign: object, **options: object) -> Runs:
        """Measure a campaign; see ``linerate.measure.campaign.whole.measure``."""
        from linerate.measure.campaign.whole import measure

        return measure(campaign, **options)  # type: ignore[arg-type]


sys.modules[__name__].__class__ = _Measure
