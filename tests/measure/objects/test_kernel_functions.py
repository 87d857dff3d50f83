"""Programs that call functions of the kernel, and programs beside those of which it has none."""

import os
import random

import pytest

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.objects.code.instructions import read_object_code
from linerate.measure.objects.code.spare import spare_functions, without_spare
from linerate.measure.objects.lab import attach_object, open_object_lab
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size

EXAMPLES = int(os.environ.get("LINERATE_FUZZ_EXAMPLES", "60"))
MISSING = "bpf_no_kernel_has_this"


@pytest.fixture
def path(compiled):
    return compiled("kernel_functions")


@pytest.fixture
def plan():
    with plan_file(NOTHING) as empty:
        yield empty


def verdicts(path, entry):
    tested = UnderTest(path=path, entry=entry, settings=NOTHING)
    (times,) = time_programs([tested], of_size(64), lambda *_: None, loads=1)
    return times.verdict_shares()


@pytest.mark.root
@pytest.mark.parametrize(
    ("entry", "verdict"),
    [("alone", "drop"), ("has_it", "tx"), ("asks_first", "tx"), ("of_another_kernel", "tx")],
)
def test_a_program_runs_whatever_those_beside_it_need(path, entry, verdict):
    assert verdicts(path, entry) == {verdict: 1.0}


@pytest.mark.root
@pytest.mark.parametrize("entry", ["lacks_it", "lacks_it_below"])
def test_one_that_needs_what_no_kernel_has_is_refused_by_its_name(path, entry):
    with pytest.raises(BadInputError, match=MISSING):
        verdicts(path, entry)


@pytest.mark.root
def test_so_it_is_in_the_lab(path, plan):
    with open_object_lab("serial", 1, "xdp_native") as lab:
        with attach_object(lab, "xdp_native", path, "alone", plan) as attached:
            assert attached.table_bytes > 0
        with (
            pytest.raises(DeviceFailedError, match=MISSING),
            attach_object(lab, "xdp_native", path, "lacks_it", plan),
        ):
            pass


def test_the_copy_has_the_name_of_the_object_and_goes_away(path, plan):
    before = path.read_bytes()
    with without_spare(path, "alone", plan) as copy:
        assert copy != path
        assert copy.name == path.name
        changed = copy.read_bytes()
        assert len(changed) == len(before)
        assert changed != before
    assert not copy.exists()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("entries", "kept"),
    [
        ({"alone"}, set()),
        ({"has_it"}, {"bpf_dynptr_from_xdp", "bpf_dynptr_slice"}),
        ({"lacks_it"}, {MISSING}), ({"lacks_it_below"}, {MISSING}),
        ({"alone", "asks_first"}, {"bpf_nor_this"}),
    ],
)  # fmt: skip
def test_what_is_spare_is_what_no_loaded_program_comes_to(path, entries, kept):
    every = {"bpf_dynptr_from_xdp", "bpf_dynptr_slice", MISSING, "bpf_nor_this"}
    assert spare_functions(read_object_code(path), entries) == every - kept


def test_a_damaged_object_is_refused_or_copied(path, plan, tmp_path):
    good, draws = path.read_bytes(), random.Random(7)
    for _ in range(EXAMPLES):
        bad = bytearray(good)
        for _ in range(draws.randint(1, 8)):
            bad[draws.randrange(len(bad))] = draws.randrange(256)
        damaged = tmp_path / "it.bpf.o"
        damaged.write_bytes(bad[: draws.choice((len(bad), draws.randrange(len(bad))))])
        try:
            with without_spare(damaged, "alone", plan) as copy:
                assert copy.stat().st_size == damaged.stat().st_size
        except BadInputError as refused:
            assert str(refused).isprintable()


def test_an_object_without_any_is_loaded_itself(compiled, plan):
    with without_spare(compiled("ways"), "by_map", plan) as same:
        assert same == compiled("ways")
