"""What cores that count in one entry take of each other: in test runs, and behind a hook."""

from __future__ import annotations

from linerate.box import Cost
from linerate.measure.objects.calibrating.loads import cost_over_loads
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.costs import ALONE, FRAME_BYTES, TOGETHER, sharing_name
from linerate.progress import Tell

PROGRAM = "shared"
LOADS = 3


def shared_entry(datapath: str) -> str:
    """Name the program of a datapath's kind."""
    return f"tc_{PROGRAM}" if datapath == "tc" else PROGRAM


def measure_sharing(cores: int, yardstick_ns: float, tell: Tell) -> dict[str, Cost]:
    """Measure what counting takes on one core alone, and while 2, 3, ... do nothing else.

    Parameters
    ----------
    cores
        At most so many; of one alone nothing is to be learnt.
    yardstick_ns
        Of this machine: times are given as where it takes as long.
    tell
        Called before each test run.

    Returns
    -------
    Costs by name (`linerate.programs.costs`), each the median over loads with the smallest and the
    largest, ns.

    Raises
    ------
    CannotHereError
        Rights or a runner are missing.
    """
    if cores < 2:
        return {}
    tested = UnderTest(path=built.program_object(PROGRAM), entry=PROGRAM, settings=NOTHING,
                       cores=cores)  # fmt: skip
    (times,) = time_programs((tested,), of_size(FRAME_BYTES[0]), tell, LOADS)
    return {
        sharing_name(ALONE, 1): cost_over_loads(times.scaled_ns(yardstick_ns)),
        **{
            sharing_name(TOGETHER, one.cores): cost_over_loads(one.scaled_ns(yardstick_ns))
            for one in times.together
        },
    }
