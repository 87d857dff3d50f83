"""Finished trials and a machine, made up to the last count."""

from datetime import UTC, datetime, timedelta

from linerate.box import Box, Cost
from linerate.cells import Cell, Load
from linerate.files.store import Provenance
from linerate.records import JournalEntry, Latency, Trial, Verdict

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PLAN = 'name = "made-up"\n'
PROVENANCE = Provenance(campaign="made-up", git_revision="abc123", argv=("linerate", "measure"))
BOX = Box(
    name="made-up-2cpu", cpu_model="Made Up 9000", cores=2, threads_per_core=1, memory_gib=7.8,
    kernel="6.18.1", mitigations={"spec_rstack_overflow": "Mitigation: Safe RET"},
    governor="none", hypervisor="unnamed", nic="veth",
    costs={"map_lookup": Cost(value_ns=1.46, lower_ns=1.4, upper_ns=1.5)},
)  # fmt: skip
CELL = Cell(
    lab="veth", mode="serial", datapath="xdp_native", program="map_lookup", memory_accesses=100,
    queues=1, link_gbps=10.0,
    load=Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=14.880952),
)  # fmt: skip


def latency(buckets):
    lower_ns = tuple(sorted(buckets))
    counts = tuple(buckets[lower] for lower in lower_ns)
    total = sum(lower * count for lower, count in buckets.items())
    return Latency(lower_ns=lower_ns, counts=counts, sum_ns=total, max_ns=lower_ns[-1] + 1)


def entry(run_id="c0000-r1", second=0, **changes):
    """Finish a trial ``second`` seconds after noon; changes are fields of the trial or entry."""
    trial = {
        "duration_s": 0.25, "intended_packets": 1000, "sent_packets": 990,
        "forwarded_packets": 900, "dropped": {"dut_ring": 90}, "cpu_busy_ratios": (0.9,),
        "program_ns": 150.5, "started_at": (NOON + timedelta(seconds=second)).isoformat(),
    }  # fmt: skip
    fields = {
        "run_id": run_id, "repetition": 1, "canary": False, "cell": CELL,
        "verdict": Verdict(state="valid"), "program_hash": "0123456789abcdef", "purpose": "run",
    }  # fmt: skip
    of_trial = {name: value for name, value in changes.items() if name not in fields}
    of_entry = {name: value for name, value in changes.items() if name in fields}
    return JournalEntry(**(fields | of_entry), trial=Trial(**(trial | of_trial)))


def canary(position, second, forwarded):
    return entry(
        f"canary-{position:05d}", second, canary=True, duration_s=1.0,
        intended_packets=10**7, sent_packets=10**7, forwarded_packets=forwarded,
    )  # fmt: skip
