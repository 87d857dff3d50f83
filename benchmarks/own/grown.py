"""Whether a pipeline takes longer because it is large: instructions that no packet executes.

``sudo python benchmarks/own/grown.py FOLDER``. Eight pipelines as p4c writes them get a block of up
to 500 instructions for an Ethertype that no packet has. All are measured in turn. Printed is what
they take more than without the block. How many instructions of each the compiler calls says
``python -m benchmarks.models.calls FOLDER/plan/*.spec``.
"""

from __future__ import annotations

from itertools import cycle, islice
from pathlib import Path

import numpy as np
from judged import measured
from later_specs import later_specs
from pipelines import SHORT, cell_of, measured_ns
from specs import own_specs

from linerate.measure.datapaths.swx.spec.file import parse_spec

NAMES = ("bridge", "counter", "nat", "gateway", "sketch", "conntrack", "overlay", "router")
SIZES = (0, 30, 60, 120, 250, 500)
"""Instructions of the block."""
ENTRANCE = "extract h.ethernet\n"
BLOCK = ("mov m.{field} h.ipv4.dst_addr", "add m.{field} 3", "mov h.ipv4.src_addr m.{field}",
         "and m.{field} 0xff", "jmpeq GROWN m.{field} 7", "xor m.{field} 1",
         "mov h.udp.src_port m.{field}", "sub h.ipv4.ttl 1",
         "ckadd h.ipv4.hdr_checksum h.ipv4.src_addr")  # fmt: skip


def grown(text: str, size: int) -> str:
    """Put a block behind the Ethernet header, and a jump over it that all packets take."""
    if not size:
        return text
    spec = parse_spec(text)
    field = next(name for name, bits in spec.structs[spec.metadata].items() if bits == 32)
    block = [line.format(field=field) for line in islice(cycle(BLOCK), size)]
    lines = ["jmpneq GROWN h.ethernet.ethertype 0x1234", *block, "GROWN : validate h.ethernet"]
    head, _, rest = text.partition(ENTRANCE)
    return head + ENTRANCE + "".join(f"\t{line}\n" for line in lines) + rest


def write_campaign(folder: Path) -> None:
    """Write pipelines, entries and the campaign."""
    folder.mkdir(parents=True)
    cells = []
    for name in NAMES:
        text, tables = (own_specs() | later_specs())[name]
        files = {table: folder / f"{name}_{table}.txt" for table in tables}
        for table, entries in tables.items():
            files[table].write_text(entries)
        for size in SIZES:
            (folder / f"{name}-{size}.spec").write_text(grown(text, size))
            cells.append(cell_of(f"{name}-{size}", files))
    (folder / "campaign.toml").write_text(SHORT.format(name="grown") + "".join(cells))


def main() -> None:
    """Measure and print."""
    _, runs = measured(__doc__, write_campaign)
    taken = {name: measured_ns(rows) for name, rows in runs.groupby("program")}
    more: dict[int, list[float]] = {size: [] for size in SIZES[1:]}
    for name in NAMES:
        without = float(np.median(taken[f"{name}-0.spec"]))
        for size in SIZES[1:]:
            more[size].append(float(np.median(taken[f"{name}-{size}.spec"])) - without)
            print(f"{name} with {size} more: {more[size][-1]:+.1f} ns on {without:.1f}")
    for size, ns in more.items():
        print(f"{size} more: {np.median(ns):+.1f} ns ({min(ns):+.1f} to {max(ns):+.1f})")


if __name__ == "__main__":
    main()
