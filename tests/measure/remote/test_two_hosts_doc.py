"""The commands of docs/two-hosts.md, word by word, between two hosts that are namespaces."""

import re
import shlex
import subprocess

import pytest

from .two_hosts import GENERATOR_INTERFACE, HOST, ROOT, needs_sshd, open_two_hosts

pytestmark = [
    pytest.mark.deep,
    pytest.mark.long,
    pytest.mark.root,
    needs_sshd,
]
TEXT = (ROOT / "docs/two-hosts.md").read_text()
SHORTER = {
    "trial_seconds = 1.0": "trial_seconds = 0.1",
    "warm_up_seconds = 0.2": "warm_up_seconds = 0.02",
}
"""What a reader leaves as it is."""


def section(title):
    """Indented lines below a heading, those that end in a backslash joined with the next."""
    text = TEXT.split(f" {title}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^    (.*)$", text, re.MULTILINE)
    return "\n".join(blocks).replace("\\\n", " ").splitlines()


def table(hosts):
    """The how-to's own [nic] table, with the names of these hosts."""
    lines = section("6 Say which ports: the `[nic]` table")
    return "\n".join(lines[lines.index("[nic]") :]).replace("ens2f0", hosts.interface).replace(
        "ens3f0", GENERATOR_INTERFACE
    ).replace("/opt/linerate", str(ROOT)).replace("loadgen", HOST)  # fmt: skip


def output(hosts, folder, command):
    """Run a line of the how-to as root in linerate's folder."""
    argv = shlex.split(command.removeprefix("sudo "))
    # To enter a host's view of the file system is to leave the folder.
    there = hosts.dut.argv(["env", f"--chdir={folder}", *argv], pins=True)
    done = subprocess.run(
        there, env=hosts.environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def write_plan(hosts, folder):
    """Copy the campaign as the how-to does, and edit its table."""
    (copy, *_) = section("6 Say which ports: the `[nic]` table")
    output(hosts, folder, copy)
    plan = folder / "my.toml"
    wanted = table(hosts).replace("generator_cores = [0, 1, 2, 3]", "generator_cores = [0]")
    wanted = "\n".join(line for line in wanted.splitlines() if line.startswith(("[", *"cgi")))
    wanted += f'\nssh_config = "{hosts.folder}/ssh_config"\n\n'
    text = re.sub(r"\[nic\]\n.*?(?=\[\[cells)", lambda _: wanted, plan.read_text(), flags=re.DOTALL)
    for whole, shorter in SHORTER.items():
        assert whole in text
        text = text.replace(whole, shorter)
    plan.write_text(text)


def test_a_reader_gets_from_an_edited_table_to_a_verdict(tmp_path):
    (tmp_path / "linerate").mkdir()
    folder = tmp_path / "linerate"
    for name in (".venv", "data"):
        (folder / name).symlink_to(ROOT / name)
    with open_two_hosts(tmp_path) as hosts:
        before = hosts.state()
        write_plan(hosts, folder)
        commands = section("8 Measure, and read the verdict")
        answers = [output(hosts, folder, command) for command in commands]
        assert "sustain" in answers[-1]
        assert re.search(r"Mpps", answers[-1])
        output(hosts, folder, "sudo .venv/bin/linerate cleanup")
        assert "sudo .venv/bin/linerate cleanup" in TEXT
        assert hosts.state() == before
