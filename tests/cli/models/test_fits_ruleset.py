"""``linerate fits RULES.nft``: answers by the costs that are shipped, and refusals."""

import json

import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.errors import BadInputError
from linerate.face.fits.pipelines import SHIPPED as PIPELINES

pytestmark = pytest.mark.root
FIREWALL = """
table inet fw {
  chain incoming {
    type filter hook input priority 0; policy drop;
    tcp dport { 22, 80 } accept
    udp dport 9 drop
  }
}
"""
LONGER = "ct state established accept\n    ip saddr 192.0.2.1 drop\n    udp dport 9 drop"
FRAMES = [
    {
        "hex": "020000000002020000000001080045000020000000004011000"
        "0c6120001c61300010400000900"
        "0c0000",
        "weight": 3,
    },
]


def run(*words):
    """Ask by the costs as they are shipped: this machine's are asked for in test_carrying."""
    words = [*map(str, words), "--static"]
    return CliRunner().invoke(app_for(words), words)


@pytest.fixture
def ruleset(tmp_path):
    def write(text=FIREWALL, name="fw.nft"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_a_ruleset_is_answered_for_the_usual_sizes(ruleset):
    result = run("fits", ruleset(), "--explain")
    assert result.exit_code == 0, result.output
    for words in ("64 B, 10 Gbit/s:", "1518 B", "90 %", "Gbit/s of the line", "walks 2 rules",
                  "100% dropped", "Rules walked by a packet:", "incoming 2: udp dport 9 drop",
                  "Note: ", "on a veth"):  # fmt: skip
        assert words in result.output


@pytest.mark.parametrize(("rule", "waits"), [("ct count over 20 drop", True),
                                             ("ip saddr 192.0.2.1 drop", False)])  # fmt: skip
def test_cores_that_wait_for_each_other_do_less_than_as_many_alone(ruleset, rule, waits):
    path = ruleset(FIREWALL.replace("udp dport 9 drop", rule))
    asked = [json.loads(run("fits", path, "--frame-bytes", 64, "--queues", queues, "--json").output)
             for queues in (1, 4)]  # fmt: skip
    alone, four = (found["answers"][0]["cases"][1]["predicted_mpps"] for found in asked)
    text = run("fits", path, "--frame-bytes", 64, "--queues", 4).output
    assert (four < 3.6 * alone) == waits == ("on 4 cores" in text)
    assert ("a list of connections is for one at a time" in text) == waits
    assert ("two did 2 to 16 % less each" in text) != waits


def test_cases_that_are_alike_are_printed_once(ruleset):
    one = run("fits", ruleset(), "--traffic", 64).output
    mix = run("fits", ruleset(FIREWALL.replace("udp dport 9 drop", LONGER)), "--traffic", 64,
              "--established", 0.5).output  # fmt: skip
    assert "worst " not in one.replace("at worst ", "")
    assert "worst " in mix.replace("at worst ", "")
    assert "expected" in one


@pytest.mark.deep
def test_more_rules_take_longer(ruleset):
    def packet_ns(rules):
        lines = "".join(f"ip saddr 10.0.{n // 200}.{n % 200} drop\n" for n in range(rules))
        text = FIREWALL.replace("tcp dport {", f"{lines}tcp dport {{")
        result = run("fits", ruleset(text), "--frame-bytes", 64, "--link-gbps", 400, "--json")
        (answer,) = json.loads(result.stdout)["answers"]
        assert answer["rules_worst"] == rules + 2
        _, expected, _ = answer["cases"]
        assert expected["lower_mpps"] < expected["predicted_mpps"] < expected["upper_mpps"]
        return expected["packet_ns"]

    few, some, many = map(packet_ns, (0, 100, 1000))
    assert few < some < many
    assert 5.0 < (many - some) / 900 < 50.0


def test_traffic_is_followed_by_its_bytes(ruleset, tmp_path):
    tcp = bytearray.fromhex(FRAMES[0]["hex"].ljust(120, "0"))
    tcp[23], tcp[37] = 6, 22
    frames = [*FRAMES, {"hex": tcp.hex()}]
    (tmp_path / "frames.json").write_text(json.dumps(frames))
    result = run("fits", ruleset(), "--traffic", tmp_path / "frames.json", "--json")
    (answer,) = json.loads(result.stdout)["answers"]
    assert answer["drop_ratio"] == 0.75
    assert answer["rules_mean"] == pytest.approx(0.75 * 2 + 0.25)


def test_check_exits_with_1_where_line_rate_is_not_sustained(ruleset):
    asked = ("fits", ruleset(), "--frame-bytes", 64, "--queues", 1)
    assert run(*asked, "--link-gbps", 40, "--check").exit_code == 1
    assert run(*asked, "--link-gbps", 0.1, "--check").exit_code == 0


def test_what_is_not_understood_is_named_and_widens_the_interval(ruleset):
    strange = FIREWALL.replace("udp dport 9 drop", "meta skuid 0 accept\n    udp dport 9 drop")

    def width(text):
        result = run("fits", ruleset(text), "--frame-bytes", 64, "--link-gbps", 400, "--json")
        (answer,) = json.loads(result.stdout)["answers"]
        case = answer["cases"][1]
        return case["upper_mpps"] / case["lower_mpps"], json.loads(result.stdout)["notes"]

    plain, _ = width(FIREWALL)
    wider, notes = width(strange)
    assert wider > plain
    assert any("meta skuid" in note for note in notes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--hook", "output"), "hook=output: no incoming packet passes it"),
        (("--table", "a=b"), "allowed: with a pipeline"),
        (("--maps", "m.toml"), "allowed: with a BPF object"),
        (("--model", PIPELINES), "it has no costs of nftables rules"),
    ],
)
def test_options_that_do_not_go_with_it_are_refused(ruleset, options, says):
    result = run("fits", ruleset(), *options)
    assert isinstance(result.exception, BadInputError)
    assert says in str(result.exception)


def test_a_syntax_error_is_told_with_its_line(ruleset):
    result = run("fits", ruleset(FIREWALL.replace("udp dport 9 drop", "udp dport drop drop")))
    assert isinstance(result.exception, BadInputError)
    assert "fw.nft:6: nft refuses it" in str(result.exception)
