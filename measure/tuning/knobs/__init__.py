"""The settings, one class for each kind, and all of them in the order in which they are set."""

from linerate.measure.tuning.knobs.catalogue import HELD, KNOBS, find_held, find_knob
from linerate.measure.tuning.knobs.knob import Knob, Readable

__all__ = ["HELD", "KNOBS", "Knob", "Readable", "find_held", "find_knob"]
