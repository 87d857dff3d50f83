"""Traffic run as the agent runs it, to its end."""

import select

from linerate.measure.remote.traffic import Traffic


def result_of(argv, seconds):
    """Return what a generator printed; raise what the agent would."""
    traffic = Traffic(argv, seconds)
    while traffic.open_fds:
        for fd in select.select(traffic.open_fds, [], [])[0]:
            traffic.read(fd)
    return traffic.result()
