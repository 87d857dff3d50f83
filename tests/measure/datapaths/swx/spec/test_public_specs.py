"""What public .spec files hold is refused only where DPDK 22.11 refuses it, by line and reason."""

import subprocess

import pytest

from linerate.errors import BadInputError, DeviceFailedError
from linerate.measure.datapaths.swx import runner as runners
from linerate.measure.datapaths.swx.compiled import PipelineText
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.checks.padding import padded
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.memory import memory_mib
from linerate.measure.processes import built

from .....needs import two_cores

HEAD = """
struct ethernet_h {
	bit<48> dst_addr
	bit<48> src_addr
	bit<16> ethertype
}
struct ipv6_h {
	bit<64> head
	bit<128> src_addr
	bit<128> dst_addr
}
header ethernet instanceof ethernet_h
header ipv6 instanceof ipv6_h
struct metadata_t {
	bit<32> port
	bit<32> group
	bit<32> member
	bit<64> low
	bit<128> wide
}
metadata instanceof metadata_t
metarray meters size 64
action NoAction args none {
	return
}
"""
PACKET = bytes(12) + b"\x86\xdd" + bytes(range(46))


def spec(body, declared=""):
    lines = ["rx m.port", "extract h.ethernet", "extract h.ipv6", body, "END : emit h.ethernet",
             "emit h.ipv6", "tx m.port"]  # fmt: skip
    return f"{HEAD}{declared}apply {{\n" + "\n".join(filter(None, lines)) + "\n}\n"


def table(key, size="size 0x400", name="t"):
    return f"""table {name} {{
	key {{
		{key}
	}}
	actions {{
		NoAction
	}}
	default_action NoAction args none
	{size}
}}
"""


def selector(groups, members, name="s"):
    return f"""selector {name} {{
	group_id m.group
	selector {{
		h.ethernet.dst_addr
	}}
	member_id m.member
	n_groups_max {groups}
	n_members_per_group_max {members}
}}
"""


REFUSED = {
    "a constant first": ("jmpneq END 0x0 m.low", "", "jmpneq END 0x0 m.low.*jmpneq END m.low 0x0"),
    "less than a constant": ("jmplt END 0x64 m.low", "", "not the other way.*jmpgt END m.low 0x64"),
    "movh": ("movh m.low h.ipv6.src_addr", "", "movh .*DPDK has no such instruction"),
    "rss": ("rss s m.low", "", "rss .*DPDK has no such instruction"),
    "rss block": ("", "rss r {\nm.low\n}\n", "rss r.*not a statement"),
    "wide constant": ("mov m.wide 0x1", "", "mov m.wide 0x1: one is wider than 64 bits"),
    "wide to narrow": ("mov m.low h.ipv6.src_addr", "", "one is wider than 64 bits"),
    "wide compared": ("jmpeq END m.wide h.ipv6.src_addr", "", "m.wide cannot stand there.*64 bits"),
    "wide sum": ("add m.wide 0x1", "", "m.wide cannot stand there.*64 bits"),
    "key of a selector": ("table t", table("m.group selector"), "not a field of a key"),
    "two prefixes": ("table t", table("m.group lpm\nm.member lpm"), "lpm, lpm.*one lpm field"),
    "field twice": ("table t", table("m.group exact\nm.group exact"), "m.group: .*key twice"),
    "long name": (f"mov m.{'a' * 62} 0x1", "", "255 words of 63 characters"),
    "many words": ("mov m.low" + " 0x1" * 255, "", "255 words of 63 characters"),
    "no such header": ("mov m.low h.tcp.src_port", "", "h.tcp.src_port cannot stand there"),
    "metered constant": ("meter meters 0x1 0x40 0x0 m.low", "", "meter .*0x40 cannot stand there"),
    "mirrored header": ("mirror h.ipv6.head m.low", "", "h.ipv6.head cannot.*field of metadata"),
    "selector of nothing": ("table s", selector(64, 0), "selector s.*0 members"),
}  # fmt: skip
NOT_MADE = {"no size": ("table t", table("m.group exact", ""), "size None.*no exact table")}
"""What DPDK compiles, and then makes no pipeline of."""
TAKEN = {
    "fields of 128 bits": (
        "mov m.wide h.ipv6.src_addr\nmov h.ipv6.dst_addr m.wide\ntable t\ntable p\n"
        "hash crc32 m.member h.ipv6.src_addr h.ipv6.dst_addr",
        table("h.ipv6.dst_addr exact") + table("h.ipv6.dst_addr lpm", "", name="p"),
    ),
    "constants and names": (
        "meter meters 0x1 h.ethernet.ethertype 0x0 m.low\nmov m.low 010",
        f"action {'a' * 63} args none {{\nreturn\n}}\n",
    ),
    "selectors as p4c sizes them, and of odd sizes": (
        "mov m.group 0x3ff\ntable s\ntable o",
        selector("0x400", "0x10000") + selector(1000, 3, name="o"),
    ),
}


@pytest.mark.parametrize("name", [*REFUSED, *NOT_MADE])
def test_what_dpdk_refuses_is_refused_by_line_and_reason(name):
    body, declared, words = (REFUSED | NOT_MADE)[name]
    with pytest.raises(BadInputError, match=words) as refused:
        parse_spec(spec(body, declared), "public.spec")
    assert "public.spec" in str(refused.value)
    assert "; allowed: " in str(refused.value)


@pytest.mark.dpdk
@pytest.mark.parametrize("name", REFUSED)
def test_dpdk_refuses_it_too(name, tmp_path):
    (tmp_path / "a.spec").write_text(spec(*REFUSED[name][:2]))
    done = subprocess.run(
        [built.runner("swx_build"), "--spec", tmp_path / "a.spec", "--library", tmp_path / "a.so",
         "--include", built.build_folder() / "dpdk/include"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode, "DPDK takes it: then it is no reason to refuse"


@two_cores
@pytest.mark.dpdk
@pytest.mark.parametrize("name", TAKEN)
def test_what_dpdk_takes_runs(name):
    program = PipelineText(spec=spec(*TAKEN[name]))
    with run_pipeline(program, PipelineSettings(port="ring"), 1) as runner:
        assert len(runner.ask(f"packet {PACKET.hex()}")["packets"]) == 1


def test_octal_numbers_are_those_of_c():
    (moved,) = [each for each in parse_spec(spec("mov m.low 010")).apply if each.name == "mov"]
    assert moved.operands == ("m.low", "8")


def test_memory_grows_with_what_is_kept_and_with_instances():
    small, large = (parse_spec(spec("", selector(*s))) for s in ((64, 64), (1024, 1 << 16)))
    assert memory_mib(small, 1) == memory_mib(parse_spec(spec("")), 1) == 256
    assert memory_mib(large, 1) == 128 + 2 * 256 + 1, "two copies of 2**26 members of 4 bytes"
    assert memory_mib(large, 2) == memory_mib(large, 1) + 512


@pytest.mark.dpdk
def test_pipeline_beyond_the_memory_is_a_device_that_does_not_start(monkeypatch):
    monkeypatch.setattr(runners, "_available_mib", lambda: 300)
    program = PipelineText(spec=spec("table s", selector(1024, 1 << 16)))
    with (
        pytest.raises(DeviceFailedError, match=r"memory=641 MiB: .*allowed: 300 MiB"),
        run_pipeline(program, PipelineSettings(port="ring"), 1),
    ):
        pass


def test_groups_are_as_many_as_dpdk_looks_among():
    """It masks a group's number by the next power of two, whatever it made room for."""
    (made,) = padded(parse_spec(spec("table s", selector(1000, 3)))).selectors.values()
    assert (made.groups_max, made.members_per_group_max) == (1024, 4)
