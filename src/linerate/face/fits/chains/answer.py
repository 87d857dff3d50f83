"""What is answered about a chain of service functions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from linerate.face.fits.chains.file import ChainFile
from linerate.units import short, wire_bytes

SUSTAINS_MIN = 0.5
"""Probability from which on a chain is said to sustain line rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainAnswer:
    """What a chain sustains of frames of one size."""

    frame_bytes: int
    packet_ns: float
    """Time of a packet on the core that all stages share."""
    lower_mpps: float
    predicted_mpps: float
    upper_mpps: float
    """What it delivers when more is offered, or line rate where it carries that; 90 % interval."""
    carried_mpps: float
    """What gets through where no more is offered: more than of a flood that is lost half way."""
    line_rate_mpps: float
    sustains_line_rate: float
    """Probability."""
    in_domain: bool
    """Whether such a length and size were measured."""
    ran_ns: tuple[float, ...] = ()
    """Time of a packet in each load of the chain that ran here; empty where it did not."""

    @property
    def sustains(self) -> bool:
        """Whether it sustains line rate, more likely than not."""
        return self.sustains_line_rate >= SUSTAINS_MIN

    def __str__(self) -> str:
        gbps = 8e-3 * self.predicted_mpps * float(wire_bytes(self.frame_bytes))
        sure = self.sustains_line_rate if self.sustains else 1.0 - self.sustains_line_rate
        outside = "" if self.in_domain else "; outside what was measured"
        return (f"{self.frame_bytes} B: {'yes' if self.sustains else 'no'} ({sure:.0%} sure; line "
                f"rate {self.line_rate_mpps:.4g} Mpps): {self.predicted_mpps:.4g} Mpps "
                f"({self.lower_mpps:.4g} to {self.upper_mpps:.4g}, 90 %), {gbps:.4g} Gbit/s of the "
                f"line, {short(self.packet_ns, 4)} ns a packet{outside}")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainFits:
    """Answers for one chain."""

    path: Path
    chain: ChainFile
    answers: tuple[ChainAnswer, ...]
    parts_ns: dict[str, float]
    """Where the time of the first answer's packet goes."""
    rtt_us: float | None
    """Median round trip of an echo that finds all queues empty; None where none was measured."""
    rtts_us: tuple[float, ...]
    """The same in each load of the chain that ran here; empty where it did not."""
    cores: int
    """That functions ran on, or are taken to share."""
    notes: tuple[str, ...]
    explained: bool = False

    @property
    def sustains(self) -> bool:
        """Whether all sizes are sustained, more likely than not."""
        return all(answer.sustains for answer in self.answers)

    @property
    def bottleneck(self) -> str:
        """What takes most of a packet's time."""
        return max(self.parts_ns, key=lambda name: self.parts_ns[name])

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {
            "chain": str(self.path), "functions": [each.name for each in self.chain.functions],
            "answers": [asdict(answer) for answer in self.answers], "parts_ns": self.parts_ns,
            "bottleneck": self.bottleneck, "rtt_us": self.rtt_us, "rtts_us": list(self.rtts_us),
            "cores": self.cores, "notes": list(self.notes),
        }  # fmt: skip

    def __str__(self) -> str:
        names = " > ".join(each.name for each in self.chain.functions)
        total = sum(self.parts_ns.values())
        ran = all(answer.ran_ns for answer in self.answers)
        plural = "s" if self.cores > 1 else ""
        how = f"Run here, on {self.cores} core{plural}." if ran else "Not run: priced."
        lines = [f"Does {self.path} sustain line rate? {len(self.chain.functions)} functions on "
                 f"{self.chain.function}, {self.chain.topology}: {names}. {how}"]  # fmt: skip
        lines += [f"  {answer}" for answer in self.answers]
        share = self.parts_ns[self.bottleneck] / total
        lines.append(f"  bottleneck: the core{plural} that all stages share; most of a packet's "
                     f"time, {share:.0%}, is {self.bottleneck}")  # fmt: skip
        if self.rtt_us is not None:
            ends = [f"{short(end(self.rtts_us), 4)}" for end in (min, max) if self.rtts_us]
            loads = f" ({' to '.join(ends)} by load)" if ends else ""
            lines.append(f"  median round trip at rest: {short(self.rtt_us, 4)} us{loads}")
        if self.explained:
            lines.append(f"Where the {total:.4g} ns go at {self.answers[0].frame_bytes} B:")
            ordered = sorted(self.parts_ns.items(), key=lambda part: -part[1])
            lines += [f"  {ns:8.4g} ns  {name}" for name, ns in ordered]
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes)])
