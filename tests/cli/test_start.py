"""What a command loads before it knows that it has something to do."""

import json
import subprocess
import sys

import pytest

from linerate.cli.app import COMMANDS

SLOW = ("numpy", "scipy", "pandas", "pyarrow", "matplotlib", "sklearn", "statsmodels", "numba")
LOADED = """
import json, sys
from linerate.cli import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded_by(*words):
    """Packages that a command loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False
    )
    return done.returncode, {name.partition(".")[0] for name in json.loads(done.stderr)}


@pytest.mark.parametrize("command", ["", *(command.name for command in COMMANDS)])
def test_help_loads_nothing_slow(command):
    code, packages = loaded_by(*filter(None, [command]), "--help")
    assert code == 0
    assert packages & set(SLOW) == set()


def test_reading_a_model_and_predicting_loads_no_fitting(tmp_path, reference):
    model = tmp_path / "model.json"
    program = (
        "import linerate as lr\n"
        f"lr.fit(lr.read({str(reference('veth'))!r}), 'capacity').save({str(model)!r})"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    code, packages = loaded_by(
        "predict", str(model), "--datapath", "xdp_native", "--memory-accesses", "100",
        "--frame-bytes", "64", "--queues", "1", "--json",
    )  # fmt: skip
    assert code == 0
    assert packages & {"matplotlib", "sklearn", "statsmodels", "numba"} == set()
