"""What a test's own processes leave behind, told from what other tests do at the same time.

Whatever a test starts inherits its mark in the environment. Devices, rules, queueing disciplines,
mounts and settings of the machine's own namespace are compared as they are: no lab touches these.
"""

import json
import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

MARK = "LINERATE_MARK"
SETTLE_SECONDS = 10.0
OBJECT = re.compile(r"^(?:prog|link)_id:\s*\d+$", re.MULTILINE)
OWNER = re.compile(r"linerate-(\d+)")
"""Names of what DPDK keeps in the file system carry the process that made it."""
SETTINGS = (*Path("/proc/sys/net/core").glob("*"), *Path("/proc/sys/kernel").glob("*bpf*"))
PLACES = ("/run/dpdk", "/var/run/dpdk", "/dev/hugepages", "/dev/shm", "/tmp")


def is_marked(process):
    """Whether a folder of /proc is of a process that the test started."""
    mark = os.environ[MARK].encode()
    return MARK.encode() + b"=" + mark in (process / "environ").read_bytes().split(b"\0")


def processes():
    """Folders in /proc of all processes that live, each with whether it is the test's."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            yield process, is_marked(process)


def started():
    """Process ids and names of what the test started, and what lives."""
    found = {}
    for process, marked in processes():
        with suppress(OSError):
            if marked:
                found[int(process.name)] = (process / "comm").read_text().strip()
    return found


def held_by_others():
    """Programs and links that processes of others hold open."""
    found = set()
    for process, marked in processes():
        with suppress(OSError):
            if not marked:
                for file in (process / "fdinfo").iterdir():
                    found |= set(OBJECT.findall(file.read_text()))
    return {tuple(line.replace(":", " ").split()) for line in found}


def kernel_objects():
    """What a lab may leave behind, as the kernel lists it now, without what others hold."""
    listed = {("prog_id", str(each["id"])) for each in _listed("bpftool", "-j", "prog", "list")}
    listed |= {("link_id", str(each["id"])) for each in _listed("bpftool", "-j", "link", "list")}
    return {
        "programs and links": listed - held_by_others(),
        "processes": set(started().items()),
        "devices": {each["ifname"] for each in _listed("ip", "-j", "link")},
        "rules": _printed("nft", "list", "ruleset") + _printed("iptables-legacy-save"),
        "qdiscs": _printed("tc", "qdisc", "show"),
        "mounts": Path("/proc/self/mounts").read_text(),
        "settings": {path: _read(path) for path in SETTINGS},
    }


def named_files():
    """Sockets and files that DPDK or a runner may leave, without those of others who live."""
    sockets = _printed("ss", "-axlH").split()
    files = [str(path) for place in PLACES for path in Path(place).glob("linerate*")]
    own = started()
    return {
        name
        for name in (*sockets, *files)
        if (owner := OWNER.search(name))
        and (int(owner[1]) in own or not Path("/proc", owner[1]).exists())
    }


def left_behind(before):
    """What is there and was not, of ``kernel_objects``, once what is ending has ended.

    What was there and is gone was another process's. What is new and goes while we wait was of
    others too, or of a namespace, which goes a moment after its last process.
    """
    end = time.monotonic() + SETTLE_SECONDS
    left = _new(kernel_objects(), before)
    while left and time.monotonic() < end:
        time.sleep(0.1)
        now = _new(kernel_objects(), before)
        left = {kind: _still(found, now[kind]) for kind, found in left.items() if kind in now}
        left = {kind: found for kind, found in left.items() if found}
    return left


def await_none_started(names=()):
    """Wait until nothing that the test started lives, or nothing of these names; what does."""
    end = time.monotonic() + SETTLE_SECONDS
    while True:
        left = {pid: name for pid, name in started().items() if not names or name in names}
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def _still(found, now):
    return found & now if isinstance(found, set) else now


def _new(now, before):
    kinds = {
        kind: found - before[kind] if isinstance(found, set) else found
        for kind, found in now.items()
        if found != before[kind]
    }
    return {kind: found for kind, found in kinds.items() if found}


def _listed(*argv):
    """What a tool lists; bpftool fails when an object goes while it walks the list."""
    words = ""
    for _ in range(50):
        done = subprocess.run([*argv], capture_output=True, text=True, check=False)
        if not done.returncode:
            return json.loads(done.stdout or "[]")
        words = done.stderr
        time.sleep(0.1)
    raise AssertionError(f"{argv}: {words}")


def _read(path):
    try:
        return path.read_text()
    except OSError as error:  # some can only be written
        return error.errno


def _printed(*argv):
    return subprocess.run([*argv], capture_output=True, text=True, check=False).stdout
