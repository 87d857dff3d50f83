"""Collectors: what the optional probes need."""

from __future__ import annotations

from linerate.measure.system.check import Finding, apt
from linerate.measure.system.machine import Machine, tool_path


def bcc(machine: Machine) -> Finding:
    """Check that bcc's probes attach, by the distribution's Python, which its binding belongs to.

    Headers of another kernel do: tracepoints are described by the running one.
    """
    binding = machine.path("usr/lib/python3/dist-packages/bcc").is_dir()
    headers = sorted(path.parent.name for path in machine.path("lib/modules").glob("*/build"))
    found = [
        f"python3-bpfcc {'there' if binding else 'missing'}",
        f"headers of {', '.join(headers)}" if headers else "kernel headers missing",
    ]
    ok = None if binding and headers else False
    if ok is None and (attempt := machine.attempt("bcc")):
        ok = attempt.reason is None
        found.append("tried: works" if ok else f"tried: {attempt.reason}")
    return Finding(
        name="bcc",
        ok=ok,
        detail=", ".join(found),
        why="probes napi_batches, xdp_errors, softirq; optional",
        remedy="sudo .venv/bin/linerate doctor"
        if ok is None
        else apt("python3-bpfcc", "linux-headers-$(dpkg --print-architecture)"),
    )


def perf(machine: Machine) -> Finding:
    """Check for perf, which reads the counters that the finding pmu is about."""
    path = tool_path("perf")
    return Finding(
        name="perf",
        ok=path is not None,
        detail=path or "not found on the path",
        why="probe perf: events per packet; optional",
        remedy=apt("linux-perf"),
    )
