"""AF_XDP sockets on the interface that the user named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType

from linerate.cells import Cell
from linerate.measure.datapaths.af_xdp.forwarder import forward, program_hash
from linerate.measure.datapaths.af_xdp.veth import Forwarder, SocketCounts, dropped_by
from linerate.measure.datapaths.nic.trial import NicDut, send_far
from linerate.measure.labs.nic import NicLab
from linerate.measure.trials.bench import Timing
from linerate.records import Trial


@contextmanager
def put_sockets(lab: NicLab, cell: Cell) -> Iterator[NicDut]:
    """Put sockets and the threads that serve them on the device's cores."""
    with forward(lab, cell) as forwarder:

        def run(cell: Cell, timing: Timing) -> Trial:
            return _run_trial(lab, cell, forwarder, timing)

        yield NicDut(program_hash=program_hash(), run_trial=run, processes=(forwarder.runner,))


@dataclass(slots=True)
class _Counted:
    """What the sockets counted while the context was open."""

    forwarder: Forwarder
    looks: list[SocketCounts] = field(default_factory=list)

    def __enter__(self) -> _Counted:
        self._look()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._look()

    def _look(self) -> None:
        self.forwarder.runner.tell("")
        self.looks.append(self.forwarder.read_counts())


def _run_trial(lab: NicLab, cell: Cell, forwarder: Forwarder, timing: Timing) -> Trial:
    threads = (*forwarder.napi_threads, *forwarder.threads)
    with_sockets = _Counted(forwarder)
    far = send_far(lab, cell, timing, threads, with_sockets)
    begin, end = with_sockets.looks
    if forwarder.settings.busy_poll:
        end.check_polled()
    return replace(
        far.trial(), dropped=dropped_by(far.dropped, end - begin, forwarder.settings.hook)
    )
