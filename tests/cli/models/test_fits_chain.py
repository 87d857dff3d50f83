"""``linerate fits MINE.chain.toml``: answers by the times that are shipped, and refusals."""

import json

import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.errors import BadInputError

FUNCTION = '[[functions]]\nname = "{}"\n'
CHAIN = "".join(FUNCTION.format(name) for name in ("firewall", "nat", "meter"))


def run(*words):
    words = [*map(str, words), "--static"]
    return CliRunner().invoke(app_for(words), words)


@pytest.fixture
def chain(tmp_path):
    def write(text=CHAIN):
        path = tmp_path / "gateway.chain.toml"
        path.write_text(text)
        return path

    return write


def answers(path, *options):
    result = run("fits", path, "--json", *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_chain_is_answered_for_the_usual_sizes(chain):
    result = run("fits", chain(), "--explain")
    assert result.exit_code == 0, result.output
    for words in ("firewall > nat > meter", "64 B: no", "1500 B", "90 %", "bottleneck: the core",
                  "round trip at rest", "Where the", "all stages share one core"):  # fmt: skip
        assert words in result.output


def test_each_function_takes_as_much_again_and_its_own_time(chain):
    two, three = (answers(chain(FUNCTION.format("f") * n), "--frame-bytes", 64) for n in (2, 3))
    own = answers(chain(CHAIN + "ns_per_packet = 5000.0\n"), "--frame-bytes", 64)
    times = [found["answers"][0]["packet_ns"] for found in (two, three, own)]
    assert times[0] < times[1]
    assert times[2] - times[1] == pytest.approx(5000.0)
    assert own["rtt_us"] - three["rtt_us"] == pytest.approx(5.0)
    assert own["bottleneck"] == "meter itself"


def test_what_was_not_measured_is_said(chain):
    found = answers(chain(FUNCTION.format("f") * 20), "--frame-bytes", 64)
    assert not found["answers"][0]["in_domain"]
    assert any("20 functions" in note for note in found["notes"])
    assert answers(chain(), "--frame-bytes", 64)["answers"][0]["in_domain"]


def test_check_exits_with_1_where_line_rate_is_not_sustained(chain):
    asked = ("fits", chain(), "--frame-bytes", 1500, "--check", "--link-gbps")
    assert run(*asked, 100).exit_code == 1
    assert run(*asked, 0.01).exit_code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "functions"),
        ("functions = []", "list them"),
        (CHAIN + "cost = 3", "unknown key"),
        (CHAIN + "ns_per_packet = -1.0", "0 or more"),
        ('function = "dpdk"\n' + CHAIN, "function"),
        ('metadata_type = 2\ntopology = "hub"\n' + CHAIN, "no times of chains of that kind"),
        ("functions = [", "not TOML"),
    ],
)
def test_what_is_no_chain_is_refused(chain, text, says):
    with pytest.raises(BadInputError, match=says):
        app_result = run("fits", chain(text))
        raise app_result.exception or AssertionError(app_result.output)


def test_options_of_other_files_are_refused(chain):
    result = run("fits", chain(), "--traffic", "imix")
    assert "another kind of file" in str(result.exception or result.output)
