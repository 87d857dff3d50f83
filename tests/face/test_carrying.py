"""Costs as of this machine or a box: timed, kept, carried, and named."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.needs import as_nobody
from typer.testing import CliRunner

from linerate.box import Cost, read_box, write_box
from linerate.cli.app import app_for
from linerate.errors import BadInputError
from linerate.face.fits.carrying import Where, carry
from linerate.face.fits.chains.question import SHIPPED as CHAINS
from linerate.face.fits.chains.question import fits_chain
from linerate.face.fits.pipelines import SHIPPED as PIPELINES
from linerate.face.fits.pipelines import fits_pipeline
from linerate.face.fits.rulesets import SHIPPED as SHIPPED_RULES
from linerate.face.fits.rulesets import fits_ruleset
from linerate.measure.objects.calibrating import own_works as kept
from linerate.measure.objects.calibrating import works
from linerate.measure.system.describe import this_box
from linerate.models.file.saved import load_model
from linerate.models.operations.own import own_steps
from linerate.models.operations.work import Work
from linerate.programs.costs import work_costs, work_name

COMMAND = [sys.executable, "-c", "from linerate.cli import main; main()"]
ROOT = Path(__file__).resolve().parents[2]
ROUTER = ROOT / "notebooks/own/router.spec"
FIREWALL = """
table inet fw {
  chain incoming {
    type filter hook input priority 0; policy drop;
    tcp dport { 22, 80 } accept
    udp dport 9 drop
  }
}
"""
PROBES = (
    (("receive", 1),), (("extract", 6), ("receive", 1)), (("move", 48), ("receive", 1)),
    (("receive", 1), ("table_lpm", 4)), (("receive", 1), ("table_exact", 4)),
)  # fmt: skip


@pytest.fixture
def ruleset(tmp_path):
    (tmp_path / "fw.nft").write_text(FIREWALL)
    return tmp_path / "fw.nft"


@pytest.fixture
def slower(tmp_path):
    """Return a box on which pipelines take twice as long as by the shipped costs."""
    mixes = load_model(PIPELINES).mixes
    assert mixes is not None
    costs = {}
    for probe in PROBES:
        ns = 2.0 * mixes.time_of(Work(scope="swx", base="bare", steps=own_steps(probe)))[0]
        costs[work_name("swx", probe)] = Cost(value_ns=ns, lower_ns=ns, upper_ns=ns)
    path = tmp_path / "slower.toml"
    write_box(replace(this_box("dpdk"), name="slower", costs=costs), path)
    return path


def run(*words):
    words = [str(word) for word in words]
    return CliRunner().invoke(app_for(words), words)


def test_a_box_that_takes_twice_as_long_halves_the_rate(slower):
    shipped = fits_pipeline(ROUTER, frame_bytes=64, where=Where(static=True))
    there = fits_pipeline(ROUTER, frame_bytes=64, where=Where(box=slower))
    before, after = (found.answers[0].cases[1].packet_ns for found in (shipped, there))
    assert after == pytest.approx(2.0 * before, rel=0.15)
    (note,) = [note for note in there.notes if "carried to slower" in note]
    assert "way 2.0" in note
    assert "hardly known here" in note
    assert not any("this machine is" in note for note in there.notes)


def test_a_box_is_named_on_the_command_line(slower):
    result = run("fits", ROUTER, "--box", slower, "--frame-bytes", 64, "--json")
    assert result.exit_code == 0, result.output
    assert any("carried to slower" in note for note in json.loads(result.stdout)["notes"])


@pytest.mark.root
def test_a_box_without_times_of_rulesets_is_refused(ruleset, slower):
    result = run("fits", ruleset, "--box", slower)
    assert isinstance(result.exception, BadInputError)
    assert "it has no times of packets on nftables" in str(result.exception)
    assert "linerate calibrate --for nftables" in str(result.exception)


def test_times_that_no_packet_takes_are_left_out(slower):
    box = read_box(slower)
    mixes = load_model(PIPELINES).mixes
    assert mixes is not None
    never = Cost(value_ns=0.0, lower_ns=-1.0, upper_ns=float("inf"))
    odd = replace(box, costs={**box.costs, work_name("swx", (("move", 9),)): never})
    assert carry(mixes, "swx", odd).factors == carry(mixes, "swx", box).factors
    with pytest.raises(BadInputError, match="it has no times of packets on swx"):
        carry(mixes, "swx", replace(box, costs={}))


def test_times_of_operations_that_a_model_does_not_know_are_left_out(slower):
    box = read_box(slower)
    mixes = load_model(PIPELINES).mixes
    assert mixes is not None
    later = Cost(value_ns=900.0, lower_ns=900.0, upper_ns=900.0)
    newer = replace(box, costs={**box.costs, work_name("swx", (("of_a_later_version", 9),)): later})
    assert carry(mixes, "swx", newer).factors == carry(mixes, "swx", box).factors


@pytest.fixture
def chain(tmp_path):
    path = tmp_path / "gateway.chain.toml"
    path.write_text('[[functions]]\nname = "nat"\n')
    return path


def chain_box(path, factor):
    """Write a box on which chains take so many times as long as by the shipped times."""
    direct = load_model(CHAINS).fitted["chain_times"].time_of({"chain_function": "tc"})
    costs = {}
    for length, size in ((1, 64), (4, 1500)):
        ns = factor * float(direct.packet_ns(length, size))
        name = work_name("chain-tc", (("frame_byte", size), ("function", length)))
        costs[name] = Cost(value_ns=ns, lower_ns=ns, upper_ns=ns)
    write_box(replace(this_box("veth"), name="other", costs=costs), path)
    return path


def test_a_chain_takes_the_factor_of_its_functions_on_a_box(chain, tmp_path):
    shipped = fits_chain(chain, frame_bytes=64, where=Where(static=True))
    there = fits_chain(chain, frame_bytes=64, where=Where(box=chain_box(tmp_path / "b.toml", 1.5)))
    assert there.answers[0].packet_ns == pytest.approx(1.5 * shipped.answers[0].packet_ns)
    assert there.rtt_us == shipped.rtt_us
    assert any("carried to other by times of 2 chains" in note for note in there.notes)
    assert any("as --static asks" in note for note in shipped.notes)


def test_a_box_without_times_of_chains_is_refused(chain, slower):
    result = run("fits", chain, "--box", slower)
    assert "it has no times of packets on chain-tc" in str(result.exception)
    assert "linerate calibrate --for chain-tc" in str(result.exception)


@pytest.mark.root
def test_chains_are_timed_by_length_and_size(tmp_path, monkeypatch):
    text = (works.CAMPAIGNS / "probe-chain-tc.toml").read_text()
    few = text.replace("repetitions = 3", "repetitions = 1").replace("[64, 1500]", "[64]")
    (tmp_path / "probe-chain-tc.toml").write_text(few)
    monkeypatch.setattr(works, "CAMPAIGNS", tmp_path)
    timed = work_costs(works.measure_works("chain-tc", lambda *_: None), "chain-tc")
    short, long = (timed[("frame_byte", 64), ("function", length)] for length in (1, 4))
    assert 0 < short.value_ns < long.value_ns


def test_without_rights_the_answer_says_what_root_would_do():
    done = subprocess.run(
        ["env", "HOME=/none", "XDG_STATE_HOME=/root/none", *as_nobody(), *COMMAND, "fits", ROUTER,
         "--json"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert any("as root they are held against this machine" in note for note in notes)


@pytest.mark.root
def test_what_is_timed_here_is_kept_and_carries_the_costs(ruleset, tmp_path, monkeypatch):
    """Two cells of the campaign, which is otherwise twenty seconds long."""
    shipped = works.CAMPAIGNS
    (tmp_path / "few").mkdir()
    (tmp_path / "few/rulesets").symlink_to(shipped / "rulesets")
    head, block, *_ = (shipped / "probe-nftables.toml").read_text().split("[[cells]]")
    text = f"{head}[[cells]]{block}"
    first, second = text.index("program = ["), text.index("queues = ")
    few = 'program = ["rulesets/drop_input.nft", "rulesets/tcp_100.nft"]\n'
    (tmp_path / "few/probe-nftables.toml").write_text(text[:first] + few + text[second:])
    monkeypatch.setattr(works, "CAMPAIGNS", tmp_path / "few")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    heard = []
    own = kept.own_works("nftables", lambda *words: heard.append(words))
    assert heard[-1][1:] == (6, 6)
    timed = work_costs(own.box.costs, "nftables")
    assert {dict(operations).get("rule", 0) for operations in timed} == {0, 100}
    assert all(0 < cost.lower_ns <= cost.value_ns <= cost.upper_ns for cost in timed.values())
    again = kept.own_works("nftables", lambda *words: pytest.fail("it is timed again"))
    assert again.box.costs == own.box.costs
    answer = fits_ruleset(ruleset, frame_bytes=64, where=Where(progress=False))
    other = "another " * (own.box.name in load_model(SHIPPED_RULES).provenance.boxes)
    assert any(f"carried to {other}{own.box.name}" in note for note in answer.notes)


@pytest.mark.root
def test_shipped_costs_are_as_unsure_as_machines_differ_whatever_their_names(ruleset):
    """Of a model that is named nothing is known but what it says."""
    static = Where(static=True)
    elsewhere, named = (
        fits_ruleset(ruleset, frame_bytes=64, where=static, model=model).answers[0].priced.cases[1]
        for model in (None, SHIPPED_RULES)
    )
    assert elsewhere.packet_ns == pytest.approx(named.packet_ns)
    assert elsewhere.upper_ns / elsewhere.packet_ns > 2.0
    assert named.upper_ns / named.packet_ns < 1.5
