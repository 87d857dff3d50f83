"""A chain that is asked about runs here, and says what it took."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.face.fits.carrying import Where
from linerate.face.fits.chains import run as runs
from linerate.face.fits.chains.question import NOTHING_DONE, SHIPPED, fits_chain
from linerate.links import LINK_GBPS
from linerate.measure.collectors.led_back import LedBack
from linerate.measure.datapaths.chain.settings import WORK_NS_MAX
from linerate.measure.datapaths.chain.test_run import LOADS, ChainRun
from linerate.models.chains.ran import ran_time
from linerate.models.chains.turns import behind_sockets_ns
from linerate.normal import NORMAL_90

from ..needs import two_cores

FUNCTION = '[[functions]]\nname = "{}"\n'
RUN, NOT_RUN = Where(static=False, progress=False), Where(static=True, progress=False)
ELSEWHERE = "its costs may be up to three times as high or as low"
RAN = ChainRun(
    took={64: LedBack(packet_ns=(3900.0, 4000.0, 4400.0), log_sd=0.0)},
    rtts_us=(90.5, 88.0, 131.0),
    cores=1,
    shared_ratio=0.3,
    contended_ratio=0.4,
)


@pytest.fixture
def chain(tmp_path):
    def write(*works_ns, head=""):
        text = "".join(f"{FUNCTION.format(number)}ns_per_packet = {own_ns}\n"
                       for number, own_ns in enumerate(works_ns))  # fmt: skip
        path = tmp_path / "gateway.chain.toml"
        path.write_text(f"{head}\n{text}")
        return path

    return write


@pytest.fixture
def planted(monkeypatch):
    """Let chains run as they are planted, and keep what was asked of the lab."""
    asked = []

    def take(chain, works_ns, sizes, tell):
        asked.append((chain, works_ns, sizes))
        return RAN

    monkeypatch.setattr(runs, "time_chain", take)
    return asked


@two_cores
@pytest.mark.root
def test_a_chain_runs_and_its_answer_is_what_it_took(chain):
    found = fits_chain(chain(0, 20_000), frame_bytes=64, where=RUN, explained=True)
    (answer,) = found.answers
    assert len(answer.ran_ns) == LOADS
    assert answer.packet_ns == ran_time(answer.ran_ns)[0] > 20_000.0
    assert answer.lower_mpps < answer.predicted_mpps < answer.upper_mpps
    assert found.rtt_us is not None
    assert 20.0 < found.rtt_us < 1e6
    assert "Run here, on 1 core" in str(found)
    assert sum(found.parts_ns.values()) == pytest.approx(answer.packet_ns)
    assert found.parts_ns["1 itself"] == 20_000.0
    assert any(f"{LOADS} loads of it ran here" in note for note in found.notes)
    json.dumps(found.to_dict())


def test_each_function_runs_with_its_own_work(chain, planted):
    found = fits_chain(chain(0, 120.4, 80), frame_bytes=64, where=RUN)
    ((lab, works_ns, sizes),) = planted
    assert (lab.length, lab.function, works_ns, sizes) == (3, "tc", (0, 120, 80), [64])
    assert found.answers[0].packet_ns == 4000.0
    assert found.rtt_us == 90.5
    assert "median round trip at rest: 90.5 us (88 to 131 by load)" in str(found)
    assert found.parts_ns["1 itself"] == 120.4
    assert not any(ELSEWHERE in note for note in found.notes)
    for said in ("others used its cores, too, at 30% of looks", "held a core of it for 40%"):
        assert any(said in note for note in found.notes)


def test_a_kind_without_times_is_answered_where_it_runs(chain, planted):
    odd = chain(5, 7, head='metadata_type = 2\ntopology = "hub"')
    found = fits_chain(odd, frame_bytes=64, where=RUN)
    assert found.parts_ns == {"stages, links, source and destination": 3988.0,
                              "0 itself": 5.0, "1 itself": 7.0}  # fmt: skip
    with pytest.raises(BadInputError, match="no times of chains of that kind"):
        fits_chain(odd, frame_bytes=64, where=NOT_RUN)
    assert len(planted) == 1


def test_without_an_echo_no_round_trip_is_said(chain, planted, monkeypatch):
    monkeypatch.setattr(runs, "time_chain", lambda *_: replace(RAN, rtts_us=()))
    found = fits_chain(chain(0), frame_bytes=64, where=RUN)
    assert found.rtt_us is None
    assert "round trip" not in str(found)


def test_without_what_they_do_a_note_says_so(chain, planted):
    assert NOTHING_DONE in fits_chain(chain(0), frame_bytes=64, where=RUN).notes
    assert NOTHING_DONE not in fits_chain(chain(1), frame_bytes=64, where=RUN).notes


@pytest.mark.parametrize("where", [NOT_RUN, replace(RUN, box=Path("other.toml"))])
def test_nothing_runs_where_that_is_not_wanted(chain, planted, where):
    try:
        found = fits_chain(chain(0), frame_bytes=64, where=where)
    except BadInputError:  # there is no such box
        found = None
    assert not planted
    assert found is None or "Not run: priced." in str(found)


def test_on_more_cores_parts_are_not_those_of_one(chain, planted, monkeypatch):
    monkeypatch.setattr(runs, "time_chain", lambda *_: replace(RAN, cores=3))
    found = fits_chain(chain(3000, 3000), frame_bytes=64, where=RUN)
    assert found.answers[0].packet_ns == 4000.0
    assert sum(found.parts_ns.values()) > 6000.0
    assert "Run here, on 3 cores." in str(found)
    assert "the cores that all stages share" in str(found)


def test_why_it_did_not_run_is_said_and_it_is_priced(chain, planted, monkeypatch):
    def fail(*_):
        raise LinerateError("veth: no such device")

    monkeypatch.setattr(runs, "time_chain", fail)
    still = replace(NOT_RUN, static=False)
    monkeypatch.setattr(
        "linerate.face.fits.chains.question.times_where",
        lambda *_, **__: type("There", (), {"box": None, "origin": "none here"}),
    )
    for own_ns, why in (
        (0, "not run: veth: no such device"),
        (WORK_NS_MAX + 1, f"not run: a function takes {WORK_NS_MAX + 1} ns"),
    ):
        found = fits_chain(chain(own_ns), frame_bytes=64, where=still)
        assert any(note.startswith(why) for note in found.notes), found.notes
        assert not found.answers[0].ran_ns
    assert not planted


@pytest.mark.parametrize("function", ["raw_socket", "af_xdp"])
def test_work_of_processes_is_priced_by_turns(chain, function):
    head = f'function = "{function}"'
    idle, last, first = (
        fits_chain(chain(*works, head=head), frame_bytes=64, where=NOT_RUN).answers[0].packet_ns
        for works in ((0, 0), (0, 4000), (4000, 0))
    )
    assert last == pytest.approx(behind_sockets_ns(idle, (0, 4000)))
    assert last > first > idle + 4000.0
    found = fits_chain(chain(0, 4000, head=head), frame_bytes=64, where=NOT_RUN, explained=True)
    assert sum(found.parts_ns.values()) == pytest.approx(last)
    assert found.parts_ns["work on packets that are lost further on"] > 0.0


def test_shipped_times_are_as_unsure_as_machines_differ_whatever_their_names(chain):
    shipped, named = (
        fits_chain(chain(0), frame_bytes=64, where=NOT_RUN, model=model).answers[0]
        for model in (None, SHIPPED)
    )
    assert shipped.upper_mpps / shipped.predicted_mpps > 2.2
    assert named.upper_mpps / named.predicted_mpps < 2.2


def test_an_interval_holds_what_loads_and_the_hour_differ_by():
    took_ns, log_sd = ran_time([4000.0])
    assert took_ns == 4000.0
    assert log_sd > ran_time([4000.0] * 3)[1] > ran_time([4000.0] * 9)[1]
    assert ran_time([4000.0], led_log_sd=0.1)[1] > log_sd
    assert 0.03 < NORMAL_90 * log_sd < 0.2


@pytest.mark.parametrize("works", [(0,) * 14, (20_000,) * 4])
def test_a_chain_that_loses_floods_half_way_may_carry_less(chain, works):
    path = chain(*works)
    flooded = fits_chain(path, frame_bytes=64, where=NOT_RUN, explained=True)
    (answer,) = flooded.answers
    assert answer.carried_mpps > 1.1 * answer.predicted_mpps
    assert any("loses packets half way" in note for note in flooded.notes)
    assert sum(flooded.parts_ns.values()) == pytest.approx(answer.packet_ns)
    assert flooded.parts_ns["work on packets that are lost further on"] > 0.0
    less_gbps = 0.9 * answer.carried_mpps / answer.line_rate_mpps * LINK_GBPS
    found = fits_chain(path, frame_bytes=64, where=NOT_RUN, link_gbps=less_gbps)
    (carried,) = found.answers
    assert carried.sustains
    assert "work on packets that are lost further on" not in found.parts_ns
    assert sum(found.parts_ns.values()) == pytest.approx(carried.packet_ns)
    assert carried.predicted_mpps == carried.carried_mpps == pytest.approx(answer.carried_mpps)


def test_of_a_short_chain_a_flood_is_carried(chain):
    found = fits_chain(chain(0, 0, 4000), frame_bytes=64, where=NOT_RUN)
    assert found.answers[0].carried_mpps == found.answers[0].predicted_mpps
    assert not any("half way" in note for note in found.notes)


def test_what_ran_is_led_to_what_it_carries_as_it_is_priced(chain, planted):
    (short,) = fits_chain(chain(0), frame_bytes=64, where=RUN).answers
    (long,) = fits_chain(chain(*(0,) * 14), frame_bytes=64, where=RUN).answers
    assert short.packet_ns == long.packet_ns == 4000.0
    assert short.carried_mpps == short.predicted_mpps == 0.25
    assert long.carried_mpps > 1.1 * long.predicted_mpps
    assert long.upper_mpps == short.upper_mpps  # it was measured
