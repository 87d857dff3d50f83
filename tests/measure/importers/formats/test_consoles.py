"""What MoonGen and TRex print on a console becomes a row, with what is wrong with it named."""

import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.measure.importers.importing import import_logs
from linerate.tables.runs import read_runs

MAPPING = """[run]
campaign = "theirs"
box = "their-box"
datapath = "xdp_native"
program = "router"
memory_accesses = 0
queues = 1
frame_bytes = 64.0
link_gbps = 10.0
"""
BLUE, PLAIN = "\x1b[1;34m", "\x1b[0m"


def moongen(rx_mpps=(5.42,) * 8, tx_mpps=5.49, final=True, latency=True):
    """Lines of two counters, coloured as on a terminal."""
    lines = ["[INFO]  Device 1 is up: 10000 MBit/s"]
    for rx in rx_mpps:
        for name, direction, mpps in (("id=0", "TX", tx_mpps), ("id=1", "RX", rx)):
            rates = f"{mpps * 512:.0f} Mbit/s ({mpps * 672:.0f} Mbit/s with framing)"
            lines.append(f"{BLUE}[Device: {name}] {direction}{PLAIN}: {mpps:.2f} Mpps, {rates}")
    if final:
        lines += [
            f"[Device: id={port}] {direction}: {mpps:.2f} (StdDev 0.05) Mpps, 2812 (StdDev 1) "
            f"Mbit/s (3691 Mbit/s with framing), total 88011 packets with 5632704 bytes (incl. CRC)"
            for port, direction, mpps in ((0, "TX", tx_mpps), (1, "RX", rx_mpps[-1]))
        ]
    if latency:
        lines.append("Samples: 1174, Average: 11137.8 ns, StdDev: 8340.4 ns, Quartiles: "
                     "7559.0/10368.0/12454.0 ns")  # fmt: skip
    return "\n".join(lines) + "\n"


def table(second, sent, received, more=""):
    return (
        "-Per port stats table \n      ports |               0 |               1 \n ------\n"
        f"   opackets |  {sent:14.0f} |               0 \n     obytes |  {64 * sent:14.0f} |  0 \n"
        f"   ipackets |               0 |  {received:14.0f} \n     ibytes |  0 |  0 \n"
        "    ierrors |               0 |               0 \n"
        "    oerrors |               0 |               0 \n      Tx Bw |  1.18 Gbps |  0.00  bps \n"
        f"\n-Global stats enabled \n Cpu Utilization : 31.6  %  31.6 Gb/core \n{more}"
        f" drop-rate       :       0.00  bps   \n current time    : {second:.1f} sec  \n"
        " test duration   : 60.0 sec  \n\n"
    )


LATENCY = """-Latency stats enabled
 Cpu Utilization : 0.1 %
 if|   tx_ok , rx_ok  , rx check ,error,       latency (usec) ,    Jitter          max window
 0 |    65254,       0,         0,    0,          0  ,       0,       0      |  10  10  15
 1 |    65254,   12858,         0,    0,          7  ,      23,       1      |  10  10  15
"""


def trex(seconds=range(0, 62, 2), received_mpps=1.0, ends_s=54, more="", latency=True):
    """Tables of one run: 6 s idle, traffic until ``ends_s``, idle."""
    begins_s = min(6, ends_s)
    busy = [min(max(second, begins_s), ends_s) - begins_s for second in seconds]
    tables = [table(second + 0.04 * (second % 3), 1.25e6 * lasted, 1e6 * received_mpps * lasted,
                    more) for second, lasted in zip(seconds, busy, strict=True)]  # fmt: skip
    return "".join(tables) + (LATENCY if latency else "")


@pytest.fixture
def read(tmp_path):
    def imported(name, text, more=""):
        (tmp_path / "log.txt").write_text(text)
        (tmp_path / "map.toml").write_text(MAPPING + more)
        found = import_logs(name, tmp_path / "log.txt", tmp_path / "map.toml")
        [row] = found.runs.to_dict("records")
        return row, [finding.defect.name for finding in found.findings]

    return imported


def test_moongens_console_gives_rate_offer_and_latency(read):
    row, defects = read("moongen_console", moongen())
    assert row["forwarded_mpps"] == pytest.approx(5.42)
    assert row["offered_mpps"] == pytest.approx(5.49)
    assert (row["latency_mean_us"], row["latency_p50_us"]) == pytest.approx((11.1378, 10.368))
    assert (row["duration_s"], row["unstable"], defects) == (7.0, False, [])


def test_an_offer_that_the_mapping_knows_is_kept(read):
    more = 'offered_mpps = "line"\n[moongen_console]\nreceiver = "Device: id=1"\n'
    row, _ = read("moongen_console", moongen(), more)
    assert row["offered_mpps"] == pytest.approx(14.880952)


def test_seconds_without_traffic_are_in_no_rate(read):
    row, _ = read("moongen_console", moongen((0.0, 0.0, 1.3, *(5.42,) * 6, 0.7)))
    assert row["forwarded_mpps"] == pytest.approx(5.42)


def test_what_a_console_gets_wrong_is_named(read):
    assert read("moongen_console", moongen((0.5,) * 8))[1] == ["rate_coarse"]
    assert read("moongen_console", moongen((5.0, 6.0) * 6))[1] == ["rate_unsteady"]
    row, defects = read("moongen_console", moongen((1.5,) * 8) + moongen((5.42,) * 8))
    assert defects == ["log_appended"]
    assert row["forwarded_mpps"] == pytest.approx(5.42)


def test_few_seconds_have_the_mean_that_moongen_gives(read):
    assert read("moongen_console", moongen((5.42,) * 2))[0]["forwarded_mpps"] == 5.42
    with pytest.raises(BadInputError, match="too few for a rate"):
        read("moongen_console", moongen((5.42,) * 2, final=False))


def test_a_receiver_that_is_none_is_refused(read):
    with pytest.raises(
        BadInputError, match=r"no receiver is called 'id=7'; there are: Device: id=1"
    ):
        read("moongen_console", moongen(), '[moongen_console]\nreceiver = "id=7"\n')
    both = moongen() + moongen().replace("id=1", "id=2")
    with pytest.raises(BadInputError, match="2 counters received packets"):
        read("moongen_console", both)


def test_trexs_console_gives_the_slope_within_the_traffic(read):
    row, defects = read("trex", trex(), "[trex]\nreceivers = [1]\n")
    assert row["forwarded_mpps"] == pytest.approx(1.0, rel=0.005)
    assert row["offered_mpps"] == pytest.approx(1.25, rel=0.005)
    assert (row["latency_mean_us"], row["latency_max_us"]) == (7.0, 23.0)
    assert 40.0 < row["duration_s"] <= 46.0
    assert defects == []


def test_what_trex_gets_wrong_is_named(read):
    assert read("trex", trex(range(0, 16, 1), ends_s=14))[1] == ["clock_coarse"]
    assert read("trex", trex(more=" Total_queue_full : 72264932  \n"))[1] == ["queue_full"]
    twice, defects = read("trex", trex(received_mpps=0.5, latency=False) + trex())
    assert defects == ["log_appended"]
    assert twice["forwarded_mpps"] == pytest.approx(1.0, rel=0.005)
    wrong = trex().replace("ierrors |               0", "ierrors |              12")
    assert read("trex", wrong)[1] == ["port_errors"]


def test_a_table_that_is_cut_short_is_left_out(read):
    whole = trex(latency=False)
    row, _ = read("trex", whole[:-180])
    assert row["forwarded_mpps"] == pytest.approx(1.0, rel=0.005)


@pytest.mark.parametrize("name", ["moongen_console", "trex"])
@pytest.mark.parametrize("text", ["", "no log", "[Device: id=1] RX: x Mpps", "9" * 5000])
def test_what_is_no_such_log_is_refused(read, name, text):
    with pytest.raises(BadInputError, match=f"it is not a log of {name}"):
        read(name, text)


def test_counters_that_cannot_be_are_refused(read):
    huge = trex().replace("ipackets |               0", f"ipackets | {'9' * 400}")
    with pytest.raises(BadInputError, match="larger than 64 bits"):
        read("trex", huge)
    with pytest.raises(BadInputError, match=r"receivers=\[5\]: it has 2 ports"):
        read("trex", trex(), "[trex]\nreceivers = [5]\n")
    with pytest.raises(BadInputError, match="too few for a rate"):
        read("trex", trex(ends_s=0))


def test_the_command_writes_a_table_that_others_read(tmp_path):
    (tmp_path / "log.txt").write_text(trex())
    (tmp_path / "map.toml").write_text(MAPPING)
    with pytest.raises(SystemExit) as ended:
        main(["import", "trex", str(tmp_path / "log.txt"), "--map", str(tmp_path / "map.toml"),
              "--out", str(tmp_path / "runs.csv")])  # fmt: skip
    assert ended.value.code == 0
    assert len(read_runs([tmp_path / "runs.csv"])) == 1
