"""A report's cells are those of lint, selection and fits."""

import pandas as pd

from linerate.models import training_of
from linerate.reports.tables.cells import saturated_cells
from linerate.tables.cell_columns import cell_codes

from ..planted import serial_runs


def test_runs_that_differ_in_arrivals_are_two_cells_of_a_report_too():
    runs = serial_runs(accesses=(0, 100), sizes=(64,), queues=(1,))
    both = pd.concat([runs, runs.assign(arrivals="poisson", run_id=runs["run_id"] + "p")],
                     ignore_index=True)  # fmt: skip
    for table, cells_of_one in ((runs, 1), (both, 2)):
        cells = saturated_cells(training_of(table))
        assert len(cells) == cell_codes(table).nunique()
        assert set(cells["runs"]) == {2}
        assert (cells.groupby(["datapath", "memory_accesses"]).size() == cells_of_one).all()
