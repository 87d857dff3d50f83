"""Foreign code that breaks, reaches too far, or asks for more than memory and the clock."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.functions.child import run_function
from linerate.measure.objects.plan import plan_file
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.programs.costs import SOCKETS

from ...shared_object import compile_shared, function_of

INCLUDES = "".join(
    f"#include <{name}.h>\n"
    for name in ("stdio", "stdlib", "string", "time", "unistd", "sys/socket", "fcntl")
)
FLAGS = ("--rounds", "2", "--chunk-us", "10")


@pytest.fixture
def run(tmp_path):
    def run(source, *flags, size=64):
        path = compile_shared(tmp_path / "mine.so", INCLUDES + source, *flags)
        with plan_file(NOTHING, of_size(size)) as plan:
            return run_function(path, "fn", ("--plan", plan, *FLAGS))

    return run


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("*(volatile int *)0 = 1; return 1;", "on frame 0 .60 bytes. it ended by a segmentation "
         "fault at address"),
        ("return ((volatile uint8_t *)frame)[4096];", "reads or writes byte 4037 behind"),
        ("frame[length] = 1; return 1;", "it writes byte 1 behind the frame's end"),
        ("frame[-1] = 1; return 1;", "reads or writes byte 1 before the frame"),
        ("return ((volatile uint8_t *)frame)[-9];", "reads or writes byte 9 before the frame"),
        ("abort();", "tgkill, as abort does|rt_sigprocmask, as abort and fork do"),
        ("volatile int zero = 0; return length / zero;", "ended by signal FPE"),
        ("for (;;) __asm__ volatile(\"\"); return 1;", "it has not returned after 1 s"),
        ("return socket(2, 1, 0);", "it makes a system call .socket.; allowed: memory and the"),
        ("return fork();", "it makes a system call .(clone|rt_sigprocmask, as abort and fork do)"),
        ("return open(\"/etc/passwd\", O_RDONLY);", "it makes a system call .openat"),
        ("struct timespec t = {1, 0}; nanosleep(&t, 0); return 1;", "a system call .sleep"),
    ],
)  # fmt: skip
def test_a_function_that_breaks_is_refused_with_where_and_why(run, body, words):
    with pytest.raises(BadInputError, match=words):
        run(function_of(body))


@pytest.mark.parametrize(
    ("source", "flags", "words"),
    [
        ("verdict gone(void); " + function_of("return gone();"), (), "undefined symbol: gone"),
        (function_of("return 1;", "other"), (), "entry=fn: .* has no such function"),
        ("__attribute__((constructor)) static void begin(void) "
         "{ volatile int *volatile none = 0; *none = 1; }"
         + function_of("return 1;"), (), "while it is loaded it ended by a segmentation fault"),
        ("__attribute__((constructor)) static void begin(void) { socket(2, 1, 0); }"
         + function_of("return 1;"), (), "while it is loaded it makes a system call .socket"),
        ("__attribute__((constructor)) static void begin(void) "
         "{ open(\"/tmp/linerate-was-here\", O_CREAT | O_WRONLY, 0600); }"
         + function_of("return 1;"), (), "while it is loaded it makes a system call .openat"),
    ],
)  # fmt: skip
def test_an_object_that_cannot_be_loaded_is_refused_with_words(run, source, flags, words):
    with pytest.raises(BadInputError, match=words):
        run(source, *flags)


def test_a_library_that_is_missing_is_named(run, tmp_path):
    other = compile_shared(tmp_path / "libother.so", "int one(void) { return 1; }")
    source = "int one(void); " + function_of("return one();")
    try:
        with pytest.raises(
            BadInputError, match=r"libother\.so: cannot open .* allowed: .* libraries"
        ):
            run(source, "-Wl,--no-as-needed", f"-L{tmp_path}", "-lother", "-Wl,-soname,mine")
    finally:
        other.unlink()


def test_what_it_prints_itself_goes_nowhere_and_memory_and_clock_are_allowed(run):
    body = ("char *p = malloc(1 << 20); memset(p, 7, 99); time(0); puts(\"{}\"); "
            "fflush(stdout); int kept = p[0]; free(p); return kept ? 3 : 1;")  # fmt: skip
    lines = run(function_of(body)).splitlines()
    assert lines[-1].startswith('{"frame": 0, "verdict": 3')
    assert "{}" not in lines


def test_frames_come_back_as_they_were_and_state_stays(run):
    """It sends a frame only as long as nothing of it was changed before."""
    body = ("uint64_t *seen = state; if (frame[20] == 0xee) return 1; frame[20] = 0xee; "
            "return ++*seen > 3 ? 3 : 1;")  # fmt: skip
    assert '"verdict": 3' in run(function_of(body)).splitlines()[-1]


def test_longer_functions_take_longer_and_other_numbers_count_as_aborted(tmp_path):
    source = "".join(
        function_of(f"volatile int i; for (i = 0; i < {turns}; i++); return {number};", name)
        for name, turns, number in (("few", 20, 3), ("many", 2000, 77))
    )
    path = compile_shared(tmp_path / "mine.so", source)
    functions = [
        UnderTest(path=path, entry=name, settings=NOTHING, datapath=SOCKETS)
        for name in ("few", "many")
    ]
    few, many = time_programs(functions, of_size(64), lambda *_: None, loads=2)
    assert min(many.program_ns) > 5 * max(few.program_ns)
    assert [one.frames[0].verdict for one in (few, many)] == ["tx", "aborted"]
