"""What tests of ``linerate fits`` share: a command that is run in this process."""

import pytest

from linerate.cli import main


@pytest.fixture
def run(capsys):
    """Run a command; its exit code, and what it printed."""

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words)])
        return ended.value.code, capsys.readouterr()

    return run
