"""``linerate fits`` on an object that is counted and not run, also by a user without rights."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from linerate.box import read_box, write_box
from linerate.cli import main
from linerate.measure.objects.calibrating.shipped_box import FOLDER
from linerate.programs.costs import YARDSTICK

from ...needs import as_nobody
from .test_fits_object import compile_to

EXAMPLES = Path(__file__).resolve().parents[3] / "bpf/examples"
COMMAND = [sys.executable, "-c", "from linerate.cli import main; main()"]
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int endless(struct xdp_md *ctx)
{
    __u32 i = 1;

    while (i)
        asm volatile("" : "+r"(i));
    return XDP_PASS;
}
SEC("xdp") int draws(struct xdp_md *ctx)
{
    return bpf_get_prandom_u32() & 1 ? XDP_DROP : XDP_PASS;
}
SEC("xdp") int returns_it(struct xdp_md *ctx)
{
    return bpf_get_prandom_u32();
}
SEC("xdp") int routes(struct xdp_md *ctx)
{
    struct bpf_fib_lookup route = {};

    return bpf_fib_lookup(ctx, &route, sizeof(route), 0) ? XDP_PASS : XDP_TX;
}
struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, 4);
    __type(key, __u32);
    __type(value, __u32);
} sockets SEC(".maps");
SEC("xdp") int to_socket(struct xdp_md *ctx)
{
    return bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_DROP);
}
SEC("tc") int by_protocol(struct __sk_buff *skb)
{
    return skb->protocol == 8 && skb->len == 60 ? 2 : 0;
}
char _license[] SEC("license") = "GPL";
"""


@pytest.fixture(scope="module")
def drop_ports(tmp_path_factory):
    path = tmp_path_factory.mktemp("object") / "drop_ports.bpf.o"
    compile_to(path, (EXAMPLES / "first/drop_ports.bpf.c").read_text())
    return path


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    path = tmp_path_factory.mktemp("object") / "odd.bpf.o"
    compile_to(path, SOURCE)
    return path


@pytest.fixture(scope="module")
def box():
    """A shipped one that has costs of operations."""
    return next(path for path in FOLDER.glob("*.toml") if YARDSTICK in read_box(path).costs)


@pytest.fixture
def counted(capsys, box):
    """Count an object; its exit code, and what was printed."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["fits", *map(str, words), "--static", "--box", str(box)])
        return ended.value.code, capsys.readouterr()

    return run


def test_the_answer_says_that_it_was_counted_and_what(counted, drop_ports):
    code, printed = counted(drop_ports, "--maps", EXAMPLES / "first/drop_ports.toml")
    assert code == 0
    assert "Not run: counted." in printed.out
    assert "counted  16 instructions" in printed.out
    assert "map_lookup_elem ports" in printed.out
    assert "shortest path 7, longest 16 instructions, 0 loops" in printed.out
    assert "Note: not run:" in printed.out


def test_the_json_has_counts_costs_and_the_probability(counted, drop_ports):
    found = json.loads(counted(drop_ports, "--traffic", "64", "--json")[1].out)
    (count,), (answer,) = found["counted"], found["answers"]
    assert found["static"]
    assert (count["shortest"], count["longest"], count["loops"]) == (7, 16, 0)
    assert count["program_ns"] == pytest.approx(sum(part["total_ns"] for part in count["parts"]))
    assert count["maps"][0]["name"] == "ports"
    assert 0.0 <= answer["sustains_line_rate"] <= 1.0
    assert answer["lower_program_ns"] < 0.6 * answer["program_ns"]
    assert answer["upper_program_ns"] > 1.5 * answer["program_ns"]


def test_maps_decide_what_packets_end_in(counted, drop_ports):
    flags = (drop_ports, "--traffic", "64", "--json")
    empty = json.loads(counted(*flags)[1].out)
    assert [path["verdict"] for path in empty["answers"][0]["paths"]] == ["pass"]
    assert any("maps without entries: ports" in note for note in empty["notes"])
    filled = counted(*flags, "--maps", EXAMPLES / "first/drop_ports.toml")[1].out
    assert [path["verdict"] for path in json.loads(filled)["answers"][0]["paths"]] == ["drop"]


def test_what_goes_to_a_socket_ends_as_where_nobody_opened_one(counted, odd):
    found = json.loads(counted(odd, "--entry", "to_socket", "--traffic", "64", "--json")[1].out)
    assert [path["verdict"] for path in found["answers"][0]["paths"]] == ["drop"]
    assert any("no socket is in sockets here" in note for note in found["notes"])


def test_chance_halves_the_packets_and_an_unknown_verdict_is_said(counted, odd):
    flags = ("--traffic", "64", "--json", "--entry")
    halves = json.loads(counted(odd, *flags, "draws")[1].out)["answers"][0]["paths"]
    assert {path["verdict"]: path["share"] for path in halves} == {"drop": 0.5, "pass": 0.5}
    notes = json.loads(counted(odd, *flags, "returns_it")[1].out)["notes"]
    assert any("what 100% of the packets end in is not known" in note for note in notes)


def test_a_program_of_tc_is_counted_with_what_it_reads_of_its_packet(counted, odd):
    found = json.loads(counted(odd, "--entry", "by_protocol", "--traffic", "64", "--json")[1].out)
    assert found["static"]
    assert [path["verdict"] for path in found["answers"][0]["paths"]] == ["drop"]


def test_what_was_assumed_of_a_helper_is_said(counted, odd):
    notes = json.loads(counted(odd, "--entry", "routes", "--json")[1].out)["notes"]
    assert "fib_lookup finds a route" in notes
    assert "what fib_lookup takes was not calibrated: taken as hash_lookup" in notes


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--entry", "endless"], "endless cannot be counted: more than 60000 instructions"),
        (["--entry", "draws", "--against", "old.bpf.o"], "against=old.bpf.o: it needs test runs"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_words(counted, odd, flags, words):
    code, printed = counted(odd, *flags)
    assert code == 2
    assert words in printed.err


def test_a_user_without_rights_gets_an_answer_from_a_shipped_box(drop_ports):
    """In a home that is empty, and in one that may not be entered."""
    nobody = as_nobody()
    # Not pytest's own folder, which others may not enter.
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o755)
        path = shutil.copy(drop_ports, home)
        done = subprocess.run(
            ["env", f"HOME={home}", "XDG_STATE_HOME=/root/none", *nobody, *COMMAND, "fits", path,
             "--json"], capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["static"]
    assert any(note.startswith("no calibration of this machine: answered with box ")
               for note in found["notes"])  # fmt: skip


def test_costs_of_another_machine_are_less_sure(drop_ports, tmp_path, monkeypatch):
    """The nearest box is another on each maker's CPU; named, it is taken for this machine's."""
    from linerate.face.fits.objects import fits
    from linerate.measure.objects.calibrating.shipped_box import FOLDER, shipped_box

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    asked = {"traffic": 64, "static": True, "progress": False}
    box = FOLDER / f"{shipped_box().box.name}.toml"
    named, nearest = fits(drop_ports, box=box, **asked), fits(drop_ports, **asked)
    assert named.answers[0].predicted_mpps == nearest.answers[0].predicted_mpps
    width = [answer.upper_mpps - answer.lower_mpps for answer in named.answers + nearest.answers]
    assert width[1] > 1.1 * width[0]


def test_this_machine_s_own_calibration_is_taken_however_old(
    box, drop_ports, tmp_path, monkeypatch
):
    from dataclasses import replace

    from linerate.face.fits.objects import fits
    from linerate.measure.system.describe import this_box

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    own = replace(this_box("veth"), costs=read_box(box).costs)
    path = tmp_path / "linerate" / f"{own.name}.toml"
    path.parent.mkdir()
    write_box(own, path)
    os.utime(path, (0, 0))
    notes = fits(drop_ports, traffic=64, static=True, progress=False).notes
    assert any(str(path) in note and "old: root calibrates anew" in note for note in notes)


def test_an_answer_loads_neither_tables_nor_science(drop_ports, box):
    """They would take longer than all the rest."""
    program = (
        "import sys\nfrom linerate.face.fits.objects import fits\n"
        f"fits({str(drop_ports)!r}, box={str(box)!r}, static=True, progress=False)\n"
        "print({'pandas', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"set()\n"
