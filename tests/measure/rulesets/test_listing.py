"""Rulesets read by the kernel's own tools, and followed."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.traffic.named import named_frames
from linerate.measure.rulesets import listing
from linerate.measure.rulesets.follow import Followed, follow
from linerate.measure.rulesets.listing import load_source
from linerate.measure.rulesets.ruleset import Ruleset
from linerate.measure.rulesets.source import read_source
from linerate.measure.rulesets.steps import Match

pytestmark = pytest.mark.root
FIREWALL = """
define LAN = { 10.0.0.0/8, 172.16.0.0/12 }
table inet fw {
  set bad { type ipv4_addr; flags interval; elements = { 192.0.2.0/24, 198.51.100.1-198.51.100.9 }
  }
  map services { type inet_service : verdict; elements = { 9 : jump discard, 80 : accept }
  }
  chain discard {
    counter
    ip daddr 198.19.0.1 return
    drop
  }
  chain incoming {
    type filter hook input priority 0; policy drop;
    ip saddr @bad drop
    ip saddr $LAN accept
    tcp dport 22 accept
    udp dport vmap @services
    meta skuid 0 accept
    udp dport 9 accept
  }
}
"""


@pytest.fixture
def read(tmp_path: Path):
    def of(text: str, name: str = "a.nft") -> Ruleset:
        (tmp_path / name).write_text(text)
        return load_source(read_source(tmp_path / name))

    return of


def followed(ruleset: Ruleset) -> Followed:
    (way,), _ = follow(ruleset, named_frames(64), ruleset.last_hook)
    return way


def refused(read, text: str, name: str = "a.nft") -> str:
    with pytest.raises(BadInputError) as caught:
        read(text, name)
    return str(caught.value)


def test_a_packet_walks_rules_until_one_decides(read) -> None:
    way = followed(read(FIREWALL))
    assert (way.walk.end, way.walk.hook, way.walk.decided_by) == ("accept", "input", "incoming 6")
    walked = [rule.name for rule in way.walk.rules]
    assert walked == ["incoming 1", "incoming 2", "incoming 3", "incoming 4", "discard 1",
                      "discard 2", "incoming 5", "incoming 6"]  # fmt: skip
    counts = dict(way.operations)
    assert (counts["rule"], counts["jump"], counts["count"]) == (8, 1, 1)
    assert (counts["range_lookup"], counts["range_level"]) == (2, 4)
    assert dict(way.walk.strange) == {"meta skuid": 1}


def test_rules_have_the_text_that_nft_lists(read) -> None:
    rules = {rule.name: rule.text for rule in followed(read(FIREWALL)).walk.rules}
    assert rules["incoming 3"] == "tcp dport 22 accept"


def test_the_last_hook_follows_from_the_base_chains(read) -> None:
    both = (
        FIREWALL
        + "table ip r { chain f {\n type filter hook forward priority 0; policy drop;\n}\n}\n"
    )
    assert read(both).last_hook == "input"
    assert read(both).hooks == ("input", "forward")


def test_reading_leaves_nothing_behind(read) -> None:
    read(FIREWALL)
    listed = subprocess.run(["nft", "list", "tables"], capture_output=True, text=True, check=True)
    assert "inet fw" not in listed.stdout


def test_a_syntax_error_is_told_with_its_line(read) -> None:
    output = refused(read, FIREWALL.replace("tcp dport 22", "tcp dport"))
    assert (
        f"a.nft:{FIREWALL[: FIREWALL.index('tcp dport 22')].count(chr(10)) + 1}: nft refuses it"
        in output
    )
    assert "syntax error" in output


def test_a_ruleset_without_a_base_chain_is_refused(read) -> None:
    assert "no base chain meets incoming packets" in refused(read, "table ip t { chain c { }\n}\n")
    sends = "table ip t { chain c {\n type filter hook output priority 0;\n}\n}\n"
    assert "c (filter at output, ip) do not" in refused(read, sends)


def test_a_definition_that_looks_like_a_shell_command_runs_nothing(read, tmp_path: Path) -> None:
    mark = tmp_path / "made"
    for text in (f'define x = "$(touch {mark})"\n', f"define x = `touch {mark}`\n",
                 f"define x = 1; ! touch {mark}\n"):  # fmt: skip
        with suppress(BadInputError):
            read(text + FIREWALL)
        assert not mark.exists()


def test_too_many_rules_are_refused(read, monkeypatch) -> None:
    monkeypatch.setattr(listing, "RULES_MAX", 200)
    rules = "drop; " * 201
    text = f"table ip t {{ chain c {{ type filter hook input priority 0; {rules} }}\n}}\n"
    assert "allowed: up to 200" in refused(read, text)


def test_a_chain_without_end_is_refused_by_the_kernel(read) -> None:
    loop = ("table ip t { chain a {\n jump b\n}\n chain b {\n jump a\n}\n chain c {\n"
            " type filter hook input priority 0;\n jump a\n}\n}\n")  # fmt: skip
    assert "refuses it" in refused(read, loop)


def test_ingress_chains_see_all_packets(read) -> None:
    text = ('table netdev t { chain c {\n type filter hook ingress device "lan7" priority 0;\n'
            " udp dport 9 drop\n}\n}\n")  # fmt: skip
    way = followed(read(text))
    assert (way.walk.end, way.walk.hook) == ("drop", "ingress")


SAVED = """*filter
:INPUT DROP [0:0]
:guests - [0:0]
-A INPUT -s 10.0.0.0/8 -j ACCEPT
-A INPUT -m u32 --u32 "0x0=0x0" -j ACCEPT
-A INPUT -p tcp -m tcp --dport 9 -j ACCEPT
-A INPUT -p udp -m multiport --dports 9,53 -j guests
-A guests ! -d 198.19.0.1/32 -j ACCEPT
COMMIT
"""


def test_a_protocol_of_iptables_is_matched_before_addresses(read) -> None:
    saved = "*filter\n:INPUT DROP [0:0]\n-A INPUT -s 192.0.2.1 -p udp --dport 3 -j ACCEPT\nCOMMIT\n"
    ruleset = read(saved, "host.rules")
    (rule,) = [rule for chain in ruleset.chains.values() for rule in chain.rules]
    kinds = [step.kinds for step in rule.steps if isinstance(step, Match)]
    assert kinds == [("compare_meta",), ("compare_network",), ("compare_transport",)]


def test_iptables_rules_are_walked_too(read) -> None:
    way = followed(read(SAVED, "a.rules"))
    assert (way.walk.end, way.walk.decided_by) == ("drop", "policy of INPUT")
    counts = dict(way.operations)
    assert (counts["rule"], counts["extension"], counts["jump"]) == (5, 1, 1)
    assert list(way.walk.strange) == ["-m u32 --u32 0x0=0x0 -j ACCEPT"]


def test_an_error_of_iptables_is_told_with_its_line(read) -> None:
    output = refused(read, SAVED.replace("--dport 9", "--dport nowhere"), "a.rules")
    assert "a.rules:6: iptables-restore refuses it" in output
    assert "nowhere" in output
