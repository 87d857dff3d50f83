"""The way to the generator host: the user's own ssh, strict about keys, and no shell of ours."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.remote.ssh import SshTarget


def test_keys_are_strict_and_nothing_is_asked_or_stored():
    argv = SshTarget(host="loadgen").argv()
    for option in ("StrictHostKeyChecking=yes", "BatchMode=yes", "UpdateHostKeys=no"):
        assert argv[argv.index(option) - 1] == "-o"


def test_the_remote_shell_gets_one_constant_command():
    target = SshTarget(host="root@loadgen", command=("sudo", "-n", "/opt/linerate/bin/linerate"))
    assert target.argv()[-3:] == [
        "--", "root@loadgen", "sudo -n /opt/linerate/bin/linerate agent",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "host", ["", "-oProxyCommand=touch x", "a b", "a;b", "$(x)", "a\nb", "a/b"]
)
def test_a_host_that_could_be_more_than_a_name_is_refused(host):
    with pytest.raises(BadInputError, match="generator_host="):
        SshTarget(host=host)


@pytest.mark.parametrize("word", ["", "a b", "a;b", "`x`", "$HOME/x", "a|b", "~/x", "a'b", "a\nb"])
def test_a_word_that_a_shell_could_take_apart_is_refused(word):
    with pytest.raises(BadInputError, match="generator_command="):
        SshTarget(host="loadgen", command=("linerate", word))
