"""Parts are done once each, in their order, whatever becomes of the forks that help."""

import os
import signal
import time

import pytest

from linerate.reports.section.shared import shared

PARTS = list(range(12))


def slowly(part):
    time.sleep(0.02)
    return part, os.getpid()


def test_parts_are_shared_and_come_in_their_order():
    done = shared(slowly, PARTS, 3)
    assert [part for part, _ in done] == PARTS
    processes = {process for _, process in done}
    assert os.getpid() in processes
    assert len(processes) > 1


def test_few_parts_are_done_here():
    assert {process for _, process in shared(slowly, PARTS[:3], 3)} == {os.getpid()}


def test_one_process_needs_no_fork():
    assert shared(slowly, PARTS, 1) == [(part, os.getpid()) for part in PARTS]


def test_forks_begin_while_this_process_does_something_of_its_own():
    mine = []

    def meanwhile():
        time.sleep(0.2)
        mine.append(os.getpid())

    done = shared(slowly, PARTS[:2], 2, meanwhile=meanwhile)
    assert mine == [os.getpid()], "here, and once"
    assert os.getpid() not in {process for _, process in done}, "two parts take 0.04 s"
    assert [part for part, _ in done] == PARTS[:2]


def test_one_process_does_its_own_first():
    order = []
    shared(lambda part: order.append(part), PARTS[:2], 1, meanwhile=lambda: order.append("own"))
    assert order == ["own", *PARTS[:2]]


def test_an_error_of_what_is_done_meanwhile_is_raised_and_ends_the_forks():
    def meanwhile():
        raise ValueError("of my own")

    with pytest.raises(ValueError, match="of my own"):
        shared(slowly, PARTS, 2, meanwhile=meanwhile)


def test_what_a_killed_fork_leaves_undone_is_done_here():
    here = os.getpid()

    def work(part):
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return slowly(part)

    assert shared(work, PARTS, 2) == [(part, here) for part in PARTS]


def test_an_error_of_a_fork_is_raised_here():
    here = os.getpid()

    def work(part):
        if part == PARTS[-1]:
            raise ValueError(f"from {'here' if os.getpid() == here else 'a fork'}")
        return slowly(part)

    with pytest.raises(ValueError, match="from here"):
        shared(work, PARTS, 2)


def test_forks_end_with_the_work(tmp_path):
    def work(part):
        (tmp_path / str(os.getpid())).touch()
        if part == PARTS[-1]:
            raise KeyError(part)
        return slowly(part)

    with pytest.raises(KeyError):
        shared(work, PARTS, 2)
    for process in {int(path.name) for path in tmp_path.iterdir()} - {os.getpid()}:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
