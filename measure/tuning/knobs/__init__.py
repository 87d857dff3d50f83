"""The settings, one class for each kind, and all of them in the order in which they are set."""

from linerate.measure.tuning.knobs.catalogue import KNOBS, find_knob
from linerate.measure.tuning.knobs.knob import Knob

__all__ = ["KNOBS", "Knob", "find_knob"]
