"""Logs as MoonGen, sar and perf write them, small and made up, with defects on request."""

HEADER = ("time,txpackets,txpacketrateavg,txpacketrate,rxpackets,rxpacketrateavg,rxpacketrate,"
          "latencymean,core,port")  # fmt: skip
CLOCK_RATIO = 1.00188


def moongen(  # noqa: PLR0913 - one argument for each defect
    rx_mpps=1.0, tx_mpps=16.0, *, seconds=30, latency_s=0.004, decimals=10, latency=True,
    header=HEADER, shifted=True, wobble=0.0,
):  # fmt: skip
    """One run of 1 s readings by a clock that is 0.188 % fast."""
    lines = [header]
    rx = 0
    for second in range(1, seconds + 1):
        tx = round(tx_mpps * 1e6 * second)
        rates = [tx / second * (1.05 if second % 2 else 0.95), tx / second]
        rates = rates if shifted else rates[::-1]
        cells = [f"{second:.3f}", tx, *(f"{r:.2f}" for r in rates), 0, "0.00", "0.00", "0.00"]
        lines.append(_line(cells, 1, latency))
        rx += round(rx_mpps * 1e6 * CLOCK_RATIO * (1.0 + wobble * (-1) ** (second // 4)))
        mean_pps = rx / (second + 0.5)
        rates = [mean_pps * (1.05 if second % 2 else 0.95), mean_pps]
        rates = rates if shifted else rates[::-1]
        mean_s = f"{latency_s if rx else 0:.{decimals}f}"
        cells = [f"{second + 0.5:.3f}", 0, "0.00", "0.00", rx, *(f"{r:.2f}" for r in rates), mean_s]
        lines.append(_line(cells, 2, latency))
    text = "\n".join(lines) + "\n"
    return text if latency else text.replace("latencymean,", "")


def _line(cells, core, latency):
    return ",".join(map(str, [*(cells if latency else cells[:-1]), core, 0]))


def sar(tx_mpps=1.0, *, busy=1.0, cpus=2, clock="24h", comma=True, samples=12, idle=5):  # noqa: PLR0913
    """Samples of 2 s, the first ``idle`` before the traffic, one on its edge, and the average."""
    lines = ["Linux 5.13.0 (w1) \t16/07/2022 \t_x86_64_\t(2 CPU)", ""]
    for sample in range(samples):
        share = 0.0 if sample < idle else 0.6 if sample == idle else 1.0
        stamp = _stamp(59 * 60 + 50 + 2 * sample, clock)
        lines += _block(stamp, tx_mpps * share * 1e6, busy * share, cpus)
    mean = sum(0.6 if s == idle else s > idle for s in range(samples)) / samples
    lines += _block("Average:", tx_mpps * mean * 1e6, busy * mean, cpus)
    text = "\n".join(lines) + "\n"
    return text.replace(".", ",").replace("5,13,0", "5.13.0") if comma else text


def _stamp(second, clock):
    minute, second = divmod(second, 60)
    hour, minute = divmod(12 * 60 - 60 + minute, 60)
    if clock == "24h":
        return f"{hour:02d}:{minute:02d}:{second:02d}"
    return f"{(hour - 1) % 12 + 1:02d}:{minute:02d}:{second:02d} {'AM' if hour < 12 else 'PM'}"


def _block(stamp, tx_pps, busy, cpus):
    lines = [f"{stamp}  CPU %usr %iowait %soft %idle"]
    lines += [
        f"{stamp}  {cpu} 0.00 0.00 {100 * busy:.2f} {100 - 100 * busy:.2f}"
        for cpu in ("all", *range(cpus))
    ]
    lines += [
        "",
        f"{stamp}  IFACE rxpck/s txpck/s rxkB/s txkB/s",
        f"{stamp}  lo 4.00 4.00 1.00 1.00",
    ]
    return [*lines, f"{stamp}  ens2np0 {tx_pps * 1.2:.2f} {tx_pps:.2f} 9.00 9.00", ""]


def perf(command="sleep 5", *, cycles=1_001_390, instructions=1_023_365, comma=True):
    """Two counted events and one that was not."""
    text = (
        f"# started on Sat Jul 16\n\n Performance counter stats for '{command}':\n\n"
        f"         {cycles:,}      cycles    #    2.463 GHz\n"
        f"         {instructions:,}      instructions    #    0.69  insn per cycle\n"
        "     <not counted>      LLC-loads    (0.00%)\n\n       5.001237289 seconds time elapsed\n"
    )
    return text.translate(str.maketrans(".,", ",.")) if comma else text


def study_paths(folder, queues=1, accesses=100, frame_bytes=256, hook="xdpdrv"):
    """Paths of one run's four logs in the layout of Capeletti (2022)."""
    words = (f"combined_{queues}", f"algoritmo_for_0_a_{accesses}", f"pkt_{frame_bytes}",
             f"ebpf_{hook}", "varIP_0.0.0.255", "timeout_60")  # fmt: skip
    generator = f"experimentos/{folder}/gerador/for_0_a_{accesses}/res_" + "+".join(words)
    return {
        "sar": f"experimentos/{folder}/sar/stats_sar_" + ".".join(words) + ".txt",
        "perf": f"experimentos/{folder}/perf/stats_perf_" + ".".join(words) + ".txt",
        "csv": f"{generator}.csv",
        "txt": f"{generator}.txt",
    }


def write_run(root, logs, **names):
    """Write the logs of one run, by kind."""
    paths = study_paths(**names)
    for kind, text in logs.items():
        path = root / paths[kind]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
