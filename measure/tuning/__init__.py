"""Settings of an interface and of the machine: read, set, written down, put back.

Netlink by the interface's number is used wherever the kernel has it: a name may belong to another
interface a moment later.
"""

from linerate.measure.tuning.change import change, foreseen, tuned
from linerate.measure.tuning.interface import Interface
from linerate.measure.tuning.journal import Journal, Owner, Setting
from linerate.measure.tuning.knobs import HELD, KNOBS, Knob, Readable, find_held, find_knob
from linerate.measure.tuning.refusals import refuse_unsafe
from linerate.measure.tuning.restore import Outcome, restore

__all__ = [
    "HELD",
    "KNOBS",
    "Interface",
    "Journal",
    "Knob",
    "Outcome",
    "Owner",
    "Readable",
    "Setting",
    "change",
    "find_held",
    "find_knob",
    "foreseen",
    "refuse_unsafe",
    "restore",
    "tuned",
]
