"""Campaigns with the user's own objects: what is refused, what is counted, what stays."""

import json
import random
import shutil
import signal
import time
from dataclasses import replace

import pandas as pd
import pytest

import linerate as lr
from linerate.cells import Cell, Load
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.benches import open_bench
from linerate.measure.datapaths.objects.settings import ObjectSettings
from linerate.measure.objects.ends import Ends
from linerate.measure.objects.traffic.udp_frames import of_slots
from linerate.measure.processes import built
from linerate.measure.trials.bench import Timing
from linerate.measure.trials.validity import judge
from linerate.settings import columns_of
from linerate.tables.runs import read_runs

from .... import warm
from ....needs import two_cores
from ...campaign.plans import FORM
from ...leftovers import kernel_objects, left_behind

HEAD = """\
name = "own"
lab = "veth"
repetitions = {repetitions}
retries = 0
trial_seconds = 0.05
warm_up_seconds = 0.02
"""
BLOCK = """
[[cells]]
mode = "serial"
datapath = ["xdp_native", "xdp_generic"]
queues = [1]
link_gbps = {link_gbps}
offered_mpps = ["line"]
"""
ASKED = {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 7: 1, 8: 2}
"""Value of a frame's 15th byte -> how often it comes."""
ENDED = {"aborted": 2, "drop": 2, "pass": 3, "tx": 4, "redirect": 7}
"""Of 18 frames: 7 is not a verdict, 8 a redirect."""
TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)
EDGE_PACKETS = 64
"""A mix that is cut anywhere has a few more of one kind."""
KILLS = 4
NO_LIMIT_GBPS = 100.0
"""A link that no core fills with frames of 64 bytes: the program sets the rate."""
PATIENCE_SECONDS = 60.0


def frame_list(path):
    frames = [
        {"hex": "02000000000202000000000188b5" + f"{value:02x}" + "00" * 45, "weight": weight}
        for value, weight in ASKED.items()
    ]
    path.write_text(json.dumps(frames))
    return path


def campaign(folder, *blocks, repetitions=1, link_gbps=10.0):
    path = folder / "own.toml"
    cells = "".join(BLOCK.format(link_gbps=link_gbps) + block for block in blocks)
    path.write_text(HEAD.format(repetitions=repetitions) + cells)
    return path


@pytest.fixture
def folder(tmp_path, compiled):
    """Return a folder with objects, maps and frames of one's own."""
    mine = tmp_path / "campaign" / "mine"
    mine.mkdir(parents=True)
    for name in ("teller", "mixed", "resizer"):
        shutil.copy(compiled(name), mine / f"{name}.bpf.o")
    for name in ("route_lpm", "count_sources"):
        shutil.copy(built.program_object(name), mine)
    (mine / "text.bpf.o").write_text("no object\n")
    (mine / "wrong.toml").write_text("[maps.nothing]\nmax_entries = 1\n")
    frame_list(mine / "frames.json")
    return mine.parent


SIZE = "frame_bytes = [64]\n"
ROUTE = 'program = ["mine/route_lpm.bpf.o"]\n'
PACKETS = "packet = { sources = 5 }\n"


@pytest.mark.root
@pytest.mark.parametrize(
    ("block", "says"),
    [
        ('program = ["mine/none.bpf.o"]\n' + SIZE, "program=mine/none.bpf.o: there is no such"),
        ('program = ["mine/text.bpf.o"]\n' + SIZE, "mine/text.bpf.o: it is not an ELF file"),
        ('program = ["mine/resizer.bpf.o"]\n' + SIZE, "entry=not named: the object has several"),
        (ROUTE + SIZE + 'object = { entry = ["no"] }\n', "entry=no: the object has no such"),
        (ROUTE + SIZE + 'object = { maps = ["mine/wrong.toml"] }\n', "no such map"),
        (
            ROUTE + SIZE + 'object = { maps = ["mine/none.toml"] }\n',
            "mine/none.toml: it cannot be read",
        ),
        (ROUTE + SIZE + 'object = { maps = ["../w.toml"] }\n', "maps=../w.toml: a campaign keeps"),
        (ROUTE + SIZE + 'object = { maps = ["/w.toml"] }\n', "maps=/w.toml: a campaign keeps"),
        (ROUTE + 'object = { traffic = ["f.txt"] }\n', "traffic=f.txt: traffic takes no such"),
        (ROUTE + SIZE + 'object = { traffic = ["mine/frames.json"] }\n', "already; allowed: one"),
        (ROUTE, "frame_bytes=nothing: nothing says what is sent"),
        ('program = ["xdp_tx"]\n' + SIZE + 'object = { entry = ["a"] }\n', "xdp_tx is none"),
        (ROUTE + SIZE + 'object = { size = ["a"] }\n', "unknown key"),
        (ROUTE + SIZE + "flows = 5000\n", "flows=5000: in serial mode"),
        (ROUTE + SIZE + "memory_accesses = [5]\n", "it makes no accesses"),
        (ROUTE + SIZE + "working_set_bytes = [64]\n", "working_set_bytes=64: an own object"),
        (ROUTE + SIZE + PACKETS, "in serial mode own objects get UDP of one source"),
        (ROUTE + SIZE + 'generator = "hping3"\n', "generator=hping3: packets for own objects"),
    ],
)
def test_what_cannot_be_measured_is_refused_before(folder, tmp_path, block, says):
    done = warm.run("measure", campaign(folder, block), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert says in done.stderr
    assert FORM.fullmatch(done.stderr) or done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_settings_of_own_objects_are_no_settings_of_ours(folder):
    """A table of map_lookup's runs has the columns that it had."""
    block = 'program = ["map_lookup", "mine/route_lpm.bpf.o"]\n' + SIZE
    ours, own = read_campaign(campaign(folder, block)).campaign.cells()[:2]
    assert ours.settings == ()
    assert own.settings == columns_of(ObjectSettings())


def test_frames_of_serial_mode_are_the_cells_own():
    frames = of_slots([64, 64, 128], flows=2)
    ports = [int.from_bytes(frames.packets[place][34:36], "big") for place in frames.order]
    sizes = [len(frames.packets[place]) + 4 for place in frames.order]
    assert ports == [1024, 1025] * 3
    assert sizes == [64, 64, 128] * 2


def test_what_passed_is_told_from_what_was_dropped_by_the_ratio_of_before():
    unused = ("aborted", "tx", "redirect", "unsent", "undirected", "untaken", "to_cpu")
    none = dict.fromkeys(unused, 0)
    counted = Ends(**none, drop=100, passed=300)
    assert Ends(**none, drop=1000, passed=0).told_apart(counted).verdicts["pass"] == 750
    assert Ends(**none, drop=7, passed=0).told_apart(Ends(**none, drop=9, passed=0)).drop == 7
    only = Ends(**none, drop=7, passed=0).told_apart(Ends(**none, drop=0, passed=3))
    assert (only.drop, only.passed) == (0, 7)


def cell_of(datapath, settings):
    load = Load(frame_mix=((1, 64),), arrivals="constant", offered_mpps=0.02)
    return Cell(
        lab="veth", mode="serial", datapath=datapath, program="mine/teller.bpf.o",
        memory_accesses=0, queues=1, link_gbps=10.0, load=load, settings=columns_of(settings),
    )  # fmt: skip


@pytest.mark.root
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_every_verdict_is_counted(folder, datapath):
    """Those that cannot be redirected are lost, all others are the program's service."""
    cell = cell_of(datapath, ObjectSettings(traffic="mine/frames.json"))
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    turns = trial.sent_packets / sum(ASKED.values())
    assert turns > 20
    assert sum(trial.ends.values()) + trial.dropped["dut_ring"] == trial.sent_packets
    for verdict, times in ENDED.items():
        assert trial.ends[verdict] == pytest.approx(times * turns, abs=EDGE_PACKETS), verdict
    undirected = trial.dropped["dut_redirect"]
    assert undirected == pytest.approx(ASKED[8] * turns, abs=EDGE_PACKETS)
    lost = trial.sent_packets - trial.forwarded_packets
    assert lost == sum(trial.dropped.values())
    assert trial.forwarded_from == "dut_verdicts"


@pytest.mark.root
def test_campaign_of_two_objects_is_measured_on_both_hooks(folder, tmp_path):
    """What the verifier refuses ends its own cells; frames of a file say what the link takes."""
    shutil.copy(folder / "mine/frames.json", folder / "mine/more.json")
    plan = campaign(
        folder,
        'program = ["mine/route_lpm.bpf.o", "mine/count_sources.bpf.o"]\n' + SIZE,
        'program = ["mine/teller.bpf.o"]\nobject = { traffic = ["mine/frames.json"] }\n',
        'program = ["mine/mixed.bpf.o"]\nobject = { entry = ["bad"] }\n' + SIZE,
    )
    done = warm.run("measure", plan, "--out", tmp_path / "out")
    assert done.returncode == 5, done.stderr
    runs = read_runs([tmp_path / "out"])

    def run_of(program, datapath):
        is_it = (runs["program"] == f"mine/{program}.bpf.o") & (runs["datapath"] == datapath)
        return runs[is_it].iloc[0]

    for datapath in ("xdp_native", "xdp_generic"):
        for program in ("route_lpm", "count_sources", "teller"):
            run = run_of(program, datapath)
            ended = [run[name] for name in runs.columns if name.startswith("ended_")]
            assert sum(ended) >= run["forwarded_packets"] > 0, run["verdict_reason"]
            assert run["offered_mpps"] == pytest.approx(14.880952)
        refused = run_of("mixed", datapath)
        assert refused["verdict"] == "invalid"
        assert "outside of the packet" in refused["verdict_reason"]
        assert "processed" not in refused["verdict_reason"]
    assert set(runs["cost"]) == {"program"}
    assert (tmp_path / "out/mine/frames.json").is_file()


@pytest.mark.root
@pytest.mark.parametrize("datapath", ["xdp_native", "xdp_generic"])
def test_what_cannot_be_sent_back_is_lost_and_a_result(folder, datapath):
    """A frame of 1518 bytes and 20 more is longer than the device's largest."""
    cell = replace(
        cell_of(datapath, ObjectSettings(entry="push_any")), program="mine/resizer.bpf.o"
    )
    cell = replace(cell, load=replace(cell.load, frame_mix=((1, 1518),)))
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends["tx"] == trial.sent_packets - trial.dropped["dut_ring"] > 0
    assert trial.dropped["dut_tx"] == trial.ends["tx"]
    assert trial.forwarded_packets == 0
    assert judge(cell, trial).state != "invalid"


@two_cores
@pytest.mark.root
def test_latency_is_taken_of_what_comes_back(folder):
    back = cell_of("xdp_native", ObjectSettings())
    split = replace(back, mode="split", program="mine/back.bpf.o")
    shutil.copy(built.program_object("xdp_tx"), folder / "mine/back.bpf.o")
    with open_bench(split, folder) as bench:
        trial = bench.run_trial(split.load, TIMING)
    assert trial.latency and trial.latency.packets > 0
    assert trial.ends["tx"] > 0


@pytest.mark.deep
@pytest.mark.root
@pytest.mark.long
def test_kills_lose_no_trial_and_leave_nothing(folder, tmp_path, mark):
    block = 'program = ["mine/teller.bpf.o"]\nobject = { traffic = ["mine/frames.json"] }\n'
    plan, out = campaign(folder, block, repetitions=4), tmp_path / "out"
    before, moments = kernel_objects(), random.Random(3)

    def finished():
        journal = out / "journal.jsonl"
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    for _ in range(KILLS):
        kept = finished()
        process = warm.start("measure", plan, "--out", out, *["--resume"] * (out.exists()))
        end = time.monotonic() + PATIENCE_SECONDS
        while finished() <= kept and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.3 * moments.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left_behind(before) == {}
        assert finished() > kept or process.returncode == 0
    last = warm.run("measure", plan, "--out", out, "--resume")
    assert last.returncode == 0, last.stderr
    assert len(read_runs([out])) >= 8
    (folder / "mine/frames.json").write_text("[]")
    changed = warm.run("measure", plan, "--out", out, "--resume")
    assert "frames.json" in changed.stderr


@pytest.mark.deep
@pytest.mark.root
def test_models_and_reports_take_such_runs(folder, tmp_path, repository):
    block = 'program = ["mine/route_lpm.bpf.o"]\n' + SIZE
    plan = campaign(folder, block, repetitions=2, link_gbps=NO_LIMIT_GBPS)
    own = lr.measure(plan, out=tmp_path / "o", progress=False)
    assert own.table["forwarded_mpps"].min() > 0
    known = lr.read(repository / "data/reference-veth").table.query("datapath == 'xdp_native'")
    here = {name: known[name].iloc[0] for name in ("box", "box_hash")}
    both = pd.concat([known, own.table.assign(**here)], ignore_index=True)
    for runs in (own, both):
        model = lr.fit(runs, progress=False)
        answer = model.predict(
            "xdp_native", program="mine/route_lpm.bpf.o", frame_bytes=64, queues=1
        )
        assert 0 < answer.rates.predicted_mpps[0] <= answer.line_rate_mpps
    cell = {"program": "map_lookup", "memory_accesses": 300, "frame_bytes": 64, "queues": 2}
    alone = lr.fit(known, progress=False)
    assert str(alone.predict("xdp_native", **cell)) == str(model.predict("xdp_native", **cell))
    only = ("--only", "own-programs")
    done = warm.run("report", tmp_path / "o", "--out", tmp_path / "report", *only)
    assert done.returncode == 0, done.stderr
    assert "route_lpm" in (tmp_path / "report/own-programs.csv").read_text()
