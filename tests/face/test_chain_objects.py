"""Objects that are functions of a chain: timed, or counted, and told by their names."""

import shutil
import stat

import pytest

from linerate.errors import BadInputError
from linerate.face.fits.carrying import Where
from linerate.face.fits.chains import run as runs
from linerate.face.fits.chains.file import read_chain
from linerate.face.fits.chains.own import timed_functions
from linerate.face.fits.chains.question import fits_chain
from linerate.measure.collectors.led_back import LedBack
from linerate.measure.datapaths.chain.test_run import ChainRun
from linerate.measure.processes import built

from ..shared_object import compile_shared, function_of

SIZES = (64, 1500)
RUN, COUNTED = Where(static=False, progress=False), Where(static=True, progress=False)


@pytest.fixture
def chain(tmp_path):
    """Write a chain whose functions say what is given, beside some objects."""
    for name in ("payload_match", "xdp_drop", "verdicts"):
        shutil.copy(built.program_object(name), tmp_path / f"{name}.bpf.o")

    def write(*functions):
        text = "".join(f'[[functions]]\nname = "f{number}"\n{function}\n'
                       for number, function in enumerate(functions))  # fmt: skip
        path = tmp_path / "own.chain.toml"
        path.write_text(text)
        return path

    return write


def timed(path, *, static):
    found, notes = timed_functions(read_chain(path), path.parent, SIZES, static=static,
                                   progress=False)  # fmt: skip
    return {size: each.works_ns for size, each in found.items()}, notes


@pytest.mark.root
def test_an_object_takes_what_test_runs_say_by_size(chain):
    works, notes = timed(chain("ns_per_packet = 70", 'object = "payload_match.bpf.o"'),
                         static=False)  # fmt: skip
    assert [works[size][0] for size in SIZES] == [70.0, 70.0]
    assert 0.0 < works[64][1] < 1e5
    assert works[1500][1] > works[64][1]  # it looks into the payload
    assert any(note.startswith("f1 takes ") and " ns at 1500 B" in note for note in notes)


@pytest.mark.root
def test_one_that_drops_is_said(chain):
    works, notes = timed(chain('object = "xdp_drop.bpf.o"'), static=False)
    assert works[64][0] < 100.0
    assert any("f0 drops 100% of these frames" in note for note in notes)


def test_without_runs_it_is_counted(chain):
    works, notes = timed(chain('object = "payload_match.bpf.o"'), static=True)
    assert 0.0 < works[64][0] < works[1500][0]
    assert any(note.startswith("f0: not run: counted from its code") for note in notes)


def test_a_shared_object_needs_no_root(chain, tmp_path):
    slow = "uint32_t sum = 0; for (int i = 0; i < 2000; i++) sum += frame[i % length] * i;"
    compile_shared(
        tmp_path / "fn.so", function_of(f"{slow} return sum == 7 ? LINERATE_DROP : LINERATE_TX;")
    )
    works, _ = timed(chain('object = "fn.so"\nentry = "fn"'), static=None)
    assert works[64][0] > 300.0


def test_the_lab_runs_each_size_with_its_own_work(chain, monkeypatch):
    asked = []

    def take(lab, works_ns, sizes, tell):
        asked.append((works_ns, sizes))
        return ChainRun(
            took=dict.fromkeys(sizes, LedBack(packet_ns=(4000.0,), log_sd=0.0)),
            rtts_us=(80.0,),
            cores=1,
            shared_ratio=0.3,
            contended_ratio=0.4,
        )

    monkeypatch.setattr(runs, "time_chain", take)
    counted = timed(chain("", 'object = "payload_match.bpf.o"'), static=True)[0]
    chains = {size: read_chain(chain("", f"ns_per_packet = {works[1]}"))
              for size, works in counted.items()}  # fmt: skip
    run, _ = runs.run_chain(chains, progress=False)
    assert asked == [((0, round(counted[size][1])), [size]) for size in SIZES]
    assert run is not None
    assert set(run.took) == set(SIZES)


def test_the_answer_names_it(chain):
    found = fits_chain(chain("", 'object = "payload_match.bpf.o"'), frame_bytes=1500,
                       where=COUNTED, explained=True)  # fmt: skip
    assert found.parts_ns["f1 itself"] == timed(
        chain("", 'object = "payload_match.bpf.o"'), static=True
    )[0][1500][1]  # fmt: skip
    assert any(note.startswith("f1 takes ") for note in found.notes)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ('object = "nat.c"', "it is no object; allowed: a BPF object"),
        ('object = "xdp_drop.bpf.o"\nns_per_packet = 3', "its object is timed"),
        ('maps = "maps.toml"', "only a BPF object has some"),
        ('object = "fn.so"\nmaps = "maps.toml"', "only a BPF object has some"),
        ('entry = "fn"', "there is no object"),
        ('object = "missing.bpf.o"', "missing.bpf.o"),
        ('object = "verdicts.bpf.o"\nentry = "absent"', "no such program for tc"),
    ],
)
def test_what_is_no_function_is_refused(chain, function, says):
    with pytest.raises(BadInputError, match=says):
        fits_chain(chain(function), frame_bytes=64, where=COUNTED)


def test_an_object_is_only_read(chain, tmp_path):
    path = tmp_path / "payload_match.bpf.o"
    path.chmod(stat.S_IRUSR)
    before = path.read_bytes()
    timed(chain('object = "payload_match.bpf.o"'), static=True)
    assert path.read_bytes() == before
