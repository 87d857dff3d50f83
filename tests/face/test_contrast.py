"""``lr.contrast``, ``linerate compare-kernels`` and ``compare-boxes``: a planted cost is found."""

import json

import numpy as np
import pytest

import linerate as lr
from linerate.campaigns.manifest import Origin
from linerate.cli import main
from linerate.errors import BadInputError

from ..models.planted import lab_table

ADDED_NS = 12.0
OLD, NEW = "6.1.0", "6.12.9"
NATIVE = {"datapath": "xdp_native"}


def campaign(night, added_ns=0.0, **named):
    """Runs with noise of 1 % of their own, whose packets take more; loads are numbered from 0."""
    accesses = (0, 50, 100, 400, 1600)
    runs = lab_table(queues=(1,), accesses=accesses, sizes=(64,), reloads=5, noise=0.0)
    noise = np.random.default_rng(night).lognormal(0.0, 0.01, len(runs))
    packet_ns = 1e3 / runs["forwarded_mpps"] + added_ns
    return runs.assign(
        link_gbps=np.inf, offered_mpps=np.inf, forwarded_mpps=noise * 1e3 / packet_ns,
        run_id=[f"r{number}" for number in range(len(runs))], campaign=f"night-{night}",
        started_at=f"2026-11-{night + 1:02}T01:00:00+00:00", **named,
    )  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Give a store of two boxes: on lab-1 the new kernel costs 12 ns, on lab-2 nothing."""
    store = lr.store(tmp_path_factory.mktemp("contrast") / "lab.store")
    store.add()
    for night, (kernel, box, added_ns) in enumerate([
        (OLD, "lab-1", 0.0), (OLD, "lab-1", 0.0), (NEW, "lab-1", ADDED_NS),
        (NEW, "lab-1", ADDED_NS), (OLD, "lab-2", 0.0), (NEW, "lab-2", 0.0),
    ]):  # fmt: skip
        store.put(campaign(night, added_ns, box=box), Origin(kernel=kernel, cpu_model=f"of {box}"))
    return store.place.name


def constants(found):
    return {one.constant: one for one in found.compared.shifts}


def test_what_a_new_kernel_costs_is_named_in_nanoseconds(lab):
    found = lr.contrast(lab, by="kernel", cell={**NATIVE, "box": "lab-1"})
    base = constants(found)["base_ns"]
    assert base.differs
    assert base.lower < ADDED_NS < base.upper
    assert base.upper - base.lower < ADDED_NS
    assert not constants(found)["access_ns"].differs
    assert (found.compared.names, found.campaigns) == ((OLD, NEW), (2, 2))
    sentence = f"On xdp_native/map_lookup {NEW} costs {base.difference:.3g} ns more per packet in"
    assert sentence in str(found)


def test_a_kernel_that_costs_nothing_is_not_blamed(lab):
    found = lr.contrast(lab, by="kernel", cell={**NATIVE, "box": "lab-2"})
    assert not any(one.differs for one in found.compared.shifts)
    assert "No difference in throughput can be seen" in str(found)
    assert "No constant of a packet's cost can be seen to differ" in str(found)


def test_boxes_are_compared_the_same_way(lab):
    found = lr.contrast(lab, by="box", sides=("lab-2", "lab-1"), cell={**NATIVE, "kernel": NEW})
    assert found.compared.names == ("lab-2", "lab-1")
    base = constants(found)["base_ns"]
    assert base.lower < ADDED_NS < base.upper


def test_loads_of_several_campaigns_are_not_taken_for_one(lab):
    found = lr.contrast(lab, by="kernel", cell={**NATIVE, "box": "lab-1"})
    assert set(found.compared.found.ratios["first_loads"]) == {2 * 5}


def test_a_store_and_tables_answer_together_and_a_campaign_counts_once(lab, tmp_path):
    campaign(9, box="lab-3").to_parquet(tmp_path / "other.parquet")
    found = lr.contrast(lab, lab, tmp_path / "other.parquet", by="box", sides=("lab-1", "lab-3"))
    assert found.campaigns == (4, 1)
    with pytest.raises(BadInputError, match=r"box=lab-1, lab-2, lab-3: .*more than two"):
        lr.contrast(lab, tmp_path / "other.parquet", by="box")


def test_what_cannot_be_compared_is_refused(lab, tmp_path):
    refusals = {
        r"by=kernl: .*did you mean kernel": {"by": "kernl"},
        r"kernel=6.12: .*did you mean 6.12.9": {"by": "kernel", "sides": (OLD, "6.12")},
        rf"kernel={OLD} {OLD}: two different": {"by": "kernel", "sides": (OLD, OLD)},
        r"kernel=6.1.0: all of these runs": {"by": "kernel", "cell": {"kernel": OLD}},
        r"box=of lab-1, of lab-2: a difference between machines": {"by": "kernel"},
    }
    for output, asked in refusals.items():
        with pytest.raises(BadInputError, match=output):
            lr.contrast(lab, **asked)
    campaign(0, box="lab-1").to_parquet(tmp_path / "bare.parquet")
    with pytest.raises(BadInputError, match="these campaigns do not say theirs"):
        lr.contrast(tmp_path / "bare.parquet", by="kernel")
    with pytest.raises(BadInputError, match="none is named"):
        lr.contrast(by="kernel")


def test_sides_without_a_common_cell_are_refused(tmp_path):
    store = lr.store(tmp_path / "apart.store")
    store.add()
    first, second = (campaign(night) for night in (0, 1))
    store.put(first[first["memory_accesses"] == 0], Origin(kernel=OLD, cpu_model="one"))
    store.put(second[second["memory_accesses"] == 100], Origin(kernel=NEW, cpu_model="one"))
    with pytest.raises(BadInputError, match="nothing was measured in both"):
        lr.contrast(tmp_path / "apart.store", by="kernel")


@pytest.mark.parametrize(
    ("words", "by"),
    [
        (["compare-kernels", "--cell", "box=lab-1,datapath=xdp_native"], "kernel"),
        (["compare-boxes", "--of", "lab-2", "--of", "lab-1", "--cell", f"kernel={NEW}"], "box"),
    ],
)
def test_the_commands_answer(lab, words, by, capsys):
    command, *options = words
    with pytest.raises(SystemExit) as ended:
        main([command, lab, *options, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (ended.value.code, answer["by"]) == (0, by)
    assert any(one["differs"] for one in answer["constants"] if one["constant"] == "base_ns")
    assert any("ns more per packet" in sentence for sentence in answer["answer"])
