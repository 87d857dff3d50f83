"""Each check of the doctor, on machines made of files."""

import gzip

import pytest

from linerate.measure.system import (
    collectors,
    cpu,
    datapath,
    dpdk,
    generators,
    kernel,
    machine,
    privilege,
    tools,
)
from linerate.measure.system.machine import Attempt


def tried(**reasons):
    return [Attempt(name=name, reason=reason) for name, reason in reasons.items()]


def test_what_the_kernels_build_lacks_is_absent_even_without_root(bare):
    config = gzip.compress(b"CONFIG_VETH=y\n# CONFIG_XDP_SOCKETS is not set\n")
    finding = datapath.af_xdp(bare({"proc/config.gz": config}))
    assert finding.ok is False
    assert "CONFIG_XDP_SOCKETS" in finding.detail


def test_the_build_is_also_read_from_boot(bare):
    box = bare({"boot/config-6.1.0-28-amd64": "CONFIG_XDP_SOCKETS=m\n"}, release="6.1.0-28-amd64")
    assert box.option("CONFIG_XDP_SOCKETS") == "m"
    assert datapath.af_xdp(box).ok is None


def test_an_unreadable_build_is_unknown_not_absent(bare):
    box = bare({"proc/config.gz": b"no gzip"})
    assert box.option("CONFIG_VETH") is None
    assert datapath.xdp_native(box).ok is None


def test_what_was_tried_outweighs_what_was_built(bare):
    config = gzip.compress(b"CONFIG_XDP_SOCKETS=y\n")
    box = bare({"proc/config.gz": config}, attempts=tried(af_xdp="Operation not permitted"))
    assert datapath.af_xdp(box).ok is False
    assert datapath.af_xdp(box).detail == "Operation not permitted"


def test_a_missing_veth_driver_is_named_as_the_reason(bare):
    box = bare(attempts=tried(veth="Unknown device type.", xdp_native="No such device"))
    assert "Unknown device type" in datapath.xdp_native(box).detail


@pytest.mark.parametrize(
    ("nft", "legacy", "ok"),
    [(None, None, True), (None, "no", True), ("no", None, True), ("no", "no", False)],
)
def test_one_flavour_of_iptables_is_enough(bare, nft, legacy, ok):
    box = bare(attempts=tried(iptables_nft=nft, iptables_legacy=legacy))
    assert datapath.iptables(box).ok is ok


@pytest.mark.parametrize(
    ("release", "ok"),
    [("6.18.44", True), ("5.18.0-1-amd64", True), ("5.17.9", False), ("4.19.0", False)],
)
def test_live_frames_need_kernel_5_18(bare, release, ok):
    assert kernel.kernel(bare(release=release)).ok is ok
    assert kernel.live_frames(bare(release=release)).ok is (None if ok else False)


def test_a_helper_is_found_by_its_whole_name(bare):
    box = bare({"sys/kernel/btf/vmlinux": b"\0bpf_loopback\0"})
    assert kernel.bpf_loop(box).ok is False
    box = bare({"sys/kernel/btf/vmlinux": b"\0bpf_loop\0"})
    assert kernel.bpf_loop(box).ok is True


def test_no_btf_is_said(bare):
    assert kernel.btf(bare()).ok is False


@pytest.mark.parametrize(("setting", "ok"), [("0", False), ("1", True), ("2", True)])
def test_the_jit_is_on_or_off(bare, setting, ok):
    assert kernel.jit(bare({"proc/sys/net/core/bpf_jit_enable": setting})).ok is ok


def test_a_jit_built_in_needs_no_setting(bare):
    assert kernel.jit(bare({"proc/config.gz": gzip.compress(b"CONFIG_BPF_JIT_ALWAYS_ON=y")})).ok


@pytest.mark.parametrize(
    ("files", "ok"),
    [
        ({}, False),
        ({"proc/modules": ""}, False),
        ({"proc/modules": "", "lib/modules/6.18.1/modules.dep": ""}, True),
        (
            {
                "proc/modules": "",
                "lib/modules/6.18.1/modules.dep": "",
                "proc/sys/kernel/modules_disabled": "1",
            },
            False,
        ),
    ],
)
def test_modules_load_where_kernel_setting_and_files_allow(bare, files, ok):
    assert kernel.modules(bare(files)).ok is ok


def test_a_capability_that_is_lacking_is_named(bare):
    without_net_admin = 0x1FFFFFFFFFF & ~(1 << 12)
    box = bare({"proc/self/status": f"Name:\tx\nCapEff:\t{without_net_admin:016x}\nSeccomp:\t0\n"})
    assert privilege.root(box).ok is False
    assert "CAP_NET_ADMIN" in privilege.root(box).detail
    assert "CAP_BPF" not in privilege.root(box).detail


def test_a_capability_of_some_datapaths_is_named_with_them(bare):
    without_raw = 0x1FFFFFFFFFF & ~(1 << 13)
    found = privilege.root(bare({"proc/self/status": f"CapEff:\t{without_raw:016x}\n"}))
    assert found.ok is True, "others can be measured"
    assert "CAP_NET_RAW (af_xdp, chain, legacy iptables)" in found.detail


def test_locked_memory_matters_only_to_old_kernels(bare, monkeypatch):
    monkeypatch.setattr(privilege.resource, "getrlimit", lambda _: (65536, 65536))
    assert privilege.memlock(bare(release="6.1.0")).ok is True
    assert privilege.memlock(bare(release="5.10.0")).ok is False


@pytest.mark.parametrize(("active", "ok"), [("0", True), ("1", False)])
def test_smt_is_read_from_the_kernel(bare, active, ok):
    files = {"sys/devices/system/cpu/smt/active": active}
    assert cpu.smt(bare(files)).ok is ok


def test_one_core_with_another_governor_is_enough_to_complain(bare):
    folder = "sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"
    box = bare({folder.format(0): "performance\n", folder.format(1): "powersave\n"})
    assert cpu.governor(box).ok is False
    assert cpu.governor(box).detail == "performance, powersave"


def test_a_vm_without_clock_control_is_unknown(bare):
    assert cpu.governor(bare()).ok is None


@pytest.mark.parametrize(("ratio", "ok"), [(0.0, True), (0.2, False), (None, None)])
def test_stolen_time_is_judged(bare, ratio, ok):
    assert cpu.steal(bare(steal_ratio=ratio)).ok is ok


@pytest.mark.parametrize(("ratio", "ok"), [(0.05, True), (0.6, False), (None, None)])
def test_a_core_that_others_use_too_is_told(bare, ratio, ok):
    finding = cpu.shared_core(bare(shared_core_ratio=ratio))
    assert finding.ok is ok
    assert ("60%" in finding.detail) == (ratio == 0.6)


def test_a_vm_without_counters_says_so(bare):
    finding = cpu.pmu(bare(attempts=tried(pmu="No such file or directory")))
    assert finding.ok is False
    assert "VM" in finding.detail


def test_counters_that_are_forbidden_come_with_the_setting_that_allows_them(bare):
    files = {"sys/bus/event_source/devices/cpu/type": "4"}
    finding = cpu.pmu(bare(files, attempts=tried(pmu="Permission denied")))
    assert "perf_event_paranoid" in finding.remedy


def test_hugepages_are_counted_by_size(bare):
    folder = "sys/kernel/mm/hugepages/hugepages-{}/nr_hugepages"
    assert dpdk.hugepages(bare({folder.format("2048kB"): "0\n"})).ok is False
    assert dpdk.hugepages(bare({folder.format("2048kB"): "64\n"})).detail == "64 of 2048kB"


def test_bcc_needs_its_binding_and_headers_and_is_believed_when_tried(bare):
    files = {
        "usr/lib/python3/dist-packages/bcc/__init__.py": "",
        "lib/modules/6.1.0/build/Makefile": "",
    }
    assert collectors.bcc(bare(dict([*files.items()][:1]))).ok is False
    assert collectors.bcc(bare(files)).ok is None, "another kernel's headers may do"
    for reason, ok in ((None, True), ("bcc: Failed to compile", False)):
        finding = collectors.bcc(bare(files, attempts=[Attempt(name="bcc", reason=reason)]))
        assert finding.ok is ok
        assert (reason or "works") in finding.detail


def test_an_old_libbpf_is_not_enough(bare):
    header = "#define LIBBPF_MAJOR_VERSION {}\n#define LIBBPF_MINOR_VERSION {}\n"
    name = "usr/include/bpf/libbpf_version.h"
    assert tools.libbpf(bare({name: header.format(0, 8)})).ok is False
    assert tools.libbpf(bare({name: header.format(1, 1)})).detail == "headers of libbpf 1.1"
    (bare().root / name).unlink()
    assert tools.libbpf(bare()).ok is False


@pytest.mark.parametrize(
    "check", [tools.clang, tools.bpftool, tools.lab_tools, tools.ping, tools.hping3]
)
def test_a_tool_that_is_not_installed_comes_with_its_package(bare, monkeypatch, tmp_path, check):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine, "ROOT_PATH", "")
    finding = check(bare())
    assert finding.ok is False
    assert finding.remedy.startswith("sudo apt-get install -y")


@pytest.mark.parametrize(
    ("check", "name"),
    [
        (generators.moongen, "opt/MoonGen/build/MoonGen"),
        (generators.trex, "opt/trex/automation/trex_control_plane/interactive/trex/__init__.py"),
    ],
)
def test_a_generator_of_others_is_known_by_its_usual_place(bare, check, name):
    missing = check(bare())
    assert missing.ok is False
    assert "/opt/" in missing.detail
    assert "/opt/" in missing.remedy
    assert check(bare({name: ""})).ok is True


def test_libxdp_is_known_by_its_header(bare):
    assert tools.libxdp(bare()).ok is False
    assert tools.libxdp(bare({"usr/include/xdp/xsk.h": ""})).ok is True


def test_a_kernel_without_bridges_has_no_chains(bare):
    why = "Operation not supported"
    assert datapath.bridge(bare(attempts=[Attempt(name="bridge", reason=why)])).detail == why
    assert datapath.bridge(bare(attempts=[Attempt(name="bridge", reason=None)])).ok is True


def test_a_tool_that_does_not_run_is_not_there(bare, monkeypatch, tmp_path):
    broken = tmp_path / "clang"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "does not run" in tools.clang(bare()).detail


def test_objects_and_runners_are_both_needed(bare, tmp_path, monkeypatch):
    box, build = bare(), tmp_path / "build"
    monkeypatch.setenv("LINERATE_BUILD", str(build))
    (build / "bpf").mkdir(parents=True)
    (build / "native").mkdir()
    assert tools.objects(box).detail == f"no BPF objects and no native runners under {build}"
    (build / "bpf/xdp_tx.bpf.o").touch()
    assert tools.objects(box).detail == f"no native runners under {build}"
    (build / "native/traffic").touch(mode=0o755)
    assert tools.objects(box).ok is True


def test_a_tool_for_root_is_found_from_a_users_path(bare, monkeypatch, tmp_path):
    folder = tmp_path / "sbin"
    folder.mkdir()
    for name in tools.LAB_TOOLS:
        (folder / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(machine, "ROOT_PATH", f":{folder}")
    assert tools.lab_tools(bare()).ok is True


@pytest.mark.parametrize(("text", "ok"), [("Mitigation: Safe RET", False), ("Not affected", True)])
def test_mitigations_that_every_call_pays_for_are_named(bare, text, ok):
    machine = bare({"sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow": text})
    found = cpu.mitigations(machine)
    assert found.ok is ok
    assert ("spec_rstack_overflow: Safe RET" in found.detail) is not ok
