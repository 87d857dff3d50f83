"""Room behind what a pipeline writes: DPDK reads and writes every field as 8 bytes."""

from __future__ import annotations

from dataclasses import replace

from linerate.measure.datapaths.swx.spec.memory import power_of_2
from linerate.measure.datapaths.swx.spec.spec import Selector, Spec

PADDING_BITS = 64


def padded(spec: Spec) -> Spec:
    """Add a field behind the metadata, and a header behind all others, that nobody uses.

    The last field of either has up to 7 bytes of another memory behind it, which DPDK would read
    and write back. Groups and members of a selector are made as many as it then looks among.
    """
    metadata, header = _unused(spec, "linerate_metadata"), _unused(spec, "linerate_header")
    padding = {_unused(spec, "linerate_padding"): PADDING_BITS}
    structs = {
        **spec.structs,
        metadata: {**spec.structs[spec.metadata], **padding},
        header: padding,
    }
    selectors = {name: _rounded(selector) for name, selector in spec.selectors.items()}
    return replace(
        spec, structs=structs, metadata=metadata, headers={**spec.headers, header: header},
        selectors=selectors,
    )  # fmt: skip


def _rounded(selector: Selector) -> Selector:
    """Round up: DPDK masks a group's number by a power of two, and allocates as many as it says."""
    return replace(
        selector, groups_max=power_of_2(selector.groups_max),
        members_per_group_max=power_of_2(selector.members_per_group_max),
    )  # fmt: skip


def _unused(spec: Spec, name: str) -> str:
    taken = {*spec.structs, *spec.headers, *spec.structs[spec.metadata]}
    while name in taken:
        name += "_"
    return name
