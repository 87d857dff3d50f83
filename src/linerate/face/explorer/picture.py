"""Three panels of an explorer, drawn once; afterwards only the data of their marks change."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from linerate.face.explorer.explored import ACCESSES, OFFERED_MPPS, PACKET_NS, Explored
from linerate.reports.drawing.colours import GREY, INK, PATHS
from linerate.reports.drawing.style import STYLE_FILE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

INCHES, DPI = (10.0, 3.1), 96
RATES_MPPS = (0.005, 200.0)
LATENCY_US = (1.0, 5000.0)
RATE_TICKS = (0.01, 0.1, 1, 10, 100)
ACCESS_TICKS = (0, 1, 10, 100, 1000, 10_000, 100_000)
LOAD_TICKS = (0.01, 0.1, 1, 10, 100)
US_TICKS = (1, 10, 100, 1000)
NS_TICKS = (10, 100, 1000, 10_000, 100_000)


class Picture:
    """Figure of fixed axes; ``artists`` are what moves, by name."""

    def __init__(self) -> None:
        import matplotlib as mpl  # slow to load
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        own: Any = {"figure.constrained_layout.use": False}
        with mpl.rc_context(own, fname=STYLE_FILE):
            self.figure = Figure(figsize=INCHES, dpi=DPI, layout=None)
            canvas: Any = FigureCanvasAgg(self.figure)  # it has no annotations
            self.capacity, self.latency, self.roofline = self.figure.subplots(1, 3)
            self.figure.subplots_adjust(left=0.06, right=0.985, bottom=0.17, top=0.9, wspace=0.24)
            self._frames()
            self.artists = {
                **_rates(self.capacity, "capacity"), **_rates(self.roofline, "roofline"),
                **_loads(self.latency),
            }  # fmt: skip
            canvas.draw()
        self._canvas, self._empty = canvas, canvas.copy_from_bbox(self.figure.bbox)

    def _frames(self) -> None:
        """Axes, which stay as they are: a moving scale would hide what moves."""
        self.capacity.set(title="Capacity", xlabel="Memory accesses per packet")
        self.capacity.set_xscale("symlog", linthresh=1.0, linscale=0.4)
        self.capacity.set_xlim(0, ACCESSES[-1])
        self.latency.set(title="Mean latency", xlabel="Offered load (Mpps)", xscale="log")
        self.latency.set(ylabel="us", yscale="log", ylim=LATENCY_US)
        self.latency.set_xlim(OFFERED_MPPS[0], OFFERED_MPPS[-1])
        self.roofline.set(title="Packet roofline", xlabel="Time of a packet on a core (ns)")
        self.roofline.set(xscale="log", xlim=(PACKET_NS[0], PACKET_NS[-1]))
        for axes in (self.capacity, self.roofline):
            axes.set(yscale="log", ylim=RATES_MPPS, ylabel="Throughput (Mpps)")
            axes.set_yticks(RATE_TICKS, [f"{tick:g}" for tick in RATE_TICKS])
        self.capacity.set_xticks(ACCESS_TICKS, ["0", "1", "10", "100", "1000", "10k", "100k"])
        for axis, ticks in ((self.latency.xaxis, LOAD_TICKS), (self.latency.yaxis, US_TICKS),
                            (self.roofline.xaxis, NS_TICKS)):  # fmt: skip
            axis.set_ticks(ticks, [f"{tick:g}" if tick < 1e4 else f"{tick / 1e3:g}k"
                                   for tick in ticks])  # fmt: skip
        for axes in (self.capacity, self.latency, self.roofline):
            axes.minorticks_off()

    def show(self, explored: Explored, datapath: str) -> None:
        """Give the marks the data of a cell; the colour is that of its datapath."""
        one, put = explored.prediction, self._put
        reach = (one.lower_mpps, one.upper_mpps)
        put("capacity", ACCESSES, explored.curve.predicted_mpps)
        put("capacity lower", ACCESSES, explored.curve.lower_mpps)
        put("capacity upper", ACCESSES, explored.curve.upper_mpps)
        put("roofline", PACKET_NS, explored.roofline_mpps)
        places = {"capacity": explored.memory_accesses, "roofline": explored.packet_ns}
        for panel, place in places.items():
            put(f"{panel} cell", [place], [one.predicted_mpps])
            put(f"{panel} interval", [place, place], reach)
            put(f"{panel} line rate", [0.0, 1.0], [one.line_rate_mpps] * 2)
        self._show_latency(explored)
        for name, artist in self.artists.items():
            if "line rate" not in name and name != "latency why":
                artist.set_color(PATHS.get(datapath, INK))

    def _show_latency(self, explored: Explored) -> None:
        known, put = explored.latency_us is not None, self._put
        if explored.latency_us is None:
            put("latency", [], [])
        else:
            put("latency", OFFERED_MPPS, explored.latency_us)
        at = [explored.offered_mpps] if known else []
        put("latency cell", at, [explored.load_latency_us] if known else [])
        self.artists["latency why"].set_text("" if known else "none known")

    def clear(self) -> None:
        """Take all data away: there is no answer."""
        for name, artist in self.artists.items():
            if name == "latency why":
                artist.set_text("")
            else:
                artist.set_data([], [])

    def _put(self, name: str, x: ArrayLike, y: ArrayLike) -> None:
        self.artists[name].set_data(x, y)

    def png(self) -> bytes:
        """Draw what moves upon the axes that were drawn before."""
        from PIL import Image

        self._canvas.restore_region(self._empty)
        for artist in self.artists.values():
            artist.axes.draw_artist(artist)
        drawn = np.asarray(self._canvas.buffer_rgba())[..., :3]
        written = io.BytesIO()
        Image.fromarray(drawn).save(written, "png", compress_level=1)
        return written.getvalue()


def _rates(axes: Axes, name: str) -> dict[str, Any]:
    thin: dict[str, Any] = {"linewidth": 0.7, "linestyle": ":"}
    level = axes.get_yaxis_transform()
    made = {
        f"{name} line rate": axes.plot([], [], color=GREY, linestyle="--", transform=level,
                                       linewidth=0.9, animated=True)[0],
        name: axes.plot([], [], animated=True)[0],
        f"{name} interval": axes.plot([], [], linewidth=1.2, animated=True)[0],
        f"{name} cell": axes.plot([], [], "o", animated=True)[0],
    }  # fmt: skip
    if name == "capacity":
        made["capacity lower"] = axes.plot([], [], animated=True, **thin)[0]
        made["capacity upper"] = axes.plot([], [], animated=True, **thin)[0]
    return made


def _loads(axes: Axes) -> dict[str, Any]:
    centre: dict[str, Any] = {
        "ha": "center",
        "va": "center",
        "transform": axes.transAxes,
        "color": GREY,
    }
    return {
        "latency": axes.plot([], [], animated=True)[0],
        "latency cell": axes.plot([], [], "o", animated=True)[0],
        "latency why": axes.text(0.5, 0.5, "", animated=True, **centre),
    }
