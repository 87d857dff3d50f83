"""Sessions are found without SSH_CONNECTION, which sudo drops."""

from ipaddress import ip_address

import pytest

from linerate.measure.tuning.ssh import parse_address, session_peers

HEAD = "sl local_address rem_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode"


def line(local, remote, state="01", inode=1):
    return f"0: {local} {remote} {state} 00000000:00000000 00:00000000 00000000 0 0 {inode} 1"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.delenv("SSH_CONNECTION", raising=False)

    def build(*lines, lines6=()):
        folder = tmp_path / "proc/self/net"
        folder.mkdir(parents=True)
        (folder / "tcp").write_text("\n".join([HEAD, *lines]) + "\n")
        (folder / "tcp6").write_text("\n".join([HEAD, *lines6]) + "\n")
        return tmp_path

    return build


def test_a_client_on_port_22_counts(machine):
    root = machine(line("010012C6:0016", "090012C6:9C40"))
    assert session_peers(root) == {ip_address("198.18.0.9")}


def test_other_ports_and_listeners_do_not(machine):
    root = machine(
        line("010012C6:0050", "090012C6:9C40"), line("00000000:0016", "00000000:0000", state="0A")
    )
    assert session_peers(root) == set()


def test_a_socket_that_sshd_holds_counts_on_any_port(machine):
    root = machine(line("010012C6:1F90", "090012C6:9C40", inode=4711))
    files = root / "proc/99/fd"
    files.mkdir(parents=True)
    (root / "proc/99/comm").write_text("sshd-session\n")
    (files / "3").symlink_to("socket:[4711]")
    assert session_peers(root) == {ip_address("198.18.0.9")}


def test_a_client_over_ipv4_on_a_socket_of_both_families_is_one_of_ipv4(machine):
    mapped = "0000000000000000FFFF0000090012C6"
    root = machine(lines6=[line(f"{mapped}:0016", f"{mapped}:9C40")])
    assert session_peers(root) == {ip_address("198.18.0.9")}


def test_ipv6_addresses_are_read_word_by_word():
    assert parse_address("B80D0120000000000000000001000000") == ip_address("2001:db8::1")


def test_this_session_counts_and_loopback_does_not(machine, monkeypatch):
    root = machine(line("0100007F:0016", "0100007F:9C40"))
    monkeypatch.setenv("SSH_CONNECTION", "2001:db8::9 4000 2001:db8::1 22")
    assert session_peers(root) == {ip_address("2001:db8::9")}
