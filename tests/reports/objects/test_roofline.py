"""The packet roofline shows the answers, and says no more than it shows."""

import numpy as np
import pandas as pd
import pytest

from linerate.errors import BadInputError
from linerate.models.objects import ObjectAnswer
from linerate.reports.language import Words
from linerate.reports.objects.roofline import (
    draw_roofline,
    roofline_caption,
    roofline_table,
    write_roofline,
)
from linerate.reports.validation.files import check_picture


def answer(**changes):
    values = {
        "program": "planted", "datapath": "xdp_native", "box": "planted", "frame_bytes": 64.0,
        "link_gbps": 10.0, "queues": 2, "sustains": False, "sustains_line_rate": 0.0,
        "predicted_mpps": 8.0, "lower_mpps": 7.0, "upper_mpps": 9.0, "line_rate_mpps": 14.88,
        "predicted_gbps": 5.4,
        "bottleneck": "cpu", "base_ns": 150.0, "program_ns": 100.0,
        "alone_ns": 100.0, "lower_program_ns": 90.0,
        "upper_program_ns": 110.0, "headroom_ns": -115.6, "room": (), "cpu_busy_ratio": 1.0,
        "loads": (), "paths": (), "in_domain": True,
    }  # fmt: skip
    return ObjectAnswer(**(values | changes))


SUSTAINED = {
    "frame_bytes": 512.0, "queues": 1, "sustains": True, "predicted_mpps": 2.35, "lower_mpps": 2.35,
    "upper_mpps": 2.35, "line_rate_mpps": 2.35, "headroom_ns": 175.5,
}  # fmt: skip


def of(table, series):
    return table[table["series"] == series]


def test_the_curve_goes_through_the_prediction_and_ends_at_line_rate():
    table = roofline_table([answer()])
    curve = of(table, "curve")
    assert np.interp(100.0, curve["program_ns"], curve["mpps"]) == pytest.approx(8.0, rel=1e-3)
    assert curve["mpps"].is_monotonic_decreasing
    assert of(table, "cores")["mpps"].tolist() == pytest.approx([2e3 / 150.0] * 2)
    assert curve["mpps"].max() < 2e3 / 150.0
    sustained = of(roofline_table([answer(**SUSTAINED)]), "curve")
    assert sustained["mpps"].max() == 2.35


def test_the_axis_goes_on_to_where_a_quick_program_would_halve_the_rate():
    quick = answer(program_ns=2.0, lower_program_ns=1.5, upper_program_ns=2.5)
    curve = of(roofline_table([quick]), "curve")
    assert curve["mpps"].min() < 0.5 * curve["mpps"].max()


def test_the_budget_is_what_the_program_takes_and_could_take_still():
    table = roofline_table([answer(), answer(**SUSTAINED)])
    (budget,) = of(table, "budget").to_dict("records")
    assert (budget["traffic"], budget["mpps"]) == (1, 2.35)
    assert budget["program_ns"] == pytest.approx(275.5)


def test_every_traffic_is_drawn_and_named_with_its_verdict():
    drawn = draw_roofline(roofline_table([answer(), answer(**SUSTAINED)]), Words())
    texts = [text.get_text() for text in drawn.whole.legends[0].get_texts()]
    assert texts[:2] == ["64 B, 2 queues:\nnot sustained", "512 B, 1 queue:\nline rate sustained"]
    low, high = drawn.axes[0, 0].get_xlim()
    assert low < 90.0 < 275.5 < high


def test_the_caption_names_only_what_is_drawn():
    endless = roofline_table([answer(line_rate_mpps=np.inf, headroom_ns=-np.inf)])
    words = " ".join(roofline_caption(endless, "p.o", "b", Words()))
    assert "Dashed" not in words
    assert "Bars across" not in words
    assert "Program p.o on xdp_native of box b; frames of 64 B." in words
    assert "Bars across" in " ".join(
        roofline_caption(roofline_table([answer(**SUSTAINED)]), "p.o", "b", Words())
    )


def test_the_picture_lies_beside_the_table_that_it_draws(tmp_path):
    picture, table = write_roofline(tmp_path / "roofline.png", "p.o", [answer()])
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert set(pd.read_csv(table)["series"]) == {"program", "line_rate", "cores", "curve"}
    with pytest.raises(BadInputError, match="it cannot be drawn there"):
        check_picture(tmp_path / "roofline.gif")
