"""What is asked about a user's program, and what is answered."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from linerate.errors import bad_input
from linerate.links import check_link
from linerate.models.objects.headroom import SpareOperation
from linerate.models.objects.learnt import RunThere
from linerate.models.objects.under_load import LoadAnswer
from linerate.models.objects.verdict_paths import VerdictPath
from linerate.models.runs.limit_names import LIMIT_NAMES
from linerate.programs.costs import FORWARD, LOCAL, REDIRECT, TAKING, UNROUTED
from linerate.units import short

LIMITED_BY = {"link": LIMIT_NAMES["line"], "cpu": LIMIT_NAMES["service"]}
SHARED_RATIO, SHARED_NS = 1.1, 5.0
"""From what times its time alone on, and what more, cores that share entries are named."""
ADDRESSLESS = "drops what passes: it has no address (environment in maps.toml)"
BEHIND_NAMES = {UNROUTED: "drops what passes: it has no route",
                LOCAL: "delivers what passes to this host, where no socket takes it",
                FORWARD: "forwards what passes by another interface"}  # fmt: skip
ALL = 0.999
"""Share from which on it is all."""
ROOMS_SHOWN = 4
"""Kinds of operations that the text names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectQuestion:
    """Where the program is to run."""

    datapath: str
    link_gbps: float
    queues: int | None = None
    """None: the fewest that sustain line rate, of those calibrated."""
    offered_mpps: float | None = None
    """A load whose latency is asked about, beside that of line rate and shares of the capacity; a
    link that carries less only brings line rate."""
    other_machine: bool = False
    """Whether the box was calibrated on another machine than the one that is asked about: its
    costs are less sure."""
    now_deviation: float | None = None
    """How unsteady the host was, as a share of a packet's time, where the hook was tried a moment
    ago: costs are surer."""
    carried: bool = False
    """Whether the program was timed on another kind of CPU than the box has: its time is less
    sure."""
    runs: tuple[RunThere, ...] = ()
    """Runs of the program on the box, by which the answer is corrected."""
    behind: tuple[tuple[str, float], ...] = ()
    """What the stack does with packets that pass (``linerate.programs.costs.STACK``), and with what
    share of them, nothing where it has no address, and drops them; and of redirected ones, whether
    they go ``TO_CPU``."""

    def __post_init__(self) -> None:
        check_link(self.link_gbps)
        if self.offered_mpps is not None and not 0.0 < self.offered_mpps < float("inf"):
            raise bad_input("offered_mpps", self.offered_mpps, why="no load that has a latency",
                            allowed="above 0", do="correct it")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectAnswer:
    """What one program sustains on one datapath."""

    program: str
    datapath: str
    box: str
    frame_bytes: float
    """Mean size, with FCS."""
    link_gbps: float
    queues: int
    """Fewest that sustain line rate; where none does, the most that were calibrated."""
    sustains: bool
    sustains_line_rate: float
    """Probability, 0 to 1."""
    predicted_mpps: float
    lower_mpps: float
    upper_mpps: float
    """Ends of the 90 % interval."""
    line_rate_mpps: float
    predicted_gbps: float
    """The same on the wire, with preamble and gap."""
    bottleneck: str
    """``link`` or ``cpu``."""
    base_ns: float
    """Time of a packet that is not the program's, on one core."""
    program_ns: float
    """Time of the program, while each queue's core runs it."""
    alone_ns: float
    """Time of the program while no other core runs it."""
    lower_program_ns: float
    upper_program_ns: float
    """Ends of its 90 % interval, for one more load of it."""
    headroom_ns: float
    """Time that each packet could still take at line rate; negative: what is too much."""
    room: tuple[SpareOperation, ...]
    """What fits into it, where operations were calibrated."""
    cpu_busy_ratio: float
    """Share of each core's time at line rate, or at all that is forwarded."""
    loads: tuple[LoadAnswer, ...]
    """Latency at the load that is offered, at line rate, and at shares of the capacity."""
    paths: tuple[VerdictPath, ...]
    """Where packets end, and what the program takes for them."""
    in_domain: bool
    behind: tuple[tuple[str, float], ...] = ()
    """What goes on behind the hook, and with what share of the packets of its verdict."""
    waiting_ns: float = 0.0
    """Of ``base_ns``: what the other cores take longer that packets are handed to."""
    queues_needed: int | None = None
    """Fewest queues that would sustain line rate, beyond what was calibrated, too; None where up to
    64 do not, or others were not asked about."""

    @property
    def packet_ns(self) -> float:
        """Time of a packet on one core."""
        return self.base_ns + self.program_ns

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            self._verdict(),
            f"  packet   {short(self.packet_ns, 4)} ns of a core: {short(self.program_ns)} "
            f"[{short(self.lower_program_ns)} to {short(self.upper_program_ns)}] in the program, "
            f"{short(self.base_ns)} around it",
            *self._sharing(),
            f"  to spare {self._headroom()}",
            f"  ends in  {', '.join(map(str, self.paths))}",
            *self._behind(),
            f"  latency  {self._latency()}",
            f"  cores    {self.cpu_busy_ratio:.0%} busy at "
            f"{'line rate' if self.bottleneck == 'link' else 'all that is forwarded'}",
        ]
        if not self.in_domain:
            lines.append("  outside what was calibrated: verdict, frame size or number of queues")
        return "\n".join(lines)

    def _verdict(self) -> str:
        ends = f"{self.lower_mpps:.3g} to {self.upper_mpps:.3g}"
        rate = (f"{self.predicted_mpps:.3g} [{ends}] of {self.line_rate_mpps:.4g} Mpps, "
                f"{self.predicted_gbps:.3g} Gbit/s")  # fmt: skip
        queues = f"{self.queues} queue{'s' if self.queues > 1 else ''}"
        if self.sustains:
            return (f"yes, with {queues} ({self.sustains_line_rate:.0%} sure): {rate}, "
                    f"limited by {self._limit()}")  # fmt: skip
        sure = 1 - self.sustains_line_rate
        more = f"; {self.queues_needed} would do, by extrapolation" if self.queues_needed else ""
        return (f"no ({sure:.0%} sure): with {queues} {rate}, limited by "
                f"{self._limit()}{more}")  # fmt: skip

    def _limit(self) -> str:
        if self.waiting_ns and self.bottleneck == "cpu":
            return "the other core"
        return LIMITED_BY[self.bottleneck]

    def _behind(self) -> list[str]:
        """Say what lies behind the hook for packets that pass, or go to another core."""
        verdicts = {path.verdict for path in self.paths}
        lines = []
        if "pass" in verdicts:
            stack_ends = [BEHIND_NAMES[kind] + ("" if share > ALL else f" ({share:.0%})")
                          for kind, share in self.behind if kind in BEHIND_NAMES]  # fmt: skip
            lines = [f"  behind   the stack {', '.join(stack_ends or [ADDRESSLESS])}"]
        if REDIRECT in verdicts and TAKING in dict(self.behind):
            cores = round(1.0 / dict(self.behind)[TAKING])
            slower = f", slower by {short(self.waiting_ns)} ns a packet" if self.waiting_ns else ""
            others = "another core that takes" if cores == 1 else f"{cores} other cores that take"
            lines.append(f"  behind   {others} packets from a queue{slower}")
        return lines

    @property
    def is_shared(self) -> bool:
        """Whether the program is slower because other cores run it, too."""
        return self.program_ns > max(SHARED_RATIO * self.alone_ns, self.alone_ns + SHARED_NS)

    def _sharing(self) -> list[str]:
        if not self.is_shared:
            return []
        return [f"  sharing  the program takes {short(self.alone_ns)} ns on one core alone: the "
                "cores write to the same entries of maps"]  # fmt: skip

    def _headroom(self) -> str:
        if self.headroom_ns < 0:
            return f"nothing: a packet takes {short(-self.headroom_ns)} ns too much for line rate"
        room = " or ".join(map(str, self.room[:ROOMS_SHOWN]))
        return f"{short(self.headroom_ns)} ns a packet at line rate" + (f": {room}" if room else "")

    def _latency(self) -> str:
        shares = [load for load in self.loads if load.name.endswith("%")]
        named = [load for load in self.loads if not load.name.endswith("%")]
        return "; ".join([
            *(f"at {load}" for load in named), f"at {', '.join(map(str, shares))} of capacity",
        ]) + f" ({self.loads[0].model})"  # fmt: skip
