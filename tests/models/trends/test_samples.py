"""What a series is of: cells by names that are as short as can be."""

import pandas as pd

import linerate as lr
from linerate.models.trends.samples import samples_of


def test_cells_are_named_by_as_few_columns_as_tell_them_apart(repository):
    runs = lr.read(repository / "data/reference-veth").table.assign(campaign_id="a")
    runs = runs[runs["memory_accesses"].isin([800, 1600]) & (runs["queues"] == 1)]
    runs = runs[(runs["datapath"] == "xdp_native") & runs["frame_bytes"].isin([64, 128])]
    campaigns = pd.DataFrame({"campaign_id": ["a"], "campaign": "a", "label": "a", "step": "a"})
    assert set(samples_of(runs, campaigns).cells) == {
        f"memory_accesses={accesses},frame_bytes={frame_bytes}"
        for accesses in (800, 1600) for frame_bytes in (64, 128)
    }  # fmt: skip
