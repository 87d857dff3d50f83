"""Predict whether a packet program sustains line rate on a machine, from measurements.

>>> import linerate as lr
>>> runs = lr.read("data/reference-veth")
>>> len(runs)
720

``read`` takes measured runs, ``fit`` fits a ``Model`` to them, which predicts, draws and is saved;
``load`` reads it back, ``validate`` holds runs out, ``measure`` runs a campaign, ``fits`` answers
for a BPF object of your own, ``store`` keeps many campaigns and ``trend`` finds where they step,
``bisect`` which commit to measure next, ``contrast`` what a packet costs more on another kernel or
box, ``answers`` says what searches found over their program loads, ``plot`` has the figures, and
``explore`` the sliders of a notebook.
Each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linerate import plot
    from linerate.campaigns.store import CampaignStore, store
    from linerate.face.answers import Answers, answers
    from linerate.face.compared import Comparison, compare
    from linerate.face.contrasted import Contrasted, contrast
    from linerate.face.explorer.explore import explore
    from linerate.face.fits.object_fits import ObjectFits
    from linerate.face.fits.objects import fits
    from linerate.face.fitting import fit, load
    from linerate.face.model import Model
    from linerate.face.trends import bisect, trend
    from linerate.face.validation import Validation, validate
    from linerate.measure.campaign.whole import measure
    from linerate.models.answers.prediction import Prediction
    from linerate.tables.measured import Runs, read

__all__ = [
    "Answers", "CampaignStore", "Comparison", "Contrasted", "Model", "ObjectFits", "Prediction",
    "Runs", "Validation", "answers", "bisect", "compare", "contrast", "explore", "fit", "fits",
    "load", "measure", "plot", "read", "store", "trend", "validate",
]  # fmt: skip

_PLACES = {
    "Model": "face.model", "fit": "face.fitting", "load": "face.fitting",
    "ObjectFits": "face.fits.object_fits", "fits": "face.fits.objects",
    "Comparison": "face.compared", "compare": "face.compared",
    "Contrasted": "face.contrasted", "contrast": "face.contrasted",
    "Answers": "face.answers", "answers": "face.answers",
    "explore": "face.explorer.explore",
    "bisect": "face.trends", "trend": "face.trends",
    "Validation": "face.validation", "validate": "face.validation",
    "Prediction": "models.answers.prediction",
    "CampaignStore": "campaigns.store", "store": "campaigns.store",
    "Runs": "tables.measured", "read": "tables.measured",
}  # fmt: skip
"""Module of each name; ``measure`` and ``plot`` are modules themselves."""


def __getattr__(name: str) -> object:
    if name in ("measure", "plot"):
        return import_module(f"linerate.{name}")
    if name in _PLACES:
        return getattr(import_module(f"linerate.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'linerate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
