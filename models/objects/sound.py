"""Whether an answer can rest on a box's costs: the file may be anybody's."""

from __future__ import annotations

from math import isfinite

from linerate.box import Box, Cost
from linerate.errors import BadInputError, bad_input
from linerate.programs.costs import (
    AROUND,
    BEHIND,
    LATENCIES,
    LATENCY,
    MIXED,
    OPERATION,
    SERIAL,
    SHARING,
    SPLIT,
    YARDSTICK,
    is_base,
    latency_name,
)

COST_NS_MIN, COST_NS_MAX = 1e-3, 1e9
"""What takes less than a picosecond, or more than a second, is not a cost of a packet."""
FRAME_BYTES_MAX, QUEUES_MAX = 65_536, 4096
_OF_PARTS = (MIXED, OPERATION, AROUND, SHARING, BEHIND)


def check_costs(box: Box) -> None:
    """Refuse costs as no calibration writes them.

    Raises
    ------
    BadInputError
        A number that cannot be, a name that says no frame size, queues or load, or a latency
        without what belongs to it.
    """
    for name, cost in box.costs.items():
        if name == YARDSTICK or name.startswith((SPLIT, SERIAL)):
            _check_value(box, name, cost, least_ns=COST_NS_MIN)
        elif name.startswith(LATENCY):
            _check_value(box, name, cost, least_ns=COST_NS_MIN)
            _check_latency(box, name)
        elif name.startswith(_OF_PARTS):
            _check_value(box, name, cost, least_ns=-COST_NS_MAX)
        elif is_base(name):
            _check_value(box, name, cost, least_ns=COST_NS_MIN)
            _, _, frame_bytes, queues = name.split(".")
            if not (_is_count(frame_bytes, FRAME_BYTES_MAX) and _is_count(queues, QUEUES_MAX)):
                raise _refused(box, name, "it names no frame size and number of queues")


def _check_value(box: Box, name: str, cost: Cost, least_ns: float) -> None:
    ends = (cost.value_ns, cost.lower_ns, cost.upper_ns)
    if not all(isfinite(end) and abs(end) <= COST_NS_MAX for end in ends):
        raise _refused(box, name, f"{cost} is not a time of a packet")
    # The interval of a base cost may reach below nothing: few rounds say little.
    own = ends if name.startswith(LATENCY) else ends[:1]
    if min(own) < least_ns:
        raise _refused(box, name, f"{min(own)} ns is too little")


def _check_latency(box: Box, name: str) -> None:
    which, _, rest = name.removeprefix(LATENCY).partition(".")
    datapath, _, percent = rest.rpartition(".")
    if which not in LATENCIES or not _is_count(percent, 99):
        raise _refused(box, name, "it names no latency and load in percent")
    beside = [latency_name(each, datapath, int(percent)) for each in LATENCIES]
    missing = [each for each in (*beside, f"{SPLIT}{datapath}", f"{SERIAL}{datapath}")
               if each not in box.costs]  # fmt: skip
    if missing:
        raise _refused(box, name, f"{missing[0]}, which belongs to it, is not there")


def _is_count(text: str, most: int) -> bool:
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return is_number and 1 <= int(text) <= most and not text.startswith("0")


def _refused(box: Box, name: str, why: str) -> BadInputError:
    return bad_input(
        "box", box.name, why=f"its cost {name[:100]!r} cannot be: {why}",
        allowed="costs as linerate calibrate writes them",
        do="calibrate the machine anew: sudo linerate calibrate --out BOX.toml",
    )  # fmt: skip
