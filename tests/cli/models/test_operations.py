"""Mixes on the command line: fitted, asked for by operations or a .spec, held out; or refused."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.cli.models.operations import operations_of, settings_of
from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.models import save_model

from ...conftest import ROOT

P4C_OUTPUT = ROOT.parent / "shared/data/p4c"
ASKED = ("--datapath", "swx", "--program", "forward", "--frame-bytes", "64", "--queues", "1",
         "--link-gbps", "inf", "--json")  # fmt: skip


def run(*words):
    return CliRunner().invoke(app_for(words), list(words))


def answer(*words):
    result = run(*words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(reference):
    return reference("izolan")


@pytest.fixture(scope="module")
def model(pipelines_section, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixes") / "model.json"
    save_model(pipelines_section.file, path)
    return str(path)


def predicted(model, *more):
    return answer("predict", model, *ASKED, *more)


def test_more_operations_take_longer(model):
    rates = [predicted(model, "--operations", f"table_exact={n}")["predicted_mpps"]
             for n in (1, 3, 8)]  # fmt: skip
    assert rates == sorted(rates, reverse=True)


def test_a_mix_never_measured_lies_between_its_slowest_part_and_their_sum(model):
    def packet_ns(operations):
        return 1e3 / predicted(model, "--operations", operations)["predicted_mpps"]

    none, reads, adds = packet_ns(""), packet_ns("register_read_16=40"), packet_ns("add=40")
    both = packet_ns("register_read_16=40,add=40")
    assert max(reads, adds) - 1.0 <= both < reads + adds - none


def test_a_spec_that_only_forwards_and_adds_is_what_its_operations_are(model, tmp_path):
    spec = tmp_path / "own.spec"
    spec.write_text(spec_text(SwxProgram(operations=(("add", 10),))))
    by_spec = predicted(model, "--operations", str(spec))
    by_name = predicted(model, "--operations", "add=10")
    assert by_spec["predicted_mpps"] == pytest.approx(by_name["predicted_mpps"])
    assert by_spec["in_domain"]


def test_instructions_of_unknown_cost_widen_the_answer(model, tmp_path):
    """The pipeline that routes was measured: 123 ns a packet."""
    spec = tmp_path / "routes.spec"
    spec.write_text(spec_text(SwxProgram(base="l2l3")))
    printed = predicted(model, "--operations", str(spec))
    assert not printed["in_domain"]
    assert printed["lower_mpps"] < 1e3 / 123.0 < printed["upper_mpps"]


def test_what_the_real_compiler_makes_of_a_source_is_asked_as_it_is(model, tmp_path):
    """It copies expressions: 10 additions where the pipeline that was generated has 2."""
    written = P4C_OUTPUT / "l2l3.spec"
    if not written.is_file():
        pytest.skip("needs what p4c wrote of p4/l2l3.p4 at ../shared/data/p4c")
    spec = tmp_path / "generated.spec"
    spec.write_text(spec_text(SwxProgram(base="l2l3")))
    by_compiler, generated = (predicted(model, "--operations", str(path))
                              for path in (written, spec))  # fmt: skip
    counts = json.loads(by_compiler["operations"])
    assert (counts["add"], counts["shift_right"], counts["and"]) == (10, 3, 3)
    assert counts["unpriced"] > json.loads(generated["operations"])["unpriced"]
    assert by_compiler["predicted_mpps"] < generated["predicted_mpps"]
    assert not by_compiler["in_domain"], "copies have no cost of their own"


def test_a_cell_without_a_program_is_refused_with_those_there_are(model):
    result = run("predict", model, "--datapath", "swx", "--frame-bytes", "64", "--queues", "1")
    assert isinstance(result.exception, BadInputError)
    assert str(result.exception) == (
        "program=: the model knows several programs on swx; allowed: forward, l2l3; name one of "
        "them: --program, or the column program"
    )


def test_a_larger_working_set_is_slower(model):
    tables = ("--operations", "table_exact=10")
    large = predicted(model, *tables, "--setting", "flows=8192", "--setting", "table_entries=8192")
    assert large["predicted_mpps"] < 0.8 * predicted(model, *tables)["predicted_mpps"]


def test_an_unknown_kind_is_refused_with_those_that_are_known(model):
    result = run("predict", model, *ASKED, "--operations", "meter=1")
    assert isinstance(result.exception, BadInputError)
    assert "meter" in str(result.exception)
    assert "table_exact" in str(result.exception)


@pytest.mark.parametrize("operations", ["nonsense", "add=", "=3", "add=-1", "add=x"])
def test_operations_of_no_form_are_refused(operations):
    with pytest.raises(BadInputError, match="operations="):
        operations_of(operations)


@pytest.mark.parametrize("setting", ["bananas=3", "flows", "flows=", "operations=1"])
def test_settings_of_no_form_are_refused(setting):
    with pytest.raises(BadInputError, match="setting="):
        settings_of((setting,))


def test_a_table_of_cells_is_answered_in_its_order(model, tmp_path):
    cells = pd.DataFrame({
        "datapath": "swx", "program": ["forward", "l2l3", "forward"], "queues": 1,
        "frame_bytes": 64, "link_gbps": 1000.0, "memory_accesses": 0,
        "operations": ['{"add": 100}', "{}", "{}"],
    })  # fmt: skip
    cells.to_csv(tmp_path / "cells.csv", index=False)
    out = tmp_path / "said.csv"
    assert run("predict", model, "--cells", str(tmp_path / "cells.csv"), "--out",
               str(out)).exit_code == 0  # fmt: skip
    mpps = pd.read_csv(out)["predicted_mpps"].tolist()
    assert mpps[0] < mpps[1] < mpps[2]


def test_whole_mixes_are_held_out_and_those_missed_are_named(folder):
    found = answer("validate", str(folder), "--json")["mixes"]
    by_sort = {scores["sort"]: scores for scores in found["scores"]}
    assert by_sort["mix"]["within_ratio"] > 0.85
    assert found["noise_floor"]["median_percent"] > 0.0
    assert all(one["why"] for one in found["missed"])


def test_what_goes_by_accesses_alone_is_refused_with_a_reason(model):
    answer = run("fits", "map_lookup", "--model", model, "--memory-accesses", "1")
    assert "no program was measured by memory accesses" in str(answer.exception)


def test_a_program_that_it_does_not_know_is_not_asked_for_its_memory_accesses(model):
    answer = run("predict", model, "--datapath", "xdp_native", "--program", "mine.bpf.o",
                 "--queues", "1", "--frame-bytes", "64")  # fmt: skip
    assert "at loads it cannot sustain" in str(answer.exception)
