"""Costs of steps: planted ones are found, mixes follow from them, the unknown is refused."""

import numpy as np
import pandas as pd
import pytest

from linerate.models.operations import Mixes, Work, mix_runs
from linerate.models.operations.runs import works_of

from .planted import COST_NS, HASH_ONCE_NS, NONE_NS, alone_ns, singles, table


def fitted(packets):
    return Mixes.fit(*mix_runs(table(packets)).medians())


def packet(**steps):
    return Work(scope="swx", base="forward", steps=tuple(sorted(steps.items())))


@pytest.fixture(scope="module")
def by_singles():
    return fitted(singles())


@pytest.mark.parametrize("kind", COST_NS)
@pytest.mark.parametrize("times", [4, 8])
def test_a_number_of_one_kind_that_was_not_measured_costs_what_was_planted(by_singles, kind, times):
    predicted_ns, _ = by_singles.time_ns(packet(**{kind: times}))
    assert predicted_ns == pytest.approx(NONE_NS + alone_ns(kind, times), rel=0.08)


def test_what_does_not_overlap_adds_up(by_singles):
    """Lookups in tables are walls."""
    mix = packet(table_exact=4, hash_crc32=20, table_lpm=1)
    planted_ns = NONE_NS + 4 * 35.0 + 46.0 + HASH_ONCE_NS + 20 * 3.0
    assert by_singles.time_ns(mix)[0] == pytest.approx(planted_ns, rel=0.05)


def test_a_read_of_what_was_just_written_waits_for_a_link_of_a_chain(by_singles):
    """The write itself hides behind the read, and one that no read follows costs what it does."""
    pair_ns = COST_NS["register_read_32"] + COST_NS["add"]
    pairs = packet(register_read_32=20, register_write_32=20)
    assert by_singles.time_ns(pairs)[0] == pytest.approx(NONE_NS + 20 * pair_ns, rel=0.05)
    more = packet(register_read_32=20, register_write_32=60)
    alone_ns = 40 * COST_NS["register_write_32"]
    assert by_singles.time_ns(more)[0] == pytest.approx(NONE_NS + 20 * pair_ns + alone_ns, rel=0.05)


def test_reads_and_writes_add_up_where_no_chain_was_measured():
    registers = fitted(singles(("register_read_32", "register_write_32")))
    both = registers.time_ns(packet(register_read_32=20, register_write_32=20))[0]
    assert both == pytest.approx(NONE_NS + 20 * 10.5, rel=0.05)


def test_kinds_that_take_turns_hide_the_faster_of_them(by_singles):
    both = by_singles.time_ns(packet(register_read_32=20, add=20))[0]
    assert both == pytest.approx(NONE_NS + 20 * 9.0, rel=0.05)
    longer = by_singles.time_ns(packet(register_read_32=20, add=60))[0]
    assert longer == pytest.approx(NONE_NS + 20 * 9.0 + 40 * 4.0, rel=0.08)


def test_mixes_that_show_no_overlap_are_believed():
    summed = [({"register_read_32": n, "add": n}, NONE_NS + 13.0 * n) for n in (5, 20, 80)]
    model = fitted(singles() + summed)
    assert model.overlap < 0.5 * fitted(singles()).overlap
    asked = packet(register_read_32=40, add=40)
    assert model.time_ns(asked)[0] == pytest.approx(NONE_NS + 40 * 13.0, rel=0.05)


def test_an_interaction_that_was_seen_holds_in_other_numbers():
    """A read and a write of one line cost 3 ns a pair beside their sum."""
    pair_ns = COST_NS["register_read_32"] + COST_NS["register_write_32"] + 3.0
    seen = [({"register_read_32": n, "register_write_32": n}, NONE_NS + pair_ns * n)
            for n in (5, 80)]  # fmt: skip
    asked = packet(register_read_32=20, register_write_32=20)
    assert fitted(singles() + seen).time_ns(asked)[0] == pytest.approx(
        NONE_NS + 20 * pair_ns, rel=0.05
    )


def test_a_setting_adds_the_same_to_packets_that_it_was_not_measured_with():
    larger = {"flows": 64}
    packets = [*singles(), ({}, NONE_NS + 10.0, larger), ({"add": 5}, NONE_NS + 30.0, larger)]
    asked = Work(scope="swx", base="forward", settings=(("flows", "64"),),
                 steps=(("register_read_32", 5),))  # fmt: skip
    assert fitted(packets).time_ns(asked)[0] == pytest.approx(NONE_NS + 10.0 + 45.0, rel=0.05)


def test_kinds_of_one_class_tell_of_each_other(by_singles):
    predicted_ns, error_ns = by_singles.time_ns(packet(subtract=20))
    assert predicted_ns == pytest.approx(NONE_NS + 20 * COST_NS["add"], rel=0.08)
    assert error_ns > 5.0 * by_singles.time_ns(packet(add=20))[1]


def test_a_filter_costs_what_it_does_in_the_same_part_of_the_stack():
    """iptables pays three times for bytes of the payload what nftables does."""
    more_ns = {"iptables": 120.0, "nftables": 40.0}
    packets = [
        ({"datapath": engine, "filter_hook": hook, "program": program}, base_ns + step_ns)
        for engine, payload_ns in more_ns.items()
        for hook, base_ns in (("input", 650.0), ("prerouting", 550.0), ("forward", 600.0))
        for program, step_ns in (("drop_all", 0.0), ("drop_udp_subnet", 20.0),
                                 ("drop_tcp_subnet_payload", payload_ns))
    ]  # fmt: skip
    works = works_of(pd.DataFrame([packet for packet, _ in packets]))
    model = Mixes.fit(works[:1] + works[3:], np.array([ns for _, ns in packets[:1] + packets[3:]]))
    assert model.time_ns(works[2])[0] == pytest.approx(770.0, rel=0.02)


def missed_and_hit_ns(packets):
    model = fitted(packets)
    return [model.time_ns(packet(**{kind: 8}))[0] for kind in ("table_lpm_miss", "table_lpm")]


def test_a_search_that_finds_nothing_is_priced_as_a_hit_until_it_is_measured():
    missed_ns, hit_ns = missed_and_hit_ns(singles())
    assert missed_ns == pytest.approx(hit_ns)
    assert hit_ns == pytest.approx(NONE_NS + 8 * COST_NS["table_lpm"], rel=0.05)
    ladder = [({"table_lpm_miss": times}, NONE_NS + times * 30.0) for times in (1, 3, 8)]
    missed_ns, hit_ns = missed_and_hit_ns([*singles(), *ladder])
    assert missed_ns == pytest.approx(NONE_NS + 8 * 30.0, rel=0.05)
    assert hit_ns == pytest.approx(NONE_NS + 8 * COST_NS["table_lpm"], rel=0.05)


def test_each_further_step_of_a_search_costs_what_the_second_does():
    step_ns = 19.0
    ladder = [({kind: times}, NONE_NS + times * ns)
              for kind, ns in (("table_wildcard", 40.0), ("table_wildcard_16", 40.0 + step_ns))
              for times in (1, 4, 8)]  # fmt: skip
    model = fitted([*singles(), *ladder])
    once = [model.time_ns(packet(**{f"table_wildcard{steps}": 8}))[0]
            for steps in ("", "_2_steps", "_5_steps")]  # fmt: skip
    assert once[1] - once[0] == pytest.approx(8 * step_ns, rel=0.1)
    assert once[2] - once[0] == pytest.approx(4 * (once[1] - once[0]))


def test_the_printed_law_has_the_waits_that_are_added(by_singles):
    assert "+ waits - " in str(by_singles).splitlines()[0]


def test_an_unknown_kind_is_refused_and_named(by_singles):
    assert "meter" in by_singles.unknown(packet(meter=1))
    assert by_singles.unknown(packet(add=5)) == ""


def test_what_the_runs_cannot_tell_apart_is_refused():
    """One number of a kind alone, without the empty packet: base and step are one."""
    model = fitted([({"add": 20}, 120.0)])
    assert "cannot separate" in model.unknown(packet())


def test_beyond_what_was_measured_counts_in_doublings(by_singles):
    assert by_singles.outside(packet(add=80)) == 0.0
    assert by_singles.outside(packet(add=320)) == pytest.approx(2.0)
    new = Work(scope="swx", base="forward", settings=(("hugepages", "true"),), steps=(("add", 5),))
    assert by_singles.outside(new) == 1.0


def test_kinds_that_go_beyond_together_do_so_once(by_singles):
    both = packet(add=320, register_read_32=320)
    each = [by_singles.outside(packet(**{kind: n})) for kind, n in both.steps]
    assert min(each) > 0.0
    assert by_singles.outside(both) == max(each)


def test_misses_follow_the_shape_that_other_kinds_show():
    """A kind measured in the cache and far outside of it is known between, by the others."""
    sizes = {1 << 14: 0.0, 1 << 20: 0.1, 1 << 26: 1.0}
    packets = [
        ({kind: 100}, NONE_NS + 100 * (near + share * far), {"working_set_bytes": size} | where)
        for kind, near, far in (
            ("a_lookup", 2.0, 40.0), ("b_lookup", 20.0, 300.0), ("c_lookup", 5.0, 90.0),
        )
        for size, share in sizes.items()
        if (kind, size) != ("c_lookup", 1 << 20)
        for where in [{"datapath": "xdp_native", "program": "operations"}]
    ]  # fmt: skip
    packets.append(({}, NONE_NS, {"datapath": "xdp_native", "program": "operations"}))
    asked = Work(scope="xdp_native", base="operations", set_bytes=1 << 20,
                 steps=(("c_lookup", 100),))  # fmt: skip
    model = fitted(packets)
    assert model.time_ns(asked)[0] == pytest.approx(NONE_NS + 100 * 14.0, rel=0.1)
    assert model.unknown(asked) == ""


def test_without_a_large_set_measured_misses_are_refused(by_singles):
    model = fitted(
        [*singles(), ({"table_exact": 8}, 900.0, {"flows": 8192, "table_entries": 8192})]
    )
    asked = Work(scope="swx", base="forward", set_bytes=1 << 22, steps=(("table_lpm", 3),))
    assert "miss table_lpm" in model.unknown(asked)
    assert np.isfinite(by_singles.time_ns(asked)[0])


def test_rulesets_on_frames_of_several_ways_teach_no_costs():
    """Of one way it is known what each packet takes."""
    own = {"datapath": "nftables", "program": "mine.nft"}
    alike = [({"receive": 1, "rule": 10}, 600.0, {**own, "ruleset_traffic": "alike.json"})]
    several = [({}, 500.0, {**own, "ruleset_traffic": "mixed.json"})]
    runs = mix_runs(table(alike + several))
    assert [dict(work.steps) for work in runs.works] == [{"rule": 10}]
    assert "3 of 6 rows left out: frames of a file, which go several ways" in runs.notes


def test_rulesets_of_no_file_of_frames_teach_costs():
    """A column that says nothing of any run is read as numbers."""
    own = {"datapath": "nftables", "program": "mine.nft"}
    alike = table([({"receive": 1, "rule": 10}, 600.0, own)])
    runs = mix_runs(alike.assign(ruleset_traffic=float("nan")))
    assert [dict(work.steps) for work in runs.works] == [{"rule": 10}]
