"""What pipelines of one's own are made of is generated as asked, and runs."""

import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import linerate
from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.entries import check_entries
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.generated.cell_program import (
    executed,
    executed_operations,
    text_of,
)
from linerate.measure.datapaths.swx.spec.generated.entries_text import SENDER
from linerate.measure.datapaths.swx.spec.generated.flow_frame import flow_frame
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.kinds import JOINING_MAX, PARSING
from linerate.settings import columns_of

from ......needs import two_cores
from ...swx_packets import of_flow

CAMPAIGN = Path(linerate.__file__).parent / "data/campaigns/pipelines.toml"
WITH = {"rearm": {"learner": 2}, "learn": {"learner": 2}, "emit": {"extract": 2}}
"""What a kind needs besides."""
COUNTED_AS = {"table_wildcard_16": "table_wildcard_2_steps"}
"""Searches are told by what their entries look at."""


def program(kind, times=2):
    base = "bare" if kind in PARSING else "parsed"
    return SwxProgram(base=base, operations=tuple({**WITH.get(kind, {}), kind: times}.items()))


@pytest.mark.parametrize("kind", JOINING_MAX)
def test_a_packet_executes_what_was_asked_and_no_other_of_these_kinds(kind):
    plan = program(kind)
    base = SwxProgram(base=plan.base)
    counts = [Counter(dict(executed_operations(one))) for one in (plan, base)]
    more = counts[0] - counts[1]
    more["checksum_add"] += more.pop("checksum_subtract", 0)
    more["stalled"] -= kind == "stalled"  # the first of them stands beside the port
    for asked, counted in COUNTED_AS.items():
        more[asked] += more.pop(counted, 0)
    beside = {"move", "return", "validate", "emit", "stalled", "forget"} - {kind}
    assert {k: n for k, n in (+more).items() if k not in beside} == dict(plan.operations) | (
        {} if kind != "emit" else {"emit": 2}) and (more[kind] == 2)  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["table_exact_8", "table_exact_16", "table_wildcard_16", "selector"]
)
def test_entries_fit(kind, tmp_path):
    text = text_of(program(kind))
    for name, entries in text.tables:
        (tmp_path / name).write_text(entries)
        assert check_entries(parse_spec(text.spec), name, tmp_path / name)


@pytest.mark.parametrize(
    ("base", "kind"), [("bare", "move"), ("forward", "move"), ("l2l3", "emit")]
)
def test_a_kind_that_a_base_has_not_is_refused(base, kind):
    with pytest.raises(BadInputError, match=f"program {base} are not generated with it"):
        SwxProgram(base=base, operations=((kind, 1),))


def test_the_flow_that_is_followed_is_the_one_that_is_sent():
    sent = of_flow(0, by=SENDER).packet()
    assert flow_frame() == sent[:24] + bytes(2) + sent[26:]


def test_of_every_pipeline_of_the_cost_campaign_what_was_asked_is_counted():
    campaign = tomllib.loads(CAMPAIGN.read_text())
    for block in campaign["cells"]:
        base = SwxProgram(base=block["program"][0], table_entries=2)
        of_base = Counter(dict(executed_operations(base)))
        for asked in block["operations"]:
            plan = replace(base, operations=tuple(asked.items()))
            more = Counter(dict(executed_operations(plan))) - of_base
            more["checksum_add"] += more.pop("checksum_subtract", 0)
            for searched, counted in COUNTED_AS.items():
                more[searched] += more.pop(counted, 0)
            wanted = asked.keys() - {"stalled"}  # a lookup between two writes, and none waits
            exact = wanted - {"move", "validate", "emit"}  # which come with others, too
            assert {kind: more[kind] for kind in exact} == {kind: asked[kind] for kind in exact}
            assert all(more[kind] >= asked[kind] for kind in wanted), asked


def test_what_is_forgotten_at_once_is_learnt_by_every_packet():
    plan = SwxProgram(base="parsed", operations=(("learner", 3), ("rearm", 1), ("learn", 2)))
    counted = dict(executed_operations(plan))
    assert (counted["learn"], counted["forget"], counted["rearm"]) == (2, 2, 1)


@pytest.mark.parametrize(
    "asked", [{"learn": 1}, {"learner": 2, "learn": 1, "rearm": 2}], ids=["none", "too few"]
)
def test_what_no_learner_is_left_for_is_refused(asked):
    with pytest.raises(BadInputError, match=r"learner=\d: .* ask for more of learner"):
        SwxProgram(base="parsed", operations=tuple(asked.items()))


@two_cores
@pytest.mark.dpdk
def test_they_run_and_send_the_packet_back():
    kinds = [
        kind for kind in JOINING_MAX if kind not in (*PARSING, "header_copy", "mirror", "move")
    ]
    plan = SwxProgram(
        base="parsed", operations=tuple((dict.fromkeys(kinds, 1) | {"learner": 2}).items())
    )
    packet = of_flow(3).packet()
    sent = packet[:6] + SENDER.to_bytes(6) + packet[12:]
    with run_pipeline(text_of(plan), PipelineSettings(port="ring"), 1) as runner:
        for _ in range(2):
            assert len(runner.ask(f"packet {sent.hex()}")["packets"]) == 1
        hits = [
            runner.ask(f"table {name}")["instances"][0]["hits"]
            for name in ("table_exact_8_0", "table_exact_16_0", "table_wildcard_16_0")
        ]
    assert hits == [2, 2, 2]


@two_cores
@pytest.mark.dpdk
def test_a_mirrored_packet_is_sent_twice():
    plan = SwxProgram(base="parsed", operations=(("mirror", 1),))
    with run_pipeline(text_of(plan), PipelineSettings(port="ring"), 1) as runner:
        assert len(runner.ask(f"packet {of_flow(3).packet().hex()}")["packets"]) == 2


@pytest.mark.parametrize(("program", "more"), [("parsed", 3), ("forward", 0)])
def test_of_what_pipelines_are_priced_from_the_journal_says_all_that_a_packet_executes(
    program, more, cell_of
):
    operation = "register_add_64" if more else "add"
    settings = columns_of(PipelineSettings())
    asked = cell_of(lab="dpdk", mode="serial", datapath="swx", settings=settings,
                    program=program, operations=((operation, 2),))  # fmt: skip
    counted = dict(executed(asked).operations)
    assert counted[operation] == 2
    assert counted.get("extract", 0) == more
    assert bool(counted.get("stalled")) == (more > 0), "an index beside a port that was written"
