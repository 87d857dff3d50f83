"""What a search among masks or prefixes takes, by how much of the key its entries look at.

``sudo python benchmarks/own/searches.py FOLDER``. DPDK searches by the library acl: it takes the
first byte of a key, then four bytes a step, and leaves out steps that no entry has a mask for.
Each pipeline here has one table, on fields of metadata that nobody writes; all are measured in
turn. Printed are what each search adds to the pipeline without, and the line through them.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from judged import measured
from pipelines import SHORT, cell_of, measured_ns

from linerate.measure.datapaths.swx.spec.file import read_spec
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.searches import steps_of

FIELD_BYTES = 4
FIELDS = 8
FULL = 0xFFFFFFFF
NO_TABLE = "none"
SPEC = """\
struct ethernet_h {{
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}}

header ethernet instanceof ethernet_h

struct metadata_t {{
	bit<32> port
{fields}}}

metadata instanceof metadata_t

{table}apply {{
	rx m.port
	extract h.ethernet
{look_up}	emit h.ethernet
	tx m.port
}}
"""
TABLE = """\
action found args none {{
	return
}}

table search {{
	key {{
{key}	}}
	actions {{
		found
	}}
	default_action found args none const
	size 1024
}}

"""
Masks = tuple[tuple[int, ...], ...]


class Search(NamedTuple):
    """A table of one pipeline."""

    match: str
    masks: Masks
    """Of each entry, of each field of the key: what of it counts."""


def steps_in(plan: Path, name: str) -> int:
    """Count the steps of a search by its pipeline and entries, as questions about one do."""
    spec = read_spec(plan / f"{name}.spec")
    return steps_of(spec, "search", filled(spec, "search", (plan / f"{name}.txt").read_text()))


def searches() -> dict[str, Search]:
    """List searches by the name of their pipeline."""
    found = {"any_of_16": Search("wildcard", ((0,) * 4,)),
             "first_of_16": Search("wildcard", ((FULL, 0, 0, 0),)),
             "byte_of_16": Search("wildcard", ((0xFF, 0, 0, 0),)),
             "four_of_16": Search("wildcard", tuple(
                 tuple(FULL if place == own else 0 for place in range(4)) for own in range(4))),
             "prefix_of_4": Search("lpm", ((FULL,),))}  # fmt: skip
    for fields in (1, 2, 3, 4, 6, FIELDS):
        found[f"all_of_{FIELD_BYTES * fields}"] = Search("wildcard", ((FULL,) * fields,))
        found[f"last_of_{FIELD_BYTES * fields}"] = Search(
            "wildcard", ((*(0,) * (fields - 1), FULL),))  # fmt: skip
    return found


def write_campaign(folder: Path) -> None:
    """Write pipelines, entries and the campaign."""
    folder.mkdir(parents=True)
    fields = "".join(f"\tbit<32> field_{place}\n" for place in range(FIELDS))
    (folder / f"{NO_TABLE}.spec").write_text(SPEC.format(fields=fields, table="", look_up=""))
    cells = [cell_of(NO_TABLE, {})]
    for name, search in searches().items():
        key = "".join(f"\t\tm.field_{place} {search.match}\n"
                      for place in range(len(search.masks[0])))  # fmt: skip
        (folder / f"{name}.spec").write_text(
            SPEC.format(fields=fields, table=TABLE.format(key=key), look_up="\ttable search\n")
        )
        entries = "".join(
            f"match {' '.join(f'0x0/{mask:#x}' for mask in entry)}"
            f"{f' priority {place}' if search.match == 'wildcard' else ''} action found\n"
            for place, entry in enumerate(search.masks)
        )
        (folder / f"{name}.txt").write_text(entries)
        cells.append(cell_of(name, {"search": folder / f"{name}.txt"}))
    (folder / "campaign.toml").write_text(SHORT.format(name="searches") + "".join(cells))


def main() -> None:
    """Measure and print."""
    plan, runs = measured(__doc__, write_campaign)
    taken = {name: measured_ns(rows) for name, rows in runs.groupby("program")}
    bare_ns = float(np.median(taken[f"{NO_TABLE}.spec"]))
    steps, added = [], []
    for name in sorted(searches(), key=lambda name: steps_in(plan, name)):
        ns = taken[f"{name}.spec"] - bare_ns
        steps.append(steps_in(plan, name))
        added.append(float(np.median(ns)))
        print(f"{steps[-1]} steps, {name}: {added[-1]:.1f} ns ({ns.min():.1f} to {ns.max():.1f})")
    each_ns, once_ns = np.polyfit(steps, added, 1)
    left = np.array(added) - np.polyval([each_ns, once_ns], steps)
    print(f"{once_ns:.1f} ns, and {each_ns:.1f} a step; off by {np.abs(left).max():.1f} ns at most")


if __name__ == "__main__":
    main()
