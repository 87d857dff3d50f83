"""What the kernel's switches tell of who took a core, and what is counted of it."""

import json
import random

import pytest

from .classes import CLASSES
from .counts import Counts
from .judged import FAILED, NOBODY, judged
from .trace import Cores, Lab

MS = 10**6
OWNER, MAIN, GENERATOR, HOG, OTHER = 100, 101, 102, 200, 300


def switch(core, ms, before, after, state="S"):
    rest = f"prev_comm=a b prev_pid={before} prev_prio=1 prev_state={state} ==> "
    return core, int(ms * MS), "sched_switch", f"{rest}next_comm=c d next_pid={after} next_prio=1"


def wake(core, ms, thread):
    return 1 - core, int(ms * MS), "sched_wakeup", f"comm=c pid={thread} prio=1 target_cpu=00{core}"


def fork(parent, child):
    return 0, 0, "sched_process_fork", f"comm=c pid={parent} child_comm=d child_pid={child}"


FORKS = [fork(OWNER, MAIN), fork(MAIN, GENERATOR)]


def spans(events):
    cores = Cores(Lab(owner=OWNER, threads=set(), others={HOG}))
    cores.follow([*FORKS, *events])
    return [
        sorted((each.core, each.by, each.begin_ns / MS, each.end_ns / MS) for each in found)
        for found in (cores.taken, cores.ran)
    ]


def test_who_takes_a_core_from_a_thread_that_is_ready_is_told():
    taken, ran = spans([
        switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, HOG, "R+"),
        switch(0, 5, HOG, OTHER, "R"), switch(0, 6, OTHER, GENERATOR, "R"),
    ])  # fmt: skip
    assert taken == ran == [(0, HOG, 2.0, 5.0), (0, OTHER, 5.0, 6.0)]


def test_who_runs_while_a_thread_sleeps_takes_nothing_until_it_is_woken():
    taken, ran = spans([
        switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, OTHER), wake(0, 5, GENERATOR),
        switch(0, 9, OTHER, GENERATOR, "R"),
    ])  # fmt: skip
    assert taken == [(0, OTHER, 5.0, 9.0)]
    assert ran == [(0, OTHER, 2.0, 5.0), (0, OTHER, 5.0, 9.0)]


def test_who_leaves_a_core_without_an_event_took_none_of_what_follows():
    taken, ran = spans([
        switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, OTHER, "R"),
        switch(0, 9, GENERATOR, HOG, "R"), switch(0, 10, HOG, GENERATOR),
    ])  # fmt: skip
    assert taken == ran == [(0, HOG, 9.0, 10.0)]


@pytest.mark.parametrize(
    "events",
    [
        [switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, OTHER), wake(0, 5, GENERATOR),
         switch(0, 5.02, OTHER, GENERATOR, "R")],
        [switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, MAIN, "R"),
         switch(0, 9, MAIN, GENERATOR)],
        [switch(0, 1, OTHER, MAIN), switch(0, 2, MAIN, OTHER, "R"), switch(0, 9, OTHER, MAIN)],
    ],
    ids=["an interrupt's time", "its own main thread", "nothing of the main thread's"],
)  # fmt: skip
def test_what_takes_no_packet_time_is_not_taken(events):
    assert spans(events)[0] == []


def test_a_wait_that_the_trace_ends_in_is_counted():
    taken, _ = spans([
        switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, HOG, "R"), wake(0, 8, OTHER),
    ])  # fmt: skip
    assert taken == [(0, HOG, 2.0, 8.0)]


def test_a_core_that_nobody_had_is_told_from_one_that_the_kernel_polls_on():
    cores = Cores(Lab(owner=OWNER, threads=set()))
    cores.follow([
        *FORKS, switch(0, 1, OTHER, GENERATOR), switch(0, 2, GENERATOR, 0),
        (0, 4 * MS, "sched_switch", "prev_pid=0 prev_prio=1 prev_state=R ==> "
         "next_comm=ksoftirqd/0 next_pid=9 next_prio=1"),
        switch(0, 7, 9, GENERATOR),
    ])  # fmt: skip
    idle, beside = ([(each.begin_ns, each.end_ns) for each in found if each.begin_ns < each.end_ns]
                    for found in (cores.idle, cores.beside))  # fmt: skip
    assert (idle, beside) == ([(2 * MS, 4 * MS)], [(4 * MS, 7 * MS)])


def trial(**changes):
    return {"hog": "nice 0", "state": "valid", "steal_ratio": 0.0, "hog_ratio": 0.0,
            "taken_ratio": 0.0, "ran_ratio": 0.0, "cell": "a cell", "reasons": [],
            } | changes  # fmt: skip


@pytest.mark.parametrize(
    ("trials", "holds"),
    [
        ([trial(), trial(hog=NOBODY), trial(hog_ratio=0.5, ran_ratio=0.5, state="suspect")], True),
        ([trial(hog_ratio=0.5, ran_ratio=0.5)] * 9, False),
        ([trial(state="suspect")] * 9, False),
        ([trial(state="suspect", ran_ratio=0.02), trial(state="suspect", steal_ratio=0.1)], True),
        ([trial(state=FAILED)] * 9, True),
    ],
)
def test_counts_hold_where_the_disturbed_alone_are_marked(trials, holds, tmp_path):
    path = tmp_path / "hogs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in trials))
    assert Counts.read(path).hold == holds


def test_what_is_known_of_an_undisturbed_trial_that_was_marked_is_said(tmp_path):
    path = tmp_path / "hogs.jsonl"
    marked = trial(state="suspect", reasons=["others"], idle_ratio=0.04)
    path.write_text("".join(json.dumps(each) + "\n" for each in [marked, trial()]))
    output = str(Counts.read(path))
    assert "undisturbed: 2, marked 1 (50.0%" in output
    assert "a cell: others (ran 0.0%, idle 4.0%, beside 0.0%" in output


@pytest.mark.deep
@pytest.mark.root
def test_a_hog_of_real_time_is_never_believed(tmp_path):
    trials = judged("xdp_native, serial", ["SCHED_FIFO"] * 8, random.Random(2), tmp_path)
    taken = [each for each in trials if each.hog_ratio > 0.03]
    assert set(CLASSES) >= {each.hog for each in trials}
    assert taken
    assert all(each.state != "valid" for each in taken)
