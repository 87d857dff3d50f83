"""A process that waits, then takes a core for a while; its scheduling class is its caller's.

``python -I -S hog.py DELAY_SECONDS SECONDS``, the leader of a session of its own.
"""

import os
import resource
import sys
import time
from contextlib import suppress


def main(delay_seconds, seconds):
    """Wait, then run."""
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # whatever becomes of us: the kernel ends us
    with suppress(OSError), open("/proc/self/autogroup", "w") as group:
        # Its nice would count in its session alone.
        group.write(str(os.getpriority(os.PRIO_PROCESS, 0)))
    time.sleep(delay_seconds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
