"""Small campaigns for the lab's tests."""

import pytest

from linerate.cli import main
from linerate.errors import LinerateError
from linerate.measure.system.machine import Machine

from .campaign.plans import FORM, plan


@pytest.fixture
def small_campaign(tmp_path):
    def write(repetitions=1, trials=1):
        path = tmp_path / "small.toml"
        path.write_text(
            plan(
                name='"small"', repetitions=repetitions, trials=trials, trial_seconds=0.02,
                warm_up_seconds=0.01, canary_every=4, offered_mpps='["line"]',
            )
        )  # fmt: skip
        return path

    return write


@pytest.fixture
def told_loads():
    """Time test runs, and return how long they took and each load that was told; or skip.

    On a core that others use, no load may have one look to itself: what is refused then is right,
    and says nothing of the code.
    """

    def timed(run):
        loads = []
        try:
            found = run(lambda doing, load, of: loads.append(load))
        except LinerateError as error:
            if "other processes used the core" not in str(error):
                raise
            pytest.skip(str(error))
        return found, loads

    return timed


@pytest.fixture
def bare(tmp_path):
    """Build a machine of the files given, on which nothing was tried."""

    def build(files=(), release="6.18.1", attempts=(), **fields):
        for name, text in dict(files).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Machine(root=tmp_path, release=release, attempts=tuple(attempts), **fields)

    return build


@pytest.fixture
def refusal(tmp_path, capsys):
    """Run the command on a file of this text and return the line that it refuses it with."""

    def run(text):
        path, out = tmp_path / "plan.toml", tmp_path / "out"
        if isinstance(text, bytes):
            path.write_bytes(text)
        elif text is not None:
            path.write_text(text)
        with pytest.raises(SystemExit) as ended:
            main(["measure", str(path), "--out", str(out)])
        output = capsys.readouterr()
        assert ended.value.code == 2
        assert output.out == ""
        assert FORM.fullmatch(output.err), output.err
        assert str(path) in output.err
        assert not out.exists(), "a refused campaign left a folder"
        return output.err

    return run
