"""What a report distrusts: each sentence has its number, and none is said without cause."""

from dataclasses import replace

import numpy as np

from linerate.reports import Words, words_in
from linerate.reports.page.doubts import doubts


def said_of(section, lang="en"):
    return list(doubts(section, words_in(lang)))


def test_runs_that_were_not_believed_are_counted(section):
    runs = section.runs.assign(verdict="valid")
    assert not any("judged" in one for one in said_of(replace(section, runs=runs)))
    runs.loc[runs.index[:3], "verdict"] = "invalid"
    runs.loc[runs.index[3:5], "verdict"] = "suspect"
    (output,) = [one for one in said_of(replace(section, runs=runs)) if "judged" in one]
    assert f"of {len(runs)} runs 3 were judged invalid" in output
    assert "2 are suspect" in output


def test_cells_of_one_program_load_are_counted(section):
    first = section.runs.drop_duplicates(["datapath", "memory_accesses", "queues", "frame_bytes"])
    (output,) = [one for one in said_of(replace(section, runs=first.head(7))) if "bars" in one]
    assert "7 of 7 cells" in output


def test_a_path_whose_intervals_hold_too_little_is_named(section):
    frame = section.validation.frame
    of = frame["datapath"] == "xdp_generic"
    all_held = frame.assign(runs_inside=frame["runs"])
    one_missed = all_held.assign(runs_inside=all_held["runs_inside"].where(~of, 0))
    for table, named in ((all_held, 0), (one_missed, 1)):
        changed = replace(section, validation=replace(section.validation, frame=table))
        found = [one for one in said_of(changed) if one.startswith("Intervals of")]
        assert len(found) == named
    assert "generic" in found[0]
    assert f"held 0 % of {int(frame['runs'][of].sum())} runs" in found[0]


def test_what_no_run_measured_is_named(section):
    names = [name for name in section.runs if name.startswith(("latency_", "rtt_", "cpu_busy"))]
    blind = replace(section, runs=section.runs.assign(**dict.fromkeys(names, np.nan)))
    assert "Not measured in any run: latency, CPU; no figure or table refers to it." in said_of(
        blind
    )
    assert not any("Not measured" in one for one in said_of(section))


def test_errors_stand_beside_noise_in_both_languages(section):
    scores = section.validation.scores
    for lang, sign in (("en", "Table of errors"), ("pt", "Tabela de erros")):
        (output,) = [one for one in said_of(section, lang) if one.startswith(sign)]
        assert Words(lang=lang).number(scores.error.median_percent, 2) in output
        assert Words(lang=lang).number(scores.noise_floor.mean_percent, 2) in output


def test_drift_of_the_machine_is_named_where_its_canary_saw_it(section):
    steady = section.runs.assign(drift_ratio=1.01)
    assert not any("drift" in one for one in said_of(replace(section, runs=steady)))
    moved = steady.assign(drift_ratio=np.linspace(0.9, 1.02, len(steady)))
    (output,) = [one for one in said_of(replace(section, runs=moved)) if "drift" in one]
    assert "ran at 90 to 102 % of its median; 58 % of the runs" in output


def test_the_ranges_of_each_path_are_named(section):
    found = [one for one in said_of(section) if one.startswith("Predictions of")]
    assert len(found) == 2
    assert "accesses 0 to 1600; queues 1 to 2; frames of 64 to 1500 B" in found[0]


def test_counters_that_the_cpu_did_not_give_are_named(section):
    assert not any("counters of the CPU" in one for one in said_of(section))
    names = [name for name in section.runs if name.endswith("_per_packet")]
    (output,) = [one for one in said_of(replace(section, runs=section.runs.drop(columns=names)))
               if "counters of the CPU" in one]  # fmt: skip
    assert "instructions, branches" in output


def test_cpu_and_memory_over_time_are_named_as_absent_where_filters_ran(section, studies):
    for one, named in ((studies, 1), (section, 0)):
        assert sum("over time, as Sampaio (2017)" in output for output in said_of(one)) == named
