"""A campaign file is read as it is meant, or refused before anything is measured."""

import math
import os
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError, CannotHereError
from linerate.measure.campaign.campaign import RUNS_MAX, campaign_from, read_campaign
from linerate.measure.campaign.run import check_runnable
from linerate.units import line_rate_mpps

from .plans import FORM, GOOD, plan

CAMPAIGNS = sorted(
    path
    for path in (Path(__file__).resolve().parents[3] / "data/campaigns").glob("*.toml")
    if not path.stem.endswith("-nic")  # these wait for the names of the user's hosts
)


def campaign(text=GOOD):
    return campaign_from(tomllib.loads(text), "good.toml")


@pytest.mark.parametrize("path", CAMPAIGNS, ids=lambda path: path.stem)
def test_every_campaign_that_is_shipped_is_read(path):
    shipped = read_campaign(path)
    assert shipped.campaign.cells() or shipped.campaign.searches()
    assert shipped.text == path.read_text()


def test_a_campaign_has_every_combination_of_each_block():
    cells = campaign().cells()
    assert len(cells) == 2 * 2 * 2 * 2
    assert len(set(cells)) == len(cells)
    assert {cell.load.frame_bytes for cell in cells} == {64, (7 * 64 + 4 * 594 + 1518) / 12}


def test_a_cell_that_two_blocks_name_counts_once():
    twice = GOOD + GOOD[GOOD.index("[[cells]]") :]
    assert campaign(twice).cells() == campaign().cells()


def test_line_is_the_line_rate_of_the_mean_frame():
    cells = campaign(plan(offered_mpps='["line"]', link_gbps="25")).cells()
    for cell in cells:
        assert cell.load.offered_mpps == pytest.approx(
            float(line_rate_mpps(25, cell.load.frame_bytes)), abs=1e-6
        )


def test_line_without_a_link_and_flood_are_the_same():
    endless = plan(offered_mpps='["line"]', link_gbps="inf")
    assert campaign(endless).cells() == campaign(endless.replace('"line"', '"flood"')).cells()
    assert {cell.load.arrivals for cell in campaign(endless).cells()} == {"flood"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": '"Not A Slug"'}, "name=Not A Slug"),
        ({"name": '"../up"'}, "name=../up"),
        ({"name": f'"{"a" * 5000}"'}, "name=aaaa"),
        ({"lab": '"moon"'}, "lab=moon: input should be 'veth'"),
        ({"repetitions": "0"}, "repetitions=0"),
        ({"repetitions": "-1"}, "repetitions=-1"),
        ({"repetitions": "1.5"}, "repetitions=1.5: input should be a valid integer"),
        ({"repetitions": "nan"}, "repetitions=nan"),
        ({"repetitions": "true"}, "repetitions=True"),
        ({"repetitions": "1000000"}, f"allowed: at most {RUNS_MAX} runs"),
        ({"trials": "0"}, "trials=0"),
        ({"trials": "1000000"}, "trials=1000000"),
        ({"trial_seconds": "0"}, "trial_seconds=0"),
        ({"trial_seconds": "1e-9"}, "trial_seconds=1e-09"),
        ({"trial_seconds": "-1.0"}, "trial_seconds=-1.0"),
        ({"trial_seconds": "nan"}, "trial_seconds=nan"),
        ({"trial_seconds": "inf"}, "trial_seconds=inf"),
        ({"trial_seconds": '"200ms"'}, "trial_seconds=200ms: input should be a valid number"),
        ({"warm_up_seconds": "-0.1"}, "warm_up_seconds=-0.1"),
        ({"warm_up_seconds": "nan"}, "warm_up_seconds=nan"),
        ({"canary_every": "-1"}, "canary_every=-1"),
        ({"retries": "-1"}, "retries=-1"),
        ({"retries": "11"}, "retries=11"),
        ({"seed": "-1"}, "seed=-1"),
        ({"seed": "1979-05-27"}, "seed=1979-05-27"),
        ({"repetitions": None}, "repetitions=nothing: the key is missing"),
        ({"mode": None}, "cells.0.mode=nothing: the key is missing"),
    ],
)
def test_an_impossible_value_of_the_plan_is_refused(refusal, changes, says):
    assert says in refusal(plan(**changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"mode": '"parallel"'}, "mode=parallel: input should be 'serial' or 'split'"),
        ({"datapath": '["xdp"]'}, "datapath=xdp: .* allowed: xdp_native, xdp_generic,"),
        ({"datapath": '"xdp_native"'}, "datapath=xdp_native: input should be a valid list"),
        ({"datapath": "[]"}, r"datapath=\[\]: list should have at least 1"),
        ({"program": '["no_such"]'}, "program=no_such: no such program; allowed: map_lookup"),
        ({"program": '["../bpf/xdp_tx"]'}, "program=../bpf/xdp_tx: no such program"),
        (
            {"program": '["xdp_tx"]'},
            "memory_accesses=100: program xdp_tx: it makes no accesses; allowed: with map_lookup",
        ),
        ({"program": "[]"}, r"program=\[\]"),
        ({"memory_accesses": "[-1]"}, "memory_accesses.0=-1"),
        ({"memory_accesses": "[nan]"}, "memory_accesses.0=nan"),
        ({"memory_accesses": "[1e3]"}, "memory_accesses.0=1000.0"),
        ({"memory_accesses": "[100000000]"}, "memory_accesses.0=100000000"),
        ({"memory_accesses": "[]"}, r"memory_accesses=\[\]"),
        ({"queues": "[0]"}, "queues.0=0"),
        ({"queues": "[-2]"}, "queues.0=-2"),
        ({"queues": '["2"]'}, "queues.0=2: input should be a valid integer"),
        ({"queues": "2"}, "queues=2: input should be a valid list"),
        ({"frame_bytes": "[63]"}, r"frame_bytes=63: .* allowed: 64\.\.1518"),
        ({"frame_bytes": "[1519]"}, r"frame_bytes=1519: .* allowed: 64\.\.1518"),
        ({"frame_bytes": "[9000]"}, r"frame_bytes=9000: .* allowed: 64\.\.1518"),
        ({"frame_bytes": "[0]"}, "frame_bytes=0"),
        ({"frame_bytes": "[-64]"}, "frame_bytes=-64"),
        ({"frame_bytes": "[64.0]"}, "frame_bytes.0=64.0: .* integer or .*'imix'"),
        ({"frame_bytes": '["64 B"]'}, "frame_bytes.0=64 B: .* integer or .*'imix'"),
        ({"link_gbps": "0"}, "link_gbps=0"),
        ({"link_gbps": "-10.0"}, "link_gbps=-10.0"),
        ({"link_gbps": "nan"}, "link_gbps=nan"),
        ({"link_gbps": "1e10"}, r"link_gbps=10000000000.0: .* allowed: 0.001..400 Gbit/s"),
        ({"link_gbps": '"10G"'}, "link_gbps=10G: input should be a valid number"),
        ({"offered_mpps": "[0]"}, "offered_mpps=0"),
        ({"offered_mpps": "[-1.0]"}, "offered_mpps=-1.0"),
        ({"offered_mpps": "[nan]"}, "offered_mpps=nan"),
        ({"offered_mpps": "[inf]"}, "offered_mpps=inf"),
        ({"offered_mpps": "[1e6]"}, "offered_mpps=1000000.0: .* million packets a second"),
        ({"offered_mpps": '["fast"]'}, "offered_mpps.0=fast: .* number or .*'line' or 'flood'"),
        ({"offered_mpps": "[true]"}, "offered_mpps.0=True"),
        ({"arrivals": '"uniform"'}, "arrivals=uniform: input should be 'constant', 'poisson'"),
        ({"arrivals": '"flood"'}, "arrivals=flood"),
        ({"burst_packets": "16"}, "burst_packets=16: constant arrivals have no bursts"),
        ({"burst_packets": "99999999999"}, "burst_packets=99999999999"),
        ({"flows": "0"}, "flows=0"),
        ({"flows": "70000"}, "flows=70000"),
    ],
)
def test_an_impossible_factor_is_refused(refusal, changes, says):
    assert re.search(says, refusal(plan(**changes)))


def test_drops_that_no_counter_sees_are_not_measured(refusal):
    assert "program=xdp_drop: xdp_generic does not run it" in refusal(
        plan(program='["xdp_drop"]', memory_accesses="[0]")
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour = 1\n" + GOOD, "colour=1: unknown key"),
        (GOOD + "frame_size = 64\n", "cells.0.frame_size=64: unknown key"),
        (GOOD.replace("link_gbps", "link_mbps"), "cells.0.link_"),
        (GOOD.replace("trial_seconds", "trial_ms"), "trial_"),
        (GOOD[: GOOD.index("[[cells]]")], "cells=none: there is nothing to measure"),
        (GOOD[: GOOD.index("[[cells]]")] + "cells = []\n", "cells=[]: list should have at least"),
        (GOOD.replace("[[cells]]", "[cells]"), "cells={...}: input should be a valid list"),
        (GOOD[: GOOD.index("[[cells]]")] + "[[cells]]\n", "cells.0.mode=nothing"),
        ("", "name=nothing: the key is missing"),
        ("name = ", "it is not TOML"),
        ("seed = 1\nseed = 2\n", "it is not TOML"),
        ("name = [" * 4000, "it is not TOML"),
        ("seed = 1" + "0" * 5000, "it is not TOML"),
        ("#" * (1024 * 1024 + 1), "it is too large"),
        (b"name = '\xff\xfe'", "it is not UTF-8"),
        (None, "there is no such file or folder"),
    ],
    ids=[
        "unknown key", "unknown factor", "other unit", "other time unit", "no cells",
        "empty cells", "one bracket", "empty block", "empty", "cut", "twice", "nested", "digits",
        "large", "bytes", "missing",
    ],
)  # fmt: skip
def test_what_is_no_campaign_file_is_refused(refusal, text, says):
    assert says in refusal(text)


@given(
    key=st.sampled_from(re.findall(r"(?m)^(\w+) =", GOOD)),
    value=st.one_of(
        st.integers(), st.booleans(), st.dates().map(str),
        st.floats().map(lambda x: repr(x).replace("+", "")), st.text(max_size=20).map(repr),
        st.lists(st.integers(), max_size=3), st.just("[[]]"), st.just("{}"),
    ).map(str),
)  # fmt: skip
def test_any_value_is_taken_or_refused_in_one_line(key, value):
    try:
        fields = tomllib.loads(plan(**{key: value}))
    except ValueError:
        return
    try:
        campaign_from(fields, "plan.toml")
    except BadInputError as refused:
        assert FORM.fullmatch(f"linerate: {refused}\n")


@pytest.mark.parametrize(
    ("mode", "queues"), [("serial", (os.cpu_count() or 1) + 1), ("split", os.cpu_count() or 1)]
)
def test_more_queues_than_cores_are_refused_before_the_start(mode, queues):
    with pytest.raises(BadInputError, match=rf"queues={queues}: .*; allowed: 1\.\."):
        check_runnable(campaign(plan(mode=f'"{mode}"', queues=f"[1, {queues}]")))


def test_what_is_not_built_is_named_before_the_start(tmp_path, monkeypatch):
    monkeypatch.setenv("LINERATE_BUILD", str(tmp_path))
    with pytest.raises(CannotHereError, match=r"it is not built; .*make setup"):
        check_runnable(campaign())


def test_a_plan_whose_lines_end_otherwise_is_the_same_plan(tmp_path):
    (tmp_path / "plan.toml").write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert read_campaign(tmp_path / "plan.toml").text == GOOD


def test_no_link_limit_is_written_inf():
    assert {cell.link_gbps for cell in campaign(plan(link_gbps="inf")).cells()} == {math.inf}


@pytest.mark.parametrize("study", ["capeletti", "sampaio", "castanho"])
def test_a_whole_study_can_be_cut_to_the_cores_there_are(repository, study):
    plan = read_campaign(repository / f"data/campaigns/{study}.toml").within_cores(2)
    cells = plan.campaign.cells()
    assert {cell.queues for cell in cells if cell.mode == "split"} == {1}
    assert {cell.queues for cell in cells} <= {1, 2}
    assert plan.within_cores(2) is plan
