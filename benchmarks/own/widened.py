"""What pipelines gain whose metadata does not wait: keys and ports in fields of 64 bits.

``sudo python benchmarks/own/widened.py FOLDER``. Pipelines as p4c writes them copy addresses and
ports of a packet to metadata fields of 8 to 32 bits in turn, and DPDK reads each as 8 bytes, of
which the one before was just written. Each of those pipelines is measured as it is and with these
fields declared as 64 bits, all in turn. Printed is what a packet takes, and what the shipped costs
say of the change.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from judged import measured
from later_specs import later_specs
from pipelines import SHORT, cell_of, measured_ns, paths_of, tables_in
from specs import own_specs

from linerate.face.fits.pipelines import SHIPPED
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.models.file.saved import load_model
from linerate.models.pipelines.case import cases_of

COPIED = re.compile(r"bit<(?:8|16|32)> (key_\w+|src|dst|sport|dport|protocol)\n")
"""Fields of metadata that a packet's are copied to."""
LONG = 64
PREFIX = re.compile(r"/0x(f[0-9a-f]{7})\b")


def widened(text: str) -> str:
    """Declare the fields as 64 bits."""
    before, struct, rest = text.partition("struct metadata_t {")
    fields, end, code = rest.partition("}")
    return before + struct + COPIED.sub(r"bit<64> \1\n", fields) + end + code


def longer(entries: str) -> str:
    """Write prefixes of 32 bits as those of 64 that find the same."""
    return PREFIX.sub(r"/0xffffffff\1", entries)


def write_campaign(folder: Path) -> None:
    """Write pipelines, entries and the campaign."""
    folder.mkdir(parents=True)
    cells = []
    for name, (text, tables) in (own_specs() | later_specs()).items():
        if widened(text) == text:
            continue
        found = parse_spec(widened(text))
        keys = {table: each.key for table, each in found.tables.items()}
        for kind, spec in (("as_it_is", text), ("widened", widened(text))):
            (folder / f"{name}-{kind}.spec").write_text(spec)
            files = {table: folder / f"{name}-{kind}_{table}.txt" for table in tables}
            for table, entries in tables.items():
                grows = kind == "widened" and any(
                    match == "lpm" and found.bits(field) == LONG
                    for field, match in keys.get(table, ())
                )
                files[table].write_text(longer(entries) if grows else entries)
            cells.append(cell_of(f"{name}-{kind}", files))
    (folder / "campaign.toml").write_text(SHORT.format(name="widened") + "".join(cells))


def main() -> None:
    """Measure, predict and print."""
    plan, runs = measured(__doc__, write_campaign)
    taken = {name: measured_ns(rows) for name, rows in runs.groupby("program")}
    costs, files = load_model(SHIPPED).mixes, tables_in(plan)
    assert costs is not None, "no costs are shipped"
    for name in sorted({each.removesuffix("-widened") for each in files if "widened" in each}):
        ns, said = [], []
        for each in (f"{name}-as_it_is", f"{name}-widened"):
            ns.append(float(np.median(taken[f"{each}.spec"])))
            paths = paths_of(plan / f"{each}.spec", files[each])
            said.append(cases_of(each, paths, costs)[0][1].packet_ns)
        print(f"{name}: {ns[0]:.1f} to {ns[1]:.1f} ns, {ns[1] / ns[0] - 1:+.0%}; "
              f"said {said[1] / said[0] - 1:+.0%}")  # fmt: skip


if __name__ == "__main__":
    main()
