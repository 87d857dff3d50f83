"""The box that is written down is the machine that stands here."""

import os
import platform
import re
import socket

from linerate.measure.system.describe import this_box


def test_this_machine_is_described_by_what_it_says_itself():
    box = this_box(nic="veth")
    assert box.cores == os.cpu_count()
    assert box.kernel == platform.release()
    assert box.nic == "veth"
    assert 0.1 < box.memory_gib < 1e5
    assert box.threads_per_core >= 1


def test_a_name_can_be_a_file_name():
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", this_box(nic="Weird NIC/№ 7").name)


def test_the_same_machine_has_the_same_hash_twice():
    assert this_box(nic="veth").checked_hash == this_box(nic="veth").checked_hash


def test_only_flaws_that_the_kernel_does_something_about_are_kept():
    assert "Not affected" not in this_box(nic="veth").mitigations.values()


def test_no_address_and_no_host_name_are_written_down():
    words = repr(this_box(nic="veth"))
    assert not re.search(r"\b\d+\.\d+\.\d+\.\d+\b|([0-9a-f]{2}:){5}[0-9a-f]{2}", words)
    host = socket.gethostname()
    assert len(host) < 4 or host not in words
