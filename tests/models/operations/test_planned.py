"""Which operations are chosen to be measured, and what is refused."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.errors import BadInputError
from linerate.models.design.planned import plan_runs
from linerate.models.design.step_cells import StepCells, crossed_steps
from linerate.models.loans import loan_of, predictor_of_box
from linerate.models.operations import Mixes, mix_runs
from linerate.tables.runs import read_runs

from ..planted import planted_box
from .planted import NONE_NS, alone_ns, row, singles, table

KINDS = ("register_read_32", "add", "hash_crc32", "table_exact", "table_lpm")
LENT = {"xdp_native.map_lookup.base_ns": 5.0, "xdp_native.map_lookup.access_ns": 0.25}


def asked(*mixes, **columns):
    return pd.DataFrame([row(mix, NONE_NS, **columns) for mix in mixes])


def kinds_of(plan):
    return [set(json.loads(text)) for text in plan.table["operations"]]


@pytest.fixture(scope="module")
def alone():
    return table(singles(KINDS, counts=(10, 50)))


def test_a_plan_without_runs_begins_with_kinds_that_nothing_is_known_of():
    cells = asked({}, *({kind: times} for kind in KINDS for times in (5, 10)))
    plan = plan_runs(1 + len(KINDS), cells, None)
    assert set().union(*kinds_of(plan)) == set(KINDS)
    assert (np.diff([plan.design.spread_before, *plan.design.spread_after]) < 0.0).all()


def test_after_kinds_alone_the_plan_asks_for_mixes_and_for_kinds_left_out(alone):
    cells = asked({"add": 50}, {"add": 50, "register_read_32": 50}, {"table_lpm": 5})
    seen = alone[~alone["operations"].str.contains("lpm")]
    assert {"table_lpm"} in kinds_of(plan_runs(2, cells, seen))
    assert kinds_of(plan_runs(1, cells, alone)) == [{"add", "register_read_32"}]


def test_what_runs_show_is_combined_kind_by_kind(alone):
    mixes = {frozenset(json.loads(text)) for text in crossed_steps(alone).table["operations"]}
    assert {frozenset((one, other)) for one in KINDS for other in KINDS} <= mixes


def test_cells_at_the_line_are_known_without_measuring():
    slow = asked({"table_exact": 8})
    cells = pd.concat([asked({"add": 5}, link_gbps=0.01), slow], ignore_index=True)
    assert kinds_of(plan_runs(1, cells, None)) == [{"table_exact"}]


def test_planned_runs_answer_what_as_many_drawn_ones_leave_open():
    packets = singles(KINDS, counts=(5, 10, 20, 40, 80))
    packets += [({one: 20, other: 20}, NONE_NS + alone_ns(one, 20) + alone_ns(other, 20))
                for one, other in pairwise(KINDS[:3])]  # fmt: skip
    runs, rows = table(packets, repetitions=1), []
    for _ in range(3):
        seen = runs.iloc[rows] if rows else None
        rows += plan_runs(5, runs, seen).design.rows.tolist()
    works = StepCells.of(runs).works

    def open_works(chosen):
        model = Mixes.fit(*mix_runs(runs.iloc[chosen]).medians())
        return sum(bool(model.unknown(work)) for work in works)

    rng = np.random.default_rng(0)
    drawn = [open_works(rng.permutation(len(runs))[: len(rows)]) for _ in range(8)]
    assert open_works(rows) < np.median(drawn)


def test_a_ruleset_that_was_never_measured_says_what_to_do():
    cells = asked({}, datapath="nftables", program="mine.nft", cost="operations")
    with pytest.raises(BadInputError, match="plan with its runs: linerate plan RUNS"):
        plan_runs(1, cells, None)


def test_chains_are_planned_by_their_length():
    settings = "chain_topology+chain_function+chain_length"
    chain = {"datapath": "chain", "program": "wire", "chain_topology": "direct",
             "chain_function": "tc", "settings": settings}  # fmt: skip
    cells = pd.concat([asked({}, chain_length=n, **chain) for n in (1, 2, 4, 8)], ignore_index=True)
    assert plan_runs(3, cells, None).table["chain_length"].nunique() == 3


def test_a_prior_of_operations_is_refused(alone):
    prior = loan_of({"small": predictor_of_box(planted_box(LENT))}).prior
    with pytest.raises(BadInputError, match="operations are planned without one"):
        plan_runs(1, None, alone, prior)


def test_plan_takes_runs_and_campaigns_of_mixes_as_typed(repository, tmp_path):
    campaign, out = repository / "data/campaigns/izolan-mixes.toml", tmp_path / "next.csv"
    argv = ["plan", str(repository / "data/reference-izolan-mixes"), "--cells", str(campaign)]
    argv += ["--budget", "3", "--out", str(out)]
    output = CliRunner().invoke(app_for(argv), argv)
    assert output.exit_code == 0, output.output
    chosen = StepCells.of(pd.read_csv(out))
    known = set(mix_runs(read_runs([repository / "data/reference-izolan-mixes"])).works)
    assert set(chosen.works) <= known
    assert "pipeline_port" not in output.stdout
    assert "pipeline_port" in chosen.table.columns
