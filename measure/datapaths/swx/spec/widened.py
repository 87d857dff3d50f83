"""A pipeline whose metadata fields do not wait for each other: the same with fields of 64 bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.lines import number_of
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.spec.spec import Spec
from linerate.programs.pipeline_paths import Wait

LONG_BITS = 64


def waiting_fields(spec: Spec, waits: Iterable[Wait]) -> tuple[str, ...]:
    """List the metadata fields that waits are about, in their order, but ports and long ones."""
    words = {word for wait in waits for word in f"{wait.code} {wait.write_code}".split()}
    ports = {each.operands[0] for each in spec.apply if each.name in ("rx", "tx")}
    fields = spec.structs[spec.metadata]
    return tuple(name for name, bits in fields.items()
                 if f"m.{name}" in words - ports and bits < LONG_BITS)  # fmt: skip


def widened(spec: Spec, fields: Iterable[str]) -> Spec:
    """Declare some metadata fields with 64 bits; lines are those of a text that DPDK gets.

    Raises
    ------
    BadInputError
        DPDK would not take it.
    """
    declared = {**spec.structs[spec.metadata], **dict.fromkeys(fields, LONG_BITS)}
    structs = {**spec.structs, spec.metadata: declared}
    return parse_spec(print_spec(replace(spec, structs=structs)))


def longer(spec: Spec, long: Spec, entries: Mapping[str, str]) -> dict[str, str]:
    """Write the entries of a pipeline's tables for one with longer fields: they find the same.

    A mask stays as it is, a prefix begins at the field's new first bit. Members stay as they are.

    Parameters
    ----------
    spec, long
        The pipeline, and the same with longer fields.
    entries
        By table or selector, as `read_entries` writes them.
    """
    return {
        name: "".join(f"{_longer(spec, long, name, line)}\n" for line in text.splitlines())
        if name in spec.tables
        else text
        for name, text in entries.items()
    }


def _longer(spec: Spec, long: Spec, table: str, entry: str) -> str:
    words = entry.split()
    for place, (field, match) in enumerate(spec.tables[table].key, start=1):
        before, now = spec.bits(field) or 0, long.bits(field) or 0
        if match == "exact" or before == now:
            continue
        value, _, masked = words[place].partition("/")
        mask = (number_of(masked) or 0) if masked else (1 << before) - 1
        mask |= (1 << now) - (1 << before) if match == "lpm" else 0
        words[place] = f"{value}/{mask:#x}"
    return " ".join(words)
