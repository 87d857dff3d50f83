"""A generated pipeline executes what was planned and the same text comes of the same plan."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.entries import check_entries
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.following.paths import longest_path
from linerate.measure.datapaths.swx.spec.generated.entries_text import (
    copied_value,
    entries_text,
    entry_of_flow,
)
from linerate.measure.datapaths.swx.spec.generated.operation_lines import table_names
from linerate.measure.datapaths.swx.spec.generated.program import FLOWS_MAX, SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.kinds import OPERATIONS_MAX

GLUE = {
    "receive", "transmit", "extract", "emit", "move", "jump", "return", "pass_number", "stalled",
}  # fmt: skip
PLANS = st.builds(
    SwxProgram,
    base=st.sampled_from(["forward", "l2l3"]),
    operations=st.dictionaries(
        st.sampled_from(list(OPERATIONS_MAX)), st.integers(1, 12), max_size=6
    ).map(lambda mix: tuple(mix.items())),
    registers=st.sampled_from([1, 64, 1 << 20]),
    table_entries=st.sampled_from([1, 32]),
)


def counted(program):
    return dict(longest_path(parse_spec(spec_text(program))).operations)


@settings(max_examples=40, deadline=None)
@given(program=PLANS)
def test_operations_are_those_of_the_plan_beside_what_the_base_does(program):
    base = Counter(counted(SwxProgram(base=program.base)))
    spreads = any(kind.startswith("register") for kind, _ in program.operations)
    base["shift_left"] += spreads and program.registers > FLOWS_MAX
    assert Counter(counted(program)) - base - Counter(dict.fromkeys(GLUE, 10**6)) == Counter(
        dict(program.operations)
    )


@settings(max_examples=30, deadline=None)
@given(program=PLANS)
def test_same_plan_has_the_same_text_in_any_order(program):
    turned = SwxProgram(
        base=program.base, operations=program.operations[::-1], registers=program.registers,
        table_entries=program.table_entries,
    )  # fmt: skip
    assert spec_text(turned) == spec_text(program)
    assert entries_text(turned) == entries_text(program)


@pytest.mark.parametrize("kind", OPERATIONS_MAX)
def test_most_of_each_kind_is_a_pipeline(kind):
    most = OPERATIONS_MAX[kind]
    assert counted(SwxProgram(operations=((kind, most),)))[kind] == most


def test_recirculation_repeats_what_parsing_and_sending_cost():
    once, six_times = counted(SwxProgram()), counted(SwxProgram(operations=(("recirculate", 5),)))
    for kind in ("receive", "extract", "emit", "transmit"):
        assert six_times[kind] == 6 * once[kind]
    assert six_times["pass_number"] == 6


def test_widths_are_kinds_of_their_own():
    program = SwxProgram(operations=(("register_read_16", 2), ("register_write_64", 3)))
    assert {"register_read_16": 2, "register_write_64": 3}.items() <= counted(program).items()


@settings(max_examples=20, deadline=None)
@given(program=PLANS)
def test_entries_fit_their_tables(program, tmp_path_factory):
    spec, folder = parse_spec(spec_text(program)), tmp_path_factory.mktemp("entries")
    texts = entries_text(program)
    assert set(texts) == {name for name, table in spec.tables.items() if table.key}
    for name, text in texts.items():
        (folder / name).write_text(text)
        count = check_entries(spec, name, folder / name)
        assert count == program.table_entries or name in ("routes", "stations")


@settings(deadline=None)
@given(
    match=st.sampled_from(["exact", "lpm", "wildcard"]),
    flow=st.integers(0, 65535),
    bits=st.integers(0, 6),
)
def test_entry_of_a_flow_is_the_one_whose_key_it_matches(match, flow, bits):
    program = SwxProgram(operations=((f"table_{match}", 1),), table_entries=1 << bits)
    hits = []
    for entry, line in enumerate(entries_text(program)[f"table_{match}_0"].splitlines()):
        value, _, mask = line.split()[1].partition("/")
        mask = int(mask or "0xffffffff", 0)
        if (0xC6130000 + flow) & mask == int(value, 0) & mask:
            hits.append(entry)
    expected = entry_of_flow(match, 1 << bits, flow)
    assert hits == ([] if expected is None else [expected])


def test_no_two_entries_of_a_program_copy_the_same():
    program = SwxProgram(operations=(("table_exact", 3), ("table_lpm", 2)), table_entries=256)
    tables = len(table_names(program))
    values = {copied_value(table, entry) for table in range(tables) for entry in range(256)}
    assert len(values) == tables * 256


@pytest.mark.parametrize(
    ("plan", "word"),
    [
        ({"base": "l4"}, "program=l4"),
        ({"operations": (("divide", 1),)}, "operations=divide"),
        ({"operations": (("add", 0),)}, "add=0"),
        ({"operations": (("recirculate", 256),)}, "allowed: 1..255"),
        ({"operations": (("add", 1), ("add", 2))}, "twice"),
        ({"registers": 1000}, "powers of two"),
        ({"table_entries": 1 << 17}, "table_entries=131072"),
    ],
)
def test_impossible_plans_are_refused(plan, word):
    with pytest.raises(BadInputError, match=word):
        SwxProgram(**plan)
