"""The user's own programs at netfilter: which are taken, and what becomes of packets."""

import shutil

import pytest

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.campaign.campaign import read_campaign
from linerate.measure.datapaths.benches import check_bench, open_bench
from linerate.measure.datapaths.objects.settings import ObjectSettings
from linerate.measure.objects.entry import candidates
from linerate.measure.objects.listing import list_object
from linerate.measure.trials.bench import Timing
from linerate.settings import columns_of

from .... import warm
from ...leftovers import kernel_objects, left_behind

TIMING = Timing(warm_up_seconds=0.02, seconds=0.1)
BLOCK = """\
name = "own"
lab = "veth"
repetitions = 1
trial_seconds = 0.05
warm_up_seconds = 0.02

[[cells]]
mode = "serial"
datapath = ["{datapath}"]
program = ["hooked.bpf.o"]
object = {{ entry = ["{entry}"], hook = ["input"] }}
queues = [1]
frame_bytes = [64]
link_gbps = inf
offered_mpps = ["flood"]
"""


@pytest.fixture
def folder(tmp_path, compiled):
    shutil.copy(compiled("hooked"), tmp_path / "hooked.bpf.o")
    return tmp_path


@pytest.fixture
def hooked(cell_of):
    def build(entry="drops_one_of", **settings):
        own = columns_of(ObjectSettings(entry=entry, **settings))
        return cell_of(datapath="netfilter", program="hooked.bpf.o", settings=own)

    return build


def test_only_programs_of_the_hook_are_taken(compiled):
    listing = list_object(compiled("hooked"))
    assert candidates(listing, "netfilter") == ("drops_one_of", "refused")
    assert candidates(listing, "xdp_native") == ("beside",)


@pytest.mark.root
@pytest.mark.parametrize("hook", ["", "prerouting", "input"])
def test_packets_end_as_the_program_says(folder, hooked, hook, mark):
    before = kernel_objects()
    cell = hooked(hook=hook)
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    came = trial.sent_packets - sum(trial.dropped.values())
    assert trial.forwarded_packets == came > 100
    assert trial.ends["drop"] == pytest.approx(came / 3, abs=2)
    assert trial.ends["drop"] + trial.ends["pass"] == came
    assert trial.memory_bytes
    assert left_behind(before) == {}


@pytest.mark.root
def test_variables_are_those_of_the_maps_file(folder, hooked):
    (folder / "set.toml").write_text("[set]\nevery = 1\n")
    cell = hooked(maps="set.toml")
    with open_bench(cell, folder) as bench:
        trial = bench.run_trial(cell.load, TIMING)
    assert trial.ends["pass"] == 0 < trial.ends["drop"]


@pytest.mark.root
def test_refusal_of_the_verifier_is_a_result_with_its_words(folder, hooked):
    cell = hooked(entry="refused")
    with pytest.raises(DeviceFailedError, match="R0"), open_bench(cell, folder):
        pass


def test_what_the_labs_addresses_do_not_go_with_is_refused(folder, hooked):
    (folder / "frames.json").write_text("[]")
    with pytest.raises(BadInputError, match="the lab's addresses are its own"):
        check_bench(hooked(traffic="frames.json"), folder)
    (folder / "around.toml").write_text("[environment]\nforwarding = true\n")
    with pytest.raises(BadInputError, match="without environment or roles"):
        check_bench(hooked(maps="around.toml"), folder)


def test_other_datapaths_have_no_hooks(folder):
    path = folder / "own.toml"
    path.write_text(BLOCK.format(datapath="xdp_native", entry="beside"))
    with pytest.raises(BadInputError, match=r"hook=input: .* only netfilter has several"):
        read_campaign(path)
    path.write_text(BLOCK.format(datapath="netfilter", entry="drops_one_of"))
    assert len(read_campaign(path).campaign.cells()) == 1


def test_fits_says_that_it_is_measured_there(folder):
    done = warm.run("fits", folder / "hooked.bpf.o", "--datapath", "netfilter", "--static")
    assert done.returncode == 2
    assert "objects are measured there" in done.stderr
