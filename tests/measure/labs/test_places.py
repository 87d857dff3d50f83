"""Where threads run, as the kernel tells it."""

import os

import pytest

from linerate.errors import DeviceFailedError
from linerate.measure.labs.places import places_of, siblings_of


def test_a_pinned_process_is_found_on_its_cpu():
    before = os.sched_getaffinity(0)
    for cpu in sorted(before):
        try:
            os.sched_setaffinity(0, {cpu})
            (place,) = places_of([os.getpid()])
        finally:
            os.sched_setaffinity(0, before)
        assert place.cpu == cpu
        assert cpu not in place.siblings


@pytest.mark.parametrize(("text", "others"), [("3", ()), ("3,11", (11,)), ("2-3", (2,)), ("", ())])
def test_siblings_are_the_other_threads_of_the_core(tmp_path, text, others):
    folder = tmp_path / "cpu3/topology"
    folder.mkdir(parents=True)
    (folder / "thread_siblings_list").write_text(f"{text}\n")
    assert siblings_of(3, tmp_path) == others
    assert siblings_of(4, tmp_path) == ()


def test_a_name_with_a_bracket_hides_no_field(tmp_path):
    (tmp_path / "7").mkdir()
    fields = " ".join(str(number) for number in range(3, 53))
    (tmp_path / "7/stat").write_text(f"7 (a) b) S {fields.partition(' ')[2]}\n")
    (place,) = places_of([7], tmp_path, tmp_path)
    assert place.cpu == 39


def test_a_thread_that_has_ended_is_the_devices_failure(tmp_path):
    with pytest.raises(DeviceFailedError, match="thread 7 of the device has ended"):
        places_of([7], tmp_path)
