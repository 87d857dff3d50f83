"""What every prediction is to be checked for: that the link carries it."""

from linerate.units import line_rate_mpps


def check_line_rate(output, cells):
    """Nothing above line rate, ends in order, and the link bounds some cell and not another."""
    line_mpps = line_rate_mpps(cells["link_gbps"], cells["frame_bytes"])
    assert (output.upper_mpps <= line_mpps).all()
    assert (output.lower_mpps <= output.predicted_mpps).all()
    assert (output.predicted_mpps <= output.upper_mpps).all()
    assert (output.upper_mpps == line_mpps).any(), "else nothing was cut"
    assert (output.predicted_mpps < line_mpps).any()
