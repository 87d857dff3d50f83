"""A chain that is up, and what its stages, sockets and links have counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from linerate.measure.datapaths.chain.lab import BACK_DEVICE, UPLINK, ChainLab, Node
from linerate.measure.labs.namespace import Namespace
from linerate.measure.processes.held import HeldProcess

Threads = tuple[tuple[int, int], ...]
"""Pairs (core, thread id) of what carries packets."""


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """Time that a thread ran, and that it was ready while another one had its core."""

    run_ns: int
    wait_ns: int

    @classmethod
    def of(cls, thread: int) -> ThreadTime:
        """Read a thread's times since it began."""
        run_ns, wait_ns, _ = Path(f"/proc/{thread}/schedstat").read_text().split()
        return cls(int(run_ns), int(wait_ns))

    def __sub__(self, earlier: ThreadTime) -> ThreadTime:
        """Take the times since an earlier reading."""
        return ThreadTime(self.run_ns - earlier.run_ns, self.wait_ns - earlier.wait_ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCounts:
    """What became of the packets of a stage; all but ``done`` and ``other`` were dropped."""

    done: int
    other: int
    """None of its business: let by, untouched."""
    malformed: int
    unknown_path: int
    unknown_flow: int
    ttl: int
    si: int
    """Service index used up."""
    no_room: int
    early: int
    """Sent before the counted time, and stopped at the entry of the chain: not lost."""

    @property
    def dropped(self) -> int:
        """Packets that were lost, whatever the reason."""
        reasons = (self.malformed, self.unknown_path, self.unknown_flow, self.ttl, self.si)
        return sum(reasons) + self.no_room


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCounts:
    """What a function's process counted so far."""

    thread: int
    """Id of the thread that carries the packets."""
    received: int
    sent: int
    skipped: int
    """None of its business."""
    si: int
    """Service index used up: dropped."""
    unsent: int
    """The kernel did not take them."""
    socket: int
    """Lost in front of its socket."""


_STAGES = TypeAdapter(dict[str, StageCounts])
_FUNCTION = TypeAdapter(FunctionCounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningNode:
    """The processes of one node."""

    node: Node
    stages: HeldProcess
    function: HeldProcess | None
    """None where the function is a program of tc, and at the ends."""

    def stage_counts(self) -> Mapping[str, StageCounts]:
        """Ask for the packets of each stage, by ``name@device``."""
        return self.stages.parse(_STAGES, self.stages.ask("counts"))

    def function_counts(self) -> FunctionCounts | None:
        """Ask the function's process; None without one."""
        if self.function is None:
            return None
        return self.function.parse(_FUNCTION, self.function.ask("counts"))

    def served(self) -> int:
        """Packets that the node's function has had, whatever it is."""
        if (counts := self.function_counts()) is not None:
            return counts.received
        return self.stage_counts()[f"bounce@{UPLINK}"].done


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningChain:
    """A chain whose packets move."""

    lab: ChainLab
    nodes: tuple[RunningNode, ...]
    napi_threads: Threads
    """Those of the source and the hub."""

    @property
    def processes(self) -> tuple[HeldProcess, ...]:
        """Everything that the nodes run."""
        held = ((running.stages, running.function) for running in self.nodes)
        return tuple(process for pair in held for process in pair if process is not None)

    def dropped(self) -> Counter[str]:
        """Packets lost so far, by place: links, stages, sockets and functions."""
        places: Counter[str] = Counter()
        for running in self.nodes:
            for stage in running.stage_counts().values():
                places["stages"] += stage.dropped
            if function := running.function_counts():
                places["sockets"] += function.socket
                places["functions"] += function.unsent + function.si
        for namespace, device in self.lab.links():
            places["links"] += _tx_dropped(namespace, device)
        return places

    def delivered(self) -> int:
        """Packets that left the destination towards the sink so far, and found room there."""
        (end,) = (running for running in self.nodes if running.node is self.lab.destination)
        crossed = end.stage_counts()[f"cross@{UPLINK}"].done
        return crossed - _tx_dropped(end.node.namespace, BACK_DEVICE)

    def moved(self) -> int:
        """Packets that stages and functions have seen so far, each as often as it was seen."""
        seen = 0
        for running in self.nodes:
            seen += sum(stage.done + stage.dropped for stage in running.stage_counts().values())
            if function := running.function_counts():
                seen += function.received + function.sent
        return seen

    def threads(self) -> Threads:
        """Every thread of the chain, the source's first."""
        return self.napi_threads + tuple(
            (running.node.core, counts.thread)
            for running in self.nodes
            if (counts := running.function_counts())
        )


def _tx_dropped(namespace: Namespace, device: str) -> int:
    return int((namespace.sys_class_net(device) / "statistics/tx_dropped").read_text())
