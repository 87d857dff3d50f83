"""Paths of a pipeline are priced by planted costs: cases, shares, lcores, and what has no cost."""

from dataclasses import replace

import pytest

from linerate.errors import BadInputError
from linerate.models.operations import MixPredictor, Work
from linerate.models.pipelines import PipelineQuestion, answer_pipeline
from linerate.programs.pipeline_paths import PipelinePath, PipelineTraffic, Wait

BASE_NS, EACH_NS = 50.0, {"extract": 2.0, "table_exact": 40.0, "jump": 1.0}


def work(**steps):
    return Work(scope="swx", base="bare", steps=tuple(sorted(steps.items())))


@pytest.fixture(scope="module")
def mixes():
    """Runs of which each operation takes what was planted."""
    works = [work(), *(work(**{kind: n}) for kind in EACH_NS for n in (1, 4, 16))]
    times = [BASE_NS + sum(EACH_NS[kind] * n for kind, n in one.steps) for one in works]
    spread = tuple(0.001 * n for n in range(-10, 11))
    return MixPredictor(works=tuple(works), packet_ns=tuple(times), scores=spread,
                        mix_scores=spread, number_scores=spread)  # fmt: skip


def path(share=1.0, sends=True, **operations):
    counted = {"receive": 1, "transmit": 1, **operations}
    return PipelinePath(operations=tuple(sorted(counted.items())), share=share, sends=sends,
                        choices=tuple(operations))  # fmt: skip


def answered(mixes, *paths, lcores: int | None = 1, link_gbps=10.0, ran_ns=()):
    traffic = PipelineTraffic(frame_bytes=64.0, paths=paths, ran_ns=ran_ns)
    return answer_pipeline("my.spec", traffic, mixes,
                           PipelineQuestion(link_gbps=link_gbps, lcores=lcores))  # fmt: skip


def test_a_path_takes_the_base_and_what_its_operations_cost(mixes):
    answer, note = answered(mixes, path(extract=4, table_exact=4))
    for case in answer.cases:
        assert case.packet_ns == pytest.approx(50 + 4 * 2 + 4 * 40, rel=0.02)
        assert sum(case.parts_ns.values()) == pytest.approx(case.packet_ns)
    assert note == ""
    assert answer.rates.bottleneck[1] == "service"


def test_the_cases_are_the_cheapest_the_mean_and_the_dearest(mixes):
    answer, _ = answered(mixes, path(0.25, table_exact=4), path(0.75, sends=False), link_gbps=100.0)
    best, mean, worst = (case.packet_ns for case in answer.cases)
    assert best < mean < worst
    assert mean == pytest.approx(0.25 * worst + 0.75 * best)
    assert [case.sends for case in answer.cases] == [0.0, 0.25, 1.0]
    assert answer.cases[2].choices == ("table_exact",)
    lower, upper = answer.rates.lower_mpps, answer.rates.upper_mpps
    assert ((lower < answer.rates.predicted_mpps) & (answer.rates.predicted_mpps < upper)).all()


def test_parts_of_the_mean_are_put_together_by_class(mixes):
    mean = answered(mixes, path(0.25, table_exact=4), path(0.75, table_exact=1))[0].cases[1]
    assert set(mean.parts_ns) == {"bare", "1.8 table_exact", "together"}
    assert sum(mean.parts_ns.values()) == pytest.approx(mean.packet_ns)


def test_what_a_packet_would_take_without_waits_is_said(mixes):
    wait = Wait(line=2, code="mov m.b m.c", write_line=1, write_code="mov m.a m.c")
    waits = replace(path(table_exact=1, stalled=3), waits=((wait, 3),))
    works = (*mixes.works, work(stalled=1), work(stalled=4))
    times = (*mixes.packet_ns, BASE_NS + 5.0, BASE_NS + 20.0)
    *_, worst = answered(replace(mixes, works=works, packet_ns=times), waits)[0].cases
    assert worst.packet_ns - worst.unwaited_ns == pytest.approx(15.0, rel=0.1)
    assert worst.to_dict()["waits"] == [wait._asdict() | {"times": 3}]


def test_the_fewest_lcores_that_sustain_the_expected_case_are_found(mixes):
    """Some 210 ns a packet at 14.88 Mpps are 3.1 cores."""
    answer, _ = answered(mixes, path(table_exact=4), lcores=None)
    assert (answer.lcores, answer.sustains) == (4, True)
    assert answer.headroom_ns == pytest.approx(4 / 14.880952e-3 - answer.cases[1].packet_ns)
    fewer, _ = answered(mixes, path(table_exact=4), lcores=3)
    assert not fewer.sustains
    assert fewer.headroom_ns < 0


def test_an_operation_without_a_cost_is_named_and_widens(mixes):
    known, _ = answered(mixes, path(table_exact=4))
    strange, note = answered(mixes, path(table_exact=4, mirror=2))
    assert "my.spec: no cost was measured of 2 mirror" in note
    assert not strange.cases[1].in_domain
    assert strange.cases[1].width > known.cases[1].width


def test_kinds_of_one_class_share_a_cost(mixes):
    answer, note = answered(mixes, path(table_exact_16=4))
    exact, _ = answered(mixes, path(table_exact=4))
    assert answer.cases[1].packet_ns == pytest.approx(exact.cases[1].packet_ns, rel=0.5)
    assert answer.cases[1].width > exact.cases[1].width
    assert note == ""


def test_impossible_questions_are_refused(mixes):
    with pytest.raises(BadInputError, match="queues=0"):
        PipelineQuestion(link_gbps=10.0, lcores=0)
    with pytest.raises(BadInputError, match="no packet takes any"):
        PipelineTraffic(frame_bytes=64.0, paths=())


def test_operations_of_a_pipeline_of_ones_own_hide_nothing_of_each_other():
    """They do not take turns as those of generated pipelines do."""
    kinds = ("add", "register_read_32")
    works = [work(), *(work(**{kind: n}) for kind in kinds for n in (4, 16)),
             work(add=16, register_read_32=16)]  # fmt: skip
    times = [50.0 + 4.0 * sum(n for _, n in one.steps) for one in works]
    spread = tuple(0.001 * n for n in range(-10, 11))
    mixes = MixPredictor(works=tuple(works), packet_ns=tuple(times), scores=spread,
                         mix_scores=spread, number_scores=spread)  # fmt: skip
    answer, _ = answered(mixes, path(add=8, register_read_32=8))
    assert answer.cases[1].packet_ns == pytest.approx(50 + 64, rel=0.02)


def test_a_pipeline_is_as_far_off_as_mixes_of_known_and_of_unknown_company(mixes):
    """Half of the mixes were off by 10 %, the others by 30 %: nine of ten by 30 %."""
    wide = replace(mixes, mix_scores=(-0.3, 0.3) * 20, number_scores=(-0.1, 0.1) * 20)
    asked = work(extract=4, table_exact=4)
    assert wide.reach_of(asked, 200.0, 0.1) == pytest.approx(0.3)
    narrow = replace(wide, mix_scores=(-0.1, 0.1) * 20, number_scores=(-0.1, 0.1) * 20)
    assert narrow.reach_of(asked, 200.0, 0.1) == pytest.approx(0.1)
