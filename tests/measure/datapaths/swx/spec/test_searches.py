"""Searches among masks and prefixes are told by how far they go in a key."""

import numpy as np
import pytest

from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following.filled import filled
from linerate.measure.datapaths.swx.spec.following.paths import shared_paths
from linerate.measure.datapaths.swx.spec.following.searches import steps_of

from .pipelines import ROUTER

RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("masks", "steps"),
    [
        ("0x0 0x0 0x0", 0),
        ("0x0 0xff 0x0", 1),
        ("0x0 0x0 0xff000000", 1),
        ("0x0 0x0 0xffffffff", 2),
        ("0xff 0x0 0xff", 1),
        ("0xff 0xff 0xff", 2),
    ],
    ids=["none", "in the first", "its first byte", "across two", "first byte and last", "all"],
)
def test_a_search_takes_the_steps_that_entries_have_masks_for(masks, steps):
    """The key is the bytes of IPv4 from the TTL on: 1, 1, the checksum's 2, 4 of an address."""
    fields = ("ttl", "protocol", "src_addr")
    key = "".join(f"\t\th.ipv4.{name} wildcard\n" for name in fields)
    spec = parse_spec(ROUTER.replace("\t\th.ipv4.dst_addr lpm\n", key))
    hit = " ".join(f"0x0/{mask}" for mask in masks.split())
    tables = {"routes": filled(spec, "routes", f"match {hit} priority 0 action lose\n")}
    assert steps_of(spec, "routes", tables["routes"]) == steps
    counted = [dict(path.operations) for path in shared_paths(spec, RNG, tables)
               if "routes:lose" in path.choices]  # fmt: skip
    name = "table_wildcard" + (f"_{steps}_steps" if steps > 1 else "")
    assert counted
    assert all(each[name] == 1 for each in counted)


def test_metadata_lies_as_the_machine_writes_it():
    text = ROUTER.replace("h.ipv4.dst_addr lpm", "m.hop wildcard")
    spec = parse_spec(text)
    steps = [
        steps_of(spec, "routes", filled(
            spec, "routes", f"match 0x0/{mask} priority 0 action lose\n"))
        for mask in ("0xff", "0xff00")
    ]  # fmt: skip
    assert steps == [0, 1]
