"""A box whose costs are round numbers, and test runs that say what they are to."""

from linerate.box import Box, Cost
from linerate.models.objects import ObjectQuestion
from linerate.programs.costs import YARDSTICK, cost_name
from linerate.programs.times import FrameTimes, ProgramTimes

BASE_NS = {"drop": 30.0, "tx": 40.0, "pass": 300.0}
GROWTH_NS = 20.0
"""Of every base cost with each queue more."""


def cost(value_ns, half=0.1):
    return Cost(value_ns=value_ns, lower_ns=value_ns - half, upper_ns=value_ns + half)


def planted_box():
    costs = {
        cost_name("xdp_native", verdict, size, queues): cost(
            base + size / 100 + GROWTH_NS * (queues - 1)
        )
        for verdict, base in BASE_NS.items()
        for size in (64, 1518)
        for queues in (1, 2)
    }
    return box_of({YARDSTICK: cost(100.0), **costs})


def box_of(costs):
    """Return a machine with these costs, of which nothing else is known."""
    return Box(
        name="planted", cpu_model="none", cores=2, threads_per_core=1, memory_gib=1.0, kernel="6.1",
        mitigations={}, governor="none", hypervisor="none", nic="veth",
        costs=costs,
    )  # fmt: skip


def times(program_ns=20.0, yardstick_ns=100.0, **shares):
    frames = [
        FrameTimes(frame_bytes=64, share=share, verdict=verdict, program_ns=program_ns)
        for verdict, share in (shares or {"tx": 1.0}).items()
    ]
    return ProgramTimes(
        program="planted", program_ns=(program_ns - 0.1, program_ns, program_ns + 0.1),
        yardstick_ns=(yardstick_ns,) * 3, frames=tuple(frames),
    )  # fmt: skip


def asked(**changes):
    return ObjectQuestion(**({"datapath": "xdp_native", "link_gbps": 10.0} | changes))
