"""A ruleset that is asked about runs on the frames that are named, here, and says what it took."""

import json
from dataclasses import replace

import pytest

from linerate.box import Cost, write_box
from linerate.face.fits.carrying import Where
from linerate.face.fits.kept import RulesetAsked, kept_of_ruleset
from linerate.face.fits.rulesets import SHIPPED, fits_ruleset
from linerate.measure.datapaths.filters.own import test_run as runs
from linerate.measure.objects.calibrating.own_box import state_folder
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.measure.rulesets.source import read_source
from linerate.measure.system.describe import this_box
from linerate.programs.costs import work_name

from ..measure.arriving import ICMP, UDP, arp, ipv4, tcp, udp

pytestmark = pytest.mark.root

RUN = Where(static=False, progress=False)
FIREWALL = """
table inet fw {
  chain incoming {
    type filter hook HOOK priority 0; policy drop;
    tcp dport 22 accept
    udp dport 53 accept
  }
}
"""
NAT = """
table ip nat {
  chain to {
    type nat hook prerouting priority dstnat;
    udp dport 9 dnat to 10.0.0.2:99
  }
  chain from {
    type nat hook postrouting priority srcnat;
    masquerade
  }
}
"""
STATES = FIREWALL.replace("tcp dport 22", "ct state established accept\n    tcp dport 22")


@pytest.fixture(autouse=True)
def timed_today(tmp_path, monkeypatch):
    """Keep a time of this machine's, so that it is not timed for half a minute."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    cost = Cost(value_ns=600.0, lower_ns=590.0, upper_ns=610.0)
    dropped = (("receive", 1), ("rule", 1), ("to_input", 1), ("to_prerouting", 1))
    box = replace(this_box("veth"), costs={work_name("nftables", dropped): cost})
    state_folder().mkdir(parents=True)
    write_box(box, state_folder() / f"{box.name}.nftables.toml")


@pytest.fixture
def asked(tmp_path):
    def ask(text=FIREWALL, hook="input", **others):
        (tmp_path / "fw.nft").write_text(text.replace("HOOK", hook))
        return fits_ruleset(tmp_path / "fw.nft", **{"traffic": 64, "where": RUN, **others})

    return ask


@pytest.fixture
def frames(tmp_path):
    def write(*packets):
        (tmp_path / "frames.json").write_text(
            json.dumps([{"hex": packet.hex(), "weight": 1} for packet in packets])
        )
        return tmp_path / "frames.json"

    return write


def expected(found):
    return found.answers[0].priced.cases[1]


def test_what_ran_is_answered_and_its_price_stands_beside(asked):
    found = asked()
    assert "sustain line rate? Run on these frames, on one core." in str(found)
    assert "as run here; priced" in str(found)
    assert 100.0 < expected(found).packet_ns < 10_000.0
    assert any("loads of it ran here on these frames" in note for note in found.notes)
    assert not any("otherwise" in note for note in found.notes)


@pytest.mark.exclusive
def test_what_was_said_is_kept_for_when_it_is_measured(asked, tmp_path):
    found = asked()
    kept_under = RulesetAsked(source=read_source(tmp_path / "fw.nft"), hook="", established=0.0,
                              frames=of_size(64), replayed=False)  # fmt: skip
    ran = expected(found).priced is not None
    for replayed in (False, True) if ran else (False,):
        kept = kept_of_ruleset(replace(kept_under, replayed=replayed))
        assert kept is not None
        mpps = kept.rates[1].predicted_mpps
        assert mpps == pytest.approx(1e3 / expected(found).packet_ns, rel=0.2 * replayed + 1e-9)


@pytest.mark.parametrize(
    "others",
    [{"traffic": None}, {"model": SHIPPED}, {"where": Where(static=True)}],
    ids=["no frames", "costs of somewhere", "nothing shall run"],
)
def test_what_is_not_about_frames_here_does_not_run(asked, others):
    found = asked(**others)
    assert "Not run: the rules that packets walk are priced." in str(found)
    assert expected(found).priced is None


def test_why_it_does_not_run_is_said_and_it_is_priced(asked, frames):
    found = asked(STATES, "input", traffic=frames(ipv4(ICMP, bytes(8))), established=0.5)
    assert "Not run" in str(found)
    why = "can only be UDP or TCP over IPv4"
    assert any(note.startswith("not run: ") and why in note for note in found.notes)


def test_a_router_that_translates_runs_with_known_flows_and_with_first_packets(asked, monkeypatch):
    monkeypatch.setattr(runs, "LOADS", 1)
    text = FIREWALL.replace("tcp dport 22 accept", "udp dport 99 accept") + NAT
    first, known = (asked(text, "forward", established=share) for share in (0.0, 1.0))
    for found in (first, known):
        assert "Run on these frames" in str(found)
        assert "0% dropped, 100% translated" in str(found)
        assert not any("otherwise" in note for note in found.notes)
    assert expected(first).packet_ns > 1.2 * expected(known).packet_ns


def test_where_packets_end_elsewhere_than_they_are_followed_to_is_said(asked, frames, monkeypatch):
    """The source of one is the host itself, which is taken for spoofed before any rule at input."""
    monkeypatch.setattr(runs, "LOADS", 1)
    spoofed = ipv4(UDP, udp(), source="127.0.0.1")
    found = asked(traffic=frames(spoofed, ipv4(6, tcp(destination=22)), arp()))
    (note,) = [note for note in found.notes if note.startswith("packets came otherwise")]
    assert "33% to input and not 67%" in note
    assert "33% through all of it and not 67%" in note
