"""Memory that DPDK 22.11 takes for what a pipeline keeps: it takes it all at once, at the start.

Where it is too little DPDK only says "No such device".
"""

from __future__ import annotations

from collections.abc import Iterator

from linerate.measure.datapaths.swx.spec.spec import Selector, Spec, Table

PACKETS_MIB = 128
"""For packets, rings and all else."""
LEAST_MIB = 256
"""What the runner takes anyway."""
METER_BYTES = 256
"""At most, of ``struct meter`` with its counters."""
COPIES = 2
"""Of tables and selectors: the one that packets see, and the one that is changed."""
KEYS_PER_BUCKET = 4
"""Of exact tables and learners; each bucket has up to two cache lines beside keys and data."""
BUCKET_BYTES = 128


def power_of_2(number: int) -> int:
    """Round up to a power of two.

    >>> power_of_2(1000), power_of_2(1024), power_of_2(0)
    (1024, 1024, 1)
    """
    return 1 << max(0, number - 1).bit_length()


def memory_mib(spec: Spec, instances: int) -> int:
    """Memory to start with, MiB.

    Parameters
    ----------
    spec
        The pipeline.
    instances
        How many run, each with tables of its own.
    """
    kept = instances * sum(_kept_bytes(spec))
    return max(LEAST_MIB, PACKETS_MIB + -(-kept // (1 << 20)))


def _kept_bytes(spec: Spec) -> Iterator[int]:
    yield from (8 * power_of_2(each.size) for each in spec.registers.values())
    yield from (METER_BYTES * power_of_2(size) for size in spec.meters.values())
    yield from (COPIES * _table_bytes(spec, table) for table in spec.tables.values())
    yield from (COPIES * _selector_bytes(selector) for selector in spec.selectors.values())


def _table_bytes(spec: Spec, table: Table) -> int:
    key_bytes = sum(spec.bits(field) or 0 for field, _ in table.key) // 8
    args = [spec.structs.get(spec.actions[name].args, {}) for name, _ in table.actions]
    data_bytes = 8 + max((sum(fields.values()) // 8 for fields in args), default=0)
    entry_bytes = power_of_2(key_bytes) + power_of_2(data_bytes)
    bucket_bytes = BUCKET_BYTES + KEYS_PER_BUCKET * entry_bytes if table.learns else (
        BUCKET_BYTES + entry_bytes)  # fmt: skip
    return power_of_2(table.size or 0) * bucket_bytes


def _selector_bytes(selector: Selector) -> int:
    return 4 * power_of_2(selector.groups_max) * power_of_2(selector.members_per_group_max)
