"""Output ports of a pipeline: as many as it names."""

import pytest

from linerate.measure.datapaths.swx.spec.checks.ports import last_port
from linerate.measure.datapaths.swx.spec.file import parse_spec

from ... import swx_programs as programs


def spec_of(*body):
    return parse_spec(programs.SPEC.format(declared="", body="\n".join(f"\t{x}" for x in body)))


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (["mov m.value 9"], 1),
        (["mov m.port 3"], 3),
        (["mov m.value 5", "mov m.port m.value"], 7),
        (["mov m.port 4", "or m.port 3"], 7),
        (["mov m.port h.ethernet.ethertype"], 1),
        (["mov m.port 63"], 63),
        (["mov m.port 64"], 1),
    ],
)
def test_last_port_is_no_less_than_what_is_named(body, last):
    assert last_port(spec_of(*body)) == last


def test_ports_of_entries_count():
    spec = parse_spec(programs.table().spec.replace("tx m.port", "tx m.value"))
    assert last_port(spec) == 1
    assert last_port(spec, ["match 0x800 action mark value 5"]) == 7
    other = parse_spec(programs.table().spec)
    assert last_port(other, ["match 0x800 action mark value 5"]) == 1, "value is not a port there"
