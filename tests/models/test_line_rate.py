"""No answer exceeds what the link carries, its interval neither, whatever gives it.

Of each capacity model see ``test_contract``.
"""

import json

import numpy as np
import pytest

import linerate as lr
from linerate.cli import main
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.provenance import provenance_of
from linerate.models.kinds import KINDS, operations
from linerate.models.kinds.kind import Kind
from linerate.models.operations import fit_mixes, mix_runs
from linerate.models.operations.runs import works_of
from linerate.tables.runs import read_runs
from linerate.units import line_rate_mpps

from .line_rates import check_line_rate
from .planted import cells_table, lab_table

OPERATIONS = {
    "mixes and operations": "izolan-mixes",
    "filters": "sampaio",
    "chains": "castanho",
    "memory": "izolan-memory",
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_filters_and_chains_stay_within_the_link(name, reference):
    runs = read_runs([reference(OPERATIONS[name])])
    model = fit_mixes(mix_runs(runs))
    told = [not model.model.unknown(work) for work in works_of(runs)]
    known = runs[told].assign(offered_mpps=np.inf)
    alone_mpps = np.median(model.predict(known.assign(link_gbps=np.inf)).predicted_mpps)
    # A link that about half of them fill.
    gbps = float(10.0 * alone_mpps / line_rate_mpps(10.0, known["frame_bytes"].median()))
    cells = known.assign(link_gbps=gbps)
    check_line_rate(model.predict(cells), cells)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    fitted = lr.fit(lab_table(), model="capacity", progress=False)
    path = tmp_path_factory.mktemp("line") / "model.json"
    fitted.save(path)
    return fitted, path


FACTORS = {"memory_accesses": 100, "frame_bytes": 64, "queues": 16}


def test_the_face_stays_within_the_link(model):
    answer = model[0].predict("xdp_native", **FACTORS)
    assert answer.upper_mpps == answer.line_rate_mpps
    cells = cells_table(memory_accesses=[0, 100, 10**6], queues=16)
    table = model[0].predict(cells)
    assert (table["upper_mpps"] <= answer.line_rate_mpps).all()


def test_the_command_stays_within_the_link(model, capsys):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in FACTORS.items()]
    with pytest.raises(SystemExit) as ended:
        main(["predict", str(model[1]), "--datapath", "xdp_native", *options, "--json"])
    assert ended.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["upper_mpps"] == float(line_rate_mpps(10.0, 64))


def test_a_kind_of_ones_own_stays_within_the_link(lab_runs):
    """Even one that knows nothing of links."""

    def answer(model, cells, rates):
        wild = np.full(len(cells), model)
        return {
            "predicted_mpps": wild, "lower_mpps": 0.5 * wild, "upper_mpps": 2.0 * wild,
            "sustains_line_rate": 0.0 * wild, "bottleneck": np.full(len(cells), "service"),
            "in_domain": wild > 0.0,
        }  # fmt: skip

    kind = Kind(name="wild", model=float, answers=operations.KIND.answers, fit=lambda runs: 20.0,
                knows=lambda model, cells: np.ones(len(cells), dtype=bool),
                answer=answer)  # fmt: skip
    file = ModelFile(fitted={"wild": 20.0}, kinds=(kind, *KINDS),
                     provenance=provenance_of(lab_runs, fitted_on=1, notes=()))  # fmt: skip
    predicted = file.predict(cells_table(memory_accesses=[1]))
    assert predicted.predicted_mpps == predicted.upper_mpps == line_rate_mpps(10.0, 64)
    assert predicted.lower_mpps == 10.0
