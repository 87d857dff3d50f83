"""Shortest and longest paths, and loops, of graphs that are drawn by hand."""

from hypothesis import given
from hypothesis import strategies as st

from linerate.measure.objects.code.instructions import Instruction
from linerate.measure.objects.counting.graph import components, extremes, graph_of, loop_places

EXIT, ADD, GOTO, IF, WIDE = 0x95, 0x07, 0x05, 0x15, 0x18


def code_of(*steps):
    return [
        Instruction(code=code, target=0, source=0, offset=offset, number=0)
        for code, offset in steps
    ]


def test_the_lightest_and_the_heaviest_path_are_those_to_an_exit():
    code = code_of((IF, 3), (ADD, 0), (ADD, 0), (GOTO, 1), (ADD, 0), (EXIT, 0))
    assert extremes(code, [(1, 1)] * 6) == (3, 5)
    assert extremes(code, [(1, 1), (1, 50), *[(1, 1)] * 4]) == (3, 54)


def test_a_wide_load_is_one_instruction():
    code = code_of((WIDE, 0), (0, 0), (EXIT, 0))
    assert extremes(code, [(1, 1)] * 3) == (2, 2)


def test_a_loop_is_heavy_once_and_a_jump_backwards_is_none_by_itself():
    loop = code_of((ADD, 0), (ADD, 0), (IF, -2), (EXIT, 0))
    assert loop_places(loop) == (frozenset({1, 2}),)
    assert extremes(loop, [(1, 1)] * 4) == (4, 4)
    backwards = code_of((GOTO, 2), (ADD, 0), (EXIT, 0), (GOTO, -3))
    assert loop_places(backwards) == ()
    assert extremes(backwards, [(1, 1)] * 4) == (4, 4)


def test_code_without_an_exit_has_no_path():
    assert extremes(code_of((GOTO, -1)), [(1, 1)]) == (0, 0)
    assert extremes([], []) == (0, 0)


@given(st.lists(st.tuples(st.sampled_from((EXIT, ADD, GOTO, IF)), st.integers(-6, 6)), max_size=12))
def test_any_graph_is_parted_so_that_all_of_a_part_reach_each_other(steps):
    graph = graph_of(code_of(*steps))
    parts = components(graph)

    def reached(place):
        found, waiting = set(), [place]
        while waiting:
            for to in graph[waiting.pop()]:
                if to not in found:
                    found.add(to)
                    waiting.append(to)
        return found

    for part in parts:
        for place in part:
            again = {to for to in reached(place) if place in reached(to)}
            assert again - {place} == set(part) - {place}
    light, heavy = extremes(code_of(*steps), [(1, 1)] * len(steps))
    assert light <= heavy
