"""What a packet waits before it is sent, where a field behind its port was just written.

``sudo python benchmarks/own/waits.py FOLDER``. DPDK reads the port as 8 bytes, and a write to a
part of these has to leave the core's store buffer first. Each pipeline does something and writes a
field, or the other way round. The field lies right behind the port, and 8 bytes further in another
pipeline that is otherwise the same; all are measured in turn. Printed is what the first adds.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from judged import measured
from pipelines import SHORT, cell_of, measured_ns
from written import Parts, spec_of

TO = "0xc6130000"
"""Where the lab's flow goes."""
LAYOUTS = {"near": "32 written", "far": "64 gap, 32 written"}
MORE = "64 gap_2, 32 hashed, 64 gap_3, 32 learnt, 32 timeout, 32 group, 32 member, 32 colour"
"""Metadata behind the field: what the work below needs."""
ORDERS = ("before", "after")
LEARNING = "known(32 learnt): return\n\nfirst: learn known m.learnt m.timeout; return"
WRITES = {"a field": "mov m.written h.ipv4.src_addr", "a number": "mov m.written 5"}


class Work(NamedTuple):
    """What a pipeline does beside."""

    body: str = ""
    tables: str = ""
    arrays: tuple[str, ...] = ()
    members: str = ""
    entries: str = ""
    actions: str = "found: return"


WORK = {
    "nothing": Work(),
    "4 additions": Work("\n".join(["add h.ipv4.ttl 3"] * 4)),
    "10 additions": Work("\n".join(["add h.ipv4.ttl 3"] * 10)),
    "2 checksums": Work("\n".join(["ckadd h.ipv4.hdr_checksum h.ipv4.src_addr"] * 2)),
    "4 hashes": Work("\n".join(["hash jhash m.hashed h.ipv4.src_addr h.ipv4.dst_addr"] * 4)),
    "4 registers": Work("\n".join(["regadd kept 5 1"] * 4),
                        arrays=("regarray kept size 8 initval 0",)),
    "a meter": Work("meter meters h.udp.src_port h.ipv4.total_len 0 m.colour",
                    arrays=("metarray meters size 1024",)),
    "a selector": Work("table members", members="h.ipv4.dst_addr",
                       entries="".join(f"group 0 member {n} weight 1\n" for n in range(8))),
    "a table without a key": Work("table one", "one keyless: -> found"),
    "an exact table": Work("table one", "one exact: h.ipv4.dst_addr -> found, lose",
                           entries=f"match {TO} action found\n"),
    "prefixes": Work("table one", "one lpm: h.ipv4.dst_addr -> found, lose",
                     entries=f"match {TO}/0xffff0000 action found\n"),
    "a learner": Work("table one", "one learner: h.ipv4.dst_addr -> known, first",
                      actions=LEARNING),
}  # fmt: skip


class Pipeline(NamedTuple):
    """What tells one from the others."""

    work: str
    order: str
    """Whether the work comes ``before`` the write or ``after`` it."""
    write: str
    layout: str

    @property
    def name(self) -> str:
        """Name of its file."""
        return "_".join(self).replace(" ", "_")

    def parts(self) -> Parts:
        """Say what it is written from."""
        work = WORK[self.work]
        body = [work.body, WRITES[self.write]]
        table = "members" if work.members else "one"
        return Parts(
            headers={}, metadata=f"{LAYOUTS[self.layout]}, {MORE}", actions=work.actions,
            tables=work.tables, arrays=work.arrays, members=work.members,
            parser="extract h.ipv4; extract h.udp", sent="ethernet ipv4 udp",
            body="\n".join(body if self.order == "before" else reversed(body)),
            entries={table: work.entries} if work.entries else {},
        )  # fmt: skip


def pipelines() -> list[Pipeline]:
    """List the pipelines whose field is near; numbers are written in one alone."""
    found = [Pipeline(work, order, "a field", "near") for work in WORK for order in ORDERS]
    return [Pipeline("nothing", "before", "a number", "near"), *found]


def write_campaign(folder: Path) -> None:
    """Write pipelines, entries and the campaign."""
    folder.mkdir(parents=True)
    cells = []
    for near in pipelines():
        for each in (near, near._replace(layout="far")):
            parts = each.parts()
            (folder / f"{each.name}.spec").write_text(spec_of(parts))
            files = {table: folder / f"{each.name}_{table}.txt" for table in parts.entries}
            for table, entries in parts.entries.items():
                files[table].write_text(entries)
            cells.append(cell_of(each.name, files))
    (folder / "campaign.toml").write_text(SHORT.format(name="waits") + "".join(cells))


def main() -> None:
    """Measure and print."""
    _, runs = measured(__doc__, write_campaign)
    taken = {name: measured_ns(rows) for name, rows in runs.groupby("program")}
    for each in pipelines():
        near, far = (taken[f"{each._replace(layout=layout).name}.spec"] for layout in LAYOUTS)
        added = float(np.median(near) - np.median(far))
        print(f"{each.work} {each.order} {each.write}: {added:+.1f} ns on {np.median(far):.1f} "
              f"({near.min() - far.max():+.1f} to {near.max() - far.min():+.1f})")  # fmt: skip


if __name__ == "__main__":
    main()
