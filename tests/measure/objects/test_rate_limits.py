"""Floods of a token bucket: what it lets through, whatever the machine's speed."""

from contextlib import contextmanager
from time import sleep

import pytest

from linerate.errors import DeviceFailedError, LinerateError
from linerate.face.fits import objects, timed
from linerate.measure.objects import rate_limits
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.rate_limits import floods, reads_clock
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.processes import built
from linerate.programs.times import Flood

pytestmark = pytest.mark.root
LIMIT_MPPS = 0.05


@pytest.fixture
def bucket():
    path = built.program_object("token_bucket")
    return path, list_object(path)


def settings_of(bucket, repository, limit_mpps=LIMIT_MPPS):
    maps = repository / "bpf/examples/counting/token_bucket.toml"
    return read_settings(bucket[1], maps, [f"packet_ns={1e3 / limit_mpps:.0f}"])


@pytest.mark.exclusive
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_a_flood_gets_no_more_than_the_limit(bucket, repository, datapath):
    tested = UnderTest(path=bucket[0], entry="token_bucket", datapath=datapath,
                       settings=settings_of(bucket, repository))  # fmt: skip
    found = floods(tested, [of_size(64), of_size(1518)], queues=1)
    assert len(found) == 2
    for flood in found:
        rates = dict(flood.rates_mpps)
        assert rates["tx"] == pytest.approx(LIMIT_MPPS, rel=0.1)
        assert rates["drop"] > rates["tx"]
        assert flood.mpps == pytest.approx(rates["tx"] + rates["drop"])


@pytest.mark.exclusive
def test_a_count_that_begins_late_is_of_the_time_that_it_counted(bucket, repository, monkeypatch):
    in_time = rate_limits._counted_from

    @contextmanager
    def late(attached, begin):
        sleep(0.04)
        with in_time(attached, begin):
            yield

    monkeypatch.setattr(rate_limits, "_counted_from", late)
    tested = UnderTest(path=bucket[0], entry="token_bucket",
                       settings=settings_of(bucket, repository))  # fmt: skip
    (flood,) = floods(tested, [of_size(64)], queues=1)
    assert dict(flood.rates_mpps)["tx"] == pytest.approx(LIMIT_MPPS, rel=0.1)


@pytest.mark.exclusive
def test_a_limit_that_a_timer_renews_is_seen(compiled):
    path = compiled("timed")
    listing = list_object(path)
    assert reads_clock(path, "timed", listing)
    tested = UnderTest(path=path, entry="timed", settings=read_settings(listing, None, ()))
    (flood,) = floods(tested, [of_size(64)], queues=1)
    assert dict(flood.rates_mpps)["tx"] == pytest.approx(0.05, rel=0.2)


@pytest.mark.exclusive
def test_an_answer_has_the_shares_of_the_rate_that_it_answers(bucket, repository, tmp_path):
    maps = tmp_path / "maps.toml"
    example = repository / "bpf/examples/counting/token_bucket.toml"
    maps.write_text(example.read_text().replace("packet_ns = 100", "packet_ns = 20000"))
    box = repository / "data/boxes/amd-epyc-2cpu-6.18.44-veth-calibrated.toml"
    found = objects.fits(bucket[0], traffic=64, maps=maps, queues=1, box=box, progress=False)
    (answer,) = found.answers
    shares = {path.verdict: path.share for path in answer.paths}
    assert shares["tx"] * answer.predicted_mpps == pytest.approx(LIMIT_MPPS, rel=0.1)
    assert shares["drop"] == pytest.approx(1.0 - shares["tx"])
    (note,) = [note for note in found.notes if "limits a rate" in note]
    assert " 0.0" in note and note.endswith(" in tx, what was beyond in drop")


def test_programs_that_read_no_clock_are_not_flooded(bucket):
    assert reads_clock(bucket[0], "token_bucket", bucket[1])
    path = built.program_object("vlan")
    assert not reads_clock(path, "vlan", list_object(path))


def test_a_program_that_no_lab_takes_is_answered_by_its_test_runs(bucket, repository, monkeypatch):
    def refused(*_):
        raise DeviceFailedError("object: the kernel refuses it")

    monkeypatch.setattr(timed, "floods", refused)
    found = objects.fits(
        bucket[0], traffic=64, queues=1, progress=False,
        maps=repository / "bpf/examples/counting/token_bucket.toml",
        box=repository / "data/boxes/amd-epyc-2cpu-6.18.44-veth-calibrated.toml",
    )  # fmt: skip
    assert [path.verdict for path in found.answers[0].paths] == ["tx"]
    (note,) = [note for note in found.notes if "reads the clock" in note]
    assert "drop" in note and "linerate measure has their shares" in note


def flood_of(mpps):
    return Flood(queues=1, rates_mpps=(("tx", mpps), ("drop", 4.0)))


@pytest.mark.parametrize(("largest_mpps", "flooded_sizes"), [(0.51, 2), (0.2, 3)])
def test_frames_between_are_flooded_where_the_smallest_and_the_largest_differ(
    bucket, repository, monkeypatch, largest_mpps, flooded_sizes
):
    loads = [of_size(size) for size in (64, 512, 1518)]
    sent = []

    def planted(_, asked, queues):
        sent.extend(asked)
        return [flood_of(largest_mpps if one is loads[-1] else 0.5) for one in asked]

    monkeypatch.setattr(timed, "floods", planted)
    # Test runs ask some 5 us apart: all that they send is let through.
    settings = settings_of(bucket, repository, limit_mpps=1.0)
    tested = UnderTest(path=bucket[0], entry="token_bucket", settings=settings)
    found = timed.timed([(tested, bucket[1])], loads, lambda *_: None, 1)
    assert len(sent) == flooded_sizes
    rates = [dict(times.floods[0].rates_mpps)["tx"] for (times,) in found]
    assert rates == [0.5, 0.5, largest_mpps]


def test_a_machine_too_busy_to_count_in_time_is_said_to_be(bucket, repository, monkeypatch):
    monkeypatch.setattr(rate_limits, "LATE_US_MAX", 0.0)
    tested = UnderTest(path=bucket[0], entry="token_bucket",
                       settings=settings_of(bucket, repository))  # fmt: skip
    with pytest.raises(LinerateError, match="ms late, 5 times; ask again when less runs"):
        floods(tested, [of_size(64)], queues=1)
