"""Names of axes that several figures have."""

from __future__ import annotations

from linerate.reports.language import message

THROUGHPUT = message("Throughput (Mpps)")
MEASURED_THROUGHPUT = message("Measured throughput (Mpps)")
PREDICTED_THROUGHPUT = message("Predicted throughput (Mpps)")
ACCESSES = message("Memory accesses per packet")
FRAME_SIZE = message("Frame size (B, with FCS)")
LATENCY = message("Latency (µs)")
MEASURED = message("measured,\nsmallest to largest")
MODEL = message("model")
LINE_RATE_NAME = message("line rate")
