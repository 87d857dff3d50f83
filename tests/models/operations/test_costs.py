"""Costs by the one fit: planted ones are found, and none is below nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reports import planted_studies

from linerate.models.operations import MixPredictor, Work, costs, interactions, mix_runs

NONE_NS, READ_NS, ADD_NS = 40.0, 9.0, 3.5


def fitted(times_ns):
    """Fit packets by their operations, pairs (kind, number)."""
    works = tuple(Work(scope="swx", base="forward", steps=steps) for steps in times_ns)
    return MixPredictor(
        works=works, packet_ns=tuple(times_ns.values()), scores=(), mix_scores=(),
        number_scores=(),
    )  # fmt: skip


def planted(added_ns, kind="table_exact"):
    """Plant what numbers of one kind add."""
    return fitted(
        {(): NONE_NS} | {((kind, number),): NONE_NS + ns for number, ns in added_ns.items()}
    )


def test_a_proportional_cost_is_found_at_each_number():
    table = costs(planted({n: READ_NS * n for n in (1, 5, 10)}))
    assert table["each_ns"].to_numpy() == pytest.approx(READ_NS, rel=0.05)
    assert table["measured_ns"].to_numpy() == pytest.approx(READ_NS * table["times"], rel=1e-9)
    assert (
        (table["lower_ns"] <= table["added_ns"]) & (table["added_ns"] <= table["upper_ns"])
    ).all()


def test_a_cost_that_bends_is_followed():
    """As writes of registers do: a straight line with a fixed cost misses the last by 40 %."""
    measured = {10: 24.0, 50: 48.0, 100: 106.0, 200: 347.0}
    table = costs(planted(measured, "register_write_32"))
    assert table["added_ns"].to_numpy() == pytest.approx(list(measured.values()), rel=0.12)


def test_the_first_of_a_chain_that_hide_make_no_negative_cost():
    mixes = planted({10: 10.0, 50: 155.0, 100: 363.0, 200: 614.0}, "add")
    work = Work(scope="swx", base="forward", steps=(("add", 1),))
    assert mixes.model.added_ns(work)[0] >= 0.0
    assert mixes.model.time_ns(work)[0] >= NONE_NS * 0.9
    assert (costs(mixes)["lower_ns"] >= 0.0).all()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(0.5, 400.0), min_size=3, max_size=3),
    st.lists(st.floats(0.5, 400.0), min_size=2, max_size=2),
)
def test_no_cost_is_ever_below_nothing_nor_falls(adds, reads):
    times_ns = {(): NONE_NS}
    times_ns |= {(("add", n),): NONE_NS + ns for n, ns in zip((1, 10, 100), adds, strict=True)}
    times_ns |= {(("subtract", n),): NONE_NS + ns for n, ns in zip((10, 100), reads, strict=True)}
    model = fitted(times_ns).model
    for kind in ("add", "subtract"):
        works = [Work(scope="swx", base="forward", steps=((kind, n),)) for n in range(1, 200, 7)]
        added_ns = [model.added_ns(work)[0] for work in works]
        assert min(added_ns) >= -1e-6
        assert (np.diff(added_ns) >= -1e-6).all()


def test_what_is_measured_without_its_base_is_shown_without_a_measured_cost():
    works = (
        Work(scope="swx", base="forward"),
        Work(scope="swx", base="forward", steps=(("table_exact", 5),)),
        Work(scope="swx", base="forward", settings=(("queues", "2"),),
             steps=(("table_exact", 5),)),
    )  # fmt: skip
    mixes = MixPredictor(works=works, packet_ns=(40.0, 90.0, 91.0), scores=(), mix_scores=(),
                         number_scores=())  # fmt: skip
    table = costs(mixes)
    assert table["measured_ns"].isna().tolist() == [False, True]


def test_rows_of_other_datapaths_are_kept_beside_pipelines_that_share_cores():
    """They have no answer in the pipelines' column, which is not the answer yes."""
    runs = planted_studies.all_runs()
    assert {"swx", "filter", "xdp_native"} <= {work.scope for work in mix_runs(runs).works}


def mixed(interaction_ns):
    times_ns = {(): NONE_NS}
    for n in (10, 50):
        times_ns |= {
            (("register_read_32", n),): NONE_NS + READ_NS * n,
            (("table_exact", n),): NONE_NS + 30.0 * n,
            (("register_read_32", n), ("table_exact", n)):
                NONE_NS + (READ_NS + 30.0 + interaction_ns) * n,
        }  # fmt: skip
    return interactions(fitted(times_ns))


def test_what_adds_up_has_no_interaction():
    table = mixed(0.0)
    assert table["additive"].all()
    assert table["parts_percent"].abs().max() < 2.0
    assert (table["lower_interaction_ns"] <= 0.0).all()
    assert (table["upper_interaction_ns"] >= 0.0).all()


@pytest.mark.parametrize("interaction_ns", [-12.0, 10.0])
def test_an_interaction_is_the_planted_one_and_explains_its_mixes(interaction_ns):
    table = mixed(interaction_ns)
    assert not table["additive"].any()
    assert table["interaction_ns"].to_numpy() == pytest.approx(interaction_ns, rel=0.2)
    assert table["mixes"].tolist() == [2, 2]
    assert table["residual_percent"].abs().max() < 5.0
