"""What every prediction is to be checked for: that the link carries it."""

from linerate.units import line_rate_mpps


def check_line_rate(said, cells):
    """Nothing above line rate, ends in order, and the link bounds some cell and not another."""
    line_mpps = line_rate_mpps(cells["link_gbps"], cells["frame_bytes"])
    assert (said.upper_mpps <= line_mpps).all()
    assert (said.lower_mpps <= said.predicted_mpps).all()
    assert (said.predicted_mpps <= said.upper_mpps).all()
    assert (said.upper_mpps == line_mpps).any(), "else nothing was cut"
    assert (said.predicted_mpps < line_mpps).any()
