"""Answers about cells: what a model file says of a rate, a latency, a load and a link."""

from __future__ import annotations

from linerate.models.answers.fits import Fits, fits_of
from linerate.models.answers.prediction import Prediction, predict_cell
from linerate.models.answers.under_load import UnderLoad, under_load

__all__ = ["Fits", "Prediction", "UnderLoad", "fits_of", "predict_cell", "under_load"]
